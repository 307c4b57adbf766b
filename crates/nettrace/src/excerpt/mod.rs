//! Excerpts: selected events of a trace and everything they refer to, in the same format.
//!
//! The blocks of the file are processed once, in order. All metadata and threads are written, but only the stacks and
//! label lists that events refer to. Sequence numbers continue as if the removed events had never existed, so a gap
//! still means lost events. Blocks wait for the next sequence point, at most [`MAX_HELD_BYTES`] of them.

mod framing;
mod region;
mod sequences;

use crate::block::{BlockInfo, EventBlock, EventEncoder, EventHeader, Item, SequencePoint};
use crate::wire::varint;
use framing::{Frame, Framing};
use region::Region;
use sequences::Sequences;
use std::collections::HashMap;

/// Maximum size of waiting blocks. A longer region is written with all of its stacks, to bound memory.
const MAX_HELD_BYTES: usize = 32 << 20;
/// Size at which a new block begins. Blocks of version 6 must be shorter than 16 MiB.
const FULL_BLOCK_BYTES: usize = 4 << 20;

/// Replaces bytes of an excerpt with others, without changing their number.
pub trait Rewrite {
    /// Rewrites the bytes of the header, of a thread block or of a label-list block.
    fn block(&mut self, item: &Item<'_>, bytes: &mut [u8]);
    /// Rewrites the payload of a selected event.
    fn payload(&mut self, event: &EventHeader<'_>, payload: &mut [u8]);
}

/// Totals of an [`Excerpt`].
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExcerptTotals {
    /// Written events.
    pub events: u64,
    /// Unreadable bytes, which the excerpt doesn't contain.
    pub damaged_bytes: u64,
}

/// Writes selected events of a trace and everything they refer to, in the same format.
///
/// Contains all metadata and threads, but only the stacks and label lists that events refer to. Sequence numbers
/// continue as if the removed events had never existed, so a gap still means lost events. Memory is bounded: at most 32
/// MiB of blocks wait for the next sequence point.
///
/// ```
/// use nettrace::{Excerpt, Parser, Step};
///
/// /// Returns the trace without the events of a thread.
/// fn without_thread(trace: &[u8], thread: u64) -> nettrace::Result<Vec<u8>> {
/// let (mut parser, mut excerpt, mut rest) = (Parser::new(), Excerpt::new(), trace);
/// while let Step::Parsed { consumed, item } = parser.parse(rest, true)? {
/// let (raw, behind) = rest.split_at(consumed);
/// excerpt.add(&item, raw, |event| event.thread != thread);
/// rest = behind;
/// }
/// excerpt.finish();
/// Ok(excerpt.take())
/// }
/// # assert!(without_thread(b"not a trace", 1).is_err());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Excerpt {
    framing: Option<Framing>,
    /// Number of bytes that [`Excerpt::take`] has returned.
    taken: u64,
    out: Vec<u8>,
    region: Region,
    sequences: Sequences,
    /// Old to new offsets of metadata records, which are their IDs in netperf 1 and 2.
    record_offsets: HashMap<u32, u32>,
    totals: ExcerptTotals,
    is_complete: bool,
}

impl Excerpt {
    /// Creates an empty excerpt.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next item of the file. `raw` are the bytes that the parser consumed with it; `keep` selects the events.
    pub fn add(&mut self, item: &Item<'_>, raw: &[u8], mut keep: impl FnMut(&EventHeader<'_>) -> bool) {
        self.add_item(item, raw, &mut keep, None);
    }

