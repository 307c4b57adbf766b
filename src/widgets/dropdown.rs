//! One of several: a list that opens.

use leptos::prelude::*;

/// A list that opens. Its options are the children.
#[component]
pub fn Pick(
    /// What is chosen here, for people who listen.
    label: &'static str,
    /// Stable name for tests.
    testid: &'static str,
    /// Takes the value of the chosen option.
    pick: Callback<String>,
    /// The options.
    children: Children,
) -> impl IntoView {
    view! {
        <select class="btn line" data-testid=testid aria-label=label on:change:target=move |event| pick.run(event.target().value())>
            {children()}
        </select>
    }
}
