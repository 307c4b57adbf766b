//! Runs the fuzz targets for any duration. `cargo xtask test` runs the same functions on seeded mutations.

use crate::command::{cargo, command, run, step};
use crate::{Outcome, paths};

/// Targets in `tests/fuzz`.
const TARGETS: [&str; 8] =
    ["parse", "parse_chunked", "events", "payload", "ingest", "explain", "excerpt", "containers"];
/// Package of the fuzz targets, which isn't in the workspace because its dependencies aren't the product's.
pub const MANIFEST: &str = "tests/fuzz/Cargo.toml";

/// Compiler flags that report the covered code to libFuzzer with a stable compiler. (With `cargo-fuzz` installed,
/// `cargo +nightly fuzz run --fuzz-dir tests/fuzz TARGET` adds the address sanitizer.)
const INSTRUMENTED: [&str; 6] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Ccodegen-units=1",
];

/// Runs each target for a number of seconds, on its corpus and the seeds.
///
/// # Errors
/// Fails if a target can't be built, or crashes; libFuzzer prints the input.
pub fn run_all(seconds: u32) -> Outcome {
    let target = paths::target().join("fuzz");
    let host = host()?;
    let seeds = target.join("seeds");
    let mut write_seeds = cargo();
    write_seeds.args(["run", "--quiet", "--locked", "--manifest-path", MANIFEST, "--bin", "seeds", "--"]).arg(&seeds);
    step("seeds", || run(write_seeds.env("CARGO_TARGET_DIR", &target)))?;
    let mut build = cargo();
    build.args(["build", "--release", "--locked", "--manifest-path", MANIFEST, "--target", &host]);
    for name in TARGETS {
        build.args(["--bin", name]);
    }
    build.env("CARGO_TARGET_DIR", &target).env("RUSTFLAGS", INSTRUMENTED.join(" "));
    step("building the fuzz targets", || run(&mut build))?;
    let mut failed = Vec::new();
    for name in TARGETS {
        let corpus = target.join("corpus").join(name);
        let artifacts = target.join("artifacts").join(name);
        for folder in [&corpus, &artifacts] {
            std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        let mut fuzz = command(target.join(&host).join("release").join(name));
        fuzz.arg(&corpus).arg(&seeds).arg(format!("-artifact_prefix={}/", artifacts.display()));
        fuzz.args([&format!("-max_total_time={seconds}"), "-max_len=20000", "-timeout=20", "-rss_limit_mb=2048"]);
        fuzz.args(["-print_final_stats=1", "-verbosity=0"]);
        if step(&format!("fuzzing {name} for {seconds} s"), || run(&mut fuzz)).is_err() {
            failed.push(name);
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("crashed: {}", failed.join(", "))) }
}

/// Returns the compiler's host target. It must be named explicitly, so that build scripts aren't instrumented.
fn host() -> Outcome<String> {
    let version = crate::command::read(command("rustc").args(["--version", "--verbose"]))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc doesn't report its host".to_owned())
}
