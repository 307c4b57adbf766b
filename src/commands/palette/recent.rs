//! Lines of the palette that were used last. Commands are remembered for the next visit; names of a trace aren't stored.

use crate::app::state::App;
use leptos::prelude::*;
use view::keys::keymap::{Command, Scope};

/// Name of the commands in the browser's storage.
const KEY: &str = "traceglass.recent-commands";
/// Maximum number of remembered lines.
const MAX: usize = 12;
/// Begins the keys of lines other than commands.
const OTHER: char = ':';

pub fn key_of_command(scope: Scope, command: Command) -> String {
    format!("{scope:?}.{}", command.name())
}

/// Returns the key of another line, by its kind and name.
pub fn key_of_name(kind: &str, name: &str) -> String {
    format!("{OTHER}{kind} {name}")
}

fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

/// Returns the keys of the lines that were used last, the last one first.
pub fn used(app: App) -> Vec<String> {
    let used = app.workspace.used_lines;
    if used.with_untracked(Vec::is_empty) {
        let stored = storage().and_then(|storage| storage.get_item(KEY).ok().flatten()).unwrap_or_default();
        used.set(stored.split_whitespace().map(str::to_owned).collect());
    }
    used.get_untracked()
}

/// Notes that a line was used.
pub fn note(app: App, key: String) {
    app.workspace.used_lines.update(|used| {
        used.retain(|known| *known != key);
        used.insert(0, key);
        used.truncate(MAX);
    });
    let commands = app.workspace.used_lines.with_untracked(|used| {
        let commands: Vec<&str> = used.iter().map(String::as_str).filter(|key| !key.starts_with(OTHER)).collect();
        commands.join(" ")
    });
    if let Some(storage) = storage() {
        // Without storage, they are those of this visit.
        let _ = storage.set_item(KEY, &commands);
    }
}
