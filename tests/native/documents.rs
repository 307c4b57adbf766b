//! Documents that are generated from the code agree with it.

use std::fmt::Write;
use view::keys::keymap::{KEYS, Scope};

/// The table of keyboard shortcuts, from the registry that the handlers use.
fn table_of_keys() -> String {
    let mut table = String::from("| where | keys | what |\n|---|---|---|\n");
    for scope in Scope::ALL {
        for binding in KEYS.iter().filter(|binding| binding.scope == scope) {
            let chords: Vec<String> = binding
                .chords
                .iter()
                .map(|chord| chord.parts(false).iter().map(|part| format!("`{part}`")).collect::<Vec<_>>().join(" "))
                .collect();
            let _ = writeln!(table, "| {} | {} | {} |", scope.title(), chords.join(", "), binding.words);
        }
    }
    table
}

#[test]
fn keyboard_page_lists_every_key() {
    let page = include_str!("../../docs/keyboard.md");
    let table = table_of_keys();
    assert!(page.contains(&table), "the table in docs/keyboard.md should read:\n\n{table}");
}
