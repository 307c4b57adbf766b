//! Writes a part of a trace as a trace of the same format: the events that are wanted, and what they refer to.
//!
//! The blocks of the file pass by once, in their order. Descriptions of events and threads stay; of stacks and lists of
//! labels only what is referred to; numbers of events count on as if what is left out had never been, so that losses of the
//! recording stay losses and nothing else becomes one. Blocks are held back until their region, which ends with a sequence
//! point, is known, at most [`MOST_HELD_BYTES`] of them.

mod framing;
mod region;
mod sequences;

use crate::block::event_encoder::EventEncoder;
use crate::block::event_header::EventHeader;
use crate::block::events::EventBlock;
use crate::block::sequence_point::SequencePoint;
use crate::block::{BlockInfo, Item};
use crate::wire::varint;
use framing::{Frame, Framing};
use region::Region;
use sequences::Sequences;
use std::collections::HashMap;

/// A region that is longer is written with all of its stacks, so that memory stays bounded.
const MOST_HELD_BYTES: usize = 32 << 20;
/// Events of a block that has this many bytes go on in another: in version 6 blocks have less than 16 MB.
const FULL_BLOCK_BYTES: usize = 4 << 20;

/// What became of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExcerptTotals {
    /// Events that were written.
    pub events: u64,
    /// Bytes that could not be read, and therefore are not there.
    pub damaged_bytes: u64,
}

/// A part of a trace on its way.
///
/// ```
/// use nettrace::{Excerpt, Parser, Step};
///
/// /// The trace without the events of a thread.
/// fn without_thread(trace: &[u8], thread: u64) -> nettrace::Result<Vec<u8>> {
///     let (mut parser, mut excerpt, mut rest) = (Parser::new(), Excerpt::new(), trace);
///     while let Step::Parsed { consumed, item } = parser.parse(rest, true)? {
///         let (raw, behind) = rest.split_at(consumed);
///         excerpt.add(&item, raw, |event| event.thread != thread);
///         rest = behind;
///     }
///     excerpt.finish();
///     Ok(excerpt.take())
/// }
/// # assert!(without_thread(b"not a trace", 1).is_err());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Excerpt {
    framing: Option<Framing>,
    /// Bytes that were taken already.
    taken: u64,
    out: Vec<u8>,
    region: Region,
    sequences: Sequences,
    /// netperf 1 and 2, where a record's offset is its id: from what it was to what it is.
    record_offsets: HashMap<u32, u32>,
    totals: ExcerptTotals,
    is_complete: bool,
}

