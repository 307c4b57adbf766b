//! Memory use of the open trace, expandable to its parts.

use crate::app::state::App;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use protocol::memory::MemoryUse;
use protocol::queries;
use view::format;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;

/// Memory use; a click shows the parts.
#[component]
pub fn MemoryInfo() -> impl IntoView {
    let app = expect_context::<App>();
    let memory = RwSignal::new(MemoryUse::default());
    // The memory use of the worker changes with each answered request.
    Effect::new(move |_| {
        app.filtering.matches.track();
        app.revision.track();
        spawn_local(async move {
            if let Ok(parts) = app.ask(queries::Memory).await {
                memory.set(parts);
            }
        });
    });
    // The other trace has a worker of its own.
    let of_other = RwSignal::new(None::<(String, u64)>);
    Effect::new(move |_| {
        app.compare.run.track();
        let other = app.compare.summary().and_then(|_| app.compare.other.get_untracked());
        let Some(other) = other else { return of_other.set(None) };
        spawn_local(async move {
            if let Ok(parts) = other.client.ask(queries::Memory).await {
                // The screen may have been removed.
                of_other.try_set(Some((other.opened.name, parts.total())));
            }
        });
    });
    let other_line = move || {
        of_other.get().map(|(name, bytes)| {
            view! {
                <dt data-testid="memory-other">{name}</dt>
                <dd class="num">{format::bytes(bytes)}</dd>
            }
        })
    };
    // Total of the summary, until the parts are known.
    let at_first = move || app.trace.with(|trace| trace.as_ref().map_or(0, |trace| trace.memory_bytes));
    let total = move || Some(memory.get().total()).filter(|total| *total > 0).unwrap_or_else(at_first);
    let line = |(name, bytes): (&'static str, u64)| {
        view! {
            <dt>{name}</dt>
            <dd class="num">{format::bytes(bytes)}</dd>
        }
    };
    let of_an_event = move || {
        let rows = |trace: &protocol::reply::Summary| trace.indexed.as_ref().map_or(trace.events, |part| part.rows);
        let rows = app.trace.with(|trace| trace.as_ref().map_or(0, |trace| rows(trace)));
        (rows > 0).then(|| {
            view! {
                <dt>"per indexed event"</dt>
                <dd class="num">{format!("{} B", format::count(total() / rows))}</dd>
            }
        })
    };
    view! {
        <details class="held" on:keydown=close_on_escape>
            <summary data-testid="status-memory">{move || format!("{} memory", format::bytes(total()))}</summary>
            <dl data-testid="memory-parts">{move || memory.get().parts().map(line).collect_view()} {of_an_event} {other_line}</dl>
        </details>
    }
}

fn close_on_escape(event: KeyboardEvent) {
    let target = event.current_target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    if let Some(details) = target.filter(|details| event.key() == "Escape" && details.has_attribute("open")) {
        event.stop_propagation();
        // An open element can always be closed.
        let _ = details.remove_attribute("open");
    }
}
