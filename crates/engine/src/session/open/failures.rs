//! Maps parser errors to user-facing failures.

use super::file_kind::FileKind;
use super::text_transfer::TextDamage;
use crate::model::OutOfMemory;
use nettrace::{Error, ErrorKind, SourceError};
use protocol::filter::QueryError;
use protocol::{Failure, FailureCode};

/// Creates the failure for an empty file.
pub fn empty_file() -> Failure {
    Failure::new(
        FailureCode::EmptyFile,
        "The file has 0 bytes. The process may have exited before anything was recorded.",
    )
}

/// Creates the failure for an unreadable file; `prefix` are its first bytes.
pub fn unreadable_trace(error: &Error, prefix: &[u8]) -> Failure {
    if let Some(damage) = TextDamage::of(prefix) {
        let detail = format!("{}.\n{}", error.kind(), first_bytes(prefix));
        return Failure::new(FailureCode::DamagedHeader, damage.message()).with_detail(detail).at(error.offset());
    }
    let failure = match error.kind() {
        ErrorKind::NotATrace => return not_a_trace(prefix),
        ErrorKind::DamagedHeader(_) if FileKind::of_relative(prefix).is_some() => return not_a_trace(prefix),
        ErrorKind::UnsupportedVersion { found, newest } => Failure::new(
            FailureCode::UnsupportedVersion,
            format!("The file uses format version {found}; this version of Traceglass reads up to {newest}."),
        ),
        ErrorKind::NeedsNewerReader { needed, known } => Failure::new(
            FailureCode::UnsupportedVersion,
            format!("The file requires reader version {needed}; this version of Traceglass supports {known}."),
        ),
        ErrorKind::UnexpectedEof { .. } => Failure::new(
            FailureCode::DamagedHeader,
            "The file was probably truncated while being recorded or copied: it ends inside its header.",
        ),
        _ => Failure::new(FailureCode::DamagedHeader, "Nothing after the damaged header can be decoded."),
    };
    // The message for an unsupported version already contains the details.
    let detail = match failure.code {
        FailureCode::UnsupportedVersion => first_bytes(prefix),
        _ => format!("{}.\n{}", error.kind(), first_bytes(prefix)),
    };
    failure.with_detail(detail).at(error.offset())
}

/// Creates the failure for a source that can no longer be read.
pub fn unreadable_source(error: &SourceError) -> Failure {
    Failure::new(FailureCode::Unreadable, "The file was changed, moved or deleted after you opened it. Open it again.")
        .with_detail(error.to_string())
}

/// Creates the failure for a URL without a response. Browsers don't report the reason; the page's `origin` and the URL
/// show the likely one.
pub fn unreachable_address(url: &str, origin: &str) -> Failure {
    let is_of_page = url.strip_prefix(origin).is_some_and(|path| path.starts_with('/'));
    // Browsers consider the local machine as secure as https.
    let is_of_this_machine = ["http://localhost", "http://127.0.0.1"].iter().any(|start| url.starts_with(start));
    let sentence = if is_of_page && url.contains("/samples/") {
        // Samples aren't cached for offline use, because they are large.
        "Can't download the sample. Check your connection, or open your own trace.".to_owned()
    } else if is_of_page {
        "This page's host didn't respond. Check your connection.".to_owned()
    } else if origin.starts_with("https:") && url.starts_with("http:") && !is_of_this_machine {
        "An HTTPS page can't load an HTTP URL. Serve the trace over HTTPS, or download it and drop it here.".to_owned()
    } else {
        format!(
            "The host didn't respond, or doesn't allow cross-origin reads (CORS). It must send the header \
             “Access-Control-Allow-Origin: {origin}”, or “*”."
        )
    };
    Failure::new(FailureCode::Fetch, sentence).with_detail(url)
}

/// Creates the failure for an interrupted download.
pub fn broken_off(url: &str) -> Failure {
    let sentence = "The download was interrupted. Try again, or download the file and drop it here.";
    Failure::new(FailureCode::Fetch, sentence).with_detail(url)
}

/// Creates the failure for an invalid filter.
pub fn not_a_filter(error: &QueryError) -> Failure {
    Failure::new(FailureCode::Filter, format!("Invalid filter: {error}"))
}

/// Creates the failure for a store that doesn't fit into memory.
pub fn out_of_memory(error: &OutOfMemory) -> Failure {
    Failure::new(
        FailureCode::OutOfMemory,
        "Not enough memory for this trace. Close other tabs, or record a shorter time or fewer providers.",
    )
    .with_detail(error.to_string())
}

const NOT_A_TRACE: &str = "This isn't a .NET trace";

fn not_a_trace(prefix: &[u8]) -> Failure {
    let message = match FileKind::of(prefix) {
        Some(kind) if kind.is_pointer => {
            let message = format!("{NOT_A_TRACE}: the file looks like {}. {}", kind.what, kind.advice);
            return Failure::new(FailureCode::NotATrace, message).with_detail(first_bytes(prefix));
        }
        // With an intact header, the file would have been decompressed.
        Some(_) if prefix.starts_with(b"\x1f\x8b") => {
            "Can't decompress this gzip file: its header is damaged.".to_owned()
        }
        Some(kind) => {
            let sentence = format!("{NOT_A_TRACE}: the file looks like {}.", kind.what);
            if kind.advice.is_empty() { sentence } else { format!("{sentence} {}", kind.advice) }
        }
        None => "The first bytes don't match .nettrace, .netperf or any other known format.".to_owned(),
    };
    Failure::new(FailureCode::NotATrace, message).with_detail(first_bytes(prefix))
}

