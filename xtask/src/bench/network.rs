//! Measures a visit with a slow network, with the built page and with simpler ways to load it.

use super::{Figures, figures};
use crate::browser::Browser;
use crate::check::BROWSER_TESTS;
use crate::command::{cargo, command, read, step};
use crate::{Outcome, build, paths, test};
use std::path::Path;

/// Number of runs of each variant.
const RUNS: usize = 7;

/// Variant of loading the worker.
struct Way {
    name: &'static str,
    is_divided: bool,
    is_prefetched: bool,
}

const WAYS: [Way; 3] = [
    Way { name: "divided, first part prefetched", is_divided: true, is_prefetched: true },
    Way { name: "whole, not prefetched", is_divided: false, is_prefetched: false },
    Way { name: "whole, prefetched", is_divided: false, is_prefetched: true },
];

/// Measures and prints a table.
///
/// # Errors
/// Fails if a page can't be built or measured.
pub(super) fn run(browser: &Browser) -> Outcome {
    let trace = paths::shared().ok_or("there are no real traces in ../shared/traces")?.join("traces/web-net9.nettrace");
    // WebDrivers accept only absolute paths without dots.
    let trace = trace.canonicalize().map_err(|error| format!("{}: {error}", trace.display()))?;
    let mut rows = Vec::new();
    for way in &WAYS {
        let dist = paths::target().join("slow-network");
        make(way, &dist)?;
        let figures = step(way.name, || figures(&mut measure(browser, &dist, &trace)))?;
        rows.push((way.name, figures));
    }
    println!("\n{}", table(&rows)?);
    Ok(())
}

fn table(rows: &[(&str, Figures)]) -> Outcome<String> {
    let mut text =
        "| Worker | First screen, ms | Drop to first pixels, ms | Drop to usable, ms |\n|---|---:|---:|---:|\n"
            .to_owned();
    for (name, figures) in rows {
        let [start, pixels, usable] = ["start_ms", "first_pixels_ms", "usable_ms"].map(|figure| figures.get(figure));
        text += &format!("| {name} | {:.0} | {:.0} | {:.0} |\n", start?, pixels?, usable?);
    }
    Ok(text)
}

fn measure(browser: &Browser, dist: &Path, trace: &Path) -> std::process::Command {
    let mut measure = cargo();
    measure.args(["run", "--quiet", "--manifest-path", BROWSER_TESTS, "--bin", "measure", "--"]).arg(trace);
    measure.args([&RUNS.to_string(), "opening"]);
    measure.env("CARGO_TARGET_DIR", test::browser_target()).env("TRACEGLASS_DIST", dist);
    measure.env("TRACEGLASS_SLOW_NETWORK", "1");
    browser.configure(&mut measure);
    measure
}

/// Builds a page that loads its worker in a variant, with a compressed copy of each file.
fn make(way: &Way, dist: &Path) -> Outcome {
    let failed = |error: std::io::Error| format!("{}: {error}", dist.display());
    if dist.exists() {
        std::fs::remove_dir_all(dist).map_err(failed)?;
    }
    let mut files = Vec::new();
    build::collect_files(&paths::dist(), &mut files);
    for file in files {
        let target = dist.join(file.strip_prefix(paths::dist()).unwrap_or(&file));
        std::fs::create_dir_all(target.parent().unwrap_or(dist)).map_err(failed)?;
        std::fs::copy(&file, target).map_err(failed)?;
    }
    // A service worker would download everything a second time during the measurement.
    edit(&dist.join("index.html"), " data-build=", " data-no-build=")?;
    if !way.is_divided {
        build::whole_worker(&dist.join("worker_bg.wasm"))?;
    }
    if !way.is_prefetched {
        not_prefetched(dist)?;
    }
    compress(dist)
}

fn not_prefetched(dist: &Path) -> Outcome {
    let mut files = Vec::new();
    build::collect_files(dist, &mut files);
    let is_boot = |name: &str| name.starts_with("boot-") && name.ends_with(".js");
    let boot = files.iter().find(|file| file.file_name().is_some_and(|name| is_boot(&name.to_string_lossy())));
    let boot = boot.ok_or("the page has no boot.js")?;
    edit(boot, "prepareWorker: function (build) {", "prepareWorker: function (build) { return;")?;
    // Its content has changed.
    edit(&dist.join("index.html"), " integrity=", " data-integrity=")
}

fn edit(file: &Path, from: &str, to: &str) -> Outcome {
    let failed = |error: std::io::Error| format!("{}: {error}", file.display());
    let text = std::fs::read_to_string(file).map_err(failed)?;
    if !text.contains(from) {
        return Err(format!("{} does not contain {from:?}", file.display()));
    }
    std::fs::write(file, text.replace(from, to)).map_err(failed)
}

fn compress(dist: &Path) -> Outcome {
    const COMPRESS: &str = "const { brotliCompressSync } = require('node:zlib');
        const { readFileSync, writeFileSync } = require('node:fs');
        for (const file of process.argv.slice(1)) writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file)));";
    let mut files = Vec::new();
    build::collect_files(dist, &mut files);
    files.retain(|file| !file.starts_with(dist.join("samples")));
    read(command("node").args(["-e", COMPRESS, "--"]).args(&files)).map(drop)
}
