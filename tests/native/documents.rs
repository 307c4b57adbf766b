//! Checks documents that are generated from code, or updates them if `BLESS=1` is set.

use clap::{Arg, Command};
use protocol::topics::topic::Topic;
use std::fmt::Write;
use view::keys::keymap::{KEYS, Scope};

/// Separator between the manual and the generated part of a document.
const MARKER: &str = "<!-- Generated from here on. To update: BLESS=1 cargo test -p traceglass-tests documents -->\n\n";

fn check(document: &str, generated: &str) {
    let path = crate::common::root().join(document);
    let found = std::fs::read_to_string(&path).expect("a document");
    let (by_hand, _) = found.split_once(MARKER).expect("the marker of the generated part");
    let expected = format!("{by_hand}{MARKER}{generated}");
    if std::env::var("BLESS").is_ok_and(|value| value == "1") {
        return std::fs::write(&path, expected).expect("a writable document");
    }
    let mut lines = found.lines().zip(expected.lines());
    let difference = lines.find(|(found, expected)| found != expected);
    assert!(found == expected, "{document} is out of date; BLESS=1 updates it. First difference: {difference:?}");
}

#[test]
fn keyboard_page_lists_every_key() {
    check("docs/keyboard.md", &table_of_keys());
}

#[test]
fn command_line_reference_lists_every_command() {
    check("docs/cli.md", &command_line_reference());
}

fn table_of_keys() -> String {
    let mut table = String::from("| Area | Shortcut | Description |\n|---|---|---|\n");
    for scope in Scope::ALL {
        for binding in KEYS.iter().filter(|binding| binding.scope == scope) {
            let chords: Vec<String> = binding
                .chords
                .iter()
                .map(|chord| chord.parts(false).iter().map(|part| format!("`{part}`")).collect::<Vec<_>>().join(" "))
                .collect();
            let _ = writeln!(table, "| {} | {} | {} |", scope.title(), chords.join(", "), binding.name);
        }
    }
    table
}

fn command_line_reference() -> String {
    let mut definition = cli::definition();
    definition.build();
    let commands: Vec<&Command> = definition.get_subcommands().filter(|command| command.get_name() != "help").collect();
    let mut page = String::from("| Command | Description |\n|---|---|\n");
    for command in &commands {
        let name = command.get_name();
        let section = if is_analysis(command) { "analyses" } else { name };
        let _ = writeln!(page, "| [`{name}`](#{section}) | {} |", text(command.get_about()));
    }
    let _ = write!(page, "\n{}", markdown(&text(definition.get_after_help())));
    let mut has_analyses = false;
    for command in commands {
        if !is_analysis(command) {
            let about = text(command.get_long_about().or(command.get_about()));
            let _ = write!(page, "\n## {}\n\n{}", command.get_name(), markdown(&sentence(&about)));
            let shared = (command.get_name() == "export").then(|| definition.find_subcommand("stacks")).flatten();
            page.push_str(&options(command, command.get_name(), shared));
        } else if !has_analyses {
            has_analyses = true;
            page.push_str("\n## Analyses\n\nEach analysis is a command. All have the same options.\n");
            page.push_str(&options(command, "<ANALYSIS>", None));
        }
    }
    page
}

fn is_analysis(command: &Command) -> bool {
    Topic::from_slug(command.get_name()).is_some()
}

/// Returns usage, table of arguments and options without those of another command, and examples of a command.
fn options(command: &Command, name: &str, shared: Option<&Command>) -> String {
    let usage = text(Some(&command.clone().render_usage()));
    let usage = usage.replacen(&format!("Usage: traceglass {}", command.get_name()), &format!("traceglass {name}"), 1);
    let mut section = format!("\n```text\n{usage}\n```\n\n| Option | Description |\n|---|---|\n");
    let is_shared =
        |option: &Arg| shared.is_some_and(|other| other.get_arguments().any(|one| one.get_id() == option.get_id()));
    let options = command.get_arguments().filter(|option| !option.is_positional() && option.get_id() != "help");
    for argument in command.get_positionals().chain(options.filter(|option| !is_shared(option))) {
        let _ = writeln!(section, "| `{}` | {} |", cell(&argument.to_string()), cell(&prose(&description(argument))));
    }
    if let Some(other) = shared {
        let name = other.get_name();
        let _ = writeln!(section, "| | The options of [`{name}`](#{name}) |");
    }
    if let Some(help) = command.get_after_help() {
        let _ = write!(section, "\n{}", markdown(&text(Some(help))));
    }
    section
}

fn description(argument: &Arg) -> String {
    let mut words = text(argument.get_long_help().or(argument.get_help()));
    let values = argument.get_default_values().iter().map(|value| value.to_string_lossy());
    let has_default = argument.get_action().takes_values() && !argument.is_hide_default_value_set();
    if let Some(value) = values.into_iter().next().filter(|_| has_default) {
        let _ = write!(words, " (default: `{value}`)");
    }
    if !argument.is_hide_possible_values_set() {
        for value in argument.get_possible_values().iter().filter(|value| value.get_help().is_some()) {
            let _ = write!(words, "<br>`{}`: {}", value.get_name(), text(value.get_help()));
        }
    }
    words
}

fn text(help: Option<&clap::builder::StyledStr>) -> String {
    help.map(ToString::to_string).unwrap_or_default()
}

/// Marks options and paths in archives as code.
fn prose(words: &str) -> String {
    let marked = |word: &str| {
        let name = word.trim_end_matches(['.', ',', ':']);
        let is_code = name.starts_with("--") || name.contains('!') && !name.contains('{');
        if is_code { format!("`{name}`{}", &word[name.len()..]) } else { word.to_owned() }
    };
    words.split(' ').map(marked).collect::<Vec<_>>().join(" ")
}

/// Adds the period that clap removes from help texts of one paragraph.
fn sentence(text: &str) -> String {
    text.split("\n\n").map(|paragraph| format!("{}.", paragraph.trim_end_matches('.'))).collect::<Vec<_>>().join("\n\n")
}

fn cell(text: &str) -> String {
    text.trim_end_matches('.').replace('|', "\\|").replace("\n\n", ". ").replace('\n', " ")
}

/// Converts help to Markdown: indented lines become code blocks.
fn markdown(help: &str) -> String {
    let mut page = String::new();
    for (at, paragraph) in help.split("\n\n").enumerate() {
        let (code, words): (Vec<&str>, Vec<&str>) = paragraph.lines().partition(|line| line.starts_with("  "));
        let separator = if at > 0 { "\n" } else { "" };
        let _ = writeln!(page, "{separator}{}", prose(&words.join("\n")));
        if !code.is_empty() {
            let code: Vec<&str> = code.into_iter().map(str::trim_start).collect();
            let _ = writeln!(page, "\n```sh\n{}\n```", code.join("\n"));
        }
    }
    page
}
