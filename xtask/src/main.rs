//! The command line of `cargo xtask`.

use std::path::Path;
use std::process::ExitCode;
use xtask::synth::{self, Size, objects, samples};
use xtask::{Outcome, bench, build, check, dev, fuzz, server, setup, test, turnaround};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  setup [--all-browsers]   install from the system's packages what tests need (Debian, Ubuntu)
  serve [--dev] [--port N] build the page (release) and serve it on localhost; with --dev build it unoptimized, again
                           after every change, and have the open page reload then
  build                    build the page (release) into dist/
  test [--full] [--all-browsers] [SUITE..]
                           run every test; SUITE is native, wasm, browser, size, trunk or reference
                           --full adds what takes long, every trace in ../shared/traces, and Trunk's build; --all-browsers runs the
                           page's tests in Firefox and WebKitGTK, too
  check                    formatting, lints (native and wasm) and documentation, warnings denied
  turnaround [--ci]        measure, in a clone with empty caches, how long who changes the program waits; with --ci also
                           for continuous integration
  fuzz [SECONDS]           run each fuzz target for so long (60 s)
  bench [--write|--check] [--large] [--firefox] [--keep]
                           measure opening traces of 100 events to 1 GB, with --large 10 GB (which needs 12 GB of disk),
                           questions and motion; --write puts the tables into docs/performance-tables.md, --check fails when
                           a ratio there was better by more than 15 %; --keep keeps what was made for it
  bench --slow-network     measure what a visitor waits for at 20 Mbit/s and 40 ms, with other ways to load the worker too
  synth --from FILE (--size 1GB | --times N) OUT
                           a large valid trace (nettrace 4, 5), in which what happens in FILE happens again and again
  synth --samples N --depth N OUT
                           a trace of so many thread samples with so many frames each
  synth --objects N OUT    a trace of a snapshot of a heap of so many objects

Other tools that are missing (wasm target, wasm-opt; for tests also axe, wasm-bindgen, Trunk) are installed outside of the clone:
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
    match words.as_slice() {
        ["setup"] => setup::run_all(false),
        ["setup", "--all-browsers"] => setup::run_all(true),
        ["serve", options @ ..] => serve(options),
        ["build"] => build::release(),
        ["test", options @ ..] => test::run(&test::Options::parse(options)?),
        ["check"] => check::run(),
        ["turnaround"] => turnaround::run_all(false),
        ["turnaround", "--ci"] => turnaround::run_all(true),
        ["fuzz"] => fuzz::run_all(60),
        ["fuzz", seconds] => fuzz::run_all(seconds.parse().map_err(|_| format!("not a number of seconds: {seconds}"))?),
        ["bench", options @ ..] => bench::run(&bench::Options::parse(options)?),
        ["synth", "--from", from, "--size", size, to] => synth::run(Path::new(from), Size::bytes(size)?, Path::new(to)),
        ["synth", "--from", from, "--times", times, to] => {
            let times = times.parse().map_err(|_| format!("not a number of times: {times}"))?;
            synth::run(Path::new(from), Size::Times(times), Path::new(to))
        }
        ["synth", "--samples", count, "--depth", depth, to] => {
            let number = |text: &str| text.parse().map_err(|_| format!("not a number: {text}"));
            samples::write(samples::Samples { count: number(count)?, depth: number(depth)? }, Path::new(to))
        }
        ["synth", "--objects", count, to] => {
            objects::write(count.parse().map_err(|_| format!("not a number: {count}"))?, Path::new(to))
        }
        _ => Err(format!("{}\n\n{USAGE}", if words.is_empty() { "no command" } else { "not a command" })),
    }
}

fn serve(options: &[&str]) -> Outcome {
    let (is_dev, options) = match options {
        ["--dev", options @ ..] => (true, options),
        options => (false, options),
    };
    let port = match options {
        [] => 8080,
        ["--port", port] => port.parse().map_err(|_| format!("not a port: {port}"))?,
        _ => return Err(format!("not options of serve: {}", options.join(" "))),
    };
    if is_dev {
        return dev::serve(port);
    }
    build::release()?;
    let server = server::Server::start(&xtask::paths::dist(), "/", port)?;
    println!("\n  Traceglass is served at {}\n  Ctrl+C stops it.\n", server.address());
    server.wait();
    Ok(())
}