impl Excerpt {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next item of the file. `raw` are the bytes that the parser consumed with it; `keep` says which events are
    /// wanted.
    pub fn add(&mut self, item: &Item<'_>, raw: &[u8], mut keep: impl FnMut(&EventHeader<'_>) -> bool) {
        match item {
            Item::Header(header) => {
                self.framing = Some(Framing::of(header));
                self.out.extend_from_slice(raw);
            }
            Item::Events(block) => self.add_events(block, raw, &mut keep),
            // In netperf it is among the events.
            Item::Metadata(_) if raw.is_empty() => {}
            Item::Metadata(block) => self.copy(&block.info, raw, block.end_of_whole_records()),
            Item::Stacks(block) => {
                if let Some((frame, content)) = self.content(&block.info, raw, block.end_of_whole_stacks()) {
                    self.region.add_stacks(frame, content);
                }
            }
            Item::SequencePoint(point) => self.add_sequence_point(point, raw),
            Item::Threads(block) => self.copy(&block.info, raw, u64::MAX),
            Item::RemovedThreads(removed) => {
                let numbers = removed.threads.iter().map(|&(thread, last)| (thread, self.sequences.last(thread, last)));
                let content = write_numbers(Vec::new(), numbers);
                if let Some((frame, _)) = self.open(&removed.info, raw) {
                    self.region.add(frame, content);
                }
                removed.threads.iter().for_each(|(thread, _)| self.sequences.remove(*thread));
            }
            Item::Labels(block) => {
                if let Some((frame, content)) = self.content(&block.info, raw, u64::MAX) {
                    self.region.add_labels(frame, content, block.first_index, block.count);
                }
            }
            Item::Unknown(block) => self.copy(&block.info, raw, u64::MAX),
            Item::Damage(damage) => self.totals.damaged_bytes += damage.bytes,
            Item::EndOfStream(_) => {}
        }
        if self.region.bytes() > MOST_HELD_BYTES {
            self.flush(false);
        }
    }

    /// Completes the trace, also one that was cut.
    pub fn finish(&mut self) {
        self.flush(true);
        if let Some(framing) = self.framing
            && !std::mem::replace(&mut self.is_complete, true)
        {
            framing.write_end(self.offset(), &mut self.out);
        }
    }

    /// What was written since this was asked last.
    pub fn take(&mut self) -> Vec<u8> {
        self.taken += self.out.len() as u64;
        std::mem::take(&mut self.out)
    }

    /// What became of it so far.
    pub fn totals(&self) -> ExcerptTotals {
        self.totals
    }

    /// Where the next byte will be.
    fn offset(&self) -> u64 {
        self.taken + self.out.len() as u64
    }

    fn flush(&mut self, is_over: bool) {
        let Self { region, out, taken, .. } = self;
        region.flush(is_over, |frame, content| {
            let offset = *taken + out.len() as u64;
            frame.write(content, offset, out);
        });
    }

    fn open(&self, info: &BlockInfo, raw: &[u8]) -> Option<(Frame, usize)> {
        self.framing?.open(info, raw)
    }

    /// What a block begins with, and its content up to an absolute offset. The tag behind the content of an object is none
    /// of it.
    fn content(&self, info: &BlockInfo, raw: &[u8], end: u64) -> Option<(Frame, Vec<u8>)> {
        let (frame, start) = self.open(info, raw)?;
        let stated = match &frame {
            Frame::Object(head) => {
                let size =
                    raw.get(head.len()..head.len() + 4)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))?;
                start.saturating_add(size as usize)
            }
            Frame::Kind(_) => raw.len(),
        };
        let end = usize::try_from(end.saturating_sub(info.offset)).unwrap_or(usize::MAX).min(stated).min(raw.len());
        Some((frame, raw.get(start..end)?.to_vec()))
    }

    fn copy(&mut self, info: &BlockInfo, raw: &[u8], end: u64) {
        if let Some((frame, content)) = self.content(info, raw, end) {
            self.region.add(frame, content);
        }
    }

    fn add_events(&mut self, block: &EventBlock<'_>, raw: &[u8], keep: &mut impl FnMut(&EventHeader<'_>) -> bool) {
        match self.framing {
            Some(Framing::Records) => self.add_records(block, raw, keep),
            Some(framing) if framing.is_netperf() => self.add_netperf_events(block, raw, keep),
            Some(framing) => self.add_compressed(block, raw, framing == Framing::Blocks, keep),
            None => {}
        }
    }

    /// Events of versions 4 to 6, written with compressed headers however they stand in the file.
    fn add_compressed(
        &mut self,
        block: &EventBlock<'_>,
        raw: &[u8],
        is_v6: bool,
        keep: &mut impl FnMut(&EventHeader<'_>) -> bool,
    ) {
        let Some((frame, _)) = self.open(&block.info, raw) else { return };
        let mut encoder = EventEncoder::new(is_v6);
        let mut events = block.events();
        while let Some(Ok(event)) = events.next() {
            let is_kept = keep(event);
            let sequence = self.sequences.event(event.capture_thread, event.sequence, is_kept);
            if !is_kept {
                continue;
            }
            self.totals.events += 1;
            self.region.refer(event.stack_id, event.label_list);
            encoder.push(event, sequence);
            if encoder.len() >= FULL_BLOCK_BYTES {
                let full = std::mem::replace(&mut encoder, EventEncoder::new(is_v6));
                let ticks = full.ticks();
                self.region.add(frame.clone(), full.finish(ticks));
            }
        }
        self.totals.damaged_bytes += events.unread();
        if !encoder.is_empty() {
            let ticks = encoder.ticks();
            self.region.add(frame, encoder.finish(ticks));
        }
    }

    /// Events of netperf 3, which stay as they are, and descriptions among them.
    fn add_netperf_events(
        &mut self,
        block: &EventBlock<'_>,
        raw: &[u8],
        keep: &mut impl FnMut(&EventHeader<'_>) -> bool,
    ) {
        let Some((frame, _)) = self.open(&block.info, raw) else { return };
        let mut content = Vec::new();
        self.for_each_netperf(block, raw, keep, |_, _, bytes| content.extend_from_slice(bytes));
        if !content.is_empty() {
            self.region.add(frame, content);
        }
    }

    /// Events of netperf 1 and 2, which name what describes them by its offset.
    fn add_records(&mut self, block: &EventBlock<'_>, raw: &[u8], keep: &mut impl FnMut(&EventHeader<'_>) -> bool) {
        const ID: std::ops::Range<usize> = 4..8;
        self.for_each_netperf(block, raw, keep, |excerpt, event, bytes| {
            let start = excerpt.out.len();
            if event.metadata_id == 0 {
                let offset = excerpt.offset() as u32;
                excerpt.record_offsets.insert(event.header_offset as u32, offset);
            }
            excerpt.out.extend_from_slice(bytes);
            let id = excerpt.record_offsets.get(&event.metadata_id).copied();
            if let (Some(id), Some(space)) = (id, excerpt.out.get_mut(start + ID.start..start + ID.end)) {
                space.copy_from_slice(&id.to_le_bytes());
            }
        });
    }

    /// Calls `write` with each event of netperf that is kept, and with each description, and its bytes.
    fn for_each_netperf(
        &mut self,
        block: &EventBlock<'_>,
        raw: &[u8],
        keep: &mut impl FnMut(&EventHeader<'_>) -> bool,
        mut write: impl FnMut(&mut Self, &EventHeader<'_>, &[u8]),
    ) {
        let mut events = block.with_metadata().events();
        while let Some(Ok(event)) = events.next() {
            let is_event = event.metadata_id != 0;
            if is_event && !keep(event) {
                continue;
            }
            let start = (event.header_offset - block.info.offset) as usize;
            let end = start + event.file_bytes() as usize;
            if let Some(bytes) = raw.get(start..end) {
                self.totals.events += u64::from(is_event);
                write(self, event, bytes);
            }
        }
        self.totals.damaged_bytes += events.unread();
    }

    fn add_sequence_point(&mut self, point: &SequencePoint, raw: &[u8]) {
        self.flush(true);
        let Some((frame, _)) = self.open(&point.info, raw) else { return };
        let numbers = point.threads.iter().map(|&(thread, last)| (thread, self.sequences.last(thread, last)));
        let mut content = point.timestamp.to_le_bytes().to_vec();
        let count = (point.threads.len() as u32).to_le_bytes();
        let content = match frame {
            Frame::Object(_) => {
                content.extend_from_slice(&count);
                numbers.for_each(|(thread, last)| {
                    content.extend_from_slice(&thread.to_le_bytes());
                    content.extend_from_slice(&last.to_le_bytes());
                });
                content
            }
            Frame::Kind(_) => {
                content.extend_from_slice(&point.flags.to_le_bytes());
                content.extend_from_slice(&count);
                write_numbers(content, numbers)
            }
        };
        let offset = self.offset();
        frame.write(&content, offset, &mut self.out);
        if point.flags & SequencePoint::FLUSH_THREADS != 0 {
            self.sequences.clear();
        }
    }
}

/// Threads with the numbers of their last events, as version 6 has them.
fn write_numbers(mut out: Vec<u8>, numbers: impl Iterator<Item = (u64, u32)>) -> Vec<u8> {
    for (thread, last) in numbers {
        varint::write(&mut out, thread);
        varint::write(&mut out, last.into());
    }
    out
}
