//! Switch that is on or off.

use leptos::prelude::*;

/// Switch that is on or off.
#[component]
pub fn Switch(
    /// True if it is on.
    #[prop(into)]
    on: Signal<bool>,
    /// Toggles it.
    turn: Callback<()>,
    /// Test ID.
    testid: &'static str,
    /// Tooltip; may be empty.
    #[prop(optional)]
    title: &'static str,
    /// Text before the label, if it fits; may be empty.
    #[prop(optional)]
    before: &'static str,
    /// Label.
    words: &'static str,
) -> impl IntoView {
    view! {
        <button
            class="switch"
            role="switch"
            aria-checked=move || on.get().to_string()
            title=(!title.is_empty()).then_some(title)
            data-testid=testid
            on:click=move |_| turn.run(())
        >
            <i aria-hidden="true"></i>
            <span>{(!before.is_empty()).then(|| view! { <span class="lbl-opt">{before} " "</span> })} {words}</span>
        </button>
    }
}
