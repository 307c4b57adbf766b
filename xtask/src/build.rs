//! Builds the page into `dist/`.

mod programs;

use crate::command::{command, read, run, step};
use crate::page::{self, Page};
use crate::{Outcome, offline, paths, tools};
use programs::{Mode, Programs};
use std::hash::Hasher;
use std::path::{Path, PathBuf};

/// Sources of the page; a change to any of them results in a new build.
pub(crate) const SOURCES: [&str; 12] = [
    "src",
    "crates/nettrace",
    "crates/protocol",
    "crates/decompress",
    "crates/engine",
    "crates/view",
    "crates/worker",
    "www",
    "index.html",
    "Trunk.toml",
    "Cargo.lock",
    ".cargo",
];

/// Builds the page in release mode.
///
/// # Errors
/// Fails if a tool is missing or a step fails.
pub fn release() -> Outcome {
    let build = build_id();
    let stamp = Stamp::new(&build, tools::can_optimize())?;
    if stamp.is_of_what_is_built() {
        println!("── the page is built, build {build} (dist/)");
        return Ok(());
    }
    step(&format!("building the page, build {build} (dist/)"), || {
        if !tools::can_optimize() {
            println!("── without wasm-opt: the result works, and is larger");
        }
        let page = Page::read(&paths::root())?;
        let programs = programs::build(&page, &Mode::Release(&build))?;
        assemble(&page, &programs, &paths::dist())?;
        for part in programs.divided.iter().flatten() {
            let target = paths::dist().join(part.file_name().unwrap_or_default());
            std::fs::copy(part, &target).map_err(|error| format!("{}: {error}", target.display()))?;
        }
        name_their_build(&paths::dist(), &build)?;
        offline::prepare(&build)
    })?;
    stamp.write()
}

/// Programs that must contain the build ID, because a saved page checks it (`www/save_page.js`).
const NAMED: [&str; 2] = ["app_bg.wasm", "worker_bg.wasm"];

/// Checks that [`NAMED`] contain the build ID.
fn name_their_build(dist: &Path, build: &str) -> Outcome {
    for name in NAMED {
        let file = dist.join(name);
        let program = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        if !program.windows(build.len()).any(|bytes| bytes == build.as_bytes()) {
            return Err(format!("{name} does not contain the name of its build, {build}: no page could be saved"));
        }
    }
    Ok(())
}

/// Builds the page as fast as possible for development, and returns its folder. The page reloads after the next build
/// that differs.
///
/// # Errors
/// Fails if the build fails. The folder then contains the previous page.
pub fn dev() -> Outcome<PathBuf> {
    let page = Page::read(&paths::root())?;
    let programs = programs::build(&page, &Mode::Dev)?;
    let [served, next, former] = ["served", "next", "former"].map(|name| programs.folder.join(name));
    assemble(&page, &programs, &next)?;
    let build = format!("{:016x}", hash_files(&next, &[PathBuf::new()]));
    let write =
        |name: &str, text: &str| std::fs::write(next.join(name), text).map_err(|error| format!("{name}: {error}"));
    let html = std::fs::read_to_string(next.join("index.html")).map_err(|error| format!("index.html: {error}"))?;
    let script = format!("<script src=\"./reload.js\" data-build=\"{build}\"></script>");
    // The page's policy forbids inline scripts.
    write("index.html", &page::before_end_of_head(&html, &script)?)?;
    write("reload.js", include_str!("dev/reload.js"))?;
    write("build.txt", &build)?;
    exchange(&served, &next, &former).map_err(|error| format!("{}: {error}", served.display()))?;
    Ok(served)
}

/// Builds the page into `dist` as Trunk does: with unsplit programs, and no service worker.
///
/// # Errors
/// Fails if the build fails.
pub fn like_trunk(dist: &Path) -> Outcome {
    let page = Page::read(&paths::root())?;
    let programs = programs::build(&page, &Mode::Release(&build_id()))?;
    assemble(&page, &programs, dist)
}

/// Copies the worker before it is split, optimized.
///
/// # Errors
/// Fails if the page isn't built, or wasm-opt is missing or fails.
pub(crate) fn whole_worker(to: &Path) -> Outcome {
    let from = Mode::Release("").folder().join("worker_bg.wasm");
    std::fs::copy(&from, to).map_err(|error| format!("{}: {error}", from.display()))?;
    let wasm_opt = tools::wasm_opt()?.ok_or("there is no wasm-opt")?;
    run(&mut programs::optimize(&wasm_opt, to))
}

