//! Rules, and notes about those that aren't completely proved.

use std::collections::BTreeMap;

/// Rule of a format document or of the reference reader's tests.
#[derive(Clone, Debug)]
pub struct Row {
    pub id: String,
    pub source: String,
    pub rule: String,
    pub shows: String,
}

/// Note about a row in `notes.txt`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The rule is from a document that has been replaced.
    Superseded(String),
    /// Traceglass intentionally differs.
    Difference(String),
    /// Parsing is proved, but the page doesn't show all that the row requires.
    NotShown(String),
    /// No test proves it.
    NotYet(String),
}

fn text(name: &str) -> String {
    let path = crate::common::root().join("tests/native/conformance").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Returns all rows, in order.
pub fn rows() -> Vec<Row> {
    let row = |line: &str| {
        let columns: Vec<&str> = line.split(" | ").collect();
        let [id, source, rule, shows] = columns[..] else { panic!("not a row: {line}") };
        Row { id: id.to_owned(), source: source.to_owned(), rule: rule.to_owned(), shows: shows.to_owned() }
    };
    lines(&text("rows.txt")).map(row).collect()
}

/// Returns the notes by row.
pub fn notes() -> BTreeMap<String, Note> {
    let mut notes = BTreeMap::new();
    for line in lines(&text("notes.txt")) {
        let (ids, note) = line.split_once(" | ").unwrap_or_else(|| panic!("not a note: {line}"));
        let (kind, words) = note.split_once(": ").unwrap_or_else(|| panic!("not a note: {line}"));
        let words = words.to_owned();
        let note = match kind {
            "superseded" => Note::Superseded(words),
            "difference" => Note::Difference(words),
            "not shown" => Note::NotShown(words),
            "not yet" => Note::NotYet(words),
            _ => panic!("not a kind of note: {kind}"),
        };
        for id in ids.split(' ') {
            assert!(notes.insert(id.to_owned(), note.clone()).is_none(), "two notes about {id}");
        }
    }
    notes
}
