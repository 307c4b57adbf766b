//! Failures of extracting and decompressing.

use super::{Coding, Entry, MAX_UNPACKED_BYTES};
use protocol::{Failure, FailureCode};

/// More than is unpacked here.
pub fn too_large() -> Failure {
    let limit = MAX_UNPACKED_BYTES >> 30;
    Failure::new(
        FailureCode::TooLarge,
        format!(
            "Larger than {limit} GiB uncompressed. Decompress or download it first; files on disk can be any size."
        ),
    )
}

/// A compressed stream that gives nothing at all.
pub fn nothing_unpacked(coding: Coding) -> Failure {
    let message = format!("The file starts like {} data, but can't be decompressed.", coding.name());
    Failure::new(FailureCode::NotATrace, message).at(0)
}

/// What a damaged stream means for what is shown.
pub fn damaged_stream(coding: Coding, packed_offset: Option<u64>, what: &str) -> String {
    let place = packed_offset.map_or(String::new(), |at| format!(" at compressed byte {at}"));
    format!("Can't decompress all of the {} data: {what}{place}. Showing everything before that point.", coding.name())
}

/// Layers without end.
pub(super) fn too_deep() -> Failure {
    Failure::new(FailureCode::Archive, "Too many nested archives. Extract some of them and open the file inside.")
}

/// An archive without anything in it.
pub(super) fn empty_archive() -> Failure {
    Failure::new(FailureCode::NotATrace, "This ZIP archive is empty.").at(0)
}

/// An archive in which nothing is a trace; `contents` says of some files what they look like.
pub(super) fn no_trace_in_archive(files: usize, contents: &[String]) -> Failure {
    let message = match files {
        1 => "This ZIP contains one file, and it isn't a .NET trace.".to_owned(),
        files => format!("This ZIP contains {files} files, and none of them is a .NET trace."),
    };
    Failure::new(FailureCode::NotATrace, message).with_detail(contents.join("\n"))
}

/// An entry that was asked for by name and is not there.
pub(super) fn no_such_entry(path: &str, archive: &[Entry]) -> Failure {
    const SHOWN: usize = 20;
    let known: Vec<&str> = archive.iter().take(SHOWN).map(|entry| entry.path.as_str()).collect();
    Failure::new(FailureCode::NotFound, format!("This archive has no entry “{path}”."))
        .with_detail(format!("Entries: {}", known.join(", ")))
}

/// A path into something that is no archive.
pub(super) fn not_an_archive(path: &str) -> Failure {
    Failure::new(FailureCode::NotFound, format!("This file is not an archive, so it has no entry “{path}”."))
}

/// An entry that needs a password.
pub(super) fn encrypted(path: &str) -> Failure {
    let message = format!("“{path}” is encrypted. Extract it with its password and open the extracted file.");
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
        _ => "an unknown algorithm",
    };
    let message = format!(
        "“{path}” is compressed with {name} (method {method}), which isn't supported. Extract the archive first."
    );
    Failure::new(FailureCode::Archive, message)
}

/// An archive in several files.
pub(super) fn split_archive() -> Failure {
    let message = "This is one part of a split archive. Join or extract the parts, then open the result.";
    Failure::new(FailureCode::Archive, message)
}
