//! Workflows of the repository: what they run is fixed, and nobody else's text becomes part of a command.

use crate::common::root;
use std::fs;

/// Returns the names and texts of all workflows.
fn workflows() -> Vec<(String, String)> {
    let folder = fs::read_dir(root().join(".github/workflows")).expect("the workflows");
    let read = |file: fs::DirEntry| {
        let text = fs::read_to_string(file.path()).expect("a workflow");
        (file.file_name().to_string_lossy().into_owned(), text)
    };
    let found: Vec<_> = folder.flatten().map(read).collect();
    assert!(found.len() >= 3, "{found:?}");
    found
}

#[test]
fn actions_are_pinned_by_commit() {
    for (name, text) in workflows() {
        for action in text.lines().filter_map(|line| line.split_once("uses: ")).map(|(_, action)| action) {
            let (commit, version) =
                action.split_once('@').and_then(|(_, at)| at.split_once(" # v")).unwrap_or_default();
            let is_commit = commit.len() == 40 && commit.bytes().all(|digit| digit.is_ascii_hexdigit());
            assert!(is_commit && !version.is_empty(), "{name}: {action}");
        }
        for package in text.lines().filter(|line| line.contains("npm exec")) {
            let (_, version) = package.split("-- ").nth(1).and_then(|name| name.rsplit_once('@')).expect("a version");
            assert!(version.starts_with(|digit: char| digit.is_ascii_digit()), "{name}: {package}");
        }
    }
}

#[test]
fn expressions_are_no_part_of_commands() {
    for (name, text) in workflows() {
        let mut indent = None;
        for line in text.lines() {
            let depth = line.len() - line.trim_start().len();
            indent = indent.filter(|run| line.trim().is_empty() || depth > *run);
            if line.trim_start().trim_start_matches("- ").starts_with("run:") {
                indent = Some(depth);
            }
            assert!(indent.is_none() || !line.contains("${{"), "{name}: {line}");
        }
    }
}

#[test]
fn workflows_may_only_read_by_default() {
    for (name, text) in workflows() {
        assert!(text.contains("\npermissions:\n  contents: read\n"), "{name}");
        assert!(!text.contains("pull_request_target"), "{name}");
        let checkouts = text.matches("actions/checkout@").count();
        assert_eq!(text.matches("persist-credentials: false").count(), checkouts, "{name}");
    }
}
