//! Traces for measurements: real ones beside the clone, and temporary ones made of them.

use super::Options;
use crate::command::{command, run as run_command, step};
use crate::synth::{self, Size, samples::Samples};
use crate::{Outcome, paths};
use std::path::{Path, PathBuf};

/// Real traces: the trace of the goals (103 MB, 2.7 million events), which is also repeated; and smaller ones of an
/// allocating console app, a web server, and a CPU-bound app.
const REAL: [&str; 4] = [GROWN, "web-net10", "orders-net31", "cpu-net10"];
/// Growing trace.
pub(super) const GROWN: &str = "firehose-net31";
/// Ten million events; and ten and a hundred times the growing trace: 1 and 10 GB.
pub(super) const TEN_MILLION: &str = "firehose ×4";
const TEN_TIMES: &str = "firehose ×10";
const HUNDRED_TIMES: &str = "firehose ×100";
/// A million samples with 60 frames each.
pub(super) const SAMPLES: &str = "samples-1M";

/// Committed recording that is repeated for the public benchmark, which needs no other traces, and how often.
const COMMITTED: &str = "orders-net31";
const REPEATED: [(&str, u64); 2] = [("orders ×30", 30), ("orders ×300", 300)];

/// Number of runs, whose median counts; large traces need fewer.
const RUNS: usize = 5;
const RUNS_OF_LARGE: usize = 3;

/// Trace to measure.
pub(super) struct Trace {
    /// Name in the tables.
    pub(super) name: String,
    /// File path without dots, which WebDrivers reject.
    pub(super) path: PathBuf,
    /// Number of runs.
    pub(super) runs: usize,
    /// True if only opening is measured.
    pub(super) only_opening: bool,
    is_made: bool,
}

impl Trace {
    /// Returns whether the trace was made from another one.
    pub(super) fn is_large(&self) -> bool {
        self.runs < RUNS
    }
}

/// Traces; generated ones are deleted on drop, unless they are kept.
pub(super) struct Traces {
    /// Traces, smallest first, repeated ones last.
    pub(super) all: Vec<Trace>,
    keep: bool,
}

impl Traces {
    /// Finds, decompresses and generates the traces. A comparison with stored ratios needs only the real ones.
    pub(super) fn ready(options: &Options) -> Outcome<Self> {
        let folder = paths::cache()?.join("traces");
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut traces = Self { all: Vec::new(), keep: options.keep };
        let real = if options.public { [].as_slice() } else { REAL.as_slice() };
        for name in real {
            match beside_the_clone(name, &folder)? {
                Some(path) => traces.add(name, path, RUNS, false),
                None => println!("SKIPPED: {name} (not in ../shared/traces, or it cannot be unpacked)"),
            }
        }
        if traces.all.is_empty() {
            let committed = unpack_committed(&folder)?;
            for (name, times) in REPEATED {
                traces.make_one(name, &folder, |path| synth::run(&committed, Size::Times(times), path))?;
            }
        }
        if options.purpose != super::Purpose::Check {
            traces.make(options, &folder)?;
        }
        Ok(traces)
    }

    fn make(&mut self, options: &Options, folder: &Path) -> Outcome {
        for (name, count) in [("samples-100", 100), (SAMPLES, 1_000_000)] {
            self.make_one(name, folder, |path| synth::samples::write(Samples { count, depth: 60 }, path))?;
        }
        let Some(grown) = self.all.iter().find(|trace| trace.name == GROWN).map(|trace| trace.path.clone()) else {
            return Ok(());
        };
        for (name, times) in [(TEN_MILLION, 4), (TEN_TIMES, 10)] {
            self.make_one(name, folder, |path| synth::run(&grown, Size::Times(times), path))?;
        }
        if options.large {
            self.make_one(HUNDRED_TIMES, folder, |path| synth::run(&grown, Size::Times(100), path))?;
        }
        Ok(())
    }

    fn add(&mut self, name: &str, path: PathBuf, runs: usize, is_made: bool) {
        self.all.push(Trace { name: name.to_owned(), path, runs, only_opening: name == HUNDRED_TIMES, is_made });
    }

    /// Generates a trace unless it exists; deletes it if that fails.
    fn make_one(&mut self, name: &str, folder: &Path, make: impl FnOnce(&Path) -> Outcome) -> Outcome {
        let path = folder.join(format!("{}.nettrace", name.replace(" ×", "-x")));
        let is_there = path.is_file();
        let runs = match name {
            HUNDRED_TIMES => 1,
            TEN_MILLION | TEN_TIMES => RUNS_OF_LARGE,
            _ => RUNS,
        };
        self.add(name, path.clone(), runs, true);
        if is_there { Ok(()) } else { make(&path) }
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        for trace in self.all.iter().filter(|trace| trace.is_made && !self.keep) {
            if let Err(error) = std::fs::remove_file(&trace.path) {
                println!("{} stays: {error}", trace.path.display());
            }
        }
    }
}

fn unpack_committed(folder: &Path) -> Outcome<PathBuf> {
    let packed = paths::root().join(format!("tests/fixtures/{COMMITTED}.nettrace.gz"));
    let gzip = command("gzip").arg("-dc").arg(packed).output().map_err(|error| format!("gzip: {error}"))?;
    let unpacked = folder.join(format!("committed-{COMMITTED}.nettrace"));
    std::fs::write(&unpacked, gzip.stdout).map_err(|error| format!("{}: {error}", unpacked.display()))?;
    Ok(unpacked)
}

fn beside_the_clone(name: &str, cache: &Path) -> Outcome<Option<PathBuf>> {
    let Some(traces) = paths::shared().map(|shared| shared.join("traces")) else { return Ok(None) };
    let plain = traces.join(format!("{name}.nettrace"));
    if plain.is_file() {
        // WebDrivers reject paths with dots.
        return plain.canonicalize().map(Some).map_err(|error| format!("{}: {error}", plain.display()));
    }
    let packed = traces.join(format!("{name}.nettrace.zst"));
    if !packed.is_file() {
        return Ok(None);
    }
    if paths::on_path("zstd").is_none() {
        println!("── {name} isn't measured: `cargo xtask setup` installs zstd, which decompresses it");
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
