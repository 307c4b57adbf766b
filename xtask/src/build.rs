//! Builds the page into `dist/`.

mod programs;

use crate::command::{command, read, run, step};
use crate::page::{self, Page};
use crate::{Outcome, offline, paths, tools};
use programs::{Mode, Programs};
use std::hash::Hasher;
use std::path::{Path, PathBuf};

/// What the page is made of; a change to any of these is a new build.
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
/// When a tool is missing or the build fails.
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

/// Programs whose build is looked for in their bytes before they go into a saved page (`www/save_page.js`).
const NAMED: [&str; 2] = ["app_bg.wasm", "worker_bg.wasm"];

/// Makes sure that the name of the build is in the bytes of [`NAMED`].
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

/// Builds the page as fast as can be, for who changes it; where it is. It reloads when the next such build differs.
///
/// # Errors
/// When the build fails. The page in that folder is then the former one.
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
    // The page's policy forbids scripts that stand in the page itself.
    write("index.html", &page::before_end_of_head(&html, &script)?)?;
    write("reload.js", include_str!("dev/reload.js"))?;
    write("build.txt", &build)?;
    exchange(&served, &next, &former).map_err(|error| format!("{}: {error}", served.display()))?;
    Ok(served)
}

/// Builds the page into `dist` as Trunk does: whole programs, and no service worker.
///
/// # Errors
/// When the build fails.
pub fn like_trunk(dist: &Path) -> Outcome {
    let page = Page::read(&paths::root())?;
    let programs = programs::build(&page, &Mode::Release(&build_id()))?;
    assemble(&page, &programs, dist)
}

/// Copies the worker as it is before it's divided, optimized.
///
/// # Errors
/// When the page isn't built, or wasm-opt is missing or fails.
pub(crate) fn whole_worker(to: &Path) -> Outcome {
    let from = Mode::Release("").folder().join("worker_bg.wasm");
    std::fs::copy(&from, to).map_err(|error| format!("{}: {error}", from.display()))?;
    let wasm_opt = tools::wasm_opt()?.ok_or("there is no wasm-opt")?;
    run(&mut programs::optimize(&wasm_opt, to))
}

/// Has `next` take the place of `current`, at once.
fn exchange(current: &Path, next: &Path, former: &Path) -> std::io::Result<()> {
    if former.exists() {
        std::fs::remove_dir_all(former)?;
    }
    if current.exists() {
        std::fs::rename(current, former)?;
    }
    std::fs::rename(next, current)
}

/// Puts the page together in an empty folder.
fn assemble(page: &Page, programs: &Programs, dist: &Path) -> Outcome {
    if dist.exists() {
        std::fs::remove_dir_all(dist).map_err(|error| format!("{}: {error}", dist.display()))?;
    }
    std::fs::create_dir_all(dist).map_err(|error| format!("{}: {error}", dist.display()))?;
    page.assemble(&programs.folder, &programs.first, dist)
}

/// Says whether `dist/` is what a build would make, which takes seconds to find out otherwise.
struct Stamp {
    /// What the page is made of and with.
    inputs: String,
    file: PathBuf,
}

impl Stamp {
    fn new(build: &str, is_optimized: bool) -> Outcome<Self> {
        let inputs = format!("{build} {is_optimized} {}", rust_version()?);
        Ok(Self { inputs, file: paths::target().join("page.stamp") })
    }

    /// The inputs, and the content of `dist/`: a changed or missing file is built anew.
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

/// Names this build: the last commit that touched what the page is made of, plus a digest of the sources when
/// they differ from it. Stays the same, and so spares a rebuild, when only other files change.
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

/// Hash of the names and contents of files in `root`, and of all files in folders there.
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

/// Hash of the content of a file.
fn hash_file(path: &Path) -> Outcome<u64> {
    std::fs::read(path).map(|content| seahash::hash(&content)).map_err(|error| format!("{}: {error}", path.display()))
}

/// Every file under `path`, itself included if it is one.
pub(crate) fn collect_files(path: &Path, into: &mut Vec<PathBuf>) {
    if path.is_file() {
        into.push(path.to_path_buf());
    } else if let Ok(entries) = std::fs::read_dir(path) {
        for entry in entries.flatten() {
            collect_files(&entry.path(), into);
        }
    }
}

/// The version of the Rust compiler, for reports.
///
/// # Errors
/// When rustc cannot be run.
pub fn rust_version() -> Outcome<String> {
    Ok(read(command("rustc").arg("--version"))?.trim().to_owned())
}
