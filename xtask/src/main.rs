//! The command line of `cargo xtask`.

use std::path::Path;
use std::process::ExitCode;
use xtask::synth::{self, Size, objects, samples};
use xtask::{Outcome, bench, build, check, ci, dev, fuzz, lint, server, setup, test, turnaround};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  setup [--all-browsers]   install the packages that tests need (Debian, Ubuntu)
  serve [--dev] [--port N] build the page (release) and serve it on localhost
                           --dev: build it unoptimized, rebuild after every change and reload the open page
  build                    build the page (release) into dist/
  test [--full] [--all-browsers] [SUITE..]
                           run all tests; SUITE is native, wasm, browser, size, trunk, packages or reference
                           --full: add slow tests, every trace in ../shared/traces, Trunk's build, and packing
                           --all-browsers: run the page's tests in Firefox and WebKitGTK, too
  check                    check formatting, lints (native and wasm) and documentation, with warnings denied
  ci                       setup, check and test in one run, as in continuous integration
  turnaround [--ci]        measure build and test times in a clone with empty caches
                           --ci: measure continuous integration instead, with empty and with full caches
  fuzz [SECONDS]           run each fuzz target for SECONDS (default: 60)
  bench [--write|--check] [--public] [--large] [--firefox] [--keep]
                           measure opening traces of 100 events to 1 GB, requests and frame rate
                           --public: measure only traces that are generated from this repository
                           --large: add a trace of 10 GB (needs 12 GB of disk)
                           --write: write the tables into docs/performance-tables.md
                           --check: fail if a ratio is more than 15% worse than in those tables
                           --keep: keep the generated traces
  bench --slow-network     measure loading the page at 20 Mbit/s and 40 ms, with other ways to load the worker, too
  synth --from FILE (--size 1GB | --times N) OUT
                           generate a large valid trace (nettrace 4, 5) by repeating FILE
  synth --samples N --depth N OUT
                           generate a trace of N thread samples with N frames each
  synth --objects N OUT    generate a trace of a heap snapshot of N objects

Missing tools (wasm target, wasm-opt; for tests also axe, wasm-bindgen, Trunk) are installed outside the clone:
$TRACEGLASS_CACHE, or $XDG_CACHE_HOME/traceglass, or ~/.cache/traceglass.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("\nxtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Outcome {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let Some((compiler, arguments)) = lint::compiler_call(&words) {
        return lint::compile(compiler, arguments);
    }
    match words.as_slice() {
        ["setup"] => setup::run_all(false),
        ["setup", "--all-browsers"] => setup::run_all(true),
        ["serve", options @ ..] => serve(options),
        ["build"] => build::release(),
        ["test", options @ ..] => test::run(&test::Options::parse(options)?),
        ["check"] => check::run(),
        ["ci"] => ci::run(),
        ["turnaround"] => turnaround::of_changes(),
        ["turnaround", "--ci"] => turnaround::of_ci(),
        ["fuzz"] => fuzz::run_all(60),
        ["fuzz", seconds] => {
            fuzz::run_all(seconds.parse().map_err(|_| format!("invalid number of seconds: {seconds}"))?)
        }
        ["bench", options @ ..] => bench::run(&bench::Options::parse(options)?),
        ["synth", "--from", from, "--size", size, to] => synth::run(Path::new(from), Size::bytes(size)?, Path::new(to)),
        ["synth", "--from", from, "--times", times, to] => {
            let times = times.parse().map_err(|_| format!("invalid number of times: {times}"))?;
            synth::run(Path::new(from), Size::Times(times), Path::new(to))
        }
        ["synth", "--samples", count, "--depth", depth, to] => {
            let number = |text: &str| text.parse().map_err(|_| format!("invalid number: {text}"));
            samples::write(samples::Samples { count: number(count)?, depth: number(depth)? }, Path::new(to))
        }
        ["synth", "--objects", count, to] => {
            objects::write(count.parse().map_err(|_| format!("invalid number: {count}"))?, Path::new(to))
        }
        _ => Err(format!("{}\n\n{USAGE}", if words.is_empty() { "missing command" } else { "unknown command" })),
    }
}

fn serve(options: &[&str]) -> Outcome {
    let (is_dev, options) = match options {
        ["--dev", options @ ..] => (true, options),
        options => (false, options),
    };
    let port = match options {
        [] => 8080,
        ["--port", port] => port.parse().map_err(|_| format!("invalid port: {port}"))?,
        _ => return Err(format!("unknown options of serve: {}", options.join(" "))),
    };
    if is_dev {
        return dev::serve(port);
    }
    build::release()?;
    let server = server::Server::start(&xtask::paths::dist(), "/", port)?;
    println!("\n  Traceglass is served at {}\n  Press Ctrl+C to stop.\n", server.address());
    server.wait();
    Ok(())
}