    /// Does the same as [`Excerpt::add`] with bytes that `rewrite` replaces.
    pub fn add_rewritten(
        &mut self,
        item: &Item<'_>,
        raw: &[u8],
        mut keep: impl FnMut(&EventHeader<'_>) -> bool,
        rewrite: &mut dyn Rewrite,
    ) {
        if !matches!(item, Item::Header(_) | Item::Threads(_) | Item::Labels(_)) {
            return self.add_item(item, raw, &mut keep, Some(rewrite));
        }
        let mut bytes = raw.to_vec();
        rewrite.block(item, &mut bytes);
        self.add_item(item, &bytes, &mut keep, None);
    }

    fn add_item(
        &mut self,
        item: &Item<'_>,
        raw: &[u8],
        keep: &mut dyn FnMut(&EventHeader<'_>) -> bool,
        rewrite: Option<&mut dyn Rewrite>,
    ) {
        match item {
            Item::Header(header) => {
                self.framing = Some(Framing::of(header));
                self.out.extend_from_slice(raw);
            }
            Item::Events(block) => self.add_events(block, raw, keep, rewrite),
            // netperf metadata is among the events.
            Item::Metadata(_) if raw.is_empty() => {}
            Item::Metadata(block) => self.copy(&block.info, raw, block.end_of_complete_records()),
            Item::Stacks(block) => {
                if let Some((frame, content)) = self.content(&block.info, raw, block.end_of_complete_stacks()) {
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
        if self.region.bytes() > MAX_HELD_BYTES {
            self.flush(false);
        }
    }

    /// Writes the end of the trace, even if the source is incomplete.
    pub fn finish(&mut self) {
        self.flush(true);
        if let Some(framing) = self.framing
            && !std::mem::replace(&mut self.is_complete, true)
        {
            framing.write_end(self.offset(), &mut self.out);
        }
    }

    /// Returns the bytes written since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        self.taken += self.out.len() as u64;
        std::mem::take(&mut self.out)
    }

    /// Returns the totals so far.
    pub fn totals(&self) -> ExcerptTotals {
        self.totals
    }

    /// Returns the offset of the next byte.
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

    /// Returns the start of a block, and its content up to an absolute offset, without the end tag of an object.
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

    fn add_events(
        &mut self,
        block: &EventBlock<'_>,
        raw: &[u8],
        keep: &mut dyn FnMut(&EventHeader<'_>) -> bool,
        rewrite: Option<&mut dyn Rewrite>,
    ) {
        match self.framing {
            Some(Framing::Records) => self.add_records(block, raw, keep, rewrite),
            Some(framing) if framing.is_netperf() => self.add_netperf_events(block, raw, keep, rewrite),
            Some(framing) => self.add_compressed(block, raw, framing == Framing::Blocks, keep, rewrite),
            None => {}
        }
    }

    /// Adds events of versions 4 to 6, always with compressed headers.
    fn add_compressed(
        &mut self,
        block: &EventBlock<'_>,
        raw: &[u8],
        is_v6: bool,
        keep: &mut dyn FnMut(&EventHeader<'_>) -> bool,
        mut rewrite: Option<&mut dyn Rewrite>,
    ) {
        let Some((frame, _)) = self.open(&block.info, raw) else { return };
        let mut payload = Vec::new();
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
            match rewrite.as_deref_mut() {
                Some(rewrite) => {
                    payload.clear();
                    payload.extend_from_slice(event.payload);
                    rewrite.payload(event, &mut payload);
                    encoder.push(&EventHeader { payload: &payload, ..event.clone() }, sequence);
                }
                None => encoder.push(event, sequence),
            }
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

    /// Adds events and metadata records of netperf 3.
    fn add_netperf_events(
        &mut self,
        block: &EventBlock<'_>,
        raw: &[u8],
        keep: &mut dyn FnMut(&EventHeader<'_>) -> bool,
        rewrite: Option<&mut dyn Rewrite>,
    ) {
        let Some((frame, _)) = self.open(&block.info, raw) else { return };
        let mut content = Vec::new();
        self.for_each_netperf(block, raw, keep, rewrite, |_, _, bytes| content.extend_from_slice(bytes));
        if !content.is_empty() {
            self.region.add(frame, content);
        }
    }

    /// Adds events of netperf 1 and 2, which refer to metadata records by offset.
    fn add_records(
        &mut self,
        block: &EventBlock<'_>,
        raw: &[u8],
        keep: &mut dyn FnMut(&EventHeader<'_>) -> bool,
        rewrite: Option<&mut dyn Rewrite>,
    ) {
        const ID: std::ops::Range<usize> = 4..8;
        self.for_each_netperf(block, raw, keep, rewrite, |excerpt, event, bytes| {
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

    /// Calls `write` with each wanted event and each metadata record of netperf, and its bytes.
    fn for_each_netperf(
        &mut self,
        block: &EventBlock<'_>,
        raw: &[u8],
        keep: &mut dyn FnMut(&EventHeader<'_>) -> bool,
        mut rewrite: Option<&mut dyn Rewrite>,
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
                let payload = (event.payload_offset - event.header_offset) as usize;
                let payload = payload..payload + event.payload.len();
                match rewrite.as_deref_mut() {
                    Some(rewrite) if is_event => {
                        let mut bytes = bytes.to_vec();
                        if let Some(payload) = bytes.get_mut(payload) {
                            rewrite.payload(event, payload);
                        }
                        write(self, event, &bytes);
                    }
                    _ => write(self, event, bytes),
                }
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

/// Appends threads with the sequence numbers of their last events, in the encoding of version 6.
fn write_numbers(mut out: Vec<u8>, numbers: impl Iterator<Item = (u64, u32)>) -> Vec<u8> {
    for (thread, last) in numbers {
        varint::write(&mut out, thread);
        varint::write(&mut out, last.into());
    }
    out
}
