//! Holds what the README says to what the program does.

use std::fmt::Write;
use view::keymap::{KEYS, Scope};

/// The README's table of keys, from the registry that the handlers use.
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
fn the_readme_lists_every_key() {
    let readme = include_str!("../../README.md");
    let table = table_of_keys();
    assert!(readme.contains(&table), "the table of keys in README.md should read:\n\n{table}");
}
