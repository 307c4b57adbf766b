//! Button that excludes what the button beside it filters to.

use leptos::prelude::*;

use super::icon::{EXCLUDE, Icon};

/// Button that excludes events.
#[component]
pub fn ExcludeButton(
    /// Description for screen readers and the tooltip.
    #[prop(into)]
    words: String,
    #[prop(into, optional)] testid: Option<String>,
    /// Classes.
    #[prop(default = "btn icon")]
    class: &'static str,
    /// True if there is nothing to exclude.
    #[prop(optional)]
    disabled: bool,
    /// Excludes the events.
    #[prop(into)]
    run: Callback<()>,
) -> impl IntoView {
    view! {
        <button class=class disabled=disabled aria-label=words.clone() title=words data-testid=testid on:click=move |_| run.run(())>
            <Icon shape=EXCLUDE class="s"/>
        </button>
    }
}
