//! Checks that texts for users contain the terms of the style guide, and not those that they replace (docs/style.md).

use crate::common::root;
use std::path::{Path, PathBuf};

/// Terms that texts must not contain, with their replacements.
const REPLACED: [(&str, &str); 40] = [
    ("garbage collection", "GC"),
    ("garbage collections", "GCs"),
    ("the collector", "the GC"),
    ("stood still", "was paused"),
    ("stands still", "is paused"),
    ("stopped everything", "paused the process"),
    ("told", "recorded, reported"),
    ("tells", "records, reports"),
    ("processor", "CPU"),
    ("processors", "CPUs"),
    ("off the processor", "off CPU"),
    ("half within", "p50"),
    ("95% within", "p95"),
    ("one by one", "All …"),
    ("narrow everything", "filter to"),
    ("leave out", "exclude"),
    ("left out", "excluded"),
    ("taken away", "hidden"),
    ("nameless", "unresolved"),
    ("without a name", "unresolved"),
    ("data base", "database"),
    ("the reader", "the background worker"),
    ("native twin", "command-line tool"),
    ("turn round", "invert"),
    ("turn stacks round", "invert"),
    ("kept ranges", "saved ranges"),
    ("end mark", "end of stream"),
    ("concluded", "inferred"),
    ("asked for at least", "enabled providers (minimum)"),
    ("climbing move", "hill climbing"),
    ("handed over", "enqueued"),
    ("synchronised", "sync"),
    ("outside managed code", "native code"),
    ("thrown again", "rethrown"),
    ("kept for finalizers", "finalization survivors"),
    ("as at first", "reset"),
    ("given up", "canceled, stopped"),
    ("capitals do not matter", "case-insensitive"),
    ("framing", "block headers"),
    ("looking up", "DNS"),
];

/// Folders of texts for users.
const FOLDERS: [&str; 8] = [
    "src",
    "crates/cli/src",
    "crates/engine/src",
    "crates/nettrace/src",
    "crates/protocol/src",
    "crates/view/src",
    "crates/worker/src",
    "crates/decompress/src",
];

fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_for_tests = name.contains("test") || name == "benches";
        if path.is_dir() && !is_for_tests {
            rust_files(&path, into);
        } else if name.ends_with(".rs") && !is_for_tests {
            into.push(path);
        }
    }
}

/// Returns the string literals of a source file with their lines, without those of its tests.
fn literals(source: &str) -> Vec<(usize, String)> {
    let source = source.split("#[cfg(test)]").next().unwrap_or(source);
    let mut found = Vec::new();
    let mut letters = source.char_indices().peekable();
    let line_of = |at: usize| source[..at].matches('\n').count() + 1;
    while let Some((at, letter)) = letters.next() {
        match letter {
            '/' if source[at..].starts_with("//") => while letters.next_if(|(_, letter)| *letter != '\n').is_some() {},
            // Character, or lifetime.
            '\'' => {
                let rest = &source[at + 1..];
                let is_escape = rest.starts_with('\\');
                let length = rest.chars().take(if is_escape { 12 } else { 2 }).position(|letter| letter == '\'');
                // The quotation mark of '\'' is the second one.
                let length = if rest.starts_with("\\'") { Some(2) } else { length };
                for _ in 0..length.map_or(0, |length| length + 1) {
                    letters.next();
                }
            }
            '"' => {
                let mut text = String::new();
                while let Some((_, letter)) = letters.next() {
                    match letter {
                        '\\' => {
                            text.extend(letters.next().map(|(_, letter)| if letter == '\n' { ' ' } else { letter }))
                        }
                        '"' => break,
                        letter => text.push(letter),
                    }
                }
                found.push((line_of(at), text));
            }
            _ => {}
        }
    }
    found
}

/// Returns whether a text is for users: it has several words, or begins with a capital.
fn is_for_people(text: &str) -> bool {
    let is_technical = |letter: char| matches!(letter, '=' | ';' | '<' | '_' | '/' | '#');
    let first = text.chars().next();
    !text.contains(is_technical) && (text.trim().contains(' ') || first.is_some_and(char::is_uppercase))
}

fn contains_word(text: &str, word: &str) -> bool {
    let text = text.to_lowercase();
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        [before, after].into_iter().flatten().all(|letter| !letter.is_alphanumeric())
    })
}

#[test]
fn texts_use_glossary_terms() {
    let mut files = Vec::new();
    FOLDERS.iter().for_each(|folder| rust_files(&root().join(folder), &mut files));
    assert!(files.len() > 300, "{} files", files.len());
    let mut found = Vec::new();
    for file in files {
        let source = std::fs::read_to_string(&file).expect("a source file");
        for (line, text) in literals(&source).into_iter().filter(|(_, text)| is_for_people(text)) {
            for (word, better) in REPLACED.iter().filter(|(word, _)| contains_word(&text, word)) {
                let name = file.strip_prefix(root()).unwrap_or(&file).display().to_string();
                found.push(format!("{name}:{line}: “{word}” in {text:?}; write {better}"));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn literals_exclude_comments() {
    let source =
        "fn a() { // \"no\"\n let b = '\"'; let c: &'static str = \"one\\n \\\"two\\\"\"; }\n#[cfg(test)]\n\"three\"";
    assert_eq!(literals(source), [(2, "onen \"two\"".to_owned())]);
    assert!(contains_word("It was told.", "told") && !contains_word("untold", "told"));
    assert!(is_for_people("No events") && !is_for_people("no_events") && !is_for_people("a=b c"));
}
