//! Regions between sequence points, which threads or other workers read.

use super::super::failures;
use super::Loader;
use crate::model::items_of;
use nettrace::{Item, Parser, Step};
use protocol::Failure;
use std::sync::Arc;

/// Bytes without a sequence point that this loader parses itself, so that they don't pile up.
pub(super) const LONGEST_BYTES: usize = 32 << 20;

/// Bytes after a region without which its last block isn't certain: the header of the next block and the start of its
/// content (version 6).
const FOLLOWING_BYTES: usize = 32;

/// Region that another worker reads.
pub(super) struct SharedRegion {
    /// State at its start.
    parser: Parser,
    /// The region, and some bytes after it.
    bytes: Arc<[u8]>,
    length: usize,
}

/// Result of [`Loader::share_region`].
pub enum Shared {
    /// Job in two parts, for [`read_region`](crate::session::read_region) in another worker. [`Loader::add_region`] takes
    /// the results, in the order of the jobs.
    Job(Arc<[u8]>, Vec<u8>),
    /// More bytes are needed.
    Starved,
    /// This loader must parse what follows: [`Loader::advance`], after the results of all jobs.
    Own,
}

impl Loader {
    /// Parses up to the last sequence point with threads. Returns whether only more bytes can tell what follows it.
    pub(super) fn parse_regions(&mut self, eof: bool) -> Result<bool, Failure> {
        let data = self.buffer.get(self.parsed..self.filled).unwrap_or_default();
        let (offset, mut parser) = (self.parser.offset(), self.parser.clone());
        let (mut items, mut at) = (Vec::new(), 0);
        // What is parsed up to the last sequence point.
        let mut complete = (0, 0, parser.clone());
        let is_rest_unknown = loop {
            let rest = data.get(at..).unwrap_or_default();
            match parser.parse(rest, eof).map_err(|error| failures::unreadable_trace(&error, &self.prefix))? {
                Step::Parsed { consumed, item } => {
                    at += consumed;
                    let is_point = matches!(item, Item::SequencePoint(_));
                    if let Item::Damage(_) | Item::EndOfStream(_) = item {
                        break false;
                    }
                    items.push(item);
                    if is_point {
                        complete = (items.len(), at, parser.clone());
                    }
                }
                Step::NeedMoreData { .. } => break true,
                Step::End => break false,
            }
        };
        let (count, bytes, parser) = complete;
        let items = items.get(..count).unwrap_or_default();
        self.ingest.regions(items, offset, data, self.threads).map_err(|error| failures::out_of_memory(&error))?;
        self.parser = parser;
        self.parsed += bytes;
        self.wanted = 1;
        Ok(is_rest_unknown)
    }

    /// Makes [`Loader::advance`] pause where [`Loader::share_region`] can take a region.
    pub fn share_regions(&mut self) {
        self.shares_regions = true;
    }

    /// Takes the next region out of the appended bytes, so that another worker reads it.
    ///
    /// # Errors
    /// Fails if the header can't be read.
    #[inline(never)]
    pub fn share_region(&mut self) -> Result<Shared, Failure> {
        if !self.is_between_regions {
            return Ok(Shared::Own);
        }
        let data = self.buffer.get(self.parsed..self.filled).unwrap_or_default();
        let (mut parser, mut end, mut items) = (self.parser.clone(), 0, Vec::new());
        let is_complete = loop {
            let rest = data.get(end..).unwrap_or_default();
            match parser.parse(rest, false).map_err(|error| failures::unreadable_trace(&error, &self.prefix))? {
                Step::Parsed { item: Item::Damage(_) | Item::EndOfStream(_), .. } | Step::End => break false,
                Step::Parsed { consumed, item } => {
                    end += consumed;
                    let is_point = matches!(item, Item::SequencePoint(_));
                    items.push(item);
                    if is_point {
                        break true;
                    }
                }
                Step::NeedMoreData { .. } if data.len() < LONGEST_BYTES => return Ok(Shared::Starved),
                Step::NeedMoreData { .. } => break false,
            }
        };
        let (continues, offset) = (!self.shared.is_empty(), self.parser.offset());
        let bytes = data.get(..data.len().min(end + FOLLOWING_BYTES)).unwrap_or_default();
        let is_certain = is_complete && items_of(self.parser.clone(), bytes, end).is_some();
        let job = if is_certain { self.ingest.region_job(&items, offset, end, continues) } else { None };
        let Some(job) = job else {
            // What prevents a job may be gone after the results of the others.
            self.is_between_regions = continues;
            return Ok(Shared::Own);
        };
        let bytes: Arc<[u8]> = bytes.into();
        self.shared.push_back(SharedRegion { parser: self.parser.clone(), bytes: bytes.clone(), length: end });
        self.parser = parser;
        self.parsed += end;
        self.wanted = 1;
        Ok(Shared::Job(bytes, job))
    }

    /// Adds the result of the first job that has none yet. Without a result, this loader reads the region.
    ///
    /// # Errors
    /// Fails if memory runs out.
    #[inline(never)]
    pub fn add_region(&mut self, result: Option<Vec<u8>>) -> Result<(), Failure> {
        let Some(SharedRegion { parser, bytes, length }) = self.shared.pop_front() else { return Ok(()) };
        let offset = parser.offset();
        let items = items_of(parser, &bytes, length).unwrap_or_default();
        self.ingest.add_region(&items, offset, &bytes, result).map_err(|error| failures::out_of_memory(&error))
    }
}
