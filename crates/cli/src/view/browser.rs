//! Opens the default browser.

use std::io;
use std::process::{Command, Stdio};

/// Opens a URL in the default browser. The URL must not contain characters that a shell interprets.
///
/// # Errors
/// Fails if the system can't open URLs.
pub(super) fn open(url: &str) -> io::Result<()> {
    let (program, arguments): (_, &[&str]) = if cfg!(target_os = "windows") {
        // `start` is a shell command. Its first quoted argument is a title.
        ("cmd", &["/C", "start", ""])
    } else if cfg!(target_os = "macos") {
        ("open", &[])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut process = command.spawn()?;
    // Some of these programs run as long as the browser. Waiting for them avoids zombie processes.
    std::thread::Builder::new().spawn(move || process.wait()).map(drop)
}
