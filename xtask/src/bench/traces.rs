//! Which traces are measured: real ones beside the clone, and what is made of them for the time of the measurement.

use super::Options;
use crate::command::{command, run as run_command, step};
use crate::synth::{self, Size, samples::Samples};
use crate::{Outcome, paths};
use std::path::{Path, PathBuf};

/// The trace that the goals are about (103 MB, 2.7 million events), which is also repeated; and smaller ones: an allocating
/// console program, a web server, one that computes.
const REAL: [&str; 4] = [GROWN, "web-net10", "orders-net31", "cpu-net10"];
/// The trace that grows.
pub(super) const GROWN: &str = "firehose-net31";
/// Ten million events; and ten and a hundred times as much as the trace itself: 1 and 10 GB.
pub(super) const TEN_MILLION: &str = "firehose ×4";
const TEN_TIMES: &str = "firehose ×10";
const HUNDRED_TIMES: &str = "firehose ×100";
/// A million samples with 60 frames each.
pub(super) const SAMPLES: &str = "samples-1M";

/// What is measured where the traces are not beside the clone.
const SAMPLE: &str = "web";

/// Everything is done so often, and the median counts; what is large shows the same with fewer.
const RUNS: usize = 5;
const RUNS_OF_LARGE: usize = 3;

/// A trace to be measured.
pub(super) struct Trace {
    /// What the tables call it.
    pub(super) name: String,
    /// Its file, without dots in the path: drivers take none.
    pub(super) path: PathBuf,
    /// How often.
    pub(super) runs: usize,
    /// Nothing is asked: it is about opening.
    pub(super) only_opening: bool,
    is_made: bool,
}

impl Trace {
    /// Whether it was made of another, to be larger.
    pub(super) fn is_large(&self) -> bool {
        self.runs < RUNS
    }
}

/// The traces; those that were made are deleted with this, unless they are to be kept.
pub(super) struct Traces {
    /// The smallest first, those that are repeated last.
    pub(super) all: Vec<Trace>,
    keep: bool,
}

impl Traces {
    /// Finds, unpacks and makes them. For a comparison with what is written down the real ones do.
    pub(super) fn ready(options: &Options) -> Outcome<Self> {
        let folder = paths::cache()?.join("traces");
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut traces = Self { all: Vec::new(), keep: options.keep };
        for name in REAL {
            match beside_the_clone(name, &folder)? {
                Some(path) => traces.add(name, path, RUNS, false),
                None => println!("SKIPPED: {name} (not in ../shared/traces, or it cannot be unpacked)"),
            }
        }
        if traces.all.is_empty() {
            println!("── measuring the {SAMPLE} sample instead, whose times are too short to mean much");
            traces.add(SAMPLE, unpack_sample(&folder)?, RUNS, false);
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

    /// Makes a trace that is not there from before; deleted also if that fails.
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

/// The largest committed trace, for machines without the others.
fn unpack_sample(folder: &Path) -> Outcome<PathBuf> {
    let packed = paths::root().join(format!("www/samples/{SAMPLE}.nettrace.gz"));
    let gzip = command("gzip").arg("-dc").arg(packed).output().map_err(|error| format!("gzip: {error}"))?;
    let unpacked = folder.join(format!("{SAMPLE}.nettrace"));
    std::fs::write(&unpacked, gzip.stdout).map_err(|error| format!("{}: {error}", unpacked.display()))?;
    Ok(unpacked)
}

fn beside_the_clone(name: &str, cache: &Path) -> Outcome<Option<PathBuf>> {
    let Some(traces) = paths::shared().map(|shared| shared.join("traces")) else { return Ok(None) };
    let plain = traces.join(format!("{name}.nettrace"));
    if plain.is_file() {
        // Drivers take no paths with dots.
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
