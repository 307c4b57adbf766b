//! Light, dark, or as the system has it. `www/boot.js` applies the remembered choice before the first paint.

use super::shell::Shell;
use crate::widgets::icon::{HALF, Icon, MOON, SUN};
use leptos::prelude::*;

const KEY: &str = "traceglass.theme";

/// Colours of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    fn name(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    fn next(self) -> Self {
        match self {
            Theme::System => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::System,
        }
    }
}

/// The remembered choice.
pub fn remembered() -> Theme {
    let stored = storage().and_then(|storage| storage.get_item(KEY).ok().flatten());
    match stored.as_deref() {
        Some("light") => Theme::Light,
        Some("dark") => Theme::Dark,
        _ => Theme::System,
    }
}

/// Goes to the next theme and remembers it.
pub fn cycle(shell: Shell) {
    let theme = shell.theme.get_untracked().next();
    if let Some(root) = document().document_element() {
        // Setting an attribute with a valid name cannot fail; storage may be forbidden, then nothing is remembered.
        let _ = match theme {
            Theme::System => root.remove_attribute("data-theme"),
            Theme::Light => root.set_attribute("data-theme", "light"),
            Theme::Dark => root.set_attribute("data-theme", "dark"),
        };
    }
    if let Some(storage) = storage() {
        let _ = match theme {
            Theme::System => storage.remove_item(KEY),
            Theme::Light => storage.set_item(KEY, "light"),
            Theme::Dark => storage.set_item(KEY, "dark"),
        };
    }
    shell.theme.set(theme);
    shell.say(format!("Theme: {}.", theme.name()));
}

fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

/// The button that goes to the next theme.
#[component]
pub fn ThemeButton() -> impl IntoView {
    let shell = expect_context::<Shell>();
    let label = move || format!("Toggle theme, now {} (Shift T)", shell.theme.get().name());
    view! {
        <button class="btn icon" aria-label=label title=label data-testid="theme" data-command="ToggleTheme" on:click=move |_| cycle(shell)>
            {move || match shell.theme.get() {
                Theme::System => view! { <Icon shape=HALF/> }.into_any(),
                Theme::Light => view! { <Icon shape=SUN/> }.into_any(),
                Theme::Dark => view! { <Icon shape=MOON/> }.into_any(),
            }}
        </button>
    }
}
