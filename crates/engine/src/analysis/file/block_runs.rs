//! The file as a strip: runs of adjacent sections, as many as are distinguishable, with their problems.

use super::blocks::section_kind;
use crate::model::{BlockHead, FileSection, Store};
use nettrace::BlockKind;
use protocol::base::sort::sort_by_key;
use protocol::request::SectionFilter;
use protocol::tables::{SectionRuns, section_kind};

/// Maximum number of runs in an answer.
const MAX_RUNS: u32 = 8192;

/// Problems of a file, by offset.
pub struct Problems<'s> {
    store: &'s Store,
    /// Offset and text, in file order.
    messages: Vec<(u64, &'s str)>,
}

impl<'s> Problems<'s> {
    /// Finds the problems of a trace.
    pub fn new(store: &'s Store) -> Self {
        let examples = &store.diagnostics.examples;
        let mut messages: Vec<(u64, &str)> = examples.iter().map(|one| (one.offset, one.message.as_str())).collect();
        sort_by_key(&mut messages, |one| one.0);
        Self { store, messages }
    }

    /// Returns the problem of a section in words; empty if none is known.
    pub fn of(&self, one: &FileSection<'_>) -> String {
        if let Some(error) = one.error {
            return format!("{}.", error.kind());
        }
        let first = self.messages.partition_point(|(offset, _)| *offset < one.offset);
        let inside = self.messages[first..].iter().take_while(|(offset, _)| offset - one.offset < one.bytes);
        if let Some((_, message)) = inside.into_iter().next() {
            return (*message).to_owned();
        }
        if self.is_out_of_time(one) {
            return "Contains events outside its declared time range.".to_owned();
        }
        match section_kind(one.kind) {
            section_kind::DAMAGE => "Unreadable.".to_owned(),
            section_kind::BEHIND_END => "After the end-of-stream marker; ignored.".to_owned(),
            section_kind::UNREAD => "Not read.".to_owned(),
            section_kind::UNKNOWN => "Unknown block type; skipped.".to_owned(),
            _ => String::new(),
        }
    }

    /// Returns whether a section has a problem.
    fn is_there(&self, one: &FileSection<'_>) -> bool {
        !self.of(one).is_empty()
    }

    /// Returns whether a block has events outside the times declared in its header. Some writers declare none: 0.
    fn is_out_of_time(&self, one: &FileSection<'_>) -> bool {
        let Some(block) = one.block.filter(|block| block.kind == BlockKind::Events && block.items > 0) else {
            return false;
        };
        let BlockHead::Events { declared_ticks: Some([first, last]), .. } = block.head else { return false };
        let is_declared = first.saturating_add(self.store.header.sync_ticks) != 0 && last >= first;
        is_declared && (block.min_ticks < first || block.max_ticks > last)
    }
}

/// Returns whether a filter includes a section.
pub fn is_wanted(of: SectionFilter, one: &FileSection<'_>, problems: &Problems<'_>) -> bool {
    let is_kind = of.kinds == 0 || of.kinds & kind_bit(section_kind(one.kind)) != 0;
    is_kind && (!of.only_problems || problems.is_there(one))
}

/// Returns the bit of a kind in [`SectionFilter::kinds`].
fn kind_bit(kind: u8) -> u16 {
    1_u16.checked_shl(kind.into()).unwrap_or(0)
}

/// Returns the index, among the filtered sections, of the section with a byte, or else of the next one; `None` if there
/// is none.
pub fn position(store: &Store, file_bytes: u64, of: SectionFilter, offset: u64) -> Option<u64> {
    let problems = Problems::new(store);
    let mut wanted = store.blocks.sections(file_bytes).filter(|one| is_wanted(of, one, &problems));
    wanted.position(|one| offset < one.offset.saturating_add(one.bytes)).map(|row| row as u64)
}

/// A run under construction: its first byte, its end, and bytes by kind.
struct Run {
    start: u64,
    end: u64,
    sections: u32,
    problems: u32,
    bytes: [u64; 16],
}

impl Run {
    fn push(&self, table: &mut SectionRuns) {
        let most = (0..self.bytes.len()).max_by_key(|kind| (self.bytes[*kind], *kind)).unwrap_or(0);
        table.offset.push(self.start);
        table.bytes.push(self.end - self.start);
        table.sections.push(self.sections);
        table.kind.push(most as u8);
        let has = |kind: &usize| self.bytes[*kind] > 0;
        table.kinds.push((0..self.bytes.len()).filter(has).fold(0, |kinds, kind| kinds | kind_bit(kind as u8)));
        table.problems.push(self.problems);
    }
}

/// Returns a range of the file as approximately `count` runs of sections. A section longer than a run is a separate
/// run.
pub fn section_runs(store: &Store, file_bytes: u64, (start, end): (u64, u64), count: u32) -> SectionRuns {
    let mut table = SectionRuns::default();
    let end = end.min(file_bytes);
    let least = end.saturating_sub(start) / u64::from(count.clamp(1, MAX_RUNS)) + 1;
    let problems = Problems::new(store);
    let mut run: Option<Run> = None;
    let sections = store.blocks.sections(file_bytes);
    let inside = sections.skip_while(|one| one.offset + one.bytes <= start).take_while(|one| one.offset < end);
    for one in inside {
        let (from, to) = (one.offset.max(start), (one.offset + one.bytes).min(end));
        // Items wide enough to be visible stay separate.
        if run.as_ref().is_some_and(|run| run.end - run.start >= least || to - from >= least) {
            run.take().iter().for_each(|run| run.push(&mut table));
        }
        let run = run.get_or_insert(Run { start: from, end: from, sections: 0, problems: 0, bytes: [0; 16] });
        run.end = to;
        run.sections += 1;
        run.problems += u32::from(problems.is_there(&one));
        run.bytes[usize::from(section_kind(one.kind)) % 16] += to - from;
    }
    run.iter().for_each(|run| run.push(&mut table));
    table
}
