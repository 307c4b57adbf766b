//! Excerpts: parts of a trace as traces of their own, written step by step while the file is read again.

use crate::analysis::events::excerpt::{needed_payloads, other_ends};
use crate::analysis::scan::payload_batches::Step as WorkStep;
use crate::session::db::state::Session;
use crate::session::open::failures::unreadable_source;
use nettrace::{ByteSource, Excerpt, Parser, Step};
use protocol::base::hash::FastSet;
use protocol::request::Filter;
use protocol::tables::ExcerptPart;
use protocol::{Failure, FailureCode};
use std::ops::Range;

/// Approximate number of bytes of the file per step.
const PART_BYTES: u64 = 4 << 20;

/// Excerpt in progress.
pub(crate) struct ExcerptWork {
    filter: Filter,
    /// Payload offsets of the included events.
    payloads: Vec<u64>,
    /// Number of those that have been written.
    written: usize,
    parser: Parser,
    excerpt: Excerpt,
    /// Minimum number of bytes with which the parser can proceed.
    wanted: u64,
    is_done: bool,
}

impl ExcerptWork {
    /// Returns the next range of the file to read.
    fn next_range(&self, file_bytes: u64) -> Range<u64> {
        let start = self.parser.offset().min(file_bytes);
        start..start.saturating_add(self.wanted.max(PART_BYTES)).min(file_bytes)
    }

    /// Processes these bytes, which begin at the parser's offset.
    fn read(&mut self, mut bytes: &[u8], is_all: bool) -> Result<(), Failure> {
        loop {
            let step = self.parser.parse(bytes, is_all);
            // The file was readable before, so it has changed since.
            let step = step.map_err(|error| Failure::new(FailureCode::Unreadable, error.to_string()))?;
            match step {
                Step::Parsed { consumed, item } => {
                    let (raw, behind) = bytes.split_at_checked(consumed).unwrap_or((bytes, &[]));
                    let (payloads, written) = (&self.payloads, &mut self.written);
                    self.excerpt.add(&item, raw, |event| {
                        // Payloads and events are both in file order.
                        while payloads.get(*written).is_some_and(|offset| *offset < event.payload_offset) {
                            *written += 1;
                        }
                        payloads.get(*written) == Some(&event.payload_offset)
                    });
                    bytes = behind;
                    self.wanted = 0;
                }
                Step::NeedMoreData { wanted } => {
                    self.wanted = wanted as u64;
                    return Ok(());
                }
                Step::End => {
                    self.excerpt.finish();
                    self.is_done = true;
                    return Ok(());
                }
            }
        }
    }
}

impl Session {
    /// Begins or continues an excerpt: returns the bytes for the next few megabytes of the file.
    ///
    /// # Errors
    /// Fails if the filter is invalid, the file can no longer be read, or `from` isn't the end of the previous step.
    pub fn excerpt(&mut self, filter: &Filter, from: u64) -> Result<ExcerptPart, Failure> {
        if from == 0 {
            self.begin_excerpt(filter)?;
        }
        let file_bytes = self.source.len();
        let work = self.excerpt_work.as_mut().filter(|work| work.filter == *filter && work.parser.offset() == from);
        let work = work.ok_or_else(|| super::dispatch::missing("part of a part"))?;
        let source = self.source.bypass_cache();
        // A block may be larger than a step.
        while work.parser.offset() == from && !work.is_done {
            let range = work.next_range(file_bytes);
            let mut bytes = vec![0; (range.end - range.start) as usize];
            source.read_at(range.start, &mut bytes).map_err(|error| unreadable_source(&error))?;
            work.read(&bytes, range.end == file_bytes)?;
        }
        if !work.is_done {
            source.announce(work.next_range(file_bytes));
        }
        let totals = work.excerpt.totals();
        let part = ExcerptPart {
            bytes: work.excerpt.take(),
            next: vec![if work.is_done { file_bytes } else { work.parser.offset() }],
            file_bytes: vec![file_bytes],
            events: vec![totals.events],
            damaged_bytes: vec![totals.damaged_bytes],
            is_done: vec![work.is_done.into()],
        };
        if work.is_done {
            self.excerpt_work = None;
        }
        Ok(part)
    }

    /// Requests the bytes of the file that a step needs.
    pub(crate) fn fetch_excerpt(&self, from: u64) -> WorkStep {
        let work = self.excerpt_work.as_ref().filter(|work| from > 0 && work.parser.offset() == from);
        let Some(work) = work else { return WorkStep::Done };
        let is_coming = self.source.bypass_cache().is_coming(work.next_range(self.source.len()));
        if is_coming { WorkStep::Waiting } else { WorkStep::Done }
    }

    fn begin_excerpt(&mut self, filter: &Filter) -> Result<(), Failure> {
        let selection = self.selection(filter)?;
        let others = if selection.count() < self.store.events().len() as u64 {
            let (spans, source) = (self.spans()?, self.source.bypass_cache());
            let found = (&*spans, &mut self.tracks, self.gcs.as_slice());
            other_ends(&self.store, &source, found, &selection).map_err(|error| unreadable_source(&error))?
        } else {
            FastSet::default()
        };
        self.excerpt_work = Some(ExcerptWork {
            filter: filter.clone(),
            payloads: needed_payloads(&self.store, &selection, &others),
            written: 0,
            parser: Parser::new(),
            excerpt: Excerpt::new(),
            wanted: 0,
            is_done: false,
        });
        Ok(())
    }
}
