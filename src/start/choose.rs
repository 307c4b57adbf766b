//! Screen for choosing a trace in an archive.

use super::PlainHeader;
use super::drop_zone::Picker;
use super::policy::PrivacyFooter;
use crate::app::state::App;
use crate::widgets::icon::{Icon, RIGHT};
use leptos::html;
use leptos::prelude::*;
use protocol::reply::TraceEntry;
use std::sync::Arc;
use view::format;

/// List of the traces in an archive.
#[component]
pub fn Choose(
    /// Traces.
    entries: Arc<Vec<TraceEntry>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let picker = expect_context::<Picker>();
    let name = untrack(|| app.trace_name());
    let list = NodeRef::<html::Ul>::new();
    // Keyboard users continue with the keyboard.
    list.on_load(|list| {
        let first = list.query_selector("button").ok().flatten();
        if let Some(first) = first.and_then(|first| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(first).ok())
        {
            // The list also works without the focus.
            let _ = first.focus();
        }
    });
    let line = |entry: &TraceEntry| {
        let path = entry.path.clone();
        let (folder, file) = entry.path.rsplit_once(['/', '!']).unwrap_or(("", &entry.path));
        let packed = format::bytes(entry.packed_bytes);
        let size = match entry.bytes {
            Some(bytes) if bytes != entry.packed_bytes => format!("{} ({packed} compressed)", format::bytes(bytes)),
            _ => packed,
        };
        let place = if folder.is_empty() { size } else { format!("{size} · {folder}/") };
        view! {
            <li>
                <button class="it" data-testid="entry" on:click=move |_| app.open_entry(path.clone())>
                    <span><b>{file.to_owned()}</b><span class="d">{place}</span></span>
                    <Icon shape=RIGHT/>
                </button>
            </li>
        }
    };
    // In a frame, the page around it opens traces.
    let other = app.embedding.is_none().then(|| {
        view! {
            <button class="btn line lg" data-testid="choose-file" on:click=move |_| picker.open()>
                "Choose another file…"
            </button>
        }
    });
    view! {
        <div class="plain" data-testid="choose">
            <PlainHeader/>
            <main class="errs">
                <h1>"Choose a trace"</h1>
                <p class="muted">{format!("{name} contains {} traces.", entries.len())}</p>
                <ul class="list" node_ref=list>{entries.iter().map(line).collect_view()}</ul>
                <div class="do">
                    {other}
                    <button class="btn line lg" on:click=move |_| app.close()>"Close"<kbd>"Esc"</kbd></button>
                </div>
            </main>
            <PrivacyFooter/>
        </div>
    }
}
