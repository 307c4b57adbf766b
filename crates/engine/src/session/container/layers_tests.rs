//! Tests archives and nested compression with the native platform.

use super::native::{Native, Part, block_on, load};
use super::testing::{ArchiveFile, ArchiveWriter, crc_of};
use super::*;
use crate::session::Loader;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use nettrace::testing::{Format, TraceBuilder};
use protocol::{Failure, FailureCode};
use std::io::Write;
use std::sync::Arc;

fn trace() -> Vec<u8> {
    let mut bytes = include_bytes!("../../../../../tests/fixtures/short-net10.nettrace.gz").as_slice();
    let mut trace = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&mut bytes), &mut trace).unwrap();
    trace
}

fn gzipped(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn deflated(content: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn zstandard(content: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(content, ruzstd::encoding::CompressionLevel::Fastest)
}

fn found(file: Vec<u8>, path: Option<&str>) -> Result<Unwrapped<Part>, Failure> {
    block_on(unwrap(&Native, Part::whole(Arc::new(file)), path))
}

/// Returns the number of events, and the reported problems.
fn read(file: Vec<u8>, path: Option<&str>) -> Result<(usize, Vec<String>), Failure> {
    let Unwrapped::One(packed) = found(file, path)? else { panic!("a choice") };
    let (loader, source) = load(Loader::new(), packed)?;
    let store = loader.finish()?;
    let events = store.events.len();
    let problems = store.diagnostics.examples.iter().map(|one| one.message.clone()).collect();
    assert!(events == 0 || !source.is_empty());
    Ok((events, problems))
}

const EVENTS: usize = 2016;

/// S113: compression wraps the whole stream.
#[test]
fn trace_is_found_in_every_container() {
    let trace = trace();
    let zip = |name: &str, method, packed: &[u8]| ArchiveWriter::new().packed(name, method, packed, &trace).finish();
    let files = [
        ("plain", trace.clone()),
        ("gzip", gzipped(&trace)),
        ("zstd", zstandard(&trace)),
        ("stored", zip("a.nettrace", 0, &trace)),
        ("deflated", zip("folder/a.netperf", 8, &deflated(&trace))),
        ("zip zstd", zip("a", 93, &zstandard(&trace))),
        ("wide", ArchiveWriter::wide().packed("a", 8, &deflated(&trace), &trace).finish()),
        ("gzip in gzip", gzipped(&gzipped(&trace))),
        ("zip in zip", ArchiveWriter::new().stored("in.zip", &zip("a", 8, &deflated(&trace))).finish()),
        ("gz in zip", ArchiveWriter::new().stored("a.gz", &gzipped(&trace)).stored("b.txt", b"text").finish()),
        ("zip in zst", zstandard(&zip("a", 0, &trace))),
        // The offsets of an archive don't include data before it.
        ("shifted", [&b"PK\x07\x08"[..], &zip("a", 0, &trace)].concat()),
    ];
    for (name, file) in files {
        let (events, problems) = read(file, None).unwrap_or_else(|failure| panic!("{name}: {failure}"));
        assert_eq!((events, problems), (EVENTS, Vec::new()), "{name}");
    }
}

#[test]
fn archive_with_several_traces_offers_choice() {
    let trace = trace();
    let inner = ArchiveWriter::new().stored("x.nettrace", &trace).stored("y.nettrace", &trace).finish();
    let mut archive = ArchiveWriter::new();
    archive.stored("b/second.nettrace", &trace).stored("readme.txt", b"hello").stored("a/in.zip", &inner);
    let file = archive.packed("first.nettrace", 8, &deflated(&trace), &trace).finish();
    let paths = |found: Unwrapped<Part>| match found {
        Unwrapped::Several(candidates) => candidates.into_iter().map(|one| one.path).collect::<Vec<_>>(),
        Unwrapped::One(_) => Vec::new(),
    };
    assert_eq!(paths(found(file.clone(), None).unwrap()), ["a/in.zip", "b/second.nettrace", "first.nettrace"]);
    assert_eq!(paths(found(file.clone(), Some("a/in.zip")).unwrap()), ["a/in.zip!x.nettrace", "a/in.zip!y.nettrace"]);
    assert_eq!(read(file.clone(), Some("a/in.zip!y.nettrace")).unwrap().0, EVENTS);
    assert_eq!(read(file.clone(), Some("first.nettrace")).unwrap().0, EVENTS);
    for wrong in ["third.nettrace", "first.nettrace!x", "a/in.zip!z"] {
        let failure = found(file.clone(), Some(wrong)).map(|_| ()).unwrap_err();
        assert_eq!(failure.code, FailureCode::NotFound, "{wrong}: {failure}");
    }
    assert_eq!(found(trace, Some("a")).map(|_| ()).unwrap_err().code, FailureCode::NotFound);
}

#[test]
fn archive_without_trace_names_its_content() {
    let failure_of = |file: Vec<u8>| found(file, None).map(|_| ()).unwrap_err();
    let mut archive = ArchiveWriter::new();
    let failure = failure_of(archive.stored("a.txt", b"hello there").stored("b", b"\x89PNG\r\n\x1a\n").finish());
    assert_eq!(failure.code, FailureCode::NotATrace);
    assert_eq!(failure.message, "None of the 2 files in this ZIP is a .NET trace.");
    assert_eq!(failure.detail, "a.txt: plain text\nb: a PNG image");
    assert!(failure_of(ArchiveWriter::new().finish()).message.contains("archive is empty"));
    assert!(failure_of(b"PK\x03\x04 and no file".to_vec()).message.contains("directory is missing"));
    for (flags, method, word) in [(1, 8, "encrypted"), (0, 9, "Deflate64"), (0, 12, "bzip2"), (0, 14, "LZMA")] {
        let file = ArchiveFile { path: "a.nettrace", packed: b"?????", method, bytes: 9, crc32: 0, flags };
        let failure = failure_of(ArchiveWriter::new().stored("b", b"text").file(&file).finish());
        assert_eq!(failure.code, FailureCode::Archive);
        assert!(failure.message.contains(word), "{failure}");
    }
    let mut split = ArchiveWriter::new().stored("a", b"text").finish();
    let at = split.len() - 18;
    split[at] = 3;
    assert_eq!(failure_of(split).code, FailureCode::Archive);
    let deep = (0..6).fold(trace(), |inside, _| gzipped(&inside));
    assert_eq!(failure_of(deep).code, FailureCode::Archive);
}

#[test]
fn damaged_archive_shows_readable_content() {
    let trace = trace();
    // Truncated archive, without its directory, and with only a part of the second file.
    let mut archive = ArchiveWriter::new();
    let whole = archive.packed("a.nettrace", 8, &deflated(&trace), &trace).stored("b.nettrace", &trace).finish();
    let cut = whole[..whole.len() - trace.len() / 2].to_vec();
    let (events, problems) = read(cut.clone(), Some("a.nettrace")).unwrap();
    assert_eq!(events, EVENTS);
    assert!(problems[0].contains("no directory"), "{problems:?}");
    let (events, problems) = read(cut, Some("b.nettrace")).unwrap();
    assert!(events > EVENTS / 4 && events < EVENTS, "{events}");
    assert!(problems.iter().any(|problem| problem.contains("truncated inside this trace")), "{problems:?}");
    // Truncated archive of a writer that didn't know the sizes in advance.
    let packed = deflated(&trace);
    let bytes = trace.len() as u64;
    let streamed = ArchiveFile { path: "a", packed: &packed, method: 8, bytes, crc32: crc_of(&trace), flags: 8 };
    let streamed = ArchiveWriter::new().file(&streamed).finish();
    assert_eq!(read(streamed.clone(), None).unwrap(), (EVENTS, Vec::new()));
    let (events, problems) = read(streamed[..packed.len() / 2].to_vec(), None).unwrap();
    assert!(events > 100 && events < EVENTS, "{events}");
    assert!(problems.iter().any(|problem| problem.contains("all of the deflate data")), "{problems:?}");
    // Wrong checksum.
    let wrong = ArchiveFile { path: "a", packed: &trace, method: 0, bytes, crc32: 1, flags: 0 };
    let (events, problems) = read(ArchiveWriter::new().file(&wrong).finish(), None).unwrap();
    assert_eq!(events, EVENTS);
    assert!(problems[0].contains("Checksum mismatch"), "{problems:?}");
    // Directory with a damaged second entry.
    let mut garbled = ArchiveWriter::new();
    let mut garbled = garbled.stored("a.nettrace", &trace).stored("b", b"text").finish();
    let second = garbled.windows(4).rposition(|bytes| bytes == b"PK\x01\x02").unwrap();
    garbled[second] = 0;
    assert!(read(garbled, None).unwrap().1[0].contains("directory is damaged"));
}

#[test]
fn truncated_stream_opens_up_to_its_end() {
    let trace = trace();
    for (packed, name) in [(gzipped(&trace), "gzip"), (zstandard(&trace), "zstd")] {
        let (events, problems) = read(packed[..packed.len() * 2 / 3].to_vec(), None).unwrap();
        assert!(events > 100 && events < EVENTS, "{name}: {events}");
        assert!(problems.iter().any(|problem| problem.contains(name) && problem.contains("truncated")), "{problems:?}");
    }
    assert_eq!(read(b"\x1f\x8b\x08 broken, not compressed".to_vec(), None).unwrap_err().code, FailureCode::NotATrace);
}

#[test]
fn declared_size_beyond_limit_is_rejected() {
    let file = ArchiveFile { path: "a.nettrace", packed: b"\x03\0", method: 8, bytes: 5 << 30, crc32: 0, flags: 0 };
    let failure = found(ArchiveWriter::wide().file(&file).finish(), Some("a.nettrace")).map(|_| ()).unwrap_err();
    assert_eq!(failure.code, FailureCode::TooLarge);
    let frame = [&[0x28, 0xb5, 0x2f, 0xfd, 0xe0], (5u64 << 30).to_le_bytes().as_slice()].concat();
    assert_eq!(found(frame, None).map(|_| ()).unwrap_err().code, FailureCode::TooLarge);
}

#[test]
fn archive_comment_like_end_record_is_ignored() {
    let trace = TraceBuilder::new(Format::Nettrace4).finish();
    let comment = b"PK\x05\x06 and then some, longer than an end record is";
    let file = ArchiveWriter::new().stored("a.nettrace", &trace).finish_with(comment);
    assert!(matches!(found(file, None).unwrap(), Unwrapped::One(packed) if packed.packing == "ZIP file a.nettrace"));
}

#[test]
fn text_mode_damage_is_restored() {
    let trace = trace();
    let mut damaged = Vec::new();
    for &byte in &trace {
        damaged.extend_from_slice(if byte == b'\n' { b"\r\n" } else { std::slice::from_ref(&byte) });
    }
    for file in [damaged.clone(), gzipped(&damaged)] {
        let (events, problems) = read(file, None).expect("a trace");
        assert_eq!((events, problems.len()), (EVENTS, 1), "{problems:?}");
        assert!(problems[0].contains("text-mode transfer") && problems[0].contains("restored"), "{problems:?}");
    }
    // One CR more than was added: its block doesn't fit, and can't be restored with certainty.
    let last = damaged.windows(2).rposition(|pair| pair == b"\r\n").expect("a line feed");
    damaged.insert(last, b'x');
    let (events, problems) = read(damaged, None).expect("a trace");
    assert!(events <= EVENTS && problems.len() > 1, "{problems:?}");
    assert!(problems[0].contains("text-mode transfer"), "{problems:?}");
}
