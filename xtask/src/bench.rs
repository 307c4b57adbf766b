//! Measures opening a large trace: natively and in Chromium.

use crate::browser::{self, Chromium};
use crate::check::BROWSER_TESTS;
use crate::command::{cargo, run as run_command, step, watch};
use crate::{Outcome, build, paths, test};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The trace that the goals are about: 103 MB, 2.7 million events.
const TRACE: &str = "firehose-net31.nettrace";
const BEGIN: &str = "<!-- written by `cargo xtask bench --write`: begin -->";
const END: &str = "<!-- end -->";

/// Figures by name, as the measuring programs print them.
type Figures = BTreeMap<String, f64>;

/// Measures and prints a table; with `write`, puts it into `docs/performance.md` too.
///
/// # Errors
/// When a program cannot be built or run.
pub fn run(write: bool) -> Outcome {
    let trace = trace()?;
    let mut native = cargo();
    native.args(["bench", "--quiet", "--bench", "load", "--"]).arg(&trace);
    let native = step("native: scan of event headers, and full load", || figures(&mut native))?;
    build::release()?;
    let chromium = Chromium::ensure()?;
    let mut page = cargo();
    page.args(["run", "--quiet", "--manifest-path", BROWSER_TESTS, "--bin", "measure", "--"]).arg(&trace);
    page.env("CARGO_TARGET_DIR", test::browser_target()).env("TRACEGLASS_DIST", paths::dist());
    page.env("CHROME", chromium.browser).env("CHROMEDRIVER", chromium.driver);
    let page = step("Chromium: the same file dropped on the page", || figures(&mut page))?;
    let table = table(&trace, &native, &page)?;
    println!("\n{table}");
    if write { write_down(&table) } else { Ok(()) }
}

/// The large trace, unpacked into the cache; on machines without it, the largest committed one.
fn trace() -> Outcome<PathBuf> {
    let packed = paths::shared().map(|shared| shared.join("traces").join(format!("{TRACE}.zst")));
    let folder = paths::cache()?.join("traces");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    if let Some(packed) = packed.filter(|packed| packed.is_file() && browser::ensure_package("zstd", "zstd")) {
        let unpacked = folder.join(TRACE);
        if !unpacked.is_file() {
            let mut zstd = crate::command::command("zstd");
            zstd.args(["-dq", "-o"]).arg(&unpacked).arg(&packed);
            step(&format!("unpacking {TRACE}"), || run_command(&mut zstd))?;
        }
        return Ok(unpacked);
    }
    println!("── {TRACE} is not here: measuring the web sample, whose times are too short to mean much");
    let unpacked = folder.join("web.nettrace");
    let bytes =
        crate::command::command("gzip").args(["-dc"]).arg(paths::root().join("www/samples/web.nettrace.gz")).output();
    let bytes = bytes.map_err(|error| format!("gzip: {error}"))?.stdout;
    std::fs::write(&unpacked, bytes).map_err(|error| format!("{}: {error}", unpacked.display()))?;
    Ok(unpacked)
}

/// Runs a program that prints `name value` lines.
fn figures(command: &mut std::process::Command) -> Outcome<Figures> {
    let mut figures = Figures::new();
    let success = watch(command, |line| {
        if let Some((name, value)) = line.split_once(' ').and_then(|(name, value)| Some((name, value.parse().ok()?))) {
            figures.insert(name.to_owned(), value);
        }
    })?;
    if success { Ok(figures) } else { Err("could not measure".to_owned()) }
}

fn table(trace: &Path, native: &Figures, page: &Figures) -> Outcome<String> {
    let of = |figures: &Figures, name: &str| figures.get(name).copied().ok_or_else(|| format!("no figure {name}"));
    let (bytes, events) = (of(native, "bytes")?, of(native, "events")?);
    let scan = of(native, "scan_ms")?;
    let name = trace.file_name().unwrap_or_default().to_string_lossy();
    let mut table = format!(
        "`{name}`: {:.1} MB, {} events. {}, {} processors; medians of five runs, the longest task of all of them.\n\n\
         | | ms | times the scan | MB/s | million events/s |\n|---|---:|---:|---:|---:|\n",
        bytes / 1e6,
        events,
        build::rust_version()?,
        std::thread::available_parallelism().map_or(1, usize::from),
    );
    let rows = [
        ("native, event headers only (the yardstick)", scan),
        ("native, full load", of(native, "load_ms")?),
        ("Chromium, full load in the worker", of(page, "load_ms")?),
        ("Chromium, drop to workspace", of(page, "ready_ms")?),
    ];
    for (what, ms) in rows {
        let (megabytes, millions) = (bytes / 1e3 / ms, events / 1e3 / ms);
        let _ = writeln!(table, "| {what} | {ms:.0} | {:.1} | {megabytes:.0} | {millions:.1} |", ms / scan);
    }
    let held = of(page, "held_bytes")?;
    let _ = writeln!(
        table,
        "\n- drop to first pixels of the trace: {:.0} ms\n- longest task of the page while opening: {:.0} ms\n\
         - held by the worker: {:.1} MB, {:.1} bytes per event",
        of(page, "first_pixels_ms")?,
        of(page, "longest_task_ms")?,
        held / 1e6,
        held / events,
    );
    Ok(table)
}

/// Replaces what a previous run wrote.
fn write_down(table: &str) -> Outcome {
    let path = paths::root().join("docs/performance.md");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|_| format!("# Performance\n\n{BEGIN}\n{END}\n"));
    let (before, rest) = text.split_once(BEGIN).ok_or_else(|| format!("{} has no line {BEGIN}", path.display()))?;
    let (_, after) = rest.split_once(END).ok_or_else(|| format!("{} has no line {END}", path.display()))?;
    let text = format!("{before}{BEGIN}\n\n{table}\n{END}{after}");
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
}
