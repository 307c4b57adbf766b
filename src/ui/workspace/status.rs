//! The line at the bottom: what is selected, what is lost, what it costs.

use crate::protocol::{Answer, Request};
use crate::ui::state::{App, Tab};
use crate::ui::widgets::icon::{Icon, WARNING};
use crate::view::format;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

/// The line at the bottom.
#[component]
pub fn Status() -> impl IntoView {
    let app = expect_context::<App>();
    let memory = RwSignal::new(app.trace.with_untracked(|trace| trace.as_ref().map_or(0, |trace| trace.memory_bytes)));
    // What the reader holds changes with the questions it has answered.
    Effect::new(move |_| {
        app.matches.track();
        spawn_local(async move {
            let answer = app.ask(Request::Memory).await.map(|reply| reply.answer);
            if let Ok(Answer::Memory(parts)) = answer {
                memory.set(parts.total());
            }
        });
    });
    let range = move || {
        let whole = app.trace.get().map(|trace| trace.user_span.duration()).unwrap_or_default();
        app.filter.with(|filter| match filter.span {
            Some(span) => ("Selection ", format::duration(span.duration()), filter.threads.len()),
            None => ("Whole trace ", format::duration(whole), filter.threads.len()),
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
                view! { <span data-testid="lost" title="This format does not tell">"losses cannot be known"</span> }
                    .into_any()
            }
            Some(0) => view! { <span data-testid="lost">"0 lost"</span> }.into_any(),
            Some(lost) => view! {
                <button class="warn" data-testid="lost" on:click=move |_| app.tab.set(Tab::Metadata)>
                    <Icon shape=WARNING class="xs"/>
                    {format!("{} lost", format::counted(lost, "event"))}
                </button>
            }
            .into_any(),
        })
    };
    let memory_of_an_event = move || {
        let events = app.trace.get().map_or(0, |trace| trace.events);
        (events > 0).then(|| format!("{} bytes an event", format::count(memory.get() / events)))
    };
    let file = move || app.trace.get().map(|trace| format!("{} file", format::bytes(trace.file_bytes)));
    let opened = move || {
        app.trace.get().map(|trace| match trace.is_partial {
            true => "still reading".to_owned(),
            false => format!("opened in {}", format::duration((trace.load_ms * 1e6) as i64)),
        })
    };
    view! {
        <footer class="status" aria-label="Status">
            <span data-testid="status-selection">{selection}</span>
            <span>
                <b data-testid="status-events">{move || app.matches.get().map(format::count)}</b>
                " events"
            </span>
            <span class="sp"></span>
            {lost}
            <span data-testid="status-file">{file}</span>
            <span data-testid="status-memory" title=memory_of_an_event>{move || format!("{} held", format::bytes(memory.get()))}</span>
            <span data-testid="status-time">{opened}</span>
        </footer>
    }
}
