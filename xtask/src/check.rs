//! Formatting, lints and documentation; warnings are errors.

use crate::command::{self, cargo, step};
use crate::{Outcome, paths, tools};
use std::path::Path;

/// Package of the browser tests, which isn't in the workspace, so that a plain `cargo test` needs no browser.
pub const BROWSER_TESTS: &str = "tests/e2e/Cargo.toml";

/// Package that runs only in a browser.
const PAGE: &str = "traceglass";
const WORKER: &str = "traceglass-worker";
/// Package of ten lines that call a library whose check takes a minute.
const WASM_BINDGEN: &str = "xtask-wasm-bindgen";

/// Name of a check, and its arguments of Cargo.
type Check = (&'static str, &'static [&'static str]);

const FORMATTING: [Check; 3] = [
    ("formatting", &["fmt", "--all", "--check"]),
    ("formatting of the browser tests", &["fmt", "--manifest-path", BROWSER_TESTS, "--all", "--check"]),
    ("formatting of the fuzz targets", &["fmt", "--manifest-path", crate::fuzz::MANIFEST, "--check"]),
];

const LINTS: [Check; 4] = [
    (
        "lints, native",
        &[
            "clippy",
            "--workspace",
            "--exclude",
            PAGE,
            "--exclude",
            WORKER,
            "--exclude",
            WASM_BINDGEN,
            "--all-targets",
            "--",
            "-Dwarnings",
        ],
    ),
    (
        "lints, WebAssembly",
        &[
            "clippy",
            // The page is built with it, so macros are compiled once for both.
            "--profile",
            "web",
            "--target",
            "wasm32-unknown-unknown",
            "--package",
            PAGE,
            "--package",
            WORKER,
            "--all-targets",
            "--",
            "-Dwarnings",
        ],
    ),
    (
        "lints of the browser tests",
        &["clippy", "--manifest-path", BROWSER_TESTS, "--workspace", "--all-targets", "--", "-Dwarnings"],
    ),
    (
        "documentation",
        &["doc", "--workspace", "--exclude", PAGE, "--exclude", WORKER, "--exclude", WASM_BINDGEN, "--no-deps"],
    ),
];

/// What continuous integration doesn't compile: these tests run only in a full run. The page has none.
const NOT_COMPILED: Check = (
    "lints of tests in WebAssembly",
    &[
        "clippy",
        "--profile",
        "web",
        "--target",
        "wasm32-unknown-unknown",
        "--package",
        WORKER,
        "--tests",
        "--",
        "-Dwarnings",
    ],
);

/// Runs all checks, even after one has failed.
///
/// # Errors
/// Fails if a check failed; the message names all that did.
pub fn run() -> Outcome {
    tools::wasm_target()?;
    run_each(FORMATTING.iter().chain(&LINTS), &paths::target())
}

/// Checks what isn't checked while the tests and the page are compiled in the folder `target` ([`crate::lint`]).
///
/// # Errors
/// Like [`run`].
pub fn besides_compiled(target: &Path) -> Outcome {
    tools::wasm_target()?;
    run_each(FORMATTING.iter().chain([&NOT_COMPILED]), target)
}

fn run_each<'a>(checks: impl Iterator<Item = &'a Check>, target: &Path) -> Outcome {
    let mut failed = Vec::new();
    for (name, arguments) in checks {
        let is_in_browser = arguments.contains(&BROWSER_TESTS);
        let target = if is_in_browser { crate::test::browser_target() } else { target.to_path_buf() };
        let mut command = cargo();
        command.args(*arguments).env("CARGO_TARGET_DIR", target).env("RUSTDOCFLAGS", "-Dwarnings");
        if step(name, || command::run(&mut command)).is_err() {
            failed.push(*name);
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join("; "))) }
}
