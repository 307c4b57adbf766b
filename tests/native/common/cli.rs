//! Runs the command-line tool in a test.

use std::ffi::OsString;
use std::path::Path;

/// Returns the output of the command-line tool.
pub fn traceglass(arguments: &[&str], file: &Path) -> String {
    let (command, options) = arguments.split_first().expect("a command");
    let arguments = std::iter::once(OsString::from(command))
        .chain([file.as_os_str().to_owned()])
        .chain(options.iter().map(OsString::from));
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    cli::run(arguments, &mut output, &mut errors);
    String::from_utf8(output).expect("UTF-8")
}
