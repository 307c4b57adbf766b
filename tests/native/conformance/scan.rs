//! Finds the tests that name rows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Returns the tests by row: `path::name`.
pub fn tests_by_row() -> BTreeMap<String, Vec<String>> {
    let root = crate::common::root();
    let mut files = Vec::new();
    for folder in ["crates", "src", "tests"] {
        collect(&root.join(folder), &mut files);
    }
    files.sort();
    assert!(files.len() > 100, "the sources are found");
    let mut tests: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a source file is UTF-8");
        let path = path.strip_prefix(&root).expect("below the root").to_string_lossy().replace('\\', "/");
        for (ids, name) in named_tests(&text).unwrap_or_else(|wrong| panic!("{path}: {wrong}")) {
            for id in ids {
                tests.entry(id).or_default().push(format!("{path}::{name}"));
            }
        }
    }
    tests
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() && path.file_name().is_none_or(|name| name != "target") {
            collect(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

type Named = Vec<(Vec<String>, String)>;

/// Returns the tests of a file that name rows. Fails if a comment names rows without belonging to a test.
fn named_tests(text: &str) -> Result<Named, String> {
    let mut found = Vec::new();
    let mut ids: Vec<String> = Vec::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        if let Some(comment) = line.strip_prefix("/// ") {
            ids.extend(ids_of(comment));
        } else if line.starts_with("#[") {
            is_test |= line.ends_with("test]") || line.contains("test(");
        } else {
            if !ids.is_empty() {
                let name = line.split_once("fn ").and_then(|(_, rest)| rest.split(['(', '<']).next());
                match name {
                    Some(name) if is_test => found.push((std::mem::take(&mut ids), name.to_owned())),
                    _ => return Err(format!("{ids:?} stand above something that isn't a test: {line}")),
                }
            }
            is_test = false;
        }
    }
    Ok(found)
}

/// Parses the row IDs of a comment: `S41, S137: numbers end` results in S41 and S137; other text in none.
fn ids_of(comment: &str) -> Vec<String> {
    let Some((ids, _)) = comment.split_once(':') else { return Vec::new() };
    let ids: Vec<&str> = ids.split(", ").collect();
    if ids.iter().all(|id| is_id(id)) { ids.into_iter().map(str::to_owned).collect() } else { Vec::new() }
}

fn is_id(text: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_at_checked(1) {
        Some(("S", rest)) => number(rest),
        Some(("R", rest)) => rest.split_once('.').is_some_and(|(group, row)| number(group) && number(row)),
        _ => false,
    }
}

#[test]
fn rows_are_named_at_start_of_test_comment() {
    // Concatenated, so that this text doesn't name rows itself.
    let marked = ["/// ", "S1, R2.3: a rule.\n", "/// More.\n#[test]\nfn holds() {}\n"].concat();
    assert_eq!(named_tests(&marked), Ok(vec![(vec!["S1".to_owned(), "R2.3".to_owned()], "holds".to_owned())]));
    assert_eq!(named_tests(&marked.replace("S1, ", "About S1, ")), Ok(Vec::new()));
    assert!(named_tests(&marked.replace("#[test]\n", "")).is_err(), "only a test proves anything");
}
