//! Runs every test and says how many there were.

use crate::browser::{self, Browser, Engine};
use crate::check::BROWSER_TESTS;
use crate::command::{cargo, command, step, watch};
use crate::tools;
use crate::{Outcome, build, paths, size, trunk};
use std::path::PathBuf;
use std::process::Command;

const SUITES: [&str; 6] = ["native", "wasm", "browser", "size", TRUNK, "reference"];

/// The suite that compiles Trunk, which takes minutes: only if it's named, or with `--full`.
const TRUNK: &str = "trunk";

/// Which tests to run.
pub struct Options {
    /// Also what takes long: real traces beside the clone, every cut, many mutations.
    pub full: bool,
    /// The browser's tests in every browser, not only in Chromium.
    pub all_browsers: bool,
    suites: Vec<&'static str>,
}

impl Options {
    /// Reads the words after `cargo xtask test`.
    ///
    /// # Errors
    /// For a word that names nothing.
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
            options.suites = SUITES.into_iter().filter(|suite| options.full || *suite != TRUNK).collect();
        }
        Ok(options)
    }

    fn wants(&self, suite: &str) -> bool {
        self.suites.contains(&suite)
    }
}

/// How many tests there were.
#[derive(Default)]
struct Tally {
    passed: u64,
    failed: u64,
}

/// Runs the tests. The last line but one printed is `N passed, N failed`.
///
/// # Errors
/// When a test failed or a suite could not run.
pub fn run(options: &Options) -> Outcome {
    let mut tally = Tally::default();
    if options.wants("native") {
        tally.suite("native tests", |tally| native(tally, options.full));
    }
    if options.wants("wasm") {
        tally.suite("tests compiled to WebAssembly", wasm);
    }
    if options.wants("browser") || options.wants("size") {
        let is_built = tally.suite("the built page", |tally| {
            build::release()?;
            // What has built it is compiled now, so its tests take seconds.
            tally.cargo_test(cargo().args(["test", "--package", PACK]))
        });
        if is_built && options.wants("size") {
            tally.suite("size", size_check);
        }
        if is_built && options.wants("browser") {
            let engines = if options.all_browsers { Engine::ALL.as_slice() } else { &[Engine::Chromium] };
            for engine in engines {
                let name = format!("the page's tests in {}", engine.name());
                tally.suite(&name, |tally| in_browser(tally, *engine, options.full));
            }
        }
    }
    if options.wants(TRUNK) {
        tally.suite("the same page with Trunk", |tally| trunk::compare().inspect(|()| tally.count(true)));
    }
    if options.wants("reference") {
        tally.suite("comparison with the reference outputs", |tally| reference(tally, options.full));
    }
    println!("\n{} passed, {} failed\n", tally.passed, tally.failed);
    if tally.failed == 0 { Ok(()) } else { Err("tests failed, see above".to_owned()) }
}

impl Tally {
    /// Runs a suite; one that cannot run counts as a failure. Whether it could.
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

