//! Measures the waiting time of developers: from a fresh clone to the page, and from a changed line to its effect.
//!
//! Everything is measured in a separate clone, with empty caches of Cargo, npm and `cargo xtask`. Rust, with its
//! WebAssembly target, is already installed.

use crate::command::{command, run};
use crate::{Outcome, paths};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// File of the page whose change is measured, and one of the engine's analyses.
const PAGE_FILE: &str = "src/workspace/damage_banner.rs";
const ANALYSIS_FILE: &str = "crates/engine/src/analysis/topics/exceptions/findings.rs";

/// Measures and prints a table.
///
/// # Errors
/// Fails if a step fails.
pub fn of_changes() -> Outcome {
    let mut table = Table::default();
    let place = Place::new("page")?;
    table.add(Row::new("Fresh clone to served page, empty cache", 8 * 60, from_clone_to_page(&place)?));
    for row in changed_line_of_page(&place)? {
        table.add(row);
    }
    let what = "One changed line of an analysis, until its crate's tests pass";
    table.add(Row::new(what, 60, changed_line_of_analysis(&place)?));
    table.print();
    Ok(())
}

/// Measures continuous integration with empty and with full caches, and prints a table.
///
/// # Errors
/// Fails if a step fails.
pub fn of_ci() -> Outcome {
    let mut table = Table::default();
    let place = Place::new("ci")?;
    place.clone_here()?;
    for (what, minutes) in [("Continuous integration, cold", 25), ("Continuous integration, warm", 12)] {
        table.add(Row::new(what, minutes * 60, time(|| run(&mut place.command(".ci/run")))?));
    }
    table.print();
    Ok(())
}

/// Measurements.
#[derive(Default)]
struct Table(Vec<Row>);

impl Table {
    /// Prints a value as soon as it is known, because the next one takes minutes.
    fn add(&mut self, row: Row) {
        println!("{}", row.text());
        self.0.push(row);
    }

    fn print(&self) {
        println!("\n| What | Goal | Measured |\n|---|---:|---:|");
        self.0.iter().for_each(|row| println!("{}", row.text()));
    }
}

/// Value with its goal, if there is one.
struct Row {
    what: &'static str,
    goal_seconds: Option<u64>,
    measured: Duration,
}

impl Row {
    fn new(what: &'static str, goal_seconds: u64, measured: Duration) -> Self {
        Self { what, goal_seconds: Some(goal_seconds), measured }
    }

    fn text(&self) -> String {
        let goal = self.goal_seconds.map_or_else(|| "–".to_owned(), |seconds| words(Duration::from_secs(seconds)));
        format!("| {} | {goal} | {} |", self.what, words(self.measured))
    }
}

/// Formats a duration: `45 s`, `8 min`, `8 min 20 s`.
fn words(duration: Duration) -> String {
    let seconds = duration.as_secs_f64().round() as u64;
    match (seconds / 60, seconds % 60) {
        (0, _) if seconds < 10 => format!("{:.1} s", duration.as_secs_f64()),
        (0, seconds) => format!("{seconds} s"),
        (minutes, 0) => format!("{minutes} min"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    }
}

fn time(action: impl FnOnce() -> Outcome) -> Outcome<Duration> {
    let start = Instant::now();
    action()?;
    Ok(start.elapsed())
}

/// Clones the repository, and waits until the page is served.
fn from_clone_to_page(place: &Place) -> Outcome<Duration> {
    time(|| {
        place.clone_here()?;
        Served::start(place, &[])?.get("index.html").map(drop)
    })
}

/// Waits for the first development build, changes a line, and waits until the page differs.
fn changed_line_of_page(place: &Place) -> Outcome<[Row; 2]> {
    let start = Instant::now();
    let served = Served::start(place, &["--dev"])?;
    let what = "First build for development, after a release build";
    let first = Row { what, goal_seconds: None, measured: start.elapsed() };
    let build = served.get("build.txt")?;
    place.change(PAGE_FILE)?;
    let measured = time(|| served.wait_for_another("build.txt", &build))?;
    Ok([first, Row::new("One changed line of the page, visible in the browser", 30, measured)])
}

/// Runs the tests of the engine, changes a line, and runs them again.
fn changed_line_of_analysis(place: &Place) -> Outcome<Duration> {
    let mut test = place.command("cargo");
    test.args(["test", "--quiet", "--package", "traceglass-engine", "--lib"]);
    run(&mut test)?;
    place.change(ANALYSIS_FILE)?;
    time(|| run(&mut test))
}

/// Folder with a clone and its own caches, removed on drop.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Outcome<Self> {
        let folder = std::env::temp_dir().join(format!("traceglass-turnaround-{name}-{}", std::process::id()));
        let place = Self(folder);
        let cargo_home = place.0.join("cargo");
        std::fs::create_dir_all(&cargo_home).map_err(|error| format!("{}: {error}", cargo_home.display()))?;
        // The configuration of registries is a setting, not a cache.
        if let Some(config) = cargo_config().filter(|config| config.is_file()) {
            std::fs::copy(&config, cargo_home.join("config.toml"))
                .map_err(|error| format!("{}: {error}", config.display()))?;
        }
        Ok(place)
    }

    fn clone(&self) -> PathBuf {
        self.0.join("clone")
    }

    fn clone_here(&self) -> Outcome {
        run(command("git").args(["clone", "--quiet", "--no-hardlinks"]).arg(paths::root()).arg(self.clone()))?;
        // Recordings beside the clone are tested, too.
        #[cfg(unix)]
        if let Some(shared) = paths::shared().and_then(|shared| shared.canonicalize().ok()) {
            let link = self.0.join("shared");
            std::os::unix::fs::symlink(shared, &link).map_err(|error| format!("{}: {error}", link.display()))?;
        }
        Ok(())
    }

    /// Returns a command in the clone, with the caches of this place.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.clone()).env_remove("CARGO_TARGET_DIR").env_remove("CARGO");
        command.env("CARGO_HOME", self.0.join("cargo")).env("TRACEGLASS_CACHE", self.0.join("cache"));
        command.env("npm_config_cache", self.0.join("npm"));
        command
    }

    /// Adds a line to a function that has no effect, but that compilers don't remove.
    fn change(&self, file: &str) -> Outcome {
        let path = self.clone().join(file);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
        let changed = with_another_line(&text).ok_or_else(|| format!("{file} has no function to change"))?;
        std::fs::write(&path, changed).map_err(|error| format!("{file}: {error}"))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            println!("{}: {error}", self.0.display());
        }
    }
}

