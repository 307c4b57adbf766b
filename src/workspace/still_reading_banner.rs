//! Banner while the rest of a trace is being read, so the visible data is incomplete.

use crate::app::state::App;
use crate::widgets::progress::ProgressBar;
use leptos::prelude::*;
use view::format;

/// Banner while reading continues.
#[component]
pub fn Reading() -> impl IntoView {
    let app = expect_context::<App>();
    let is_recording = move || app.opening.recording.with(Option::is_some);
    let is_partial =
        move || !is_recording() && app.trace.with(|trace| trace.as_ref().is_some_and(|trace| trace.is_partial));
    let percent = move || format!("{:.0}", app.opening.progress.get().share() * 100.0);
    let shown = move || app.trace.with(|trace| trace.as_ref().map_or(0, |trace| trace.events));
    move || {
        is_partial().then(|| {
            view! {
                <section class="banner reading" aria-label="Reading trace" data-testid="still-reading">
                    <ProgressBar/>
                    <p>
                        <b>"Still reading: "{percent}"% of "{move || format::bytes(app.opening.progress.get().total_bytes)}"."</b>
                        " Showing the first "{move || format::count(shown())}" events. Updates automatically."
                    </p>
                    <button class="btn" data-testid="cancel" on:click=move |_| app.cancel()>"Cancel"</button>
                </section>
            }
        })
    }
}
