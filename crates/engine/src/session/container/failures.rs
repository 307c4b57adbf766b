//! Failures while extracting or decompressing.

use super::{Coding, Entry, MAX_UNPACKED_BYTES};
use protocol::format;
use protocol::{Failure, FailureCode};

/// Creates the failure for exceeding the limit of decompressed data.
pub fn too_large() -> Failure {
    let limit = MAX_UNPACKED_BYTES >> 30;
    Failure::new(
        FailureCode::TooLarge,
        format!(
            "Larger than {limit} GiB uncompressed. Decompress or download it first; files on disk can be any size."
        ),
    )
}

/// Creates the failure for a compressed stream without any data.
pub fn nothing_unpacked(coding: Coding) -> Failure {
    let message = format!("Can't decompress this {} file: it's truncated or damaged.", coding.name());
    Failure::new(FailureCode::NotATrace, message).at(0)
}

/// Describes a damaged stream and its effect.
pub fn damaged_stream(coding: Coding, packed_offset: Option<u64>, what: &str) -> String {
    let place = packed_offset.map_or(String::new(), |at| format!(" at compressed byte {}", format::count(at)));
    format!("Can't decompress all of the {} data: {what}{place}. Showing everything before that point.", coding.name())
}

/// Creates the failure for too many nested archives.
pub(super) fn too_deep() -> Failure {
    Failure::new(FailureCode::Archive, "Too many nested archives. Extract some of them and open the file inside.")
}

/// Creates the failure for an empty archive.
pub(super) fn empty_archive() -> Failure {
    Failure::new(FailureCode::NotATrace, "This ZIP archive is empty.").at(0)
}

/// Creates the failure for an archive that ends before its first file.
pub(super) fn no_directory() -> Failure {
    Failure::new(FailureCode::NotATrace, "This ZIP archive is truncated: its directory is missing.").at(0)
}

/// Creates the failure for an archive without a trace; `contents` describes some of its files.
pub(super) fn no_trace_in_archive(files: usize, contents: &[String]) -> Failure {
    let message = match files {
        1 => "The only file in this ZIP isn't a .NET trace.".to_owned(),
        files => format!("None of the {files} files in this ZIP is a .NET trace."),
    };
    Failure::new(FailureCode::NotATrace, message).with_detail(contents.join("\n"))
}

/// Creates the failure for a requested entry that doesn't exist.
pub(super) fn no_such_entry(path: &str, archive: &[Entry]) -> Failure {
    const SHOWN: usize = 20;
    let known: Vec<&str> = archive.iter().take(SHOWN).map(|entry| entry.path.as_str()).collect();
    Failure::new(FailureCode::NotFound, format!("This archive has no entry “{path}”."))
        .with_detail(format!("Entries: {}", known.join(", ")))
}

/// Creates the failure for a path into a file that isn't an archive.
pub(super) fn not_an_archive(path: &str) -> Failure {
    Failure::new(FailureCode::NotFound, format!("This file isn't an archive, so it has no entry “{path}”."))
}

/// Creates the failure for an encrypted entry.
pub(super) fn encrypted(path: &str) -> Failure {
    let message = format!("“{path}” is encrypted. Extract it with its password and open the extracted file.");
    Failure::new(FailureCode::Archive, message)
}

/// Creates the failure for an entry with an unknown compression method (APPNOTE 4.4.5).
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

/// Creates the failure for a split archive.
pub(super) fn split_archive() -> Failure {
    let message = "This is one part of a split archive. Join or extract the parts, then open the result.";
    Failure::new(FailureCode::Archive, message)
}
