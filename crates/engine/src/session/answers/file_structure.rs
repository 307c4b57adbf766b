//! Answers about the structure of the file, down to single bytes.

use super::Run;
use crate::analysis::file::block_runs;
use crate::analysis::file::blocks;
use crate::analysis::file::blocks::MAX_SECTIONS;
use crate::analysis::file::field_costs::field_costs;
use crate::analysis::file::structure::{MAX_PARTS, Wanted, event_at, file_structure, leaves};
use crate::model::{FileSection, FileSectionKind};
use crate::session::db::interrupt::Answered;
use crate::session::db::state::Session;
use crate::session::open::failures::unreadable_source;
use nettrace::{BlockKind, ByteSource, Item, Parser, Step};
use protocol::base::ids::EventId;
use protocol::file::section_columns::SectionOrder;
use protocol::request::SectionFilter;
use protocol::tables::{Costs, FieldCosts, FileBytes, NO_NUMBER, SectionRuns, Sections, Structure};
use protocol::{Failure, FailureCode, format, queries};
use std::ops::Range;
use std::rc::Rc;

/// Maximum number of bytes per answer.
const MAX_BYTES: u32 = 1 << 20;

impl Run for queries::Sections {
    fn run(&self, session: &mut Session) -> Answered<Sections> {
        let positions = session.sorted_sections(self.of, self.order);
        let page = (self.first, self.count.min(MAX_SECTIONS));
        Ok(blocks::sections(&session.store, session.source.len(), self.of, (*positions).as_deref(), page))
    }
}

impl Run for queries::SectionPosition {
    fn run(&self, session: &mut Session) -> Answered<Option<u64>> {
        let found = block_runs::position(&session.store, session.source.len(), self.of, self.offset);
        Ok(match &*session.sorted_sections(self.of, self.order) {
            None => found,
            Some(positions) => {
                positions.iter().position(|at| Some(u64::from(*at)) == found).map(|position| position as u64)
            }
        })
    }
}

impl Run for queries::SectionRuns {
    fn run(&self, session: &mut Session) -> Answered<SectionRuns> {
        Ok(block_runs::section_runs(&session.store, session.source.len(), (self.start, self.end), self.count))
    }
}

impl Run for queries::Costs {
    fn run(&self, session: &mut Session) -> Answered<Costs> {
        Ok(session.costs())
    }
}

impl Run for queries::FieldCosts {
    fn run(&self, session: &mut Session) -> Answered<FieldCosts> {
        Ok(field_costs(&session.store, &session.source, self.event_type, self.first)?)
    }
}

impl Run for queries::Structure {
    fn run(&self, session: &mut Session) -> Answered<Structure> {
        Ok(session.structure(*self)?)
    }
}

impl Run for queries::Leaves {
    fn run(&self, session: &mut Session) -> Answered<Structure> {
        let found = leaves(&session.store, &session.source, self.offset, self.bytes)?;
        Ok(found.ok_or_else(|| past_end(self.offset, session.source.len()))?)
    }
}

impl Run for queries::FileBytes {
    fn run(&self, session: &mut Session) -> Answered<FileBytes> {
        Ok(session.file_bytes(self.offset, self.count)?)
    }
}

impl Run for queries::EventAt {
    fn run(&self, session: &mut Session) -> Answered<Option<EventId>> {
        Ok(event_at(&session.store, &session.source, self.offset)?)
    }
}

fn past_end(offset: u64, file_bytes: u64) -> Failure {
    let (offset, bytes) = (format::count(offset), format::counted(file_bytes, "byte"));
    Failure::new(FailureCode::NotFound, format!("Offset {offset} is past the end of the file ({bytes})."))
}

impl Session {
    /// Returns a page of the blocks in the order of the file, at most a few thousand.
    pub fn sections(&self, first: u64, count: u32) -> Sections {
        let page = (first, count.min(MAX_SECTIONS));
        blocks::sections(&self.store, self.source.len(), SectionFilter::default(), None, page)
    }

    /// Returns the positions of the matching blocks in an order; `None` for the order in the file.
    fn sorted_sections(&mut self, of: SectionFilter, order: SectionOrder) -> Rc<Option<Vec<u32>>> {
        let known = self.section_orders.get(&(of, order));
        known.unwrap_or_else(|| {
            let sorted = blocks::sorted_sections(&self.store, self.source.len(), of, order);
            self.section_orders.insert((of, order), sorted)
        })
    }

