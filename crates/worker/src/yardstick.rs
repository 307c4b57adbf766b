//! Minimum cost of reading a file in the worker.

use super::byte_stream::Bytes;
use super::clock::now_ms;
use crate::chunks::Chunks;
use engine::session::HeaderScan;
use protocol::Failure;
use web_sys::Blob;

/// Decodes only the event headers of a trace, read in slices, or as a stream if `streams`. `expected` is the number of
/// events, 0 if unknown. Returns milliseconds and events.
///
/// # Errors
/// Fails if the file can't be read.
pub async fn scan_headers(file: Blob, expected: usize, streams: bool) -> Result<(f64, usize), Failure> {
    let mut scan = HeaderScan::expecting(expected);
    let start = now_ms();
    let mut chunks = if streams { Chunks::new(&Bytes::Blob(file)) } else { Chunks::in_slices(&file) };
    let (mut buffer, mut filled) = (Vec::new(), 0);
    while let Some(bytes) = chunks.next().await? {
        let end = filled + bytes.length() as usize;
        if buffer.len() < end {
            buffer.resize(end, 0);
        }
        bytes.copy_to(&mut buffer[filled..end]);
        let consumed = scan.feed(&buffer[..end], false);
        buffer.copy_within(consumed..end, 0);
        filled = end - consumed;
    }
    scan.feed(&buffer[..filled], true);
    Ok((now_ms() - start, scan.event_count()))
}
