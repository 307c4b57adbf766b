//! Progress of reading.

use crate::app::state::App;
use leptos::prelude::*;

/// Progress bar of loading.
#[component]
pub fn ProgressBar() -> impl IntoView {
    let app = expect_context::<App>();
    view! { <Bar share=Signal::derive(move || app.opening.progress.get().share()) label="Reading progress"/> }
}

/// Progress bar.
#[component]
pub fn Bar(
    /// Share that is done, 0 to 1.
    #[prop(into)]
    share: Signal<f64>,
    /// Label for screen readers.
    label: &'static str,
) -> impl IntoView {
    let percent = move || share.get() * 100.0;
    view! {
        <div
            class="progress"
            role="progressbar"
            aria-label=label
            aria-valuemin="0"
            aria-valuemax="100"
            aria-valuenow=move || format!("{:.0}", percent())
        >
            <i style:width=move || format!("{:.2}%", percent())></i>
        </div>
    }
}
