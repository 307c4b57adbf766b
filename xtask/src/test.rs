//! Runs all tests and counts them.

use crate::browser::{self, Browser, Engine};
use crate::check::BROWSER_TESTS;
use crate::command::{Background, cargo, command, run as run_command, step, watch};
use crate::{Outcome, build, lint, packages, paths, size, tools, trunk};
use std::path::PathBuf;
use std::process::Command;

const SUITES: [&str; 7] = ["native", WASM, "browser", "size", TRUNK, PACKAGES, "reference"];

/// Suite that compiles a test runner and the engine once more, for nine tests of what the page's tests use anyway. It runs
/// only if it is named, or with `--full`.
const WASM: &str = "wasm";

/// Suite that compiles Trunk, which takes minutes: it runs only if it is named, or with `--full`.
const TRUNK: &str = "trunk";

/// Suite that packs what is published, for which Cargo needs a network. It runs only if it is named, or with `--full`.
const PACKAGES: &str = "packages";

/// Selection of tests.
pub struct Options {
    /// True to include slow tests: real traces beside the clone, every truncation, many mutations.
    pub full: bool,
    /// True to run browser tests in all browsers, not only in Chromium.
    pub all_browsers: bool,
    suites: Vec<&'static str>,
}

impl Options {
    /// Parses the arguments after `cargo xtask test`.
    ///
    /// # Errors
    /// Fails for an unknown argument.
    pub fn parse(words: &[&str]) -> Outcome<Self> {
        let mut options = Self { full: false, all_browsers: false, suites: Vec::new() };
        for word in words {
            match SUITES.iter().find(|suite| *suite == word) {
                Some(suite) => options.suites.push(suite),
                None if *word == "--full" => options.full = true,
                None if *word == "--all-browsers" => options.all_browsers = true,
                None => return Err(format!("unknown suite: {word} (expected {})", SUITES.join(", "))),
            }
        }
        if options.suites.is_empty() {
            let is_default = |suite: &&str| options.full || ![WASM, TRUNK, PACKAGES].contains(suite);
            options.suites = SUITES.into_iter().filter(is_default).collect();
        }
        Ok(options)
    }

    fn wants(&self, suite: &str) -> bool {
        self.suites.contains(&suite)
    }
}

/// Number of tests.
#[derive(Default)]
struct Tally {
    passed: u64,
    failed: u64,
}

/// Runs the tests. The second to last printed line is `N passed, N failed`.
///
/// # Errors
/// Fails if a test fails or a suite can't run.
pub fn run(options: &Options) -> Outcome {
    let mut tally = Tally::default();
    let needs_page = options.wants("browser") || options.wants("size");
    // Linking the page takes minutes on one core.
    let page = (needs_page && options.wants("native")).then(build_page);
    if options.wants("native") {
        tally.suite("native tests", |tally| native(tally, options.full));
    }
    if options.wants(WASM) {
        tally.suite("tests compiled to WebAssembly", wasm);
    }
    if page.is_some() && options.wants("browser") {
        tally.suite("compiling the page's tests", |_| compile_browser_tests());
    }
    if needs_page {
        let is_built = tally.suite("the built page", |tally| {
            page.map_or_else(build::release, |page| page?.end())?;
            // The package is compiled by now, so its tests take seconds.
            tally.cargo_test(cargo().args(["test", "--package", PACK]))
        });
        if is_built && options.wants("size") {
            tally.suite("size", size_check);
        }
        if is_built && options.wants("browser") {
            let engines = if options.all_browsers { Engine::ALL.as_slice() } else { &[Engine::Chromium] };
            for engine in engines {
                let name = format!("the page's tests in {}", engine.name());
                tally.suite(&name, |tally| in_browser(tally, *engine, options));
            }
        }
    }
    if options.wants(TRUNK) {
        tally.suite("the same page with Trunk", |tally| trunk::compare().inspect(|()| tally.count(true)));
    }
    if options.wants(PACKAGES) {
        tally.suite("packages", |tally| packages::check().inspect(|()| tally.count(true)));
    }
    if options.wants("reference") {
        tally.suite("comparison with the reference outputs", |tally| reference(tally, options));
    }
    println!("\n{} passed, {} failed\n", tally.passed, tally.failed);
    if tally.failed == 0 { Ok(()) } else { Err("tests failed, see above".to_owned()) }
}

impl Tally {
    /// Runs a suite, and returns whether it could run; otherwise it counts as a failure.
    fn suite(&mut self, name: &str, suite: impl FnOnce(&mut Self) -> Outcome) -> bool {
        match step(name, || suite(self)) {
            Ok(()) => true,
            Err(message) => {
                println!("{name}: {message}");
                self.failed += 1;
                false
            }
        }
    }

    fn count(&mut self, passed: bool) {
        if passed {
            self.passed += 1;
        } else {
            self.failed += 1;
        }
    }

