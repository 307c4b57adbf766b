//! Finds browsers and their WebDrivers. `cargo xtask setup` installs them.

use crate::command::read;
use crate::{Outcome, paths, tools};
use std::path::PathBuf;
use std::process::Command;

/// Whose browser it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// Chromium, or Chrome.
    Chromium,
    /// Firefox.
    Firefox,
    /// WebKit, as GTK programs show it: Safari's relative.
    WebKit,
}

impl Engine {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Chromium, Self::Firefox, Self::WebKit];

    /// The variable that says which browser programs that drive one use.
    pub const VARIABLE: &'static str = "TRACEGLASS_BROWSER";

    /// The one that [`Engine::VARIABLE`] names; Chromium by default.
    pub fn chosen() -> Self {
        match std::env::var(Self::VARIABLE).as_deref() {
            Ok("firefox") => Self::Firefox,
            Ok("webkit") => Self::WebKit,
            _ => Self::Chromium,
        }
    }

    /// In words, small.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chromium => "chromium",
            Self::Firefox => "firefox",
            Self::WebKit => "webkit",
        }
    }
}

/// A browser that tests can drive.
#[derive(Clone, Debug)]
pub struct Browser {
    /// Whose it is.
    pub engine: Engine,
    /// The browser.
    pub program: PathBuf,
    /// Its driver.
    pub driver: PathBuf,
}

impl Browser {
    /// Finds a browser and its driver.
    ///
    /// # Errors
    /// When one is missing; the message says how to install it.
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

    /// What it says that it is, with its version.
    ///
    /// # Errors
    /// When it cannot be run.
    pub fn version(&self) -> Outcome<String> {
        Ok(read(Command::new(&self.program).arg("--version"))?.trim().to_owned())
    }

    /// Makes a program that drives a browser drive this one.
    pub fn configure(&self, command: &mut Command) {
        let (program, driver) = match self.engine {
            Engine::Chromium => ("CHROME", "CHROMEDRIVER"),
            Engine::Firefox => ("FIREFOX", "GECKODRIVER"),
            Engine::WebKit => ("WEBKIT", "WEBKITWEBDRIVER"),
        };
        command.env(Engine::VARIABLE, self.engine.name()).env(program, &self.program).env(driver, &self.driver);
    }
}

/// The program that a variable names.
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

/// Firefox, without its driver.
pub(crate) fn firefox() -> Option<PathBuf> {
    chosen("FIREFOX").or_else(|| ["firefox", "firefox-esr"].into_iter().find_map(paths::on_path))
}

/// The small browser that comes with the driver; it wants a screen.
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

/// How the tests start Chromium: without a window, without a sandbox (which root may not use), without traffic of
/// its own.
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
