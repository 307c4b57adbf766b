//! Measures opening traces: natively and in Chromium, against a bare scan of the same bytes.

mod ratios;
mod report;

use crate::browser::{self, Chromium};
use crate::check::BROWSER_TESTS;
use crate::command::{cargo, command, read, run as run_command, step, watch};
use crate::{Outcome, build, paths, size, test};
use report::{Machine, Measured, Report};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The trace that the goals are about (103 MB, 2.7 million events), and smaller ones: an allocating console program,
/// a web server, one that computes.
const TRACES: [&str; 4] = ["firehose-net31", "web-net10", "orders-net31", "cpu-net10"];

/// What is measured where the traces are not beside the clone.
const SAMPLE: &str = "web";

/// What a measuring program prints.
#[derive(Default)]
struct Figures {
    /// `name value`.
    values: BTreeMap<String, f64>,
    /// `task start duration`, milliseconds since the drop: what blocked the page.
    tasks: Vec<(f64, f64)>,
}

impl Figures {
    fn get(&self, name: &str) -> Outcome<f64> {
        self.values.get(name).copied().ok_or_else(|| format!("no figure {name}"))
    }
}

/// What becomes of the tables, besides being printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Nothing.
    Print,
    /// They replace those in `docs/performance.md`.
    Write,
    /// Their ratios are compared with those in `docs/performance.md`.
    Check,
}

/// Measures and prints tables.
///
/// # Errors
/// When a program cannot be built or run; for [`Purpose::Check`], when a ratio grew by more than 15 %.
pub fn run(purpose: Purpose) -> Outcome {
    let traces = traces()?;
    build::release()?;
    let chromium = Chromium::ensure()?;
    let mut measured = Vec::new();
    for trace in &traces {
        let name = trace.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let native = step(&format!("{name}: natively"), || {
            let mut all = figures(&mut native("load", trace))?;
            all.values.extend(figures(&mut native("queries", trace))?.values);
            Ok(all)
        })?;
        let page = step(&format!("{name}: dropped on the page in Chromium"), || figures(&mut page(trace, &chromium)))?;
        measured.push(Measured { name, native, page });
    }
    let page_brotli_bytes = size::brotli_bytes_at_once().ok();
    let report = Report { machine: machine(&chromium)?, page_bytes: page_bytes(), page_brotli_bytes, measured };
    let text = report.text()?;
    println!("\n{text}");
    match purpose {
        Purpose::Print => Ok(()),
        Purpose::Write => report::write_down(&text),
        Purpose::Check => match ratios::falls(&report.measured, &report::written()?)?.as_slice() {
            [] => Ok(()),
            falls => Err(format!("slower than what is written down by more than 15 %:\n  {}", falls.join("\n  "))),
        },
    }
}

fn native(bench: &str, trace: &Path) -> std::process::Command {
    let mut cargo = cargo();
    cargo.args(["bench", "--quiet", "--bench", bench, "--"]).arg(trace);
    cargo
}

fn page(trace: &Path, chromium: &Chromium) -> std::process::Command {
    let mut measure = cargo();
    measure.args(["run", "--quiet", "--manifest-path", BROWSER_TESTS, "--bin", "measure", "--"]).arg(trace);
    measure.env("CARGO_TARGET_DIR", test::browser_target()).env("TRACEGLASS_DIST", paths::dist());
    measure.env("CHROME", &chromium.browser).env("CHROMEDRIVER", &chromium.driver);
    measure
}

/// What the page weighs; none where it cannot be compressed.
fn page_bytes() -> Option<u64> {
    paths::on_path("gzip")?;
    size::bytes_at_once().ok()
}

fn machine(chromium: &Chromium) -> Outcome<Machine> {
    let processor = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|info| {
        let line = info.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    Ok(Machine {
        processor: processor.unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        processors: std::thread::available_parallelism().map_or(1, usize::from),
        rust: build::rust_version()?,
        chromium: read(command(&chromium.browser).arg("--version"))?.trim().to_owned(),
    })
}

/// The traces beside the clone, unpacked; on machines without them, the largest committed one.
fn traces() -> Outcome<Vec<PathBuf>> {
    let folder = paths::cache()?.join("traces");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut found = Vec::new();
    for name in TRACES {
        match beside_the_clone(name, &folder)? {
            Some(trace) => found.push(trace),
            None => println!("SKIPPED: {name} (not in ../shared/traces, or it cannot be unpacked)"),
        }
    }
    if found.is_empty() {
        println!("── measuring the {SAMPLE} sample instead, whose times are too short to mean much");
        let packed = paths::root().join(format!("www/samples/{SAMPLE}.nettrace.gz"));
        let gzip = command("gzip").arg("-dc").arg(packed).output().map_err(|error| format!("gzip: {error}"))?;
        let unpacked = folder.join(format!("{SAMPLE}.nettrace"));
        std::fs::write(&unpacked, gzip.stdout).map_err(|error| format!("{}: {error}", unpacked.display()))?;
        found.push(unpacked);
    }
    Ok(found)
}

fn beside_the_clone(name: &str, cache: &Path) -> Outcome<Option<PathBuf>> {
    let Some(traces) = paths::shared().map(|shared| shared.join("traces")) else { return Ok(None) };
    let plain = traces.join(format!("{name}.nettrace"));
    if plain.is_file() {
        // Drivers take no paths with dots.
        return plain.canonicalize().map(Some).map_err(|error| format!("{}: {error}", plain.display()));
    }
    let packed = traces.join(format!("{name}.nettrace.zst"));
    if !packed.is_file() || !browser::ensure_package("zstd", "zstd") {
        return Ok(None);
    }
    let unpacked = cache.join(format!("{name}.nettrace"));
    if !unpacked.is_file() {
        let mut zstd = command("zstd");
        zstd.args(["-dq", "-o"]).arg(&unpacked).arg(&packed);
        step(&format!("unpacking {name}"), || run_command(&mut zstd))?;
    }
    Ok(Some(unpacked))
}

/// Runs a measuring program.
fn figures(command: &mut std::process::Command) -> Outcome<Figures> {
    let mut figures = Figures::default();
    let success = watch(command, |line| figures.take(line))?;
    if success { Ok(figures) } else { Err("could not measure".to_owned()) }
}

impl Figures {
    fn take(&mut self, line: &str) {
        let numbers: Vec<f64> = line.split(' ').skip(1).filter_map(|word| word.parse().ok()).collect();
        match (line.split(' ').next(), numbers.as_slice()) {
            (Some("task"), [start, duration]) => self.tasks.push((*start, *duration)),
            (Some(name), [value]) => {
                self.values.insert(name.to_owned(), *value);
            }
            _ => {}
        }
    }
}
