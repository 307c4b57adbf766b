//! Switch, for settings of tables and stacks that take effect at once.

use leptos::prelude::*;

/// Switch that is on or off.
#[component]
pub fn Switch(
    /// True if it is on.
    #[prop(into)]
    on: Signal<bool>,
    /// Toggles it.
    turn: Callback<()>,
    testid: &'static str,
    /// Tooltip; may be empty.
    #[prop(optional)]
    title: &'static str,
    words: &'static str,
    /// Label where space is short.
    #[prop(optional)]
    short: Option<&'static str>,
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
            <span class:lbl-opt=short.is_some()>{words}</span>
            {short.map(|short| view! { <span class="lbl-short">{short}</span> })}
        </button>
    }
}
