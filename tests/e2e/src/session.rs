//! A browser, its driver and the server of the page, for the time of one test.

use crate::{Need, Page, Step, fixtures};
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use thirtyfour::common::capabilities::firefox::FirefoxPreferences;
use thirtyfour::prelude::*;
use xtask::browser::{Browser, Engine, FLAGS};
use xtask::server::Server;

/// Why a test could not go on.
pub struct Trouble(pub String);

impl std::fmt::Debug for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<WebDriverError> for Trouble {
    fn from(error: WebDriverError) -> Self {
        Self(error.to_string())
    }
}

impl From<String> for Trouble {
    fn from(message: String) -> Self {
        Self(message)
    }
}

/// The page is served below this, to prove that no address in it is absolute.
const SUB_PATH: &str = "/tools/traceglass/";

/// A test that needs longer does not come to an end.
const LIMIT: Duration = Duration::from_secs(180);

/// Runs a test against the page. When it fails, a screenshot and what the browser logged are kept.
///
/// # Panics
/// When the test fails.
pub fn drive(name: &str, test: impl AsyncFnOnce(&Page) -> Step) {
    drive_within(LIMIT, name, test);
}

/// The same for a test that needs what not every engine can do; where it cannot, this is said, and nothing is tested.
///
/// # Panics
/// When the test fails.
pub fn drive_if(need: Need, name: &str, test: impl AsyncFnOnce(&Page) -> Step) {
    let engine = Engine::chosen();
    match need.missing_in(engine) {
        None => drive(name, test),
        // Not by a macro, whose words are shown of failed tests only.
        Some(reason) => {
            let _ = writeln!(std::io::stderr(), "{name}: not tested in {}: {reason}", engine.name());
        }
    }
}

/// The same for what takes long.
///
/// # Panics
/// When the test fails.
pub fn drive_within(limit: Duration, name: &str, test: impl AsyncFnOnce(&Page) -> Step) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("threads to run the test on");
    let (page, driver) = runtime.block_on(start(name, limit)).expect("a browser with the page");
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(async {
            tokio::time::timeout(limit, test(&page)).await.unwrap_or(Err(Trouble("took too long".into())))
        })
    }));
    if !matches!(outcome, Ok(Ok(()))) {
        runtime.block_on(page.keep_evidence());
    }
    runtime.block_on(page.close());
    drop(driver);
    match outcome {
        Ok(outcome) => outcome.expect("the test to go through"),
        Err(panic) => resume_unwind(panic),
    }
}

async fn start(name: &str, limit: Duration) -> Step<(Page, Driver)> {
    let program = Browser::find(Engine::chosen())?;
    let server = Server::start(&fixtures::dist(), SUB_PATH, 0)?;
    let downloads = fixtures::folder(&format!("downloads-{name}"))?;
    let driver = Driver::start(&program, &downloads)?;
    let capabilities = match program.engine {
        Engine::Chromium => chromium(&program, &downloads)?,
        Engine::Firefox => firefox(&program, &downloads)?,
        Engine::WebKit => webkit(&program)?,
    };
    let browser = WebDriver::builder(driver.address.as_str(), capabilities).request_timeout(limit).await?;
    browser.set_script_timeout(limit).await?;
    if program.engine == Engine::WebKit {
        // Without a window manager its arguments do not count; the bar above the page takes some of it.
        browser.set_window_rect(0, 0, 1440, 960).await?;
    }
    Ok((Page::new(name, program.engine, browser, server, downloads), driver))
}

fn chromium(program: &Browser, downloads: &Path) -> Step<Capabilities> {
    let mut capabilities = DesiredCapabilities::chrome();
    capabilities.set_binary(&program.program.to_string_lossy())?;
    for flag in FLAGS {
        capabilities.add_arg(flag)?;
    }
    capabilities.add_arg("--window-size=1440,900")?;
    capabilities.add_arg("--force-device-scale-factor=1")?;
    capabilities.add_experimental_option("prefs", json!({ "download.default_directory": downloads }))?;
    capabilities.set("goog:loggingPrefs", json!({ "browser": "ALL" }))?;
    Ok(capabilities.into())
}