/// Formats the first bytes: "First bytes: 89 50 4e 47 … |.PNG…|".
fn first_bytes(prefix: &[u8]) -> String {
    use std::fmt::Write;
    let shown = &prefix[..prefix.len().min(16)];
    let mut text = String::from("First bytes:");
    for byte in shown {
        // Writing to a string can't fail.
        let _ = write!(text, " {byte:02x}");
    }
    text.push_str("  |");
    text.extend(shown.iter().map(|&byte| if (0x20..0x7f).contains(&byte) { char::from(byte) } else { '.' }));
    text.push('|');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use nettrace::{Parser, Step};

    fn failure_of(bytes: &[u8]) -> Failure {
        let mut parser = Parser::new();
        let mut rest = bytes;
        loop {
            match parser.parse(rest, true) {
                Err(error) => return unreadable_trace(&error, bytes),
                Ok(Step::Parsed { consumed, .. }) => rest = &rest[consumed..],
                Ok(_) => panic!("the parser accepted what is not a trace"),
            }
        }
    }

    #[test]
    fn unreachable_url_failure_explains_likely_cause() {
        let cases = [
            ("https://a.b/c.nettrace", "https://page.c", "Access-Control-Allow-Origin: https://page.c"),
            ("https://page.c.evil/c.nettrace", "https://page.c", "Access-Control-Allow-Origin"),
            ("http://a.b/c.nettrace", "https://page.c", "Serve the trace over HTTPS"),
            ("http://localhost:80/c.nettrace", "https://page.c", "Access-Control-Allow-Origin"),
            ("http://a.b/c.nettrace", "http://page.c", "Access-Control-Allow-Origin"),
            ("https://page.c/traces/web.nettrace.gz", "https://page.c", "This page's host didn't respond"),
            ("https://page.c/samples/web.nettrace.gz", "https://page.c", "Can't download the sample"),
            ("https://a.b/samples/web.nettrace.gz", "https://page.c", "Access-Control-Allow-Origin"),
        ];
        for (url, origin, part) in cases {
            let failure = unreachable_address(url, origin);
            assert_eq!((failure.code, failure.detail.as_str()), (FailureCode::Fetch, url));
            assert!(failure.message.contains(part), "{}", failure.message);
        }
    }

    #[test]
    fn file_that_is_not_a_trace_has_first_bytes() {
        let failure = failure_of(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR and more bytes follow");
        assert_eq!(failure.code, FailureCode::NotATrace);
        assert_eq!(failure.message, "This isn't a .NET trace: the file looks like a PNG image.");
        assert!(failure.detail.starts_with("First bytes: 89 50 4e 47 0d 0a 1a 0a"), "{}", failure.detail);
        let failure = failure_of(b"\x1f\x8b\x09\0\0\0\0\0\0\x03 and no known compression method follows");
        assert_eq!(failure.message, "Can't decompress this gzip file: its header is damaged.");
    }

    #[test]
    fn pointer_file_failure_has_advice() {
        let failure = failure_of(include_bytes!("../../../../../tests/fixtures/cases/lfs.nettrace"));
        assert_eq!(failure.code, FailureCode::NotATrace);
        assert_eq!(
            failure.message,
            "This isn't a .NET trace: the file looks like a Git LFS pointer. Run git lfs pull."
        );
    }

    #[test]
    fn heap_snapshot_is_not_a_damaged_trace() {
        let mut bytes = b"\x14\0\0\0!FastSerialization.1\x04\x04\x01".to_vec();
        bytes.extend([5, 0, 0, 0, 5, 0, 0, 0, 10, 0, 0, 0]);
        bytes.extend(b"GCHeapDump and so on, more than a header holds, for longer than any header there is");
        assert_eq!(failure_of(&bytes).code, FailureCode::NotATrace);
    }

    #[test]
    fn text_mode_header_damage_has_advice() {
        let mut bytes = "\u{feff}Nettrace".as_bytes().to_vec();
        bytes.extend([0x14, 0, 0, 0]);
        let failure = failure_of(&bytes);
        assert_eq!(failure.code, FailureCode::DamagedHeader);
        assert!(failure.message.contains("text-mode transfer replaced"), "{}", failure.message);
    }

    #[test]
    fn newer_version_is_rejected_by_name() {
        let mut bytes = b"Nettrace\0\0\0\0".to_vec();
        bytes.extend([7, 0, 0, 0, 0, 0, 0, 0]);
        let failure = failure_of(&bytes);
        assert_eq!(failure.code, FailureCode::UnsupportedVersion);
        assert!(failure.message.contains("version 7"), "{}", failure.message);
    }

    #[test]
    fn truncated_header_is_reported() {
        let failure = failure_of(b"Nettrace\x14\0\0\0!FastSer");
        assert_eq!(failure.code, FailureCode::DamagedHeader);
    }
}
