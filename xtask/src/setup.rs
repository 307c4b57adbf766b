//! Installs system packages that tests need. Nothing else in `cargo xtask` changes the system.

use crate::browser::{Browser, Engine};
use crate::command::{run, step};
use crate::{Outcome, paths};
use std::path::Path;
use std::process::{Command, Stdio};

/// Requirement of a kind of tests.
struct Need {
    what: &'static str,
    /// Debian packages that provide it.
    packages: &'static [&'static str],
    is_there: fn() -> bool,
    /// Advice if the packages can't be installed.
    hint: &'static str,
}

const ALWAYS: [Need; 2] = [
    Need {
        what: "Chromium and its driver",
        packages: &["chromium", "chromium-driver"],
        is_there: || Browser::find(Engine::Chromium).is_ok(),
        hint: "the browser tests need Chromium (or Chrome) and a chromedriver of the same version.\n\
            Debian, Ubuntu: apt-get install chromium chromium-driver   Fedora: dnf install chromium chromedriver\n\
            Arch: pacman -S chromium   macOS: brew install --cask google-chrome chromedriver\n\
            Elsewhere: set CHROME and CHROMEDRIVER to the two programs.",
    },
    Need {
        what: "zstd",
        packages: &["zstd"],
        is_there: || paths::on_path("zstd").is_some(),
        hint: "recorded traces are decompressed with zstd: install it.",
    },
];

const FOR_ALL_BROWSERS: [Need; 2] = [
    Need {
        what: "Firefox",
        packages: &["firefox-esr"],
        is_there: || crate::browser::firefox().is_some(),
        hint: "there is no Firefox: install it, or set FIREFOX to the program.",
    },
    Need {
        what: "WebKitGTK, its driver and a screen for it",
        packages: &["webkit2gtk-driver", "xvfb"],
        is_there: || Browser::find(Engine::WebKit).is_ok(),
        hint: "there is no WebKitGTK with a driver, or no Xvfb for it.\n\
            Debian, Ubuntu: apt-get install webkit2gtk-driver xvfb\n\
            Elsewhere: set WEBKIT and WEBKITWEBDRIVER to MiniBrowser and WebKitWebDriver.",
    },
];

/// Installs missing packages.
///
/// # Errors
/// Fails if a package is missing and can't be installed; the message contains its source.
pub fn run_all(all_browsers: bool) -> Outcome {
    let more: &[Need] = if all_browsers { &FOR_ALL_BROWSERS } else { &[] };
    let missing: Vec<&Need> = ALWAYS.iter().chain(more).filter(|need| !(need.is_there)()).collect();
    if !missing.is_empty() && may_install_packages() {
        let what = missing.iter().map(|need| need.what).collect::<Vec<_>>().join("; ");
        step(&format!("installing from the system's packages: {what}"), || {
            let packages = missing.iter().flat_map(|need| need.packages).copied();
            let arguments: Vec<&str> =
                ["install", "--yes", "--no-install-recommends"].into_iter().chain(packages).collect();
            apt_get(&["update"]).and_then(|()| apt_get(&arguments))
        })?;
    }
    let hints: Vec<&str> = missing.iter().filter(|need| !(need.is_there)()).map(|need| need.hint).collect();
    if !hints.is_empty() {
        return Err(hints.join("\n\n"));
    }
    println!("everything is installed");
    Ok(())
}

fn may_install_packages() -> bool {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.trim_ascii() == b"0");
    is_root && Path::new("/usr/bin/apt-get").is_file()
}

fn apt_get(arguments: &[&str]) -> Outcome {
    let mut command = Command::new("apt-get");
    run(command.arg("-qq").args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null()))
}
