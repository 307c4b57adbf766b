//! Finds the tools for building and testing the page, or installs them into the cache folder.

use crate::command::{cargo, command, read, run, step};
use crate::{Outcome, paths};
use std::path::{Path, PathBuf};
use std::process::Command;

const TRUNK: &str = "0.21.14";
const GECKODRIVER: &str = "0.37.1";
const AXE: &str = "4.14.1";
const BINARYEN: &str = "132";
const OLDEST_BINARYEN: u32 = 123;

/// Compilation target of the page's programs.
pub const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// Returns a Trunk command, with the tools that it calls (wasm-bindgen, wasm-opt) on its PATH.
///
/// # Errors
/// Fails if a tool can be neither found nor installed.
pub fn trunk() -> Outcome<Command> {
    let hint = "about 4 minutes on two cores";
    let trunk = installed_by_cargo("trunk", TRUNK, &["--locked", "--debug", "--no-default-features"], "trunk", hint)?;
    let called = [Some(wasm_bindgen_test_runner()?), wasm_opt()?];
    let folders = called.iter().flatten().filter_map(|tool| tool.parent()).map(Path::to_path_buf);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&path))).map_err(|error| error.to_string())?;
    let mut command = command(trunk);
    command.env("PATH", path);
    Ok(command)
}

/// Checks that Rust can compile to WebAssembly.
///
/// # Errors
/// Fails if the target is missing and rustup can't add it.
pub fn wasm_target() -> Outcome {
    let libraries = read(command("rustc").args(["--print", "target-libdir", "--target", WASM_TARGET]))?;
    if Path::new(libraries.trim()).is_dir() {
        return Ok(());
    }
    if paths::on_path("rustup").is_none() {
        return Err(format!("Rust's target {WASM_TARGET} is missing, and rustup isn't installed to add it"));
    }
    step("adding Rust's WebAssembly target", || run(command("rustup").args(["target", "add", WASM_TARGET])))
}

/// Returns the runner of WebAssembly tests from wasm-bindgen.
///
/// # Errors
/// Fails if it can't be compiled.
pub fn wasm_bindgen_test_runner() -> Outcome<PathBuf> {
    step("compiling wasm-bindgen's tools", || {
        run(cargo().args(["build", "--quiet", "--package", "xtask-wasm-bindgen"]))
    })?;
    Ok(paths::compiled_tool("wasm-bindgen-test-runner"))
}

/// Returns the WebDriver of Firefox.
///
/// # Errors
/// Fails if it can be neither found nor installed.
pub fn geckodriver() -> Outcome<PathBuf> {
    installed_by_cargo("geckodriver", GECKODRIVER, &["--locked"], "geckodriver", "about 2 minutes on two cores")
}

/// Returns a program of exactly this version: from PATH, from the cache, or newly installed into the cache.
fn installed_by_cargo(name: &str, version: &str, options: &[&str], package: &str, hint: &str) -> Outcome<PathBuf> {
    if let Some(program) = paths::on_path(name).filter(|program| says_version(program, version)) {
        return Ok(program);
    }
    let folder = paths::cache()?.join("tools").join(format!("{name}-{version}"));
    let program = folder.join("bin").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if program.is_file() {
        return Ok(program);
    }
    step(&format!("installing {package} {version} into {} ({hint})", folder.display()), || {
        let build = folder.join("build");
        std::fs::create_dir_all(&build).map_err(|error| format!("{}: {error}", build.display()))?;
        // Runs outside the clone, so that its settings and build folder have no effect.
        let mut install = cargo();
        install.current_dir(&folder).env("CARGO_TARGET_DIR", &build).arg("install").args(options);
        install.arg(format!("{package}@{version}")).arg("--root").arg(&folder);
        run(&mut install)?;
        std::fs::remove_dir_all(&build).map_err(|error| format!("{}: {error}", build.display()))
    })?;
    Ok(program)
}

fn says_version(program: &Path, version: &str) -> bool {
    read(Command::new(program).arg("--version")).is_ok_and(|says| says.split_whitespace().any(|word| word == version))
}

/// Returns wasm-opt of a recent binaryen, which optimizes WebAssembly: from the cache, from PATH, or from npm. `None`
/// without Node.
///
/// # Errors
/// Fails if npm can't install it.
pub fn wasm_opt() -> Outcome<Option<PathBuf>> {
    let folder = binaryen_folder()?;
    if let Some(found) = existing_wasm_opt(&folder) {
        return Ok(Some(found));
    }
    if !has_npm() {
        println!("── no wasm-opt (binaryen ≥ {OLDEST_BINARYEN}) and no Node to run npm's: the page will be larger");
        return Ok(None);
    }
    install_from_npm(&folder, "binaryen", BINARYEN)?;
    Ok(existing_wasm_opt(&folder))
}

/// Returns whether [`wasm_opt`] finds or installs the program.
pub fn can_optimize() -> bool {
    has_npm() || binaryen_folder().is_ok_and(|folder| existing_wasm_opt(&folder).is_some())
}

fn binaryen_folder() -> Outcome<PathBuf> {
    Ok(paths::cache()?.join("tools").join(format!("binaryen-{BINARYEN}")))
}

fn existing_wasm_opt(folder: &Path) -> Option<PathBuf> {
    let program = folder.join("node_modules/.bin").join(if cfg!(windows) { "wasm-opt.cmd" } else { "wasm-opt" });
    let from_npm = Some(program).filter(|program| program.is_file() && paths::on_path("node").is_some());
    from_npm.or_else(|| paths::on_path("wasm-opt").filter(|found| is_recent_binaryen(found)))
}

fn has_npm() -> bool {
    paths::on_path("node").is_some() && paths::on_path("npm").is_some()
}

/// Returns the script for accessibility checks (axe-core): from the cache, or from npm if Node is installed.
///
/// # Errors
/// Fails if npm can't install it.
pub fn axe() -> Outcome<Option<PathBuf>> {
    let folder = paths::cache()?.join("tools").join(format!("axe-core-{AXE}"));
    let script = folder.join("node_modules/axe-core/axe.min.js");
    if !script.is_file() {
        if !has_npm() {
            return Ok(None);
        }
        install_from_npm(&folder, "axe-core", AXE)?;
    }
    Ok(Some(script))
}

fn install_from_npm(folder: &Path, package: &str, version: &str) -> Outcome {
    step(&format!("installing {package} {version} of npm into {}", folder.display()), || {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
        npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]).arg(folder);
        run(npm.arg(format!("{package}@{version}")).current_dir(folder))
    })
}

fn is_recent_binaryen(program: &Path) -> bool {
    // Parses "wasm-opt version 132 (version_132)".
    let says = read(Command::new(program).arg("--version")).unwrap_or_default();
    let version = says.split_whitespace().nth(2).and_then(|word| word.parse().ok()).unwrap_or(0);
    version >= OLDEST_BINARYEN
}
