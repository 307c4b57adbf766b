//! Dropdown list.

use leptos::prelude::*;

/// Dropdown list. Its options are the children.
#[component]
pub fn Pick(
    /// Label for screen readers.
    label: &'static str,
    testid: &'static str,
    /// Receives the value of the chosen option.
    pick: Callback<String>,
    children: Children,
) -> impl IntoView {
    view! {
        <select class="btn line" data-testid=testid aria-label=label on:change:target=move |event| pick.run(event.target().value())>
            {children()}
        </select>
    }
}
