//! Privacy statement, with the page's security policy as evidence.

use crate::app::boot::{BUILD, is_saved};
use crate::widgets::dialog::Dialog;
use crate::widgets::icon::{Icon, SHIELD};
use leptos::prelude::*;

fn policy() -> String {
    let meta = document().query_selector("meta[http-equiv='Content-Security-Policy']").ok().flatten();
    meta.and_then(|meta| meta.get_attribute("content")).unwrap_or_default()
}

/// Footer of screens without a trace.
#[component]
pub fn PrivacyFooter() -> impl IntoView {
    let shown = RwSignal::new(false);
    let version = env!("CARGO_PKG_VERSION");
    view! {
        <footer>
            <span>
                <span class="ok"><Icon shape=SHIELD class="s"/></span>
                "Your trace stays here: the page's security policy blocks sending it anywhere."
                <button class="link" data-testid="show-policy" on:click=move |_| shown.set(true)>
                    "Show policy"
                </button>
            </span>
            <span class="sp muted">{format!("Version {version} ({BUILD})")}</span>
        </footer>
        <Dialog open=shown title="Content security policy" testid="policy">
            <div class="content">
                <p>
                    "Your browser enforces this policy on the page and on the worker that holds your trace. "
                    <code>"connect-src"</code>
                    {if is_saved() {
                        " is empty: they can't contact any host."
                    } else {
                        " lists every host they may contact: this site, for its own files, and the host of a trace you opened by URL."
                    }}
                </p>
                <pre data-testid="policy-text">{policy().replace("; ", ";\n")}</pre>
            </div>
        </Dialog>
    }
}
