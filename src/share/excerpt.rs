//! Saves the matching events as a trace.

use crate::trace::client::Client;
use crate::widgets::save_file::GrowingFile;
use protocol::redaction::Redaction;
use protocol::request::Filter;
use protocol::{Failure, queries};
use view::page::saved_page::PartSize;
use web_sys::Blob;

/// Writes the matching events of a worker's trace with masked text; `go_on(done, whole)` gets the number of processed bytes of the trace,
/// and returns whether to continue. `None` if it was canceled.
pub(super) async fn write(
    client: &Client,
    filter: Filter,
    redaction: Redaction,
    go_on: impl Fn(u64, u64) -> bool,
) -> Result<Option<(Blob, PartSize)>, Failure> {
    let file = GrowingFile::default();
    let mut size = PartSize::default();
    let mut from = 0;
    loop {
        let request = queries::Excerpt { filter: filter.clone(), from, redaction: redaction.clone() };
        let part = client.ask(request).await?;
        let number = |column: &[u64]| column.first().copied().unwrap_or_default();
        from = number(&part.next);
        size.events = number(&part.events);
        size.damaged_bytes = number(&part.damaged_bytes);
        size.bytes += part.bytes.len() as u64;
        if !go_on(from, number(&part.file_bytes)) {
            return Ok(None);
        }
        file.append(&part.bytes)?;
        if part.is_done.first() != Some(&0) {
            return Ok(Some((file.content()?, size)));
        }
    }
}
