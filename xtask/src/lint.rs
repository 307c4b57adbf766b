//! Lints and documents each crate of the repository while Cargo compiles it: Cargo calls this program as `RUSTC_WRAPPER`.
//!
//! `cargo clippy` and `cargo doc` check all dependencies again, because what a check writes can't be used by a build, and
//! vice versa. Here, Clippy and rustdoc read the dependencies that the build has compiled. The compiler gets Cargo's
//! arguments unchanged, and so compiles the same programs as without lints.
//!
//! Cargo doesn't compile a crate again only to lint it, so everything in a build folder must be compiled like this.

use crate::{Outcome, paths};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Arguments for Clippy, as `cargo clippy` passes them. Clippy reports the variable to Cargo as an input of each crate.
const CLIPPY_ARGUMENTS: (&str, &str) = ("CLIPPY_ARGS", "-Dwarnings__CLIPPY_HACKERY__");
const WRAPPER: &str = "RUSTC_WRAPPER";

/// Makes a command lint the crates that it or its children compile.
///
/// # Errors
/// Fails if the path of this program is unknown.
pub fn while_compiling(command: &mut Command) -> Outcome<&mut Command> {
    Ok(command.env(WRAPPER, this_program()?).env(CLIPPY_ARGUMENTS.0, CLIPPY_ARGUMENTS.1))
}

/// Returns whether what this program compiles is linted.
pub fn is_on() -> bool {
    std::env::var_os(WRAPPER).map(PathBuf::from).is_some_and(|wrapper| this_program() == Ok(wrapper))
}

/// Returns the path of this program.
///
/// # Errors
/// Fails if the system doesn't know it.
pub fn this_program() -> Outcome<PathBuf> {
    std::env::current_exe().map_err(|error| format!("the path of this program: {error}"))
}

/// Returns compiler and arguments of a call as `RUSTC_WRAPPER`.
pub fn compiler_call<'a>(words: &'a [&'a str]) -> Option<(&'a str, &'a [&'a str])> {
    let (compiler, arguments) = words.split_first()?;
    (Path::new(compiler).file_stem()? == "rustc").then_some((compiler, arguments))
}

/// Runs the compiler, and then the lints if the crate is one of the repository's.
///
/// # Errors
/// Fails if a step fails, which has then printed the reason.
pub fn compile(compiler: &str, arguments: &[&str]) -> Outcome {
    if arguments.iter().any(|argument| argument.starts_with('@')) {
        return Err("arguments in a file can't be linted".to_owned());
    }
    run(Command::new(compiler).args(arguments))?;
    if !is_ours(arguments) {
        return Ok(());
    }
    let folder = paths::target().join("lint");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let metadata = folder.join(format!("{}.rmeta", std::process::id()));
    run(Command::new(beside(compiler, "clippy-driver")).arg(compiler).args(clippy(arguments, &metadata)))?;
    std::fs::remove_file(&metadata).map_err(|error| format!("{}: {error}", metadata.display()))?;
    match rustdoc(arguments) {
        Some(arguments) => run(Command::new(beside(compiler, "rustdoc")).args(arguments).arg("--out-dir").arg(folder)),
        None => Ok(()),
    }
}

fn beside(compiler: &str, name: &str) -> PathBuf {
    Path::new(compiler).with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// Returns whether arguments are Cargo's for a crate of the repository. Cargo caps the lints of other crates; build
/// scripts and Cargo also call the compiler to ask what it supports.
fn is_ours(arguments: &[&str]) -> bool {
    let has = |start: &str| arguments.iter().any(|argument| argument.starts_with(start));
    has("--json=") && has("--emit=") && !has("--cap-lints")
}

/// Returns Clippy's arguments for those of the compiler. The list of source files that Cargo reads is written again,
/// because it then contains Clippy's settings, too; metadata go to a separate file.
fn clippy(arguments: &[&str], metadata: &Path) -> Vec<String> {
    let changed = |argument: &&str| match argument.split_once('=') {
        Some(("--emit", _)) => format!("--emit=dep-info,metadata={}", metadata.display()),
        Some(("--json", kinds)) => without_artifacts(kinds),
        _ => (*argument).to_owned(),
    };
    arguments.iter().map(changed).collect()
}

/// Returns the option for messages without those about written files, after which Cargo compiles dependent crates.
fn without_artifacts(kinds: &str) -> String {
    let others: Vec<&str> = kinds.split(',').filter(|kind| *kind != "artifacts").collect();
    format!("--json={}", others.join(","))
}

/// Returns rustdoc's arguments for those of the compiler; `None` for crates whose documentation isn't checked: tests,
/// examples, build scripts, and programs of the page.
fn rustdoc(arguments: &[&str]) -> Option<Vec<String>> {
    let is_followed =
        |option: &str, is_it: fn(&str) -> bool| arguments.windows(2).any(|pair| pair[0] == option && is_it(pair[1]));
    let is_documented = is_followed("--out-dir", |folder| Path::new(folder).ends_with("deps"))
        && !is_followed("--cfg", |name| name == "test")
        && !arguments.iter().any(|argument| ["--test", "--target"].contains(argument));
    if !is_documented {
        return None;
    }
    let mut kept = vec!["-Dwarnings".to_owned()];
    if is_followed("--crate-type", |kind| kind == "bin") {
        kept.push("--document-private-items".to_owned());
    }
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.split_once('=') {
            _ if ["--out-dir", "-C"].contains(argument) => drop(rest.next()),
            Some(("--emit", _)) => {}
            Some(("--json", kinds)) => kept.push(without_artifacts(kinds)),
            _ => kept.push((*argument).to_owned()),
        }
    }
    Some(kept)
}

