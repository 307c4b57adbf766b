//! Measures opening and using traces, natively and in browsers, relative to a minimal scan of the same bytes.

mod firefox;
mod goals;
mod growth;
mod network;
mod ratios;
mod report;
mod traces;

use crate::browser::{Browser, Engine};
use crate::check::BROWSER_TESTS;
use crate::command::{cargo, step, watch};
use crate::{Outcome, build, paths, size, test};
use report::{Machine, Measured, Report};
use std::collections::BTreeMap;
use std::path::Path;
use traces::{Trace, Traces};

/// Output of a measuring program.
#[derive(Default)]
struct Figures {
    /// Values of lines `name value`.
    values: BTreeMap<String, f64>,
    /// Long tasks of the page from lines `task start duration`, in milliseconds since the drop.
    tasks: Vec<(f64, f64)>,
}

impl Figures {
    fn get(&self, name: &str) -> Outcome<f64> {
        self.values.get(name).copied().ok_or_else(|| format!("no figure {name}"))
    }
}

/// Use of the tables, besides printing them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// None.
    Print,
    /// Replaces the tables in `docs/performance-tables.md`.
    Write,
    /// Compares their ratios with those in `docs/performance-tables.md`.
    Check,
}

/// Scope and purpose of the measurement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    purpose: Purpose,
    /// True to measure only traces that this repository can generate.
    public: bool,
    /// True to include a trace of 10 GB.
    large: bool,
    /// True to include Firefox.
    firefox: bool,
    /// True to keep generated files for the next measurement.
    keep: bool,
    /// True to measure only a visit with a slow network.
    slow_network: bool,
}

impl Options {
    /// Parses the arguments after `cargo xtask bench`.
    ///
    /// # Errors
    /// Fails for an unknown argument.
    pub fn parse(words: &[&str]) -> Outcome<Self> {
        let mut options = Self {
            purpose: Purpose::Print,
            public: false,
            large: false,
            firefox: false,
            keep: false,
            slow_network: false,
        };
        for word in words {
            match *word {
                "--write" => options.purpose = Purpose::Write,
                "--check" => options.purpose = Purpose::Check,
                "--public" => options.public = true,
                "--large" => options.large = true,
                "--firefox" => options.firefox = true,
                "--keep" => options.keep = true,
                "--slow-network" => options.slow_network = true,
                _ => return Err(format!("not an option of bench: {word}")),
            }
        }
        Ok(options)
    }
}

/// Measures and prints tables.
///
/// # Errors
/// Fails if a program can't be built or run; for [`Purpose::Check`], also if a ratio grew by more than 15%.
pub fn run(options: &Options) -> Outcome {
    build::release()?;
    let chromium = Browser::find(Engine::Chromium)?;
    if options.slow_network {
        return network::run(&chromium);
    }
    let firefox = options.firefox.then(|| Browser::find(Engine::Firefox)).transpose()?;
    let traces = Traces::ready(options)?;
    let (mut measured, mut only_opened) = (Vec::new(), Vec::new());
    for trace in &traces.all {
        let one = measure(trace, &chromium)?;
        if trace.only_opening { only_opened.push(one) } else { measured.push(one) }
    }
    let firefox = firefox.map(|browser| firefox::measure(&browser, &traces.all)).transpose()?;
    let report =
        Report { machine: machine(&chromium)?, downloads: size::downloads().ok(), measured, only_opened, firefox };
    let text = report.text()?;
    println!("\n{text}");
    match options.purpose {
        Purpose::Print => Ok(()),
        Purpose::Write => report::write_down(&text),
        Purpose::Check => check(&report.measured, &traces, &chromium),
    }
}

/// Compares the ratios with the stored ones. Traces with a regression are measured again, and only repeated regressions
/// count.
fn check(measured: &[Measured], traces: &Traces, chromium: &Browser) -> Outcome {
    let written = report::written()?;
    let falls = ratios::falls(measured, &written)?;
    let fallen = traces.all.iter().filter(|trace| falls.iter().any(|fall| fall.trace == trace.name));
    let again = fallen.map(|trace| measure(trace, chromium)).collect::<Outcome<Vec<_>>>()?;
    if again.is_empty() {
        return Ok(());
    }
    let falls = ratios::in_both(falls, &ratios::falls(&again, &written)?);
    if falls.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = falls.iter().map(|fall| format!("  {fall}")).collect();
    Err(format!("slower than what is written down by more than 15%, twice:\n{}", lines.join("\n")))
}

fn measure(trace: &Trace, chromium: &Browser) -> Outcome<Measured> {
    let Trace { name, path, .. } = trace;
    let benches: &[&str] = if trace.only_opening { &["open_file"] } else { &["open_file", "scan_vs_open", "queries"] };
    let native = step(&format!("{name}: natively"), || {
        let mut all = Figures::default();
        for bench in benches {
            all.values.extend(figures(&mut native(bench, path))?.values);
        }
        Ok(all)
    })?;
    let page =
        step(&format!("{name}: dropped on the page in Chromium"), || figures(&mut page(trace, chromium, trace.runs)))?;
    Ok(Measured { name: name.clone(), native, page })
}

fn native(bench: &str, trace: &Path) -> std::process::Command {
    let mut cargo = cargo();
    cargo.args(["bench", "--quiet", "--package", "traceglass-engine", "--bench", bench, "--"]).arg(trace);
    cargo
}

fn page(trace: &Trace, browser: &Browser, runs: usize) -> std::process::Command {
    let mut measure = cargo();
    measure.args(["run", "--quiet", "--manifest-path", BROWSER_TESTS, "--bin", "measure", "--"]).arg(&trace.path);
    measure.arg(runs.to_string()).args(trace.only_opening.then_some("opening"));
    measure.env("CARGO_TARGET_DIR", test::browser_target()).env("TRACEGLASS_DIST", paths::dist());
    browser.configure(&mut measure);
    measure
}

fn machine(chromium: &Browser) -> Outcome<Machine> {
    let processor = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|info| {
        let line = info.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    Ok(Machine {
        processor: processor.unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        processors: std::thread::available_parallelism().map_or(1, usize::from),
        rust: build::rust_version()?,
        chromium: chromium.version()?,
    })
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
