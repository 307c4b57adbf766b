//! Screen of an embedded page without a trace.

use leptos::prelude::*;

/// Screen while the page around the frame hasn't opened a trace.
#[component]
pub fn Waiting() -> impl IntoView {
    view! {
        <main class="waiting" data-testid="waiting">
            <p role="status">"Waiting for a trace…"</p>
        </main>
    }
}
