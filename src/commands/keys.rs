//! Shortcuts of the whole page. Parts of the page with their own shortcuts prevent the default action first.

use super::shortcuts::meaning;
use crate::app::shell::Shell;
use crate::app::theme;
use crate::start::drop_zone::Picker;
use leptos::ev;
use leptos::prelude::*;
use view::keys::keymap::{Command, Scope};

/// Listens for shortcuts. `others` runs the commands of specific programs and screens; returns whether it did.
pub fn listen(shell: Shell, picker: Picker, others: impl Fn(Command) -> bool + 'static) {
    let handle = window_event_listener(ev::keydown, move |event| {
        if event.default_prevented() || event.is_composing() {
            return;
        }
        let Some(command) = meaning(Scope::Everywhere, &event) else { return };
        if a_dialog_is_open() && command != Command::Help {
            return;
        }
        if carry_out_anywhere(shell, picker, command) || others(command) {
            event.prevent_default();
        }
    });
    on_cleanup(move || handle.remove());
}

/// Runs a command of all screens; returns whether it is one.
pub fn carry_out_anywhere(shell: Shell, picker: Picker, command: Command) -> bool {
    match command {
        Command::Help => shell.help.update(|open| *open = !*open),
        Command::Open => picker.open(),
        Command::OpenAddress => shell.ask_url.set(true),
        Command::ToggleTheme => theme::cycle(shell),
        _ => return false,
    }
    true
}

fn a_dialog_is_open() -> bool {
    document().query_selector("dialog[open]").is_ok_and(|dialog| dialog.is_some())
}
