//! Checks download sizes before a trace is opened against two budgets: the start page, and files that are prefetched.

use crate::command::{command, read, step};
use crate::{Outcome, build, paths};
use std::path::{Path, PathBuf};

/// Budget of the start page, compressed with Brotli: no file can be dropped before it is loaded.
pub const FIRST_SCREEN_BUDGET_BYTES: u64 = 120_000;
/// Budget of the files that are prefetched while the visitor looks at the start page, compressed with Brotli: the
/// worker's primary module.
pub const PREFETCHED_BUDGET_BYTES: u64 = 400_000;

/// Prefetched files.
const PREFETCHED: [&str; 3] = ["worker.js", "worker_bg.wasm", "worker_boot.js"];

/// Files that are downloaded with the first trace: the program that shows it, the worker's secondary module,
/// decompression, saving, samples, and the service worker with its cache. A browser test checks that none is downloaded
/// earlier.
const WITH_A_TRACE: [&str; 11] = [
    "app.js",
    "app_bg.wasm",
    "worker_rest.wasm",
    "unpack.js",
    "unpack_bg.wasm",
    "save_page.js",
    "saved_page.js",
    "saved_page.html",
    "memory_blobs.js",
    "sw.js",
    "samples",
];

/// Stylesheets of the start page, whose names end in a hash. Others are in a template of `index.html`, and are
/// downloaded with the first trace.
const FIRST_STYLES: [&str; 6] = ["boot", "tokens", "base", "controls", "start", "dialogs"];

/// Time at which a file of the page is downloaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fetched {
    FirstScreen,
    Prefetched,
    WithATrace,
}

/// Compressed bytes that are downloaded before a trace is opened.
#[derive(Clone, Copy, Debug)]
pub struct Downloads {
    /// For the start page.
    pub first_screen_bytes: u64,
    /// Prefetched.
    pub prefetched_bytes: u64,
}

/// Result of the check.
pub enum Verdict {
    /// The sizes were measured.
    Measured {
        /// True if both budgets are met.
        kept: bool,
    },
    /// A tool is missing without which the sizes are meaningless.
    NotChecked,
}

/// Measures `dist/` and prints the files with their compressed sizes.
///
/// # Errors
/// Fails if `dist/` is missing or can't be compressed.
pub fn check(optimized: bool) -> Outcome<Verdict> {
    if !optimized {
        println!("size: not checked (built without wasm-opt)");
        return Ok(Verdict::NotChecked);
    }
    if paths::on_path("node").is_none() {
        println!("size: not checked (no Node to compress with brotli)");
        return Ok(Verdict::NotChecked);
    }
    step("size of the download before a trace is opened (brotli, quality 11)", || {
        let files = sizes(&paths::dist())?;
        if files.is_empty() {
            return Err("dist/ is empty: run `cargo xtask build`".to_owned());
        }
        let print = |title: &str, when: Fetched| {
            println!("── {title}");
            files
                .iter()
                .filter(|(_, name)| fetched(name) == when)
                .for_each(|(size, name)| println!("{size:>9}  {name}"));
        };
        let total = total(&files);
        print("first screen", Fetched::FirstScreen);
        println!("{:>9}  total; budget {FIRST_SCREEN_BUDGET_BYTES}", total.first_screen_bytes);
        print("prefetched", Fetched::Prefetched);
        println!("{:>9}  total; budget {PREFETCHED_BUDGET_BYTES}", total.prefetched_bytes);
        print("with a trace", Fetched::WithATrace);
        Ok(Verdict::Measured {
            kept: total.first_screen_bytes <= FIRST_SCREEN_BUDGET_BYTES
                && total.prefetched_bytes <= PREFETCHED_BUDGET_BYTES,
        })
    })
}

/// Returns the compressed bytes of the built page that are downloaded before a trace is opened.
///
/// # Errors
/// Fails if the page isn't built, or Node is missing.
pub fn downloads() -> Outcome<Downloads> {
    Ok(total(&sizes(&paths::dist())?))
}

/// Returns whether a file of the built page is downloaded before a trace is opened.
pub fn is_fetched_at_once(name: &str) -> bool {
    fetched(name) != Fetched::WithATrace
}

fn fetched(name: &str) -> Fetched {
    let stem = name.split('-').next().unwrap_or(name);
    let is_later_style = name.ends_with(".css") && !FIRST_STYLES.contains(&stem);
    if is_later_style || WITH_A_TRACE.contains(&name.split('/').next().unwrap_or(name)) {
        Fetched::WithATrace
    } else if PREFETCHED.contains(&name) {
        Fetched::Prefetched
    } else {
        Fetched::FirstScreen
    }
}

fn total(files: &[(u64, String)]) -> Downloads {
    let of = |when| files.iter().filter(|(_, name)| fetched(name) == when).map(|(size, _)| size).sum();
    Downloads { first_screen_bytes: of(Fetched::FirstScreen), prefetched_bytes: of(Fetched::Prefetched) }
}

/// Returns the compressed sizes of the page's files with their names, largest first, without samples.
fn sizes(dist: &Path) -> Outcome<Vec<(u64, String)>> {
    // Files are compressed in several threads, and printed in order.
    const COMPRESS: &str = "const { brotliCompress, constants } = require('node:zlib');
        const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
        const compress = require('node:util').promisify(brotliCompress);
        const size = async (file) => (await compress(require('node:fs').readFileSync(file), options)).length;
        Promise.all(process.argv.slice(1).map(size)).then((sizes) => console.log(sizes.join('\\n')));";
    let name = |file: &PathBuf| file.strip_prefix(dist).unwrap_or(file).to_string_lossy().replace('\\', "/");
    let mut files = Vec::new();
    build::collect_files(dist, &mut files);
    files.retain(|file| !name(file).starts_with("samples/"));
    let printed = read(command("node").args(["-e", COMPRESS, "--"]).args(&files))?;
    let sizes = printed.lines().map(|line| line.trim().parse::<u64>().map_err(|_| format!("node printed {line:?}")));
    let sizes = sizes.collect::<Outcome<Vec<u64>>>()?;
    let mut sizes: Vec<(u64, String)> = sizes.into_iter().zip(files.iter().map(name)).collect();
    sizes.sort_by(|one, other| other.cmp(one));
    Ok(sizes)
}

#[cfg(test)]
mod tests {
    use super::{Fetched, fetched};

    #[test]
    fn each_file_is_fetched_at_one_time() {
        for (name, when) in [
            ("index.html", Fetched::FirstScreen),
            ("start-52ab9947c718c8a_bg.wasm", Fetched::FirstScreen),
            ("boot-0123456789abcdef.js", Fetched::FirstScreen),
            ("tokens-0123456789abcdef.css", Fetched::FirstScreen),
            ("worker_bg.wasm", Fetched::Prefetched),
            ("worker_rest.wasm", Fetched::WithATrace),
            ("timeline-0123456789abcdef.css", Fetched::WithATrace),
            ("samples/web.nettrace.gz", Fetched::WithATrace),
        ] {
            assert_eq!(fetched(name), when, "{name}");
        }
    }
}