    /// Runs test programs and adds up what they say: `test result: ok. 12 passed; 0 failed; …`.
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

/// Makes what a page loads of compiled programs; its tests come with the page.
const PACK: &str = "xtask-pack";

/// Leaves out of the workspace what has no native tests, and [`PACK`].
const NATIVE: [&str; 8] =
    ["--exclude", "traceglass", "--exclude", "traceglass-worker", "--exclude", PACK, "--exclude", "xtask-wasm-bindgen"];

fn native(tally: &mut Tally, full: bool) -> Outcome {
    let mut test = cargo();
    test.args(["test", "--workspace", "--no-fail-fast"]).args(NATIVE);
    if full {
        // A hundred times as many mutations: building optimised pays.
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
    let optimised = tools::wasm_opt()?.is_some();
    if let size::Verdict::Measured { kept } = size::check(optimised)? {
        tally.count(kept);
    }
    Ok(())
}

fn in_browser(tally: &mut Tally, engine: Engine, full: bool) -> Outcome {
    let browser = Browser::find(engine)?;
    let mut test = cargo();
    // How many run at a time is up to their own runner: it knows which of them measure time.
    test.args(["test", "--manifest-path", BROWSER_TESTS, "--test", "page"]);
    test.env("CARGO_TARGET_DIR", browser_target()).env("TRACEGLASS_DIST", paths::dist());
    browser.configure(&mut test);
    match tools::axe()? {
        Some(script) => drop(test.env("TRACEGLASS_AXE", script)),
        None => println!("accessibility: not checked (axe-core needs Node and npm)"),
    }
    tally.cargo_test(full_or_not(&mut test, full))
}

/// Where the browser tests are built: apart from the product, whose settings differ.
pub fn browser_target() -> PathBuf {
    paths::target().join("e2e")
}

/// Passes to the tests which size was asked for, and where the real traces are.
fn full_or_not(test: &mut Command, full: bool) -> &mut Command {
    if full {
        test.env("TRACEGLASS_FULL", "1");
    }
    test
}

/// Where the command-line tool and the reference differ for a reason that `docs/reference-differences.md` gives and
/// `tests/native/reference` holds: trace, check and what the comparison says. Any other difference fails.
const EXPLAINED: [(&str, &str, &str); 5] = [
    ("cpu-v6-net10.nettrace", "stacks", "4119/5586 samples on equal stacks, ours 5586"),
    ("eventpipe-dotnetcore2.0-linux-objver2.netperf.te2", "stacks", "126/163801 samples on equal stacks, ours 163801"),
    ("eventpipe-dotnetcore2.0-linux-objver2.netperf.te2", "managed", "0/86 samples on equal stacks, ours 86"),
    ("orders-v6.nettrace", "stacks", "2185/7215 samples on equal stacks, ours 7215"),
    ("shapes-net10.nettrace", "payload", "3070/3086 field values equal, 6 fields differ"),
];

/// Whether a line of the comparison is about an explained difference.
fn is_explained(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("FALL ") else { return false };
    EXPLAINED.iter().any(|(trace, check, text)| {
        let said = rest.trim_start().strip_prefix(trace).map(str::trim_start);
        said.and_then(|said| said.strip_prefix(check)).is_some_and(|said| said.trim() == *text)
    })
}

/// Compares the command-line tool with the reference outputs of the real traces beside the clone, where they are.
fn reference(tally: &mut Tally, full: bool) -> Outcome {
    let Some(shared) = paths::shared() else {
        println!("SKIPPED: no real traces in ../shared/traces");
        return Ok(());
    };
    if paths::on_path("python3").is_none() || paths::on_path("zstd").is_none() {
        return Err("python3 or zstd is missing: `cargo xtask setup` installs zstd".to_owned());
    }
    let mut build = cargo();
    build.args(["build", "--release", "--package", "traceglass-cli"]);
    step("building the command-line tool", || crate::command::run(&mut build))?;
    let traces = shared.join("traces");
    let mut compare = command("python3");
    compare.arg(shared.join("tools/compare.py")).arg(paths::target().join("release/traceglass"));
    compare.arg(&traces).arg(traces.join("oracle"));
    if !full {
        // What a change breaks shows in these; the rest takes minutes.
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

/// `17 of 20 checks hold`.
fn holding(line: &str) -> Option<(u64, u64)> {
    let (held, all) = line.strip_suffix(" checks hold")?.split_once(" of ")?;
    Some((held.trim().parse().ok()?, all.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::{Options, holding, is_explained, totals};

    #[test]
    fn adds_up_what_test_programs_say() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s";
        assert_eq!(totals(line), Some((12, 3)));
        assert_eq!(totals("test model::keeps_order ... ok"), None);
        assert_eq!(holding("17 of 20 checks hold"), Some((17, 20)));
    }

    #[test]
    fn only_the_very_difference_is_explained() {
        let line = "FALL orders-v6.nettrace                     stacks   2185/7215 samples on equal stacks, ours 7215";
        assert!(is_explained(line));
        for other in ["ok   orders-v6", &line.replace("2185", "2184"), &line.replace("stacks ", "events "), ""] {
            assert!(!is_explained(other), "{other}");
        }
    }

    #[test]
    fn refuses_a_suite_that_does_not_exist() {
        assert!(Options::parse(&["--full", "native"]).is_ok_and(|options| options.full && !options.wants("browser")));
        assert!(Options::parse(&["browser", "--all-browsers"]).is_ok_and(|options| options.all_browsers));
        assert!(Options::parse(&["nativ"]).is_err());
    }

    #[test]
    fn trunk_is_compiled_only_when_it_is_asked_for() {
        for (words, wanted) in [(&[][..], false), (&["--full"], true), (&["trunk"], true), (&["--full", "size"], false)]
        {
            assert!(Options::parse(words).is_ok_and(|options| options.wants("trunk") == wanted), "{words:?}");
        }
    }
}
