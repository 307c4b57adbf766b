//! Finds browsers and their WebDrivers. `cargo xtask setup` installs them.

use crate::command::read;
use crate::{Outcome, paths, tools};
use std::path::PathBuf;
use std::process::Command;

/// Browser engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// Chromium, or Chrome.
    Chromium,
    /// Firefox.
    Firefox,
    /// WebKitGTK, a relative of Safari.
    WebKit,
}

impl Engine {
    /// All engines.
    pub const ALL: [Self; 3] = [Self::Chromium, Self::Firefox, Self::WebKit];

    /// Environment variable with the engine for programs that drive a browser.
    pub const VARIABLE: &'static str = "TRACEGLASS_BROWSER";

    /// Returns the engine in [`Engine::VARIABLE`]; Chromium by default.
    pub fn chosen() -> Self {
        match std::env::var(Self::VARIABLE).as_deref() {
            Ok("firefox") => Self::Firefox,
            Ok("webkit") => Self::WebKit,
            _ => Self::Chromium,
        }
    }

    /// Returns the name in lowercase.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chromium => "chromium",
            Self::Firefox => "firefox",
            Self::WebKit => "webkit",
        }
    }
}

/// Browser for tests.
#[derive(Clone, Debug)]
pub struct Browser {
    /// Engine.
    pub engine: Engine,
    /// Path of the browser.
    pub program: PathBuf,
    /// Path of its WebDriver.
    pub driver: PathBuf,
}

impl Browser {
    /// Finds a browser and its WebDriver.
    ///
    /// # Errors
    /// Fails if one is missing; the message contains the installation.
    pub fn find(engine: Engine) -> Outcome<Self> {
        let option = if engine == Engine::Chromium { "" } else { " --all-browsers" };
        let missing = || format!("{} or its driver is missing: `cargo xtask setup{option}` installs it", engine.name());
        match engine {
            Engine::Chromium => chromium().ok_or_else(missing),
            Engine::Firefox => {
                let program = firefox().ok_or_else(missing)?;
                let driver = chosen("GECKODRIVER").map_or_else(tools::geckodriver, Ok)?;
                Ok(Self { engine, program, driver })
            }
            Engine::WebKit => webkit().ok_or_else(missing),
        }
    }

    /// Returns the browser's name and version.
    ///
    /// # Errors
    /// Fails if it can't be run.
    pub fn version(&self) -> Outcome<String> {
        Ok(read(Command::new(&self.program).arg("--version"))?.trim().to_owned())
    }

    /// Sets the environment variables that make a program drive this browser.
    pub fn configure(&self, command: &mut Command) {
        let (program, driver) = match self.engine {
            Engine::Chromium => ("CHROME", "CHROMEDRIVER"),
            Engine::Firefox => ("FIREFOX", "GECKODRIVER"),
            Engine::WebKit => ("WEBKIT", "WEBKITWEBDRIVER"),
        };
        command.env(Engine::VARIABLE, self.engine.name()).env(program, &self.program).env(driver, &self.driver);
    }
}

/// Returns the program in an environment variable.
fn chosen(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_file())
}

fn chromium() -> Option<Browser> {
    let program = chosen("CHROME").or_else(|| {
        let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
        names.into_iter().find_map(paths::on_path).or_else(|| existing(MAC_CHROME))
    })?;
    let driver = chosen("CHROMEDRIVER")
        .or_else(|| paths::on_path("chromedriver").or_else(|| existing("/usr/lib/chromium-browser/chromedriver")))?;
    Some(Browser { engine: Engine::Chromium, program, driver })
}

/// Returns the path of Firefox.
pub(crate) fn firefox() -> Option<PathBuf> {
    chosen("FIREFOX").or_else(|| ["firefox", "firefox-esr"].into_iter().find_map(paths::on_path))
}

/// Returns the MiniBrowser of the WebDriver's package, which needs a display.
fn webkit() -> Option<Browser> {
    let program = chosen("WEBKIT").or_else(|| {
        let folders = ["4.1", "4.0", "6.0"].into_iter().flat_map(|version| {
            let name = if version == "6.0" { "webkitgtk" } else { "webkit2gtk" };
            let folder = format!("{}-linux-gnu", std::env::consts::ARCH);
            [format!("/usr/lib/{folder}/{name}-{version}"), format!("/usr/libexec/{name}-{version}")]
        });
        folders.into_iter().find_map(|folder| existing(&format!("{folder}/MiniBrowser")))
    })?;
    let driver = chosen("WEBKITWEBDRIVER").or_else(|| paths::on_path("WebKitWebDriver"))?;
    paths::on_path("Xvfb")?;
    Some(Browser { engine: Engine::WebKit, program, driver })
}

const MAC_CHROME: &str = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

/// Flags for Chromium: headless, without a sandbox (which root can't use), without background traffic.
pub const FLAGS: [&str; 9] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

fn existing(path: &str) -> Option<PathBuf> {
    Some(PathBuf::from(path)).filter(|path| path.is_file())
}