    /// Runs test programs and adds up their results: `test result: ok. 12 passed; 0 failed; …`.
    fn cargo_test(&mut self, command: &mut Command) -> Outcome {
        let failed_before = self.failed;
        let success = watch(command, |line| {
            if let Some((passed, failed)) = totals(line) {
                self.passed += passed;
                self.failed += failed;
            }
        })?;
        if success || self.failed > failed_before { Ok(()) } else { Err("cargo test failed".to_owned()) }
    }
}

fn totals(line: &str) -> Option<(u64, u64)> {
    let counts = line.trim_start().strip_prefix("test result: ")?.split_once(". ")?.1;
    let count_of = |what: &str| {
        let count = counts.split(';').find_map(|count| count.trim().strip_suffix(what))?;
        count.trim().parse::<u64>().ok()
    };
    Some((count_of("passed")?, count_of("failed")?))
}

/// Starts to build the page beside the native tests.
fn build_page() -> Outcome<Background> {
    Background::start(command(lint::this_program()?).arg("build"), paths::target().join("page.log"))
}

/// Package that converts compiled programs for a page; its tests run with those of the page.
const PACK: &str = "xtask-pack";

/// Arguments that exclude packages without native tests, and [`PACK`].
const NATIVE: [&str; 8] =
    ["--exclude", "traceglass", "--exclude", "traceglass-worker", "--exclude", PACK, "--exclude", "xtask-wasm-bindgen"];

fn native(tally: &mut Tally, full: bool) -> Outcome {
    if lint::is_on() {
        step("compiling all targets", || {
            run_command(cargo().args(["test", "--workspace", "--all-targets", "--no-run"]).args(NATIVE))
        })?;
    }
    let mut test = cargo();
    test.args(["test", "--workspace", "--no-fail-fast"]).args(NATIVE);
    if full {
        // A hundred times as many mutations make an optimized build worthwhile.
        test.env("CARGO_PROFILE_DEV_OPT_LEVEL", "2");
    }
    tally.cargo_test(full_or_not(&mut test, full))
}

fn wasm(tally: &mut Tally) -> Outcome {
    tools::wasm_target()?;
    let runner = tools::wasm_bindgen_test_runner()?;
    let chromium = Browser::find(Engine::Chromium)?;
    let settings = paths::target().join("webdriver.json");
    std::fs::create_dir_all(paths::target()).map_err(|error| error.to_string())?;
    std::fs::write(&settings, webdriver_settings(&chromium))
        .map_err(|error| format!("{}: {error}", settings.display()))?;
    let mut test = cargo();
    test.args([
        "test",
        "--target",
        "wasm32-unknown-unknown",
        "--package",
        "traceglass-worker",
        "--test",
        "web",
        "--test",
        "worker",
    ]);
    test.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner);
    test.env("CHROMEDRIVER", &chromium.driver).env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", settings);
    tally.cargo_test(&mut test)
}

fn webdriver_settings(chromium: &Browser) -> String {
    let flags = browser::FLAGS.map(|flag| format!("\"{flag}\"")).join(", ");
    let browser = chromium.program.to_string_lossy().replace('\\', "\\\\");
    format!("{{ \"goog:chromeOptions\": {{ \"binary\": \"{browser}\", \"args\": [{flags}] }} }}\n")
}

fn size_check(tally: &mut Tally) -> Outcome {
    let optimized = tools::wasm_opt()?.is_some();
    if let size::Verdict::Measured { kept } = size::check(optimized)? {
        tally.count(kept);
    }
    Ok(())
}

/// Returns the command-line tool, which native tests have compiled (the packages of a workflow compile it without features
/// for tests).
fn tool(options: &Options) -> Outcome<PathBuf> {
    if !options.wants("native") {
        run_command(cargo().args(["build", "--quiet", "--package", "traceglass-cli"]))?;
    }
    Ok(paths::compiled_tool("traceglass"))
}

fn browser_tests() -> Command {
    let mut test = cargo();
    test.args(["test", "--manifest-path", BROWSER_TESTS]).env("CARGO_TARGET_DIR", browser_target());
    test
}

fn compile_browser_tests() -> Outcome {
    let targets: &[&str] = if lint::is_on() { &["--workspace", "--all-targets"] } else { &["--test", "page"] };
    run_command(browser_tests().args(targets).arg("--no-run"))
}

fn in_browser(tally: &mut Tally, engine: Engine, options: &Options) -> Outcome {
    let browser = Browser::find(engine)?;
    let mut test = browser_tests();
    // Their own runner decides how many run concurrently, because some measure time.
    test.args(["--test", "page"]).env("TRACEGLASS_DIST", paths::dist());
    // It serves the page, too.
    test.env("TRACEGLASS_TOOL", tool(options)?);
    browser.configure(&mut test);
    match tools::axe()? {
        Some(script) => drop(test.env("TRACEGLASS_AXE", script)),
        None => println!("accessibility: not checked (axe-core needs Node and npm)"),
    }
    tally.cargo_test(full_or_not(&mut test, options.full))
}

/// Returns the target folder of the browser tests, which is separate because their settings differ.
pub fn browser_target() -> PathBuf {
    paths::target().join("e2e")
}

