//! Holds the shape of the source: which layer may use which, what is native, how long a file may be.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Each layer and what it may use, as the start of a path within the crate. A layer may always use itself.
const LAYERS: [(&str, &[&str]); 10] = [
    ("nettrace", &[]),
    ("clr", &["nettrace"]),
    ("model", &["nettrace", "clr"]),
    // The words about terms of the format, and the paths that GUIDs stand for, are the same on both sides, so that only
    // numbers travel.
    ("protocol", &["model::ids", "model::time", "model::window", "nettrace::Guid", "nettrace::structure::texts"]),
    // Its answers are the protocol's tables, filled.
    ("analysis", &["nettrace", "clr", "model", "protocol"]),
    ("session", &["nettrace", "clr", "model", "analysis", "protocol"]),
    ("worker", &["nettrace", "model", "protocol", "session"]),
    ("cli", &["nettrace", "clr", "model", "analysis", "protocol", "session"]),
    ("view", &["model::ids", "model::sort", "model::time", "model::window", "protocol"]),
    ("ui", &["model::ids", "model::sort", "model::time", "model::window", "protocol", "view"]),
];

/// Crates that exist only in a browser, and where they may be used.
const BROWSER_CRATES: [&str; 8] = [
    "web_sys",
    "js_sys",
    "wasm_bindgen",
    "wasm_bindgen_futures",
    "serde_wasm_bindgen",
    "gloo",
    "leptos",
    "reactive_graph",
];
const BROWSER_PLACES: [&str; 6] = ["worker", "ui", "bin/worker.rs", "bin/app.rs", "bin/start.rs", "bin/unpack.rs"];

/// Lines of a file, its tests apart.
const LONGEST_FILE: usize = 400;
/// Tables of data, which may be longer.
const TABLES: [&str; 1] = ["clr/known.rs"];

struct Source {
    /// Relative to `src`, with slashes.
    path: String,
    text: String,
}

impl Source {
    /// The part of the path up to the first slash: the layer.
    fn layer(&self) -> &str {
        self.path.split(['/', '.']).next().unwrap_or("")
    }

    /// The program text, without comments and (if they end the file) tests.
    fn code(&self) -> impl Iterator<Item = &str> {
        let lines = self.text.lines().map(|line| line.split("//").next().unwrap_or(""));
        lines.take_while(|line| line.trim() != "#[cfg(test)]")
    }
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    assert!(files.len() > 50, "the sources are found");
    let read = |path: PathBuf| Source {
        text: std::fs::read_to_string(&path).expect("a source file is UTF-8"),
        path: path.strip_prefix(&root).expect("below src").to_string_lossy().replace('\\', "/"),
    };
    files.into_iter().map(read).collect()
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            collect(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

/// Every path that begins at the crate's root: `crate::model::{ids, time}` gives `model::ids` and `model::time`.
fn paths_from_root(code: &str) -> Vec<String> {
    code.split("crate::").skip(1).flat_map(|after| leaves(path_or_tree(after))).collect()
}

/// The path, or the use tree with its braces, that the text begins with.
fn path_or_tree(text: &str) -> &str {
    let mut depth = 0;
    for (position, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 1 => return &text[..=position],
            '}' => depth -= 1,
            _ if depth == 0 && !(character.is_alphanumeric() || "_:".contains(character)) => return &text[..position],
            _ => {}
        }
    }
    text
}

fn leaves(tree: &str) -> Vec<String> {
    let Some((prefix, group)) = tree.split_once('{') else {
        return vec![tree.trim().to_owned()];
    };
    let group = group.trim_end().trim_end_matches('}');
    let mut items = Vec::new();
    let mut rest = group;
    while !rest.trim().is_empty() {
        let end = end_of_item(rest);
        items.extend(leaves(&rest[..end]).into_iter().map(|leaf| format!("{}{leaf}", prefix.trim())));
        rest = rest[end..].trim_start_matches(',');
    }
    items
}

/// Where the first item of a list ends: at a comma outside of braces, or at the end.
fn end_of_item(list: &str) -> usize {
    let mut depth = 0;
    let end = list.char_indices().find(|(_, character)| {
        depth += i32::from(*character == '{') - i32::from(*character == '}');
        depth == 0 && *character == ','
    });
    end.map_or(list.len(), |(position, _)| position)
}

#[test]
fn use_trees_are_read_as_the_compiler_reads_them() {
    let code = "use crate::model::{ids::ThreadId, time::{Clock, Ticks}};\nuse crate::{view, protocol::Reply};\n\
                let x = crate::session::Session::new(crate::cli::run());";
    let expected = [
        "model::ids::ThreadId",
        "model::time::Clock",
        "model::time::Ticks",
        "view",
        "protocol::Reply",
        "session::Session::new",
        "cli::run",
    ];
    assert_eq!(paths_from_root(code), expected);
}

#[test]
fn every_layer_uses_only_layers_below_it() {
    let mut wrong = String::new();
    for source in sources() {
        let Some((_, allowed)) = LAYERS.iter().find(|(layer, _)| *layer == source.layer()) else {
            continue;
        };
        let code: String = source.code().flat_map(|line| [line, "\n"]).collect();
        for path in paths_from_root(&code) {
            let is_layer = LAYERS.iter().any(|(layer, _)| is_within(&path, layer));
            let is_allowed = allowed.iter().chain([&source.layer()]).any(|start| is_within(&path, start));
            if is_layer && !is_allowed {
                let _ = writeln!(wrong, "src/{} uses crate::{path}", source.path);
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}The layers and what each may use: docs/architecture.md");
}

fn is_within(path: &str, start: &str) -> bool {
    path.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

#[test]
fn only_the_worker_and_the_page_know_a_browser() {
    let mut wrong = String::new();
    for source in sources() {
        if BROWSER_PLACES.iter().any(|place| source.path == *place || source.layer() == *place) {
            continue;
        }
        for line in source.code() {
            for name in BROWSER_CRATES {
                if line.contains(&format!("{name}::")) {
                    let _ = writeln!(wrong, "src/{}: {}", source.path, line.trim());
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn the_native_program_depends_on_no_browser_crate() {
    let mut tree = std::process::Command::new(env!("CARGO"));
    tree.current_dir(env!("CARGO_MANIFEST_DIR"));
    tree.args(["tree", "--package", "traceglass", "--features", "cli", "--edges", "normal", "--prefix", "none"]);
    let output = tree.output().expect("cargo runs");
    let packages = String::from_utf8(output.stdout).expect("cargo prints UTF-8");
    assert!(packages.starts_with("traceglass "), "{packages}{}", String::from_utf8_lossy(&output.stderr));
    for name in BROWSER_CRATES.map(|name| name.replace('_', "-")) {
        assert!(!packages.lines().any(|line| line.starts_with(&format!("{name} "))), "{name} in\n{packages}");
    }
}

#[test]
fn no_file_is_longer_than_a_reader_can_hold() {
    let mut wrong = String::new();
    for source in sources() {
        let lines = source.text.lines().take_while(|line| *line != "#[cfg(test)]").count();
        if lines > LONGEST_FILE && !TABLES.contains(&source.path.as_str()) {
            let _ = writeln!(wrong, "src/{}: {lines} lines", source.path);
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}At most {LONGEST_FILE} without its tests: split by reason to exist");
}
