//! Banner while the trace is being recorded.

use crate::app::state::App;
use leptos::prelude::*;
use protocol::Following;
use view::format;

/// Banner while the trace is being recorded: how much was recorded, and what will arrive at the end.
#[component]
pub fn RecordingBanner() -> impl IntoView {
    let app = expect_context::<App>();
    let state = app.opening.recording;
    let is_shown = Memo::new(move |_| state.with(Option::is_some));
    let is_paused = move || state.get() == Some(Following::Paused);
    let words = move || {
        let trace = app.trace.get();
        let duration = trace.as_ref().map(|trace| trace.full_span.duration()).unwrap_or_default();
        let events = trace.as_ref().map_or(0, |trace| trace.events);
        let state = if is_paused() { "Paused at" } else { "Recording ·" };
        let duration = format::duration(duration);
        view! { <b data-testid="recording-time">{format!("{state} {duration}.")}</b> {format!(" {}.", format::counted(events, "event"))} }
    };
    let needs_rundown = move || app.trace.with(|trace| trace.as_ref().is_some_and(|trace| trace.rundown_events == 0));
    let toggle = move |_| app.follow_recording(if is_paused() { Following::Shown } else { Following::Paused });
    view! {
        <Show when=move || is_shown.get()>
            <section class="banner reading" aria-label="Recording" data-testid="recording">
                <span class="live" class:paused=is_paused aria-hidden="true"></span>
                <p>
                    {words}
                    <Show when=needs_rundown>" Method names arrive when the recording ends."</Show>
                </p>
                <button class="btn" data-testid="pause-recording" title="Show no new data until you resume" on:click=toggle>
                    {move || if is_paused() { "Resume" } else { "Pause" }}
                </button>
                <button
                    class="btn"
                    data-testid="stop-recording"
                    title="Open what was recorded so far"
                    on:click=move |_| app.follow_recording(Following::Stopped)
                >
                    "Stop following"
                </button>
            </section>
        </Show>
    }
}
