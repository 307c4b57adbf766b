//! The button that leaves out what the button beside it narrows to.

use leptos::prelude::*;

use super::icon::{Icon, UNEQUAL};

/// A button that leaves something out.
#[component]
pub fn ExcludeButton(
    /// What it leaves out, for people who listen and for a pointer that rests on it.
    #[prop(into)]
    words: String,
    /// Stable name for tests.
    #[prop(into, optional)]
    testid: Option<String>,
    /// How it looks.
    #[prop(default = "btn icon")]
    class: &'static str,
    /// Whether there is nothing to be left out.
    #[prop(optional)]
    disabled: bool,
    /// Leaves it out.
    #[prop(into)]
    run: Callback<()>,
) -> impl IntoView {
    view! {
        <button class=class disabled=disabled aria-label=words.clone() title=words data-testid=testid on:click=move |_| run.run(())>
            <Icon shape=UNEQUAL class="s"/>
        </button>
    }
}