fn firefox(program: &Browser, downloads: &Path) -> Step<Capabilities> {
    let mut capabilities = DesiredCapabilities::firefox();
    capabilities.set_firefox_binary(&program.program.to_string_lossy())?;
    // What is above the page takes 86 pixels.
    for flag in ["-headless", "--width=1440", "--height=986"] {
        capabilities.add_arg(flag)?;
    }
    let mut preferences = FirefoxPreferences::new();
    // 2: the folder that is named.
    preferences.set("browser.download.folderList", 2)?;
    preferences.set("browser.download.dir", downloads.to_string_lossy())?;
    capabilities.set_preferences(preferences)?;
    Ok(capabilities.into())
}

fn webkit(program: &Browser) -> Step<Capabilities> {
    let mut capabilities = Capabilities::new();
    let options = json!({ "binary": program.program, "args": ["--automation"] });
    capabilities.set("webkitgtk:browserOptions", options)?;
    Ok(capabilities)
}

/// A running driver and what it needs, ended when dropped.
struct Driver {
    /// The driver, and before it a screen without a monitor for browsers that draw windows.
    processes: Vec<Child>,
    address: String,
}

impl Driver {
    /// Starts it, again if need be: a port that it found free may be taken a moment later, or in the other version of the
    /// internet protocol, and then it ends.
    fn start(browser: &Browser, downloads: &Path) -> Step<Self> {
        let start = || Self::start_once(browser, downloads);
        start().or_else(|_| start()).or_else(|_| start())
    }

    fn start_once(browser: &Browser, downloads: &Path) -> Step<Self> {
        let mut driver = Self { processes: Vec::new(), address: String::new() };
        // Where it is another time than where the trace was recorded, and half an hour off: what mixes them up shows.
        let mut command = Command::new(&browser.driver);
        command.env("TZ", "Asia/Kolkata").stderr(Stdio::null());
        let port = match browser.engine {
            // "ChromeDriver was started successfully on port 12345."
            Engine::Chromium => driver.run(command.arg("--port=0"), "successfully on port ")?,
            // "1795333278503 geckodriver INFO Listening on 127.0.0.1:12345"
            Engine::Firefox => driver.run(command.arg("--port=0"), "Listening on 127.0.0.1:")?,
            Engine::WebKit => {
                let mut screen = Command::new("Xvfb");
                screen.args(["-displayfd", "1", "-screen", "0", "1600x1800x24"]).stderr(Stdio::null());
                let display = driver.run(&mut screen, "")?;
                // It saves where the user's settings say.
                let settings = format!("XDG_DOWNLOAD_DIR=\"{}\"\n", downloads.display());
                std::fs::write(downloads.join("user-dirs.dirs"), settings)
                    .map_err(|error| Trouble(error.to_string()))?;
                command.env("XDG_CONFIG_HOME", downloads);
                // It neither takes any free port nor says when it listens.
                let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
                let port = free.map_err(|error| Trouble(format!("no free port: {error}")))?.port();
                command.arg(format!("--port={port}")).env("DISPLAY", format!(":{display}")).stdout(Stdio::null());
                driver.spawn(&mut command)?;
                let until = Instant::now() + Duration::from_secs(20);
                while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
                    if Instant::now() > until {
                        return Err(Trouble("the driver did not start".into()));
                    }
                    std::thread::sleep(Duration::from_millis(20));
                }
                port.to_string()
            }
        };
        driver.address = format!("http://localhost:{port}");
        Ok(driver)
    }

    fn spawn(&mut self, command: &mut Command) -> Step<Option<ChildStdout>> {
        let program = command.get_program().to_string_lossy().into_owned();
        let mut process = command.spawn().map_err(|error| Trouble(format!("{program}: {error}")))?;
        let output = process.stdout.take();
        self.processes.push(process);
        Ok(output)
    }

    /// Starts a program that says where it is to be found: what follows `before` in a line.
    fn run(&mut self, command: &mut Command, before: &str) -> Step<String> {
        let output = self.spawn(command.stdout(Stdio::piped()))?;
        let mut lines = output.into_iter().flat_map(|output| BufReader::new(output).lines().map_while(Result::ok));
        let place = lines.find_map(|line| Some(line.split_once(before)?.1.trim_end_matches('.').to_owned()));
        // Whatever else it says must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        place.ok_or_else(|| Trouble("the driver did not start".into()))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        for process in self.processes.iter_mut().rev() {
            // Already gone is as good.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// Where screenshots go.
pub(crate) fn screenshots() -> PathBuf {
    let folder = std::env::var_os("TRACEGLASS_SCREENSHOTS").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| std::env::temp_dir().join("traceglass-screenshots"));
    std::fs::create_dir_all(&folder).expect("a folder for screenshots");
    folder
}
