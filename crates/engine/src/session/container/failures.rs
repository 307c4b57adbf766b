//! What is said when something cannot be unpacked.

use super::{Coding, Entry, MOST_UNPACKED_BYTES};
use protocol::{Failure, FailureCode};

/// More than is unpacked here.
pub fn too_large() -> Failure {
    let limit = MOST_UNPACKED_BYTES >> 30;
    Failure::new(
        FailureCode::TooLarge,
        format!(
            "This is more than {limit} GiB when it is unpacked or downloaded. Unpack or download it and open the file itself: files on disk may have any size."
        ),
    )
}

/// A compressed stream that gives nothing at all.
pub fn nothing_unpacked(coding: Coding) -> Failure {
    let message =
        format!("The file starts like {}-compressed data, but nothing can be unpacked from it.", coding.name());
    Failure::new(FailureCode::NotATrace, message).at(0)
}

/// What a damaged stream means for what is shown.
pub fn damaged_stream(coding: Coding, packed_offset: Option<u64>, what: &str) -> String {
    let place = packed_offset.map_or(String::new(), |at| format!(" at byte {at} of what is packed"));
    format!("The {} data cannot be unpacked completely: {what}{place}. What came before is shown.", coding.name())
}

/// Layers without end.
pub(super) fn too_deep() -> Failure {
    Failure::new(
        FailureCode::Archive,
        "There are too many compressed files inside each other. Unpack some of them and open what is inside.",
    )
}

/// An archive without anything in it.
pub(super) fn empty_archive() -> Failure {
    Failure::new(FailureCode::NotATrace, "This is a ZIP archive without any files in it.").at(0)
}

/// An archive in which nothing is a trace; `contents` says of some files what they look like.
pub(super) fn no_trace_in_archive(files: usize, contents: &[String]) -> Failure {
    let message = match files {
        1 => "This is a ZIP archive of one file, which is no .NET trace.".to_owned(),
        files => format!("This is a ZIP archive of {files} files, and none of them is a .NET trace."),
    };
    Failure::new(FailureCode::NotATrace, message).with_detail(contents.join("\n"))
}

/// An entry that was asked for by name and is not there.
pub(super) fn no_such_entry(path: &str, archive: &[Entry]) -> Failure {
    const SHOWN: usize = 20;
    let known: Vec<&str> = archive.iter().take(SHOWN).map(|entry| entry.path.as_str()).collect();
    Failure::new(FailureCode::NotFound, format!("There is no “{path}” in this archive."))
        .with_detail(format!("It holds: {}", known.join(", ")))
}

/// A path into something that is no archive.
pub(super) fn not_an_archive(path: &str) -> Failure {
    Failure::new(FailureCode::NotFound, format!("There is no “{path}” in this file: it is no archive."))
}

/// An entry that needs a password.
pub(super) fn encrypted(path: &str) -> Failure {
    let message = format!("“{path}” is encrypted. Unpack the archive with its password and open the file itself.");
    Failure::new(FailureCode::Archive, message)
}

/// An entry that is packed in a way that is not known here (APPNOTE 4.4.5).
pub(super) fn unknown_method(path: &str, method: u16) -> Failure {
    let name = match method {
        1 => "shrink",
        2..=5 => "reduce",
        6 => "implode",
        9 => "Deflate64",
        12 => "bzip2",
        14 => "LZMA",
        95 => "xz",
        98 => "PPMd",
        _ => "another method",
    };
    let message =
        format!("“{path}” is packed with {name} (method {method}), which is not read here. Unpack the archive first.");
    Failure::new(FailureCode::Archive, message)
}

/// An archive in several files.
pub(super) fn split_archive() -> Failure {
    let message = "This is one part of an archive that was split. Join the parts, or unpack them, and open the result.";
    Failure::new(FailureCode::Archive, message)
}