fn run(command: &mut Command) -> Outcome {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{program} ended with {status}")),
        Err(error) => Err(format!("can't start {program}: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::{clippy, compiler_call, is_ours, rustdoc};
    use std::path::Path;

    /// Returns the words of Cargo's call for a crate.
    fn call(kind: &str, folder: &str) -> Vec<String> {
        let text = format!(
            "--crate-name a --edition=2024 src/lib.rs --error-format=json --json=diagnostic-rendered-ansi,artifacts \
             {kind} --emit=dep-info,metadata,link -C opt-level=1 --warn=clippy::todo --cfg feature=\"b\" \
             -C extra-filename=-12 --out-dir {folder} -L dependency=/t/debug/deps --extern c=/t/debug/deps/libc-3.rmeta"
        );
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn words(call: &[String]) -> Vec<&str> {
        call.iter().map(String::as_str).collect()
    }

    #[test]
    fn call_of_compiler_has_its_path_first() {
        assert_eq!(compiler_call(&["/bin/rustc", "-vV"]), Some(("/bin/rustc", &["-vV"][..])));
        assert_eq!((compiler_call(&["test", "native"]), compiler_call(&[])), (None, None));
    }

    #[test]
    fn only_crates_of_repository_are_linted() {
        let own = call("--crate-type lib", "/t/debug/deps");
        let mut other = words(&own);
        assert!(is_ours(&other));
        other.extend(["--cap-lints", "allow"]);
        assert!(!is_ours(&other));
        assert!(!is_ours(&["-", "--crate-name", "___", "--print=cfg"]));
    }

    #[test]
    fn clippy_writes_metadata_elsewhere_and_does_not_announce_them() {
        let own = call("--test", "/t/debug/deps");
        let changed = clippy(&words(&own), Path::new("/t/lint/7.rmeta")).join(" ");
        assert!(
            changed.contains(" --json=diagnostic-rendered-ansi --test --emit=dep-info,metadata=/t/lint/7.rmeta -C ")
        );
        assert!(changed.contains("--out-dir /t/debug/deps") && changed.ends_with("libc-3.rmeta"), "{changed}");
    }

    #[test]
    fn libraries_and_programs_are_documented() {
        let documented = |kind: &str, folder: &str| rustdoc(&words(&call(kind, folder))).map(|words| words.join(" "));
        let kept = "--crate-name a --edition=2024 src/lib.rs --error-format=json --json=diagnostic-rendered-ansi \
                    --crate-type lib --warn=clippy::todo --cfg feature=\"b\" \
                    -L dependency=/t/debug/deps --extern c=/t/debug/deps/libc-3.rmeta";
        assert_eq!(documented("--crate-type lib", "/t/debug/deps"), Some(format!("-Dwarnings {kept}")));
        let program = documented("--crate-type bin", "/t/debug/deps").expect("documentation");
        assert!(program.starts_with("-Dwarnings --document-private-items --crate-name"), "{program}");
        for (kind, folder) in [
            ("--test", "/t/debug/deps"),
            ("--crate-type bin --cfg test", "/t/debug/deps"),
            ("--crate-type bin", "/t/debug/examples"),
            ("--crate-type bin", "/t/debug/build/a-12"),
            ("--crate-type lib --target wasm32-unknown-unknown", "/t/debug/deps"),
        ] {
            assert_eq!(documented(kind, folder), None, "{kind} {folder}");
        }
    }
}
