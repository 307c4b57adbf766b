//! Opening of the default browser.

use std::io;
use std::process::{Command, Stdio};

/// Opens an address in the default browser. It must not contain characters that a shell interprets.
///
/// # Errors
/// Fails if the system has no program for it.
pub(super) fn open(address: &str) -> io::Result<()> {
    let (program, arguments): (_, &[&str]) = if cfg!(target_os = "windows") {
        // "start" is a command of the shell; its first argument in quotation marks is a title.
        ("cmd", &["/C", "start", ""])
    } else if cfg!(target_os = "macos") {
        ("open", &[])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut process = command.spawn()?;
    // Some of them run as long as the browser. Waiting for them avoids zombie processes.
    std::thread::Builder::new().spawn(move || process.wait()).map(drop)
}
