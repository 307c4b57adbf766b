//! List of shortcuts.

use super::shortcuts::is_mac;
use crate::app::shell::Shell;
use crate::widgets::dialog::Dialog;
use leptos::prelude::*;
use view::keys::keymap::{Binding, KEYS, Scope};

/// List of all shortcuts, visible while [`Shell::help`] is set.
#[component]
pub fn Help() -> impl IntoView {
    let shell = expect_context::<Shell>();
    let sections = move || {
        let of = |scope: Scope| section(scope, KEYS.iter().filter(move |binding| binding.scope == scope));
        Scope::ALL.into_iter().map(of).collect_view()
    };
    view! {
        <Dialog open=shell.help title="Keyboard shortcuts" testid="help" wide=true>
            <div class="keys" tabindex="0">{sections()}</div>
            {hints()}
        </Dialog>
    }
}

/// Returns the shortcuts of a part of the page.
pub fn section(scope: Scope, bindings: impl Iterator<Item = &'static Binding>) -> impl IntoView {
    let mac = is_mac();
    let lines = bindings.map(|binding| {
        let chords = binding.chords.iter().enumerate().map(|(index, chord)| {
            let keys = chord.parts(mac).into_iter().map(|part| view! { <kbd>{part}</kbd> }).collect_view();
            view! { {(index > 0).then_some(" or ")} {keys} }
        });
        view! {
            <div>
                <dt>{binding.name}</dt>
                <dd>{chords.collect_view()}</dd>
            </div>
        }
    });
    view! {
        <section>
            <h3>{scope.title()}</h3>
            <dl>{lines.collect_view()}</dl>
        </section>
    }
}

/// Returns the hints below the list.
pub fn hints() -> impl IntoView {
    view! {
        <footer>
            <span>
                "Shortcuts apply to the focused panel. For everything else, press "
                <kbd>{if is_mac() { "⌘" } else { "Ctrl" }}</kbd> <kbd>"K"</kbd> " to search commands."
            </span>
            <span class="sp"><kbd>"?"</kbd> " toggles this list"</span>
        </footer>
    }
}
