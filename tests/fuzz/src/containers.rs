//! Fuzz target and seeds of archives and compressed files.

use engine::session::Loader;
use engine::session::container::native::{Native, Part, block_on, load};
use engine::session::container::testing::ArchiveWriter;
use engine::session::container::{Unwrapped, unwrap};
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::Write;
use std::sync::Arc;

/// Maximum number of traces of an archive that are read.
const READ: usize = 3;

/// Finds the traces in a file and reads them, as the command-line tool does.
pub fn containers(data: &[u8]) {
    let whole = Part::whole(Arc::new(data.to_vec()));
    match block_on(unwrap(&Native, whole.clone(), None)) {
        Ok(Unwrapped::One(_)) => {
            read(&whole, None);
        }
        Ok(Unwrapped::Several(entries)) => {
            entries.iter().take(READ).for_each(|entry| {
                read(&whole, Some(&entry.path));
            });
        }
        // Failing is a valid result.
        Err(_) => {}
    }
}

/// Returns the number of events of the trace in a file; `None` if it doesn't contain exactly one.
pub fn read(whole: &Part, path: Option<&str>) -> Option<usize> {
    let Unwrapped::One(packed) = block_on(unwrap(&Native, whole.clone(), path)).ok()? else { return None };
    let (loader, _) = load(Loader::new(), packed).ok()?;
    Some(loader.finish().ok()?.events.len())
}

/// Returns a trace in all kinds of containers, by name.
pub fn samples(trace: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let (gzip, deflate) = (gzipped(trace), deflated(trace));
    let zstd = compress_to_vec(trace, CompressionLevel::Fastest);
    let inner = ArchiveWriter::new().packed("deep/a.nettrace", 8, &deflate, trace).finish();
    vec![
        ("stored.zip", ArchiveWriter::new().stored("a.nettrace", trace).stored("b.txt", b"text").finish()),
        ("several.zip", ArchiveWriter::new().stored("a.nettrace", trace).packed("b", 93, &zstd, trace).finish()),
        ("wide.zip", ArchiveWriter::wide().packed("a.nettrace", 8, &deflate, trace).finish_with(b"a comment")),
        ("nested.zip", ArchiveWriter::new().stored("in.zip", &inner).finish()),
        ("trace.zip", inner),
        ("trace.gz", gzip),
        ("trace.zst", zstd),
    ]
}

fn gzipped(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).expect("memory");
    encoder.finish().expect("memory")
}

fn deflated(content: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).expect("memory");
    encoder.finish().expect("memory")
}
