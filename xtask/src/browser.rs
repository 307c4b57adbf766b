//! Browsers and their WebDrivers: found, or installed.

use crate::command::{read, run, step};
use crate::{Outcome, paths, tools};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

    /// The variable that tells programs which drive a browser which one.
    pub const VARIABLE: &'static str = "TRACEGLASS_BROWSER";

    /// The one that [`Engine::VARIABLE`] names: Chromium unless told otherwise.
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
    /// Finds a browser and its driver, or installs them where it may.
    ///
    /// # Errors
    /// When they are missing and cannot be installed; the message names what to install.
    pub fn ensure(engine: Engine) -> Outcome<Self> {
        match engine {
            Engine::Chromium => {
                let packages = ["chromium", "chromium-driver"];
                found_or_installed(chromium, "Chromium and its driver", &packages, CHROMIUM_TO_INSTALL)
            }
            Engine::Firefox => {
                let program = found_or_installed(firefox, "Firefox", &["firefox-esr"], FIREFOX_TO_INSTALL)?;
                let driver = chosen("GECKODRIVER").map_or_else(tools::geckodriver, Ok)?;
                Ok(Self { engine, program, driver })
            }
            Engine::WebKit => {
                let packages = ["webkit2gtk-driver", "xvfb"];
                found_or_installed(webkit, "WebKitGTK, its driver and a screen for it", &packages, WEBKIT_TO_INSTALL)
            }
        }
    }

    /// What it says that it is, with its version.
    ///
    /// # Errors
    /// When it cannot be run.
    pub fn version(&self) -> Outcome<String> {
        Ok(read(Command::new(&self.program).arg("--version"))?.trim().to_owned())
    }

    /// Tells a program that drives a browser to drive this one.
    pub fn tell(&self, command: &mut Command) {
        let (program, driver) = match self.engine {
            Engine::Chromium => ("CHROME", "CHROMEDRIVER"),
            Engine::Firefox => ("FIREFOX", "GECKODRIVER"),
            Engine::WebKit => ("WEBKIT", "WEBKITWEBDRIVER"),
        };
        command.env(Engine::VARIABLE, self.engine.name()).env(program, &self.program).env(driver, &self.driver);
    }
}

fn found_or_installed<T>(find: fn() -> Option<T>, what: &str, packages: &[&str], hint: &str) -> Outcome<T> {
    if let Some(found) = find() {
        return Ok(found);
    }
    if !may_install_packages() {
        return Err(hint.to_owned());
    }
    step(&format!("installing {what} from the system's packages"), || {
        apt_get(&["update"])?;
        apt_get(&[&["install", "--yes", "--no-install-recommends"], packages].concat())
    })?;
    find().ok_or_else(|| hint.to_owned())
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

fn firefox() -> Option<PathBuf> {
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

const FIREFOX_TO_INSTALL: &str = "there is no Firefox: install it, or set FIREFOX to the program.";

const WEBKIT_TO_INSTALL: &str = "there is no WebKitGTK with a driver, or no Xvfb for it.\n\
    Debian, Ubuntu: apt-get install webkit2gtk-driver xvfb\n\
    Elsewhere: set WEBKIT and WEBKITWEBDRIVER to MiniBrowser and WebKitWebDriver.";

const CHROMIUM_TO_INSTALL: &str = "the browser tests need Chromium (or Chrome) and a chromedriver of the same version.\n\
    Debian, Ubuntu: apt-get install chromium chromium-driver   Fedora: dnf install chromium chromedriver\n\
    Arch: pacman -S chromium   macOS: brew install --cask google-chrome chromedriver\n\
    Elsewhere: set CHROME and CHROMEDRIVER to the two programs.";

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

/// Installs a Debian package that tests use, where that may be done; whether its program is there in the end.
pub fn ensure_package(program: &str, package: &str) -> bool {
    if paths::on_path(program).is_some() {
        return true;
    }
    let install =
        || apt_get(&["update"]).and_then(|()| apt_get(&["install", "--yes", "--no-install-recommends", package]));
    may_install_packages()
        && step(&format!("installing {package}"), install).is_ok()
        && paths::on_path(program).is_some()
}

fn may_install_packages() -> bool {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.trim_ascii() == b"0");
    is_root && Path::new("/usr/bin/apt-get").is_file()
}

fn apt_get(arguments: &[&str]) -> Outcome {
    let mut command = Command::new("apt-get");
    run(command.arg("-qq").args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null()))
}
