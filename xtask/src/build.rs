//! Builds the page into `dist/`.

use crate::command::{cargo, command, read, run, step};
use crate::tools::Toolchain;
use crate::{Outcome, offline, paths, split};
use std::path::{Path, PathBuf};

/// What the page is made of; a change to any of these is a new build.
const SOURCES: [&str; 7] = ["src", "www", "index.html", "Trunk.toml", "Cargo.toml", "Cargo.lock", ".cargo"];

/// What engines can do that the programs need; as in `index.html`, for wasm-opt.
const WASM_FEATURES: [&str; 8] = [
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// Builds the page in release mode.
///
/// # Errors
/// When a tool is missing or the build fails.
pub fn release() -> Outcome {
    let tools = Toolchain::ensure()?;
    let build = build_id();
    let stamp = Stamp::new(&build, tools.wasm_opt.is_some())?;
    if stamp.is_of_what_is_built() {
        println!("── the page is built, build {build} (dist/)");
        return Ok(());
    }
    // Before Trunk, which is then told to stay off the network: it would fetch its own copies of the tools.
    step("fetching crates", || run(cargo().args(["fetch", "--quiet"])))?;
    step(&format!("building the page, build {build} (dist/)"), || {
        let mut trunk = tools.trunk();
        trunk.args(["build", "--release", "--offline=true"]).env("TRACEGLASS_BUILD", &build);
        if tools.wasm_opt.is_some() {
            run(&mut trunk)?;
        } else {
            println!("── without wasm-opt: the result works, and is larger");
            let page = PageWithoutWasmOpt::write()?;
            run(trunk.arg(&page.0).env("TRUNK_BUILD_HTML_OUTPUT", "index.html"))?;
        }
        divide_worker(tools.wasm_opt.as_deref())?;
        offline::prepare(&build)
    })?;
    stamp.write()
}

/// Divides the worker's program, and makes both parts small.
fn divide_worker(wasm_opt: Option<&Path>) -> Outcome {
    let parts = ["worker_bg.wasm", "worker_rest.wasm"].map(|name| paths::dist().join(name));
    split::divide(&parts[0], &parts[1])?;
    let Some(wasm_opt) = wasm_opt else { return Ok(()) };
    for part in &parts {
        let mut optimise = command(wasm_opt);
        // As in `index.html`: not everything that has one caller in one function (docs/decisions.md).
        optimise.args(["-Oz", "--converge", "-ocimfs=60"]).args(WASM_FEATURES);
        run(optimise.arg(part).arg("-o").arg(part))?;
    }
    Ok(())
}

/// Tells whether `dist/` is what a build would make. Trunk runs wasm-bindgen and wasm-opt again and again, on what has not
/// changed: half a minute.
struct Stamp {
    /// What the page is made of and with.
    inputs: String,
    file: PathBuf,
}

impl Stamp {
    fn new(build: &str, is_optimised: bool) -> Outcome<Self> {
        let inputs = format!("{build} {is_optimised} {}", rust_version()?);
        Ok(Self { inputs, file: paths::target().join("page.stamp") })
    }

    /// The inputs, and what lies in `dist/`: a changed or missing file is built anew.
    fn text(&self) -> String {
        let mut files = Vec::new();
        collect_files(&paths::dist(), &mut files);
        files.sort();
        let mut hash = Fnv1a::default();
        for file in &files {
            hash.add(file.to_string_lossy().as_bytes());
            hash.add(&std::fs::read(file).unwrap_or_default());
        }
        format!("{}\n{} files, {:016x}\n", self.inputs, files.len(), hash.0)
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
    let mut files = Vec::new();
    for source in SOURCES {
        collect_files(&paths::root().join(source), &mut files);
    }
    files.sort();
    let mut hash = Fnv1a::default();
    for file in files {
        hash.add(file.to_string_lossy().as_bytes());
        hash.add(&std::fs::read(&file).unwrap_or_default());
    }
    format!("{:08x}", hash.0 >> 32)
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

/// FNV-1a, 64 bits.
struct Fnv1a(u64);

impl Default for Fnv1a {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv1a {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// A copy of `index.html` that asks for no wasm-opt, beside it because its addresses are relative; gone when dropped.
struct PageWithoutWasmOpt(PathBuf);

impl PageWithoutWasmOpt {
    fn write() -> Outcome<Self> {
        let original = paths::root().join("index.html");
        let page = std::fs::read_to_string(&original).map_err(|error| format!("index.html: {error}"))?;
        let page = page
            .replace("data-wasm-opt=\"s\"", "data-wasm-opt=\"0\"")
            .replace("data-wasm-opt=\"3\"", "data-wasm-opt=\"0\"");
        let copy = original.with_file_name("index.without-wasm-opt.html");
        std::fs::write(&copy, page).map_err(|error| format!("{}: {error}", copy.display()))?;
        Ok(Self(copy))
    }
}

impl Drop for PageWithoutWasmOpt {
    fn drop(&mut self) {
        // Nothing is lost if it stays: the next build overwrites it.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The version of the Rust compiler, for reports.
///
/// # Errors
/// When rustc cannot be run.
pub fn rust_version() -> Outcome<String> {
    Ok(read(command("rustc").arg("--version"))?.trim().to_owned())
}