/// Passes the size of the run and the folder of real traces to the tests.
fn full_or_not(test: &mut Command, full: bool) -> &mut Command {
    if full {
        test.env("TRACEGLASS_FULL", "1");
    }
    test
}

/// Differences between the command-line tool and the reference reader that `docs/reference-differences.md` explains and
/// `tests/native/reference` checks: trace, check, and output of the comparison. Other differences fail.
const EXPLAINED: [(&str, &str, &str); 5] = [
    ("cpu-v6-net10.nettrace", "stacks", "4119/5586 samples on equal stacks, ours 5586"),
    ("eventpipe-dotnetcore2.0-linux-objver2.netperf.te2", "stacks", "126/163801 samples on equal stacks, ours 163801"),
    ("eventpipe-dotnetcore2.0-linux-objver2.netperf.te2", "managed", "0/86 samples on equal stacks, ours 86"),
    ("orders-v6.nettrace", "stacks", "2185/7215 samples on equal stacks, ours 7215"),
    ("shapes-net10.nettrace", "payload", "3070/3086 field values equal, 6 fields differ"),
];

/// Returns whether a line of the comparison is about an explained difference.
fn is_explained(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("FALL ") else { return false };
    EXPLAINED.iter().any(|(trace, check, text)| {
        let said = rest.trim_start().strip_prefix(trace).map(str::trim_start);
        said.and_then(|said| said.strip_prefix(check)).is_some_and(|said| said.trim() == *text)
    })
}

/// Compares the command-line tool with the reference outputs of the real traces beside the clone, if they exist.
fn reference(tally: &mut Tally, options: &Options) -> Outcome {
    let Some(shared) = paths::shared() else {
        println!("SKIPPED: no real traces in ../shared/traces");
        return Ok(());
    };
    if paths::on_path("python3").is_none() || paths::on_path("zstd").is_none() {
        return Err("python3 or zstd is missing: `cargo xtask setup` installs zstd".to_owned());
    }
    let tool = if options.full {
        let mut build = cargo();
        build.args(["build", "--package", "traceglass-cli", "--release"]);
        step("building the command-line tool", || run_command(&mut build))?;
        paths::target().join("release/traceglass")
    } else {
        // Reading one small trace doesn't make up for minutes of optimizing.
        tool(options)?
    };
    let traces = shared.join("traces");
    let mut compare = command("python3");
    compare.arg(shared.join("tools/compare.py")).arg(tool);
    compare.arg(&traces).arg(traces.join("oracle"));
    if !options.full {
        // This trace reveals most regressions; the others take minutes.
        compare.args(["--only", "orders-net31"]);
    }
    let mut checks = (0, 0);
    let mut explained = 0;
    watch(&mut compare, |line| {
        explained += u64::from(is_explained(line));
        if let Some(numbers) = holding(line) {
            checks = numbers;
        }
    })?;
    if explained > 0 {
        println!("{explained} of them differ as documented in docs/reference-differences.md");
    }
    tally.passed += checks.0 + explained;
    tally.failed += checks.1 - checks.0 - explained;
    if checks.1 == 0 { Err("the comparison made no checks".to_owned()) } else { Ok(()) }
}

/// Parses `17 of 20 checks hold`.
fn holding(line: &str) -> Option<(u64, u64)> {
    let (held, all) = line.strip_suffix(" checks hold")?.split_once(" of ")?;
    Some((held.trim().parse().ok()?, all.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::{Options, holding, is_explained, totals};

    #[test]
    fn results_of_test_programs_are_added_up() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s";
        assert_eq!(totals(line), Some((12, 3)));
        assert_eq!(totals("test model::keeps_order ... ok"), None);
        assert_eq!(holding("17 of 20 checks hold"), Some((17, 20)));
    }

    #[test]
    fn only_exact_difference_is_explained() {
        let line = "FALL orders-v6.nettrace                     stacks   2185/7215 samples on equal stacks, ours 7215";
        assert!(is_explained(line));
        for other in ["ok   orders-v6", &line.replace("2185", "2184"), &line.replace("stacks ", "events "), ""] {
            assert!(!is_explained(other), "{other}");
        }
    }

    #[test]
    fn unknown_suite_is_rejected() {
        assert!(Options::parse(&["--full", "native"]).is_ok_and(|options| options.full && !options.wants("browser")));
        assert!(Options::parse(&["browser", "--all-browsers"]).is_ok_and(|options| options.all_browsers));
        assert!(Options::parse(&["nativ"]).is_err());
    }

    #[test]
    fn trunk_suite_runs_only_on_request() {
        for (words, wanted) in [(&[][..], false), (&["--full"], true), (&["trunk"], true), (&["--full", "size"], false)]
        {
            assert!(Options::parse(words).is_ok_and(|options| options.wants("trunk") == wanted), "{words:?}");
        }
        assert!(Options::parse(&[]).is_ok_and(|options| options.wants("native") && !options.wants("packages")));
    }
}
