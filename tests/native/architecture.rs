//! Layers that Cargo can't enforce: modules inside the engine, and forbidden dependencies of programs.

use crate::common::root;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use view::keys::keymap::bindings;

/// Modules of the engine, lowest first. Each may use the previous ones.
const ENGINE: [&str; 4] = ["clr", "model", "analysis", "session"];

/// Crates that work only in a browser.
const BROWSER_CRATES: [&str; 6] = ["web-sys", "js-sys", "wasm-bindgen", "wasm-bindgen-futures", "gloo", "leptos"];

fn source_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            source_files(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

/// Returns the modules at the crate's root that a source file uses: `crate::model::Store`, and `crate::{clr,
/// model::Store}` on one line.
fn used_modules(source: &str) -> Vec<&'static str> {
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut used: Vec<&str> = Vec::new();
    for after in code.flat_map(|line| line.split("crate::").skip(1)) {
        let names = after.strip_prefix('{').map_or(after, |group| group.split('}').next().unwrap_or(group));
        let names: Vec<&str> = if after.starts_with('{') { names.split(',').collect() } else { vec![names] };
        used.extend(ENGINE.iter().filter(|module| {
            names.iter().any(|name| {
                let name = name.trim();
                name.strip_prefix(**module)
                    .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
            })
        }));
    }
    used
}

#[test]
fn engine_modules_use_only_modules_below_them() {
    let mut wrong = String::new();
    for (level, module) in ENGINE.iter().enumerate() {
        let mut files = Vec::new();
        source_files(&root().join("crates/engine/src").join(module), &mut files);
        assert!(files.len() > 10, "{module} has source files");
        for file in files {
            let source = std::fs::read_to_string(&file).expect("UTF-8");
            for used in used_modules(&source) {
                if ENGINE[level + 1..].contains(&used) {
                    let _ = writeln!(wrong, "{} uses crate::{used}", file.display());
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}The order of modules: docs/architecture.md");
}

#[test]
fn used_modules_parses_paths_and_groups() {
    let source =
        "use crate::model::Store;\nuse crate::{clr, session::Session};\n// crate::analysis\nuse crate::modeling;";
    assert_eq!(used_modules(source), ["model", "clr", "session"]);
}

/// The compiler checks that commands of the page exist, but not that it runs each of them.
#[test]
fn page_uses_every_command_by_its_identifier() {
    let mut files = Vec::new();
    for folder in ["src", "crates/view/src/page", "crates/view/src/url"] {
        source_files(&root().join(folder), &mut files);
    }
    let source: String = files.iter().map(|file| std::fs::read_to_string(file).expect("UTF-8")).collect();
    let is_used = |id: &str| {
        let mut rests = source.split("Command::").filter_map(|rest| rest.strip_prefix(id));
        rests.any(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let unused: Vec<&str> = bindings().map(|binding| binding.command.id()).filter(|id| !is_used(id)).collect();
    assert!(unused.is_empty() && bindings().count() > 200, "{unused:?}");
    assert!(!source.contains("data-command=\""), "a button names its command by a text");
}

/// A command has the same name on buttons, in menus, the palette and the shortcut list, so buttons don't spell it.
#[test]
fn buttons_take_the_name_of_their_command_from_the_table() {
    let mut files = Vec::new();
    source_files(&root().join("src"), &mut files);
    let (mut buttons, mut spelled) = (0, Vec::new());
    for file in files {
        let source = std::fs::read_to_string(&file).expect("UTF-8");
        for (at, _) in source.match_indices("data-command=") {
            buttons += 1;
            let start = ["<button", "<a"].iter().filter_map(|tag| source[..at].rfind(tag)).max().unwrap_or(at);
            let end = source[at..].find("on:click").map_or(source.len(), |length| at + length);
            let tag = &source[start..end];
            if tag.contains("title=\"") || tag.contains("aria-label=\"") {
                spelled.push(format!("{}: {tag}", file.display()));
            }
        }
    }
    assert!(spelled.is_empty() && buttons > 30, "{buttons} buttons with commands; spelled: {}", spelled.join("\n"));
}

/// Returns the packages that a package links, without those of its tests.
fn dependencies(package: &str, target: &[&str]) -> Vec<String> {
    let mut tree = std::process::Command::new(env!("CARGO"));
    tree.current_dir(root()).args(["tree", "--package", package, "--edges", "normal", "--prefix", "none"]).args(target);
    let output = tree.output().expect("cargo runs");
    let packages = String::from_utf8(output.stdout).expect("cargo prints UTF-8");
    assert!(packages.starts_with(&format!("{package} ")), "{packages}{}", String::from_utf8_lossy(&output.stderr));
    packages.lines().filter_map(|line| Some(line.split(' ').next()?.to_owned())).collect()
}

/// The page is compiled to WebAssembly only, where no test program of it runs.
#[test]
fn page_has_no_unit_tests() {
    let mut files = Vec::new();
    source_files(&root().join("src"), &mut files);
    let tests = files.iter().filter(|file| std::fs::read_to_string(file).expect("UTF-8").contains("cfg(test)"));
    assert_eq!(tests.collect::<Vec<_>>(), Vec::<&PathBuf>::new(), "crates/view has logic with tests");
}

#[test]
fn page_links_neither_engine_nor_parser() {
    let linked = dependencies("traceglass", &["--target", "wasm32-unknown-unknown"]);
    for package in ["traceglass-engine", "traceglass-worker", "traceglass-decompress", "nettrace"] {
        assert!(!linked.iter().any(|name| name == package), "the page links {package}");
    }
}

#[test]
fn command_line_tool_links_no_browser_crate() {
    let linked = dependencies("traceglass-cli", &[]);
    for name in BROWSER_CRATES {
        assert!(!linked.iter().any(|linked| linked == name), "the command-line tool links {name}");
    }
}
