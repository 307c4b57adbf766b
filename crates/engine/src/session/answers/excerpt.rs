//! Excerpts: parts of a trace as separate traces, written in steps while the file is read again.

use super::{Run, missing};
use crate::analysis::events::excerpt::{needed_payloads, other_ends};
use crate::analysis::redaction::{PrivateTextSearch, Redactor, with_masks};
use crate::analysis::scan::payload_batches;
use crate::model::Store;
use crate::session::db::interrupt::{Answered, Interrupt};
use crate::session::db::state::Session;
use nettrace::{ByteSource, EventHeader, Excerpt, Item, Parser, Step};
use protocol::base::hash::FastSet;
use protocol::base::ids::TypeId;
use protocol::redaction::{PrivateTexts, Redaction};
use protocol::request::Filter;
use protocol::tables::ExcerptPart;
use protocol::{Failure, FailureCode, queries};
use std::ops::Range;

/// Approximate number of bytes of the file per step.
const PART_BYTES: u64 = 4 << 20;

/// Excerpt that is being written.
pub(crate) struct ExcerptWork {
    filter: Filter,
    redactor: Option<Redactor>,
    /// Payload offsets and types of the included events.
    payloads: Vec<(u64, TypeId)>,
    /// Number of included events that have been written.
    written: usize,
    parser: Parser,
    excerpt: Excerpt,
    /// Minimum number of bytes with which the parser can proceed.
    wanted: u64,
    is_done: bool,
}

impl ExcerptWork {
    /// Returns whether this is the excerpt of a query, which continues where it stands.
    fn is_of(&self, query: &queries::Excerpt) -> bool {
        let redaction = self.redactor.as_ref().map(|redactor| &redactor.redaction);
        let is_same = redaction == Some(&query.redaction).filter(|redaction| !redaction.is_empty());
        is_same && self.filter == query.filter && self.parser.offset() == query.from
    }

    /// Returns the next range of the file to read.
    fn next_range(&self, file_bytes: u64) -> Range<u64> {
        let start = self.parser.offset().min(file_bytes);
        start..start.saturating_add(self.wanted.max(PART_BYTES)).min(file_bytes)
    }

    /// Processes bytes that start at the parser's offset.
    fn read(&mut self, store: &Store, mut bytes: &[u8], is_all: bool) -> Result<(), Failure> {
        loop {
            let step = self.parser.parse(bytes, is_all);
            // The file was readable when it was loaded, so it has changed since.
            let step = step.map_err(|error| Failure::new(FailureCode::Unreadable, error.to_string()))?;
            match step {
                Step::Parsed { consumed, item } => {
                    let (raw, behind) = bytes.split_at_checked(consumed).unwrap_or((bytes, &[]));
                    let (payloads, written) = (&self.payloads, &mut self.written);
                    let keep = |event: &EventHeader<'_>| {
                        // Both lists are in file order.
                        while payloads.get(*written).is_some_and(|(offset, _)| *offset < event.payload_offset) {
                            *written += 1;
                        }
                        payloads.get(*written).is_some_and(|(offset, _)| *offset == event.payload_offset)
                    };
                    match &mut self.redactor {
                        // Nobody knows what is in a block of an unknown kind.
                        Some(_) if matches!(item, Item::Unknown(_)) => {}
                        Some(redactor) => {
                            let mut masking = redactor.of(&store.types, store.header.pointer_size, payloads);
                            self.excerpt.add_rewritten(&item, raw, keep, &mut masking);
                        }
                        None => self.excerpt.add(&item, raw, keep),
                    }
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

impl Run for queries::Excerpt {
    fn run(&self, session: &mut Session) -> Answered<ExcerptPart> {
        if self.from == 0 {
            session.begin_excerpt(&self.filter, &self.redaction)?;
        }
        let file_bytes = session.source.len();
        let work = session.excerpt_work.as_mut();
        let work = work.filter(|work| work.is_of(self));
        let work = work.ok_or_else(|| missing("part of a part"))?;
        let source = session.source.bypass_cache();
        if session.may_wait && self.from > 0 && source.is_coming(work.next_range(file_bytes)) {
            return Err(Interrupt::Waiting);
        }
        // A block may be larger than a step.
        while work.parser.offset() == self.from && !work.is_done {
            let range = work.next_range(file_bytes);
            let mut bytes = vec![0; (range.end - range.start) as usize];
            source.read_at(range.start, &mut bytes)?;
            work.read(&session.store, &bytes, range.end == file_bytes)?;
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
            session.excerpt_work = None;
        }
        Ok(part)
    }
}

impl Run for queries::PrivateTexts {
    fn run(&self, session: &mut Session) -> Answered<PrivateTexts> {
        let key = &self.filter;
        if let Some(known) = session.private_texts.get(key) {
            return Ok(with_masks((*known).clone(), self.mask, self.key));
        }
        let mut search = match session.private_texts.resume(key) {
            Some(search) => search,
            None => {
                let selection = session.selection(key)?;
                Box::new(PrivateTextSearch::new(&session.store, selection))
            }
        };
        Err(match search.step(&session.store, &session.source.bypass_cache(), session.may_wait)? {
            payload_batches::Step::Done => session.private_texts.finish(key.clone(), search.finish(&session.store)),
            step => session.private_texts.pause(key.clone(), search, step),
        })
    }
}

impl Session {
    fn begin_excerpt(&mut self, filter: &Filter, redaction: &Redaction) -> Answered<()> {
        let selection = self.selection(filter)?;
        let others = if selection.count() < self.store.events.len() as u64 {
            let (spans, source) = (self.spans()?, self.source.bypass_cache());
            let found = (&*spans, &mut self.tracks, self.gcs.as_slice());
            other_ends(&self.store, &source, found, &selection)?
        } else {
            FastSet::default()
        };
        self.excerpt_work = Some(ExcerptWork {
            filter: filter.clone(),
            redactor: (!redaction.is_empty()).then(|| Redactor::new(redaction.clone())),
            payloads: needed_payloads(&self.store, &self.source.bypass_cache(), &selection, &others)?,
            written: 0,
            parser: Parser::new(),
            excerpt: Excerpt::new(),
            wanted: 0,
            is_done: false,
        });
        Ok(())
    }
}