    /// Returns how many bytes of the file each purpose takes.
    pub fn costs(&self) -> Costs {
        blocks::costs(&self.store, self.source.len())
    }

    /// Returns a page of the parts of a block.
    ///
    /// # Errors
    /// Fails if the offset is past the end of the file, or the file can no longer be read.
    pub fn structure(&self, wanted: Wanted) -> Result<Structure, Failure> {
        let found = file_structure(&self.store, &self.source, wanted).map_err(|error| unreadable_source(&error))?;
        found.ok_or_else(|| past_end(wanted.offset, self.source.len()))
    }

    /// Returns bytes of the file, starting at an offset; fewer than requested at its end.
    ///
    /// # Errors
    /// Fails if the file can no longer be read.
    pub fn file_bytes(&self, offset: u64, count: u32) -> Result<FileBytes, Failure> {
        let file_bytes = vec![self.source.len()];
        let left = self.source.len().saturating_sub(offset);
        if left == 0 {
            return Ok(FileBytes { file_bytes, offset: vec![offset], bytes: Vec::new() });
        }
        let mut bytes = vec![0; left.min(count.min(MAX_BYTES).into()) as usize];
        self.source.read_at(offset, &mut bytes).map_err(|error| unreadable_source(&error))?;
        Ok(FileBytes { file_bytes, offset: vec![offset], bytes })
    }

    /// Returns the threads of the sequence point at an offset, each with the sequence number of the last event that it
    /// tried to write; empty if there is no sequence point.
    ///
    /// # Errors
    /// Fails if the file can no longer be read.
    pub fn threads_of_point(&self, offset: u64) -> Result<Vec<(u64, u32)>, Failure> {
        let section = self.store.blocks.section_at(offset, self.source.len());
        let is_point = |section: &FileSection<'_>| section.kind == FileSectionKind::Block(BlockKind::SequencePoint);
        let Some(section) = section.filter(is_point) else { return Ok(Vec::new()) };
        let bytes = self.file_bytes(section.offset, u32::try_from(section.bytes).unwrap_or(u32::MAX))?.bytes;
        let mut parser = Parser::at_block(&self.store.header, section.offset);
        Ok(match parser.parse(&bytes, true) {
            Ok(Step::Parsed { item: Item::SequencePoint(point), .. }) => point.threads,
            _ => Vec::new(),
        })
    }

    /// Calls `visit(structure, row)` for every part with bytes in a range of the file, in order.
    ///
    /// # Errors
    /// Fails if the range begins past the end of the file, or the file can no longer be read.
    pub fn parts_in(&self, range: Range<u64>, mut visit: impl FnMut(&Structure, usize)) -> Result<(), Failure> {
        let mut at = range.start;
        while at < range.end.min(self.source.len()) || at == range.start {
            let mut first = 0;
            loop {
                let page = self.structure(Wanted { offset: at, item: None, first, count: MAX_PARTS })?;
                self.parts_of_page(&page, &range, &mut visit)?;
                first += page.offset.len() as u64;
                let is_past = page.offset.last().is_some_and(|offset| *offset >= range.end);
                if page.offset.is_empty() || is_past || first >= page.total.first().copied().unwrap_or(0) {
                    at = page.section.iter().sum();
                    break;
                }
            }
        }
        Ok(())
    }

    fn parts_of_page(
        &self,
        page: &Structure,
        range: &Range<u64>,
        visit: &mut impl FnMut(&Structure, usize),
    ) -> Result<(), Failure> {
        let is_inside = |page: &Structure, row: usize| {
            let (start, end) = (page.offset[row], page.offset[row] + page.bytes[row]);
            // Parts without bytes are included if they are inside the range.
            start < range.end && end > range.start || start == end && range.contains(&start)
        };
        for row in (0..page.offset.len()).filter(|row| is_inside(page, *row)) {
            if page.item[row] == NO_NUMBER {
                visit(page, row);
                continue;
            }
            let mut first = 0;
            loop {
                let wanted = Wanted { offset: page.offset[row], item: Some(page.item[row]), first, count: MAX_PARTS };
                let parts = self.structure(wanted)?;
                (0..parts.offset.len()).filter(|row| is_inside(&parts, *row)).for_each(|row| visit(&parts, row));
                first += parts.offset.len() as u64;
                if parts.offset.is_empty() || first >= parts.total.first().copied().unwrap_or(0) {
                    break;
                }
            }
        }
        Ok(())
    }
}
