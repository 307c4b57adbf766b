//! Generates `docs/conformance.md` from the rules and the tests.

use super::rows::{Note, Row, notes, rows};
use super::scan::tests_by_row;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Status of a row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Standing {
    Proved,
    NotShown,
    Difference,
    Superseded,
    NotYet,
}

/// Returns every row with its tests, note and status. Panics if these are contradictory.
fn standings() -> Vec<(Row, Vec<String>, Option<Note>, Standing)> {
    let (mut tests, mut notes) = (tests_by_row(), notes());
    let standings = rows().into_iter().map(|row| {
        let tests = tests.remove(&row.id).unwrap_or_default();
        let note = notes.remove(&row.id);
        let id = &row.id;
        let standing = match (&note, tests.is_empty()) {
            (None, false) => Standing::Proved,
            (Some(Note::NotShown(_)), false) => Standing::NotShown,
            (Some(Note::Difference(_)), _) => Standing::Difference,
            (Some(Note::Superseded(_)), true) => Standing::Superseded,
            (Some(Note::NotYet(_)), true) => Standing::NotYet,
            (None, true) => panic!("{id}: neither a test nor a note: {}", row.rule),
            (Some(note), _) => panic!("{id}: there are tests: {tests:?}, or none, although the note says {note:?}"),
        };
        (row, tests, note, standing)
    });
    let standings: Vec<_> = standings.collect();
    assert!(tests.is_empty(), "tests of rows that do not exist: {tests:?}");
    assert!(notes.is_empty(), "notes about rows that do not exist: {notes:?}");
    standings
}

fn document() -> String {
    let standings = standings();
    let mut counts: BTreeMap<Standing, usize> = BTreeMap::new();
    standings.iter().for_each(|(.., standing)| *counts.entry(*standing).or_default() += 1);
    let count = |standing| counts.get(&standing).copied().unwrap_or(0);
    let mut text = format!(
        "# Conformance\n\nThe rules of the trace formats, and the tests that prove them. Generated from the rules in \
         `tests/native/conformance/rows.txt`, the tests that name a rule, and the notes in \
         `tests/native/conformance/notes.txt`. To update: `BLESS=1 cargo test -p traceglass-tests conformance`.\n\n\
         S rows are rules of the format documents (nettrace 4 to 6, netperf). R rows are rules of the tests of the \
         reference reader (TraceEvent).\n\n\
         | Rows | Status |\n|---|---|\n\
         | {} | Proved by a test |\n\
         | {} | Parsing is proved; not all of it is shown |\n\
         | {} | Deliberate difference |\n\
         | {} | Superseded draft |\n\
         | {} | Not implemented |\n\
         | {} | Total |\n",
        count(Standing::Proved),
        count(Standing::NotShown),
        count(Standing::Difference),
        count(Standing::Superseded),
        count(Standing::NotYet),
        standings.len(),
    );
    for (standing, title) in [
        (Standing::NotYet, "Not implemented"),
        (Standing::NotShown, "Parsed, but not shown in full"),
        (Standing::Difference, "Deliberate differences"),
    ] {
        if count(standing) == 0 {
            continue;
        }
        let _ = write!(text, "\n## {title}\n\n");
        let mut by_words: Vec<(&str, Vec<&str>)> = Vec::new();
        for (row, _, note, _) in standings.iter().filter(|(.., found)| *found == standing) {
            let words = note.as_ref().map_or("", Note::words);
            match by_words.iter_mut().find(|(known, _)| *known == words) {
                Some((_, ids)) => ids.push(&row.id),
                None => by_words.push((words, vec![&row.id])),
            }
        }
        for (words, ids) in by_words {
            let _ = writeln!(text, "* {}: {words}", ids.join(", "));
        }
    }
    let mut source = "";
    for (row, tests, note, _) in &standings {
        let group = group(row);
        if group != source {
            source = group;
            let _ = write!(text, "\n## {group}\n\n| Row | Rule | Shown | Test |\n|---|---|---|---|\n");
        }
        let mut holders: Vec<String> = tests.iter().map(|test| format!("`{test}`")).collect();
        holders.extend(note.as_ref().map(|note| format!("*{}*", note.kind())));
        let rule = format!("{}: {}", row.source, row.rule);
        let _ = writeln!(text, "| {} | {} | {} | {} |", row.id, cell(&rule), cell(&row.shows), holders.join(" "));
    }
    text
}

impl Note {
    fn words(&self) -> &str {
        match self {
            Note::Superseded(words) | Note::Difference(words) | Note::NotShown(words) | Note::NotYet(words) => words,
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Note::Superseded(_) => "superseded",
            Note::Difference(_) => "differs, see above",
            Note::NotShown(_) => "not shown in full, see above",
            Note::NotYet(_) => "not implemented",
        }
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn group(row: &Row) -> &'static str {
    let number: u32 =
        row.id.trim_start_matches(['S', 'R']).split('.').next().and_then(|id| id.parse().ok()).unwrap_or(0);
    match (row.id.starts_with('S'), number) {
        (true, 1..=97) => "nettrace 4 and 5",
        (true, 98..=108) => "Events of netperf 1 to 3",
        (true, 109..=123) => "The container of netperf 1 to 3",
        (true, 124..=130) => "The draft of nettrace 6",
        (true, _) => "nettrace 6",
        (false, _) => "The reference reader's tests",
    }
}

#[test]
fn conformance_page_lists_every_test() {
    let path = crate::common::root().join("docs/conformance.md");
    let expected = document();
    println!("{}", expected.lines().filter(|line| line.starts_with("| ")).take(8).collect::<Vec<_>>().join("\n"));
    if std::env::var("BLESS").is_ok_and(|value| value == "1") {
        std::fs::write(&path, &expected).expect("a writable document");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "docs/conformance.md is not what the tests say; BLESS=1 updates it");
}
