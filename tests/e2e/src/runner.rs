//! Runs the browser tests concurrently, each in a new context of a browser that its thread reuses.
//!
//! Its options and output are those of `cargo test`, as far as supported; in addition, it lists the slowest tests.

use crate::browser::{Code, TestBrowser};
use crate::session::{runtime, within};
use crate::{Need, Page, Step, Trouble, fixtures};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use xtask::browser::Engine;

/// Time limit of a test.
const LIMIT: Duration = Duration::from_secs(180);
/// Time limit for opening a page; drivers sometimes wait forever for a browser that has crashed.
const OPENING: Duration = Duration::from_secs(60);
/// Time limit for collecting evidence and cleaning up after a test.
const AFTERWARDS: Duration = Duration::from_secs(30);
/// Number of slowest tests that are listed.
const SLOWEST: usize = 10;

/// Body of a test.
type Run = for<'page> fn(&'page Page) -> Pin<Box<dyn Future<Output = Step> + 'page>>;

/// Test, as registered by `#[browser_test]`.
pub struct BrowserTest {
    /// Path, beginning with the name of the test program.
    path: &'static str,
    run: Run,
    is_alone: bool,
    need: Option<Need>,
    limit: Duration,
}

inventory::collect!(BrowserTest);

impl BrowserTest {
    /// Creates a test that runs concurrently with others.
    pub const fn new(path: &'static str, run: Run) -> Self {
        Self { path, run, is_alone: false, need: None, limit: LIMIT }
    }

    /// Runs the test without others, because it measures time.
    pub const fn alone(mut self) -> Self {
        self.is_alone = true;
        self
    }

    /// Ignores the test, with a reason, if a feature is missing.
    pub const fn needs(mut self, need: Need) -> Self {
        self.need = Some(need);
        self
    }

    /// Sets the time limit.
    pub const fn limit_seconds(mut self, seconds: u64) -> Self {
        self.limit = Duration::from_secs(seconds);
        self
    }

    /// Returns the name: folder, file, function.
    fn name(&self) -> &'static str {
        self.path.split_once("::").map_or(self.path, |(_, name)| name)
    }
}

/// Command-line options.
#[derive(Default)]
struct Options {
    /// Parts of names, one of which must match; empty for all tests.
    wanted: Vec<String>,
    skipped: Vec<String>,
    /// True if `wanted` and `skipped` are full names.
    exact: bool,
    list: bool,
    threads: Option<usize>,
}

const USAGE: &str = "usage: [NAME]... [--exact] [--skip NAME] [--list] [--test-threads N]";

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            let (flag, value) = match argument.split_once('=') {
                Some((flag, value)) if flag.starts_with("--") => (flag.to_owned(), Some(value.to_owned())),
                _ => (argument, None),
            };
            let mut value = || value.clone().or_else(|| arguments.next()).ok_or_else(|| format!("{flag} of what?"));
            match flag.as_str() {
                "--exact" => options.exact = true,
                "--list" => options.list = true,
                "--skip" => options.skipped.push(value()?),
                "--test-threads" => {
                    let threads = value()?.parse().map_err(|error| format!("--test-threads: {error}"))?;
                    options.threads = Some(threads);
                }
                // Output is never captured.
                "--nocapture" | "--no-capture" => {}
                _ if flag.starts_with('-') => return Err(format!("{flag} isn't an option here")),
                _ => options.wanted.push(flag),
            }
        }
        Ok(options)
    }

    fn wants(&self, test: &BrowserTest) -> bool {
        let fits = |part: &String| if self.exact { test.name() == part } else { test.name().contains(part.as_str()) };
        (self.wanted.is_empty() || self.wanted.iter().any(fits)) && !self.skipped.iter().any(fits)
    }

    fn threads(&self) -> usize {
        // Browsers without contexts are started for each test, and need the whole machine.
        let usual = if Engine::chosen() == Engine::Chromium { 2 } else { 1 };
        self.threads.unwrap_or(usual).max(1)
    }
}

/// Runs the tests selected by the command line.
pub fn run_tests() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let mut tests: Vec<&BrowserTest> = inventory::iter::<BrowserTest>.into_iter().collect();
    let all = tests.len();
    tests.retain(|test| options.wants(test));
    tests.sort_by_key(|test| test.name());
    if options.list {
        for test in &tests {
            println!("{}: test", test.name());
        }
        return ExitCode::SUCCESS;
    }
    keep_panics();
    println!("\nrunning {} tests", tests.len());
    let report = Report { filtered_out: all - tests.len(), start: Instant::now(), results: Mutex::default() };
    let (alone, together): (VecDeque<_>, VecDeque<_>) = tests.into_iter().partition(|test| test.is_alone);
    let together = Mutex::new(together);
    let code = if Need::Full.missing_in(Engine::chosen()).is_none() { Code::Optimized } else { Code::Plain };
    std::thread::scope(|scope| {
        for worker in 0..options.threads() {
            let (queue, report) = (&together, &report);
            scope.spawn(move || work(&format!("worker-{worker}"), code, queue, report));
        }
    });
    work("alone", Code::Optimized, &Mutex::new(alone), &report);
    fixtures::remove_all();
    report.conclude()
}

