//! The privacy fact, and its proof: the security policy that this page runs under.

use crate::app::boot::{BUILD, is_saved};
use crate::widgets::dialog::Dialog;
use crate::widgets::icon::{Icon, SHIELD};
use leptos::prelude::*;

fn policy() -> String {
    let meta = document().query_selector("meta[http-equiv='Content-Security-Policy']").ok().flatten();
    meta.and_then(|meta| meta.get_attribute("content")).unwrap_or_default()
}

/// The footer of the screens without a trace.
#[component]
pub fn PrivacyFooter() -> impl IntoView {
    let shown = RwSignal::new(false);
    let version = env!("CARGO_PKG_VERSION");
    view! {
        <footer>
            <span>
                <span class="ok"><Icon shape=SHIELD class="s"/></span>
                "This page cannot send your trace anywhere: its security policy forbids it."
                <button class="link" data-testid="show-policy" on:click=move |_| shown.set(true)>
                    "Show the policy"
                </button>
            </span>
            <span class="sp muted">{format!("Version {version} ({BUILD})")}</span>
        </footer>
        <Dialog open=shown title="What this page is allowed to do" testid="policy">
            <div class="content">
                <p>
                    "The browser enforces this policy on the page and on the reader that holds your trace. "
                    <code>"connect-src"</code>
                    {if is_saved() {
                        " is empty: neither may talk to anything."
                    } else {
                        " lists everything that either may talk to: the host this page came from, which only hands out \
                         its own files, and – only if you opened a link to a trace elsewhere – that one host."
                    }}
                </p>
                <pre data-testid="policy-text">{policy().replace("; ", ";\n")}</pre>
            </div>
        </Dialog>
    }
}
