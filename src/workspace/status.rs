//! Status bar: selected range, lost events, memory use, file size.

use super::memory::MemoryInfo;
use crate::app::state::{App, Tab};
use crate::widgets::icon::{Icon, WARNING};
use leptos::prelude::*;
use view::format;
use view::keys::keymap::Command;

/// Status bar.
#[component]
pub fn Status() -> impl IntoView {
    let app = expect_context::<App>();
    let range = move || {
        let trace = app.trace.get();
        let whole = trace.as_ref().map(|trace| trace.user_span.duration()).unwrap_or_default();
        let part = trace.as_ref().and_then(|trace| Some(trace.indexed.as_ref()?.span.duration()));
        app.filter.with(|filter| match (filter.span, part) {
            (Some(span), _) => ("Selection ", format::duration(span.duration()), filter.threads.len()),
            (None, Some(part)) => ("Indexed part ", format::duration(part), filter.threads.len()),
            (None, None) => ("Trace ", format::duration(whole), filter.threads.len()),
        })
    };
    let selection = move || {
        let (words, length, threads) = range();
        let threads = (threads > 0).then(|| format!(" · {}", format::counted(threads as u64, "thread")));
        view! { <b>{words}</b> {length} {threads} }
    };
    let lost = move || {
        let trace = app.trace.get()?;
        Some(match trace.lost {
            None => {
                view! { <span data-testid="lost" title="This format has no sequence numbers">"lost: unknown"</span> }
                    .into_any()
            }
            Some(0) => view! { <span data-testid="lost">"0 lost"</span> }.into_any(),
            Some(lost) => view! {
                <button class="warn" data-testid="lost" data-command=Command::ShowMetadata.id() on:click=move |_| app.tab.set(Tab::Metadata)>
                    <Icon shape=WARNING class="xs"/>
                    {format!("{} lost", format::counted(lost, "event"))}
                </button>
            }
            .into_any(),
        })
    };
    let file = move || {
        app.trace.get().map(|trace| {
            let unpacked = if trace.packing.is_empty() { "file" } else { "decompressed" };
            format!("{} {unpacked}", format::bytes(trace.file_bytes))
        })
    };
    let opened = move || {
        app.trace.get().map(|trace| match trace.is_partial {
            true if app.opening.recording.with(Option::is_some) => "recording".to_owned(),
            true => "still reading".to_owned(),
            false => format!("opened in {}", format::duration((trace.load_ms * 1e6) as i64)),
        })
    };
    view! {
        <footer class="status" aria-label="Status">
            <span data-testid="status-selection">{selection}</span>
            <span>
                <b data-testid="status-events">{move || app.filtering.matches.get().map(format::count)}</b>
                {move || if app.filtering.matches.get() == Some(1) { " event" } else { " events" }}
            </span>
            <span class="sp"></span>
            {lost}
            <span data-testid="status-file">{file}</span>
            <MemoryInfo/>
            <span data-testid="status-time">{opened}</span>
        </footer>
    }
}
