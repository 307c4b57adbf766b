//! What a visitor downloads before the first drop, held to a budget.

use crate::command::{command, read, step};
use crate::{Outcome, build, paths};
use std::path::Path;
use std::process::Stdio;

/// Everything the page fetches before a trace is dropped, the worker included, after `gzip -9`.
pub const BUDGET_BYTES: u64 = 500_000;

/// What the page fetches when there is a trace to open: the program that opens traces, what answers
/// questions about them, what unpacks some of them, what saves a page with one, samples, and the service worker. Everything else in `dist/` counts; a
/// test in a browser holds that nothing of this is fetched earlier. The service worker and what it keeps for times without a
/// network are fetched in the background, seconds after all that the first screen needs.
const WITH_A_TRACE: [&str; 10] = [
    "app.js",
    "app_bg.wasm",
    "worker_rest.wasm",
    "unpack.js",
    "unpack_bg.wasm",
    "save_page.js",
    "saved_page.js",
    "memory_blobs.js",
    "sw.js",
    "samples",
];

/// Stylesheets of the first screen; Trunk puts a hash behind their names. The others stand in a template of `index.html`, and are
/// fetched with a trace.
const STYLES_AT_ONCE: [&str; 6] = ["boot", "tokens", "base", "controls", "start", "dialogs"];

/// What came of the check.
pub enum Verdict {
    /// It was measured.
    Measured {
        /// Whether the budget is kept.
        kept: bool,
    },
    /// A tool is missing, so that the number would say nothing.
    NotChecked,
}

/// Measures `dist/` and prints the table.
///
/// # Errors
/// When `dist/` is missing or cannot be compressed.
pub fn check(optimised: bool) -> Outcome<Verdict> {
    if !optimised {
        println!("size: not checked (built without wasm-opt)");
        return Ok(Verdict::NotChecked);
    }
    if paths::on_path("gzip").is_none() {
        println!("size: not checked (no gzip on PATH)");
        return Ok(Verdict::NotChecked);
    }
    step("size of what is fetched before the first drop (gzip -9)", || {
        let (first, later) = sizes(&paths::dist())?;
        if first.is_empty() {
            return Err("dist/ is empty: run `cargo xtask build`".to_owned());
        }
        let total = print(&first);
        println!("{total:>9}  together; at most {BUDGET_BYTES}");
        println!("── fetched with the first trace");
        print(&later);
        Ok(Verdict::Measured { kept: total <= BUDGET_BYTES })
    })
}

/// Compressed sizes of files, with their names.
type Sizes = Vec<(u64, String)>;

/// Compressed sizes of the files of a built page, largest first: those fetched before the first drop, and the others
/// except the samples.
fn sizes(dist: &Path) -> Outcome<(Sizes, Sizes)> {
    let mut files = Vec::new();
    build::collect_files(dist, &mut files);
    let mut sizes = Vec::new();
    for file in files {
        let name = file.strip_prefix(dist).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        if !name.starts_with("samples/") {
            sizes.push((gzipped(&file)?, name));
        }
    }
    sizes.sort_by(|one, other| other.cmp(one));
    Ok(sizes.into_iter().partition(|(_, name)| is_fetched_at_once(name)))
}

/// What is fetched before the first drop, after `gzip -9`.
///
/// # Errors
/// When the page is not built or cannot be compressed.
pub fn bytes_at_once() -> Outcome<u64> {
    Ok(sizes(&paths::dist())?.0.iter().map(|(size, _)| size).sum())
}

/// The same after brotli with quality 11, which is what a good host sends; Node compresses it.
///
/// # Errors
/// When the page is not built, or there is no Node.
pub fn brotli_bytes_at_once() -> Outcome<u64> {
    const COMPRESS: &str = "const { brotliCompressSync, constants } = require('node:zlib');
        const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
        const sizes = process.argv.slice(1).map((file) =>
          brotliCompressSync(require('node:fs').readFileSync(file), options).length);
        console.log(sizes.reduce((sum, size) => sum + size, 0));";
    let dist = paths::dist();
    let mut files = Vec::new();
    build::collect_files(&dist, &mut files);
    files.retain(|file| {
        let name = file.strip_prefix(&dist).unwrap_or(file).to_string_lossy().replace('\\', "/");
        is_fetched_at_once(&name)
    });
    let size = read(command("node").args(["-e", COMPRESS, "--"]).args(&files))?;
    size.trim().parse().map_err(|_| format!("node said {size:?}"))
}

/// Whether a file of the built page is one that the budget counts.
pub fn is_fetched_at_once(name: &str) -> bool {
    let stem = name.split('-').next().unwrap_or(name);
    let is_later = name.ends_with(".css") && !STYLES_AT_ONCE.contains(&stem);
    !is_later && !WITH_A_TRACE.contains(&name.split('/').next().unwrap_or(name))
}

fn print(files: &[(u64, String)]) -> u64 {
    files.iter().for_each(|(size, name)| println!("{size:>9}  {name}"));
    files.iter().map(|(size, _)| size).sum()
}

fn gzipped(file: &Path) -> Outcome<u64> {
    let mut gzip = command("gzip");
    let output = gzip.args(["-9", "--no-name", "--stdout"]).arg(file).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("gzip: {error}"))?;
    if output.status.success() {
        Ok(output.stdout.len() as u64)
    } else {
        Err(format!("gzip could not read {}", file.display()))
    }
}
