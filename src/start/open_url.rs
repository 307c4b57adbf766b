//! Opening of traces from URLs.

use crate::app::boot::policy_allows;
use crate::app::shell::{Chosen, Shell};
use crate::widgets::dialog::Dialog;
use crate::widgets::list_keys::focused_field;
use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use view::url::trace::{SourceLink, TraceLink};

/// Dialog for a URL.
#[component]
pub fn OpenUrl() -> impl IntoView {
    let shell = expect_context::<Shell>();
    let input = focused_field();
    let problem = RwSignal::new(None::<&'static str>);
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let Some(input) = input.get_untracked() else { return };
        match web_sys::Url::new(input.value().trim()) {
            Ok(url) if matches!(url.protocol().as_str(), "http:" | "https:") => {
                shell.ask_url.set(false);
                open(shell, &url.href(), None);
            }
            _ => problem.set(Some("Enter a URL that starts with https:// or http://.")),
        }
    };
    view! {
        <Dialog open=shell.ask_url title="Open trace from URL" testid="open-url">
            <form class="content" novalidate on:submit=submit>
                <label class="field">
                    <span class="sr">"URL"</span>
                    <input
                        type="url"
                        placeholder="https://host/path/app.nettrace"
                        data-testid="open-url-input"
                        node_ref=input
                        on:input=move |_| problem.set(None)
                    />
                </label>
                <p role="alert">{move || problem.get()}</p>
                <p>
                    "Traceglass reloads with permission to contact this host only. "
                    "The host must send "
                    <code>"Access-Control-Allow-Origin"</code>
                    ", and an HTTPS page can't load from HTTP. Otherwise, download the file and drop it here."
                </p>
                <div class="do">
                    <button type="button" class="btn line lg" on:click=move |_| shell.ask_url.set(false)>"Cancel"</button>
                    <button type="submit" class="btn primary lg">"Open"</button>
                </div>
            </form>
        </Dialog>
    }
}

/// Opens the trace at a URL, or one in the archive there: directly if the current security policy allows it, otherwise
/// after a reload with another policy.
fn open(shell: Shell, url: &str, entry: Option<String>) {
    if policy_allows(url) && entry.is_none() {
        return shell.open(Chosen::Url(url.to_owned()));
    }
    let trace = TraceLink { source: Some(SourceLink::Url(url.to_owned())), entry };
    let location = window().location();
    if location.set_hash(&trace.hash()).is_ok() {
        // If the browser doesn't reload, the user can: the URL is in place.
        let _ = location.reload();
    }
}