fn cargo_config() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")))?;
    Some(home.join("config.toml"))
}

/// Returns the text with an additional line at the beginning of its first function.
fn with_another_line(text: &str) -> Option<String> {
    let is_function = |line: &str| {
        let line = line.trim_start();
        ["fn ", "pub fn ", "pub(crate) fn ", "pub(super) fn "].iter().any(|start| line.starts_with(start))
            && line.ends_with('{')
    };
    let mut lines: Vec<&str> = text.lines().collect();
    let function = lines.iter().position(|line| is_function(line))?;
    lines.insert(function + 1, "std::hint::black_box(\"one more line\");");
    Some(lines.join("\n") + "\n")
}

/// Served page; the server ends on drop.
struct Served {
    server: Child,
    port: u16,
}

impl Served {
    /// Starts `cargo xtask serve`, and waits until it serves.
    fn start(place: &Place, options: &[&str]) -> Outcome<Self> {
        let mut serve = place.command("cargo");
        serve.args(["xtask", "serve"]).args(options).args(["--port", "0"]).stdout(Stdio::piped());
        let mut server = serve.spawn().map_err(|error| format!("cargo xtask serve: {error}"))?;
        let output = server.stdout.take().ok_or("no output of cargo xtask serve")?;
        let mut served = Self { server, port: 0 };
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        for line in lines.by_ref() {
            println!("{line}");
            if let Some((_, rest)) = line.split_once("http://localhost:") {
                let port = rest.trim_end_matches('/').parse();
                served.port = port.map_err(|_| format!("not an address: {line}"))?;
                break;
            }
        }
        if served.port == 0 {
            return Err("cargo xtask serve ended before it served".to_owned());
        }
        std::thread::spawn(move || lines.for_each(|line| println!("{line}")));
        Ok(served)
    }

    /// Returns the response of the server for a file.
    fn get(&self, file: &str) -> Outcome<String> {
        let answer = || {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
            write!(stream, "GET /{file} HTTP/1.1\r\nHost: localhost\r\n\r\n")?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer)
        };
        let answer = answer().map_err(|error: std::io::Error| format!("{file}: {error}"))?;
        match answer.split_once("\r\n\r\n") {
            Some((head, body)) if head.starts_with("HTTP/1.1 200 ") => Ok(body.to_owned()),
            _ => Err(format!("{file}: {}", answer.lines().next().unwrap_or_default())),
        }
    }

    /// Waits until a file has another content, polling as often as a page does.
    fn wait_for_another(&self, file: &str, content: &str) -> Outcome {
        const PATIENCE: Duration = Duration::from_secs(30 * 60);
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if self.get(file).is_ok_and(|found| found != content) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(500));
        }
        Err(format!("{file} stayed as it was"))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::{ANALYSIS_FILE, PAGE_FILE, with_another_line, words};
    use std::time::Duration;

    #[test]
    fn durations_are_formatted_in_minutes_and_seconds() {
        let written = [1.26, 59.0, 120.0, 500.4].map(|seconds| words(Duration::from_secs_f64(seconds)));
        assert_eq!(written, ["1.3 s", "59 s", "2 min", "8 min 20 s"]);
    }

    #[test]
    fn line_is_added_inside_function() {
        let changed = with_another_line("use a;\n\npub fn b() -> u8 {\n    1\n}\n").expect("there is a function");
        assert_eq!(changed, "use a;\n\npub fn b() -> u8 {\nstd::hint::black_box(\"one more line\");\n    1\n}\n");
        assert_eq!(with_another_line("mod a;\n"), None);
    }

    #[test]
    fn changed_files_exist_and_have_a_function() {
        for file in [PAGE_FILE, ANALYSIS_FILE] {
            let text = std::fs::read_to_string(crate::paths::root().join(file)).expect(file);
            assert!(with_another_line(&text).is_some(), "{file}");
        }
    }
}
