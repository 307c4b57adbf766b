//! What reading a file costs at least, in the worker.

use super::byte_stream::Bytes;
use super::clock::now_ms;
use crate::chunks::Pieces;
use engine::session::HeaderScan;
use protocol::Failure;
use web_sys::Blob;

/// Decodes the event headers of a trace and nothing else, read in slices, or as opening it reads if it `streams`. `expected`
/// is how many events there are, 0 if that is not known. Milliseconds, and events found.
///
/// # Errors
/// When the file cannot be read.
pub async fn scan_headers(file: Blob, expected: usize, streams: bool) -> Result<(f64, usize), Failure> {
    let mut scan = HeaderScan::expecting(expected);
    let start = now_ms();
    let mut pieces = if streams { Pieces::new(&Bytes::Blob(file)) } else { Pieces::in_slices(&file) };
    let (mut buffer, mut filled) = (Vec::new(), 0);
    while let Some(bytes) = pieces.next().await? {
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
