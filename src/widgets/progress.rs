//! Progress of reading.

use crate::app::state::App;
use leptos::prelude::*;

/// Progress bar of loading.
#[component]
pub fn ProgressBar() -> impl IntoView {
    let app = expect_context::<App>();
    let percent = move || app.opening.progress.get().share() * 100.0;
    view! {
        <div
            class="progress"
            role="progressbar"
            aria-label="Read so far"
            aria-valuemin="0"
            aria-valuemax="100"
            aria-valuenow=move || format!("{:.0}", percent())
        >
            <i style:width=move || format!("{:.2}%", percent())></i>
        </div>
    }
}
