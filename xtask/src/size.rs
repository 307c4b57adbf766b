//! What a visitor downloads before opening a trace, in two budgets: the first screen, and what is prefetched behind it.

use crate::command::{command, read, step};
use crate::{Outcome, build, paths};
use std::path::{Path, PathBuf};

/// Everything that the first screen needs, compressed with brotli: until then no file can be dropped.
pub const FIRST_SCREEN_BUDGET_BYTES: u64 = 120_000;
/// What is fetched while the visitor looks at the first screen, compressed with brotli: the worker's first part.
pub const PREFETCHED_BUDGET_BYTES: u64 = 400_000;

/// Files that are prefetched.
const PREFETCHED: [&str; 3] = ["worker.js", "worker_bg.wasm", "worker_boot.js"];

/// Files that are fetched once there is a trace: the program that shows it, the worker's second part, decompression, saving,
/// samples, and the service worker with what it keeps for use offline. A browser test checks that nothing of this is fetched
/// earlier.
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

/// Stylesheets of the first screen, whose names end in a hash. The others are in a template of `index.html` and are fetched with a
/// trace.
const FIRST_STYLES: [&str; 6] = ["boot", "tokens", "base", "controls", "start", "dialogs"];

/// When a file of the page is fetched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fetched {
    FirstScreen,
    Prefetched,
    WithATrace,
}

/// Compressed bytes that a visitor downloads before opening a trace.
#[derive(Clone, Copy, Debug)]
pub struct Downloads {
    /// For the first screen.
    pub first_screen_bytes: u64,
    /// While the visitor looks at it.
    pub prefetched_bytes: u64,
}

/// Result of the check.
pub enum Verdict {
    /// The sizes were measured.
    Measured {
        /// Whether both budgets are kept.
        kept: bool,
    },
    /// A tool is missing, without which the sizes mean nothing.
    NotChecked,
}

/// Measures `dist/` and prints the files with their compressed sizes.
///
/// # Errors
/// When `dist/` is missing or can't be compressed.
pub fn check(optimised: bool) -> Outcome<Verdict> {
    if !optimised {
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

/// Compressed bytes of the built page that are downloaded before a trace is opened.
///
/// # Errors
/// When the page isn't built, or there is no Node.
pub fn downloads() -> Outcome<Downloads> {
    Ok(total(&sizes(&paths::dist())?))
}

/// Whether a file of the built page is fetched before there is a trace.
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

/// Compressed sizes of the page's files with their names, largest first; samples left out.
fn sizes(dist: &Path) -> Outcome<Vec<(u64, String)>> {
    const COMPRESS: &str = "const { brotliCompressSync, constants } = require('node:zlib');
        const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
        for (const file of process.argv.slice(1))
          console.log(brotliCompressSync(require('node:fs').readFileSync(file), options).length);";
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
    fn each_file_belongs_to_one_moment() {
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
