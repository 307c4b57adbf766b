//! Theme: light, dark, or the system's. `www/boot.js` applies the saved choice before the first paint.

use super::shell::Shell;
use crate::widgets::icon::{HALF, Icon, MOON, SUN};
use leptos::prelude::*;
use protocol::named;
use view::keys::keymap::Command;

const KEY: &str = "traceglass.theme";
/// Evaluated here, so that the start page doesn't contain the names of all commands.
const TOGGLE: &str = Command::ToggleTheme.id();

named! {
    /// Theme of the page.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub enum Theme {
        #[default]
        System: "system";
        Light: "light";
        Dark: "dark";
    }
    fn name;
}

impl Theme {
    /// Returns the theme of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.name() == name)
    }

    fn next(self) -> Self {
        match self {
            Theme::System => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::System,
        }
    }
}

/// Returns the saved choice.
pub fn remembered() -> Theme {
    let stored = storage().and_then(|storage| storage.get_item(KEY).ok().flatten());
    stored.and_then(|name| Theme::named(&name)).unwrap_or_default()
}

/// Switches to the next theme and saves it.
pub fn cycle(shell: Shell) {
    let theme = shell.theme.get_untracked().next();
    apply(shell, theme);
    if let Some(storage) = storage() {
        // If storage is unavailable, the choice isn't saved.
        let _ = match theme {
            Theme::System => storage.remove_item(KEY),
            Theme::Light => storage.set_item(KEY, "light"),
            Theme::Dark => storage.set_item(KEY, "dark"),
        };
    }
    shell.say(format!("Theme: {}.", theme.name()));
}

/// Switches to a theme until the page is reloaded.
pub fn apply(shell: Shell, theme: Theme) {
    if let Some(root) = document().document_element() {
        // Setting a valid attribute can't fail.
        let _ = match theme {
            Theme::System => root.remove_attribute("data-theme"),
            Theme::Light => root.set_attribute("data-theme", "light"),
            Theme::Dark => root.set_attribute("data-theme", "dark"),
        };
    }
    shell.theme.set(theme);
}

fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

/// Button for switching the theme.
#[component]
pub fn ThemeButton() -> impl IntoView {
    let shell = expect_context::<Shell>();
    let label = move || format!("Toggle theme, now {} (Shift T)", shell.theme.get().name());
    view! {
        <button class="btn icon" aria-label=label title=label data-testid="theme" data-command=TOGGLE on:click=move |_| cycle(shell)>
            {move || match shell.theme.get() {
                Theme::System => view! { <Icon shape=HALF/> }.into_any(),
                Theme::Light => view! { <Icon shape=SUN/> }.into_any(),
                Theme::Dark => view! { <Icon shape=MOON/> }.into_any(),
            }}
        </button>
    }
}
