//! A browser, its driver and the server of the page, for the time of one test.

use crate::{Page, Step, fixtures};
use std::io::{BufRead, BufReader};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
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
    let program = Browser::ensure(Engine::chosen())?;
    let server = Server::start(&fixtures::dist(), SUB_PATH, 0)?;
    let driver = Driver::start(&program)?;
    let capabilities = match program.engine {
        Engine::Chromium => chromium(&program)?,
        Engine::Firefox => firefox(&program)?,
    };
    let browser = WebDriver::builder(driver.address.as_str(), capabilities).request_timeout(limit).await?;
    browser.set_script_timeout(limit).await?;
    Ok((Page::new(name, program.engine, browser, server), driver))
}

fn chromium(program: &Browser) -> Step<Capabilities> {
    let mut capabilities = DesiredCapabilities::chrome();
    capabilities.set_binary(&program.program.to_string_lossy())?;
    for flag in FLAGS {
        capabilities.add_arg(flag)?;
    }
    capabilities.add_arg("--window-size=1440,900")?;
    capabilities.add_arg("--force-device-scale-factor=1")?;
    capabilities.set("goog:loggingPrefs", serde_json::json!({ "browser": "ALL" }))?;
    Ok(capabilities.into())
}

fn firefox(program: &Browser) -> Step<Capabilities> {
    let mut capabilities = DesiredCapabilities::firefox();
    capabilities.set_firefox_binary(&program.program.to_string_lossy())?;
    for flag in ["-headless", "--width=1440", "--height=900"] {
        capabilities.add_arg(flag)?;
    }
    Ok(capabilities.into())
}

/// A running driver, ended when dropped.
struct Driver {
    process: Child,
    address: String,
}

impl Driver {
    fn start(browser: &Browser) -> Step<Self> {
        let mut command = Command::new(&browser.driver);
        command.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().map_err(|error| Trouble(format!("the driver: {error}")))?;
        let output = process.stdout.take().ok_or_else(|| Trouble("the driver has no output".into()))?;
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        let before_port = match browser.engine {
            // "ChromeDriver was started successfully on port 12345."
            Engine::Chromium => "successfully on port ",
            // "1795333278503 geckodriver INFO Listening on 127.0.0.1:12345"
            Engine::Firefox => "Listening on 127.0.0.1:",
        };
        let port = lines.find_map(|line| Some(line.split_once(before_port)?.1.trim_end_matches('.').to_owned()));
        let port = port.ok_or_else(|| Trouble("the driver did not start".into()))?;
        // Whatever else it says must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Self { process, address: format!("http://localhost:{port}") })
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Already gone is as good.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Where screenshots go.
pub(crate) fn screenshots() -> PathBuf {
    let folder = std::env::var_os("TRACEGLASS_SCREENSHOTS").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| std::env::temp_dir().join("traceglass-screenshots"));
    std::fs::create_dir_all(&folder).expect("a folder for screenshots");
    folder
}
