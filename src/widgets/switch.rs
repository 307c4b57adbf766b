//! Something that is on or off.

use leptos::prelude::*;

/// A switch.
#[component]
pub fn Switch(
    /// Whether it is on.
    #[prop(into)]
    on: Signal<bool>,
    /// Turns it to the other side.
    turn: Callback<()>,
    /// Stable name for tests.
    testid: &'static str,
    /// What it does, when the pointer rests on it; may be empty.
    #[prop(optional)]
    title: &'static str,
    /// Words before those, where there is room; may be empty.
    #[prop(optional)]
    before: &'static str,
    /// Its words.
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
