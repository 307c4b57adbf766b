//! Formatting, lints and documentation; warnings are errors.

use crate::command::{self, cargo, step};
use crate::{Outcome, tools};

/// Package of the browser tests, which isn't in the workspace, so that a plain `cargo test` needs no browser.
pub const BROWSER_TESTS: &str = "tests/e2e/Cargo.toml";

/// Package that runs only in a browser.
const PAGE: &str = "traceglass";
const WORKER: &str = "traceglass-worker";
/// Package of ten lines that call a library whose check takes a minute.
const WASM_BINDGEN: &str = "xtask-wasm-bindgen";

/// Runs all checks, even after one has failed.
///
/// # Errors
/// Fails if a check failed; the message names all that did.
pub fn run() -> Outcome {
    tools::wasm_target()?;
    let checks: [(&str, &[&str]); 7] = [
        ("formatting", &["fmt", "--all", "--check"]),
        ("formatting of the browser tests", &["fmt", "--manifest-path", BROWSER_TESTS, "--all", "--check"]),
        ("formatting of the fuzz targets", &["fmt", "--manifest-path", crate::fuzz::MANIFEST, "--check"]),
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
    let mut failed = Vec::new();
    for (name, arguments) in checks {
        let mut command = cargo();
        command.args(arguments).env("RUSTDOCFLAGS", "-Dwarnings");
        if arguments.contains(&BROWSER_TESTS) && arguments.contains(&"clippy") {
            command.env("CARGO_TARGET_DIR", crate::test::browser_target());
        }
        if step(name, || command::run(&mut command)).is_err() {
            failed.push(name);
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join("; "))) }
}
