//! Chromium and its WebDriver: found, or installed from the system's packages.

use crate::command::{run, step};
use crate::{Outcome, paths};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A browser that tests can drive.
#[derive(Clone, Debug)]
pub struct Chromium {
    /// The browser.
    pub browser: PathBuf,
    /// Its driver.
    pub driver: PathBuf,
}

impl Chromium {
    /// Finds Chromium (or Chrome) and chromedriver, or installs them where it may.
    ///
    /// # Errors
    /// When they are missing and cannot be installed; the message names what to install.
    pub fn ensure() -> Outcome<Self> {
        if let Some(found) = Self::find() {
            return Ok(found);
        }
        if !may_install_packages() {
            return Err(WHAT_TO_INSTALL.to_owned());
        }
        step("installing Chromium and its driver from the system's packages", || {
            apt_get(&["update"])?;
            apt_get(&["install", "--yes", "--no-install-recommends", "chromium", "chromium-driver"])
        })?;
        Self::find().ok_or_else(|| WHAT_TO_INSTALL.to_owned())
    }

    fn find() -> Option<Self> {
        let chosen = |variable| std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_file());
        let browser = chosen("CHROME").or_else(|| {
            let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
            names.into_iter().find_map(paths::on_path).or_else(|| existing(MAC_CHROME))
        })?;
        let driver = chosen("CHROMEDRIVER").or_else(|| {
            paths::on_path("chromedriver").or_else(|| existing("/usr/lib/chromium-browser/chromedriver"))
        })?;
        Some(Self { browser, driver })
    }
}

const MAC_CHROME: &str = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

const WHAT_TO_INSTALL: &str = "the browser tests need Chromium (or Chrome) and a chromedriver of the same version.\n\
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