/// Replaces `current` with `next`, at once.
fn exchange(current: &Path, next: &Path, former: &Path) -> std::io::Result<()> {
    if former.exists() {
        std::fs::remove_dir_all(former)?;
    }
    if current.exists() {
        std::fs::rename(current, former)?;
    }
    std::fs::rename(next, current)
}

/// Assembles the page in an empty folder.
fn assemble(page: &Page, programs: &Programs, dist: &Path) -> Outcome {
    if dist.exists() {
        std::fs::remove_dir_all(dist).map_err(|error| format!("{}: {error}", dist.display()))?;
    }
    std::fs::create_dir_all(dist).map_err(|error| format!("{}: {error}", dist.display()))?;
    page.assemble(&programs.folder, &programs.first, dist)
}

/// Records the inputs and outputs of a build, to detect within seconds whether `dist/` is current.
struct Stamp {
    /// Sources and tools of the page.
    inputs: String,
    file: PathBuf,
}

impl Stamp {
    fn new(build: &str, is_optimized: bool) -> Outcome<Self> {
        let inputs = format!("{build} {is_optimized} {}", rust_version()?);
        Ok(Self { inputs, file: paths::target().join("page.stamp") })
    }

    /// Returns the inputs and the content of `dist/`: a changed or missing file requires a new build.
    fn text(&self) -> String {
        format!("{}\n{:016x}\n", self.inputs, hash_files(&paths::dist(), &[PathBuf::new()]))
    }

    fn is_of_what_is_built(&self) -> bool {
        std::fs::read_to_string(&self.file).is_ok_and(|stamp| stamp == self.text())
    }

    fn write(&self) -> Outcome {
        std::fs::write(&self.file, self.text()).map_err(|error| format!("{}: {error}", self.file.display()))
    }
}

/// Returns the build ID: the last commit that changed the sources of the page, and a hash of the sources if they differ
/// from it. It stays the same when only other files change, which avoids a rebuild.
pub fn build_id() -> String {
    let git = |arguments: &[&str]| {
        let mut git = command("git");
        git.args(arguments).arg("--").args(SOURCES).stderr(std::process::Stdio::null());
        git.output().ok().filter(|output| output.status.success()).map(|output| output.stdout)
    };
    let commit = git(&["log", "-1", "--format=%h"]).map(|name| String::from_utf8_lossy(&name).trim().to_owned());
    let changed = git(&["status", "--porcelain"]).is_none_or(|changes| !changes.is_empty());
    match commit.filter(|name| !name.is_empty()) {
        Some(commit) if !changed => commit,
        Some(commit) => format!("{commit}-{}", digest_of_sources()),
        None => digest_of_sources(),
    }
}

fn digest_of_sources() -> String {
    format!("{:08x}", hash_files(&paths::root(), &SOURCES.map(PathBuf::from)) >> 32)
}

/// Returns a hash of the names and contents of files in `root`, and of all files in folders there.
fn hash_files(root: &Path, names: &[PathBuf]) -> u64 {
    let mut files = Vec::new();
    for name in names {
        collect_files(&root.join(name), &mut files);
    }
    files.sort();
    let mut hasher = seahash::SeaHasher::new();
    for file in files {
        let content = std::fs::read(&file).unwrap_or_default();
        hasher.write(file.strip_prefix(root).unwrap_or(&file).to_string_lossy().as_bytes());
        hasher.write_usize(content.len());
        hasher.write(&content);
    }
    hasher.finish()
}

/// Returns a hash of the content of a file.
fn hash_file(path: &Path) -> Outcome<u64> {
    std::fs::read(path).map(|content| seahash::hash(&content)).map_err(|error| format!("{}: {error}", path.display()))
}

/// Collects all files under `path`, or `path` itself if it is a file.
pub(crate) fn collect_files(path: &Path, into: &mut Vec<PathBuf>) {
    if path.is_file() {
        into.push(path.to_path_buf());
    } else if let Ok(entries) = std::fs::read_dir(path) {
        for entry in entries.flatten() {
            collect_files(&entry.path(), into);
        }
    }
}

/// Returns the version of the Rust compiler, for reports.
///
/// # Errors
/// Fails if rustc can't be run.
pub fn rust_version() -> Outcome<String> {
    Ok(read(command("rustc").arg("--version"))?.trim().to_owned())
}