/// Runs the tests of a queue, one after the other.
fn work(name: &str, code: Code, queue: &Mutex<VecDeque<&BrowserTest>>, report: &Report) {
    let runtime = runtime();
    let mut browser = None;
    loop {
        let next = locked(queue).pop_front();
        let Some(test) = next else { break };
        let start = Instant::now();
        let result = match test.need.and_then(|need| need.missing_in(Engine::chosen())) {
            Some(reason) => Outcome::Ignored(reason.to_owned()),
            None => run_one(&runtime, (name, code), &mut browser, test),
        };
        report.add(test.name(), start.elapsed(), result);
    }
    if let Some(browser) = browser {
        runtime.block_on(browser.quit());
    }
}

/// Runs a test in the thread's browser, which is started if necessary. After a failure, the browser is closed, so that
/// the next test begins with a new one.
fn run_one(
    runtime: &Runtime,
    (worker, code): (&str, Code),
    browser: &mut Option<TestBrowser>,
    test: &BrowserTest,
) -> Outcome {
    let mut opened = runtime.block_on(open((worker, code), browser, test));
    if opened.is_err() {
        // In a new browser, with a new driver.
        opened = runtime.block_on(open((worker, code), browser, test));
    }
    let (mut used, page) = match opened {
        Ok(opened) => opened,
        Err(trouble) => return Outcome::Failed(format!("no page: {trouble:?}")),
    };
    let ran = catch_unwind(AssertUnwindSafe(|| runtime.block_on(within(test.limit, (test.run)(&page)))));
    let outcome = match ran {
        Ok(Ok(())) => page.skipped().map_or(Outcome::Passed, Outcome::Ignored),
        Ok(Err(trouble)) => Outcome::Failed(format!("{trouble:?}")),
        Err(_) => Outcome::Failed(PANIC.take().unwrap_or_default()),
    };
    runtime.block_on(async {
        let outcome = match outcome {
            Outcome::Failed(message) => {
                let evidence = tokio::time::timeout(AFTERWARDS, page.evidence()).await;
                let evidence = evidence.unwrap_or_else(|_| "the browser does not answer".to_owned());
                Outcome::Failed(format!("{message}\n{evidence}"))
            }
            other => other,
        };
        let closed = within(AFTERWARDS, used.close(page)).await;
        match (&outcome, closed) {
            (Outcome::Failed(_), _) | (_, Err(_)) => used.quit().await,
            _ => *browser = Some(used),
        }
        outcome
    })
}

/// Opens a page in the thread's browser, or in a new one if there is none. A browser that fails is closed.
async fn open(
    (worker, code): (&str, Code),
    browser: &mut Option<TestBrowser>,
    test: &BrowserTest,
) -> Step<(TestBrowser, Page)> {
    let mut ready = match browser.take() {
        Some(browser) => browser,
        None => TestBrowser::start(worker, code).await?,
    };
    let opened = tokio::time::timeout(OPENING, ready.page(test.name())).await;
    match opened.unwrap_or_else(|_| Err(Trouble("the driver opens no page".to_owned()))) {
        Ok(page) => Ok((ready, page)),
        Err(trouble) => {
            ready.quit().await;
            Err(trouble)
        }
    }
}

thread_local! {
    /// Message and location of the last panic in this thread.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Stores panics for the list of failures, instead of printing them between the names of other tests.
fn keep_panics() {
    std::panic::set_hook(Box::new(|panic| PANIC.set(Some(panic.to_string()))));
}

enum Outcome {
    Passed,
    Failed(String),
    Ignored(String),
}

/// Results of the tests so far.
struct Report {
    filtered_out: usize,
    start: Instant,
    results: Mutex<Vec<(&'static str, Duration, Outcome)>>,
}

impl Report {
    fn add(&self, name: &'static str, time: Duration, outcome: Outcome) {
        let mut results = locked(&self.results);
        match &outcome {
            Outcome::Passed => println!("test {name} ... ok <{:.1}s>", time.as_secs_f64()),
            Outcome::Failed(_) => println!("test {name} ... FAILED <{:.1}s>", time.as_secs_f64()),
            Outcome::Ignored(reason) => println!("test {name} ... ignored, {reason}"),
        }
        results.push((name, time, outcome));
    }

    /// Prints failures, slow tests, and finally the number of tests.
    fn conclude(self) -> ExitCode {
        let mut results = self.results.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut failed = 0;
        for (name, _, outcome) in &results {
            if let Outcome::Failed(message) = outcome {
                failed += 1;
                println!("\n---- {name} ----\n{message}");
            }
        }
        let ignored = results.iter().filter(|(.., outcome)| matches!(outcome, Outcome::Ignored(_))).count();
        let passed = results.len() - failed - ignored;
        results.sort_by_key(|(_, time, _)| std::cmp::Reverse(*time));
        println!("\nslowest tests:");
        for (name, time, _) in results.iter().take(SLOWEST) {
            println!("{:6.1} s  {name}", time.as_secs_f64());
        }
        let verdict = if failed == 0 { "ok" } else { "FAILED" };
        println!(
            "\ntest result: {verdict}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; {} filtered out; finished \
             in {:.2}s\n",
            self.filtered_out,
            self.start.elapsed().as_secs_f64()
        );
        if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(101) }
    }
}

/// Locks a mutex. A panic in another thread leaves queues and lists intact.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
