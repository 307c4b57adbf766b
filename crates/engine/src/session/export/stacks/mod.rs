//! Exports of stacks for other programs.

mod chrome;
mod csv;
mod firefox;
mod folded_tree;
mod names;
mod numbered;
mod pprof;
mod protobuf;
mod speedscope;

use crate::analysis::samples::call_nodes::CallNodes;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::samples::thread_samples::ThreadSamples;
use crate::analysis::scan::selection::Selection;
use crate::analysis::stacks::folded_text::folded_stacks;
use crate::analysis::stacks::frames::Frames;
use crate::analysis::stacks::occurrences::Occurrence;
use crate::analysis::stacks::sample_choice::ChosenSamples;
use crate::analysis::stacks::stack_tree::TopDown;
use crate::session::Session;
use crate::session::answers::time_order::PlacedStacks;
use crate::session::db::interrupt::Answered;
use crate::session::db::trees::FramedTree;
use protocol::base::ids::ThreadId;
use protocol::columns::Strings;
use protocol::request::{StackSource, TreeQuery, Weight};
pub use protocol::stacks::format::StackFormat;
use protocol::stacks::query::Unit;
use protocol::stacks::shape::{Roots, Shape};
use protocol::{Failure, FailureCode, tables};
use std::io::{self, Write};
use std::rc::Rc;

impl Session {
    /// Returns the stacks of a query for export.
    ///
    /// # Errors
    /// Fails if the file can no longer be read, or the format can't represent such stacks.
    pub fn stack_export(&mut self, query: &TreeQuery, format: StackFormat) -> Result<StackExport<'_>, Failure> {
        let parts = self.complete(|session| session.export_parts(query, format))?;
        Ok(StackExport::new(self, format, parts))
    }

    fn export_parts(&mut self, query: &TreeQuery, format: StackFormat) -> Answered<ExportParts> {
        if format.is_over_time() && query.source != StackSource::Samples {
            let message = "This format shows threads over time, so it supports only samples.";
            return Err(Failure::new(FailureCode::NotFound, message).into());
        }
        let roots = if format.shows_roots() { query.shape.roots } else { Roots::None };
        let stitched = format.shows_roots() && query.shape.stitched;
        let shape = Shape { roots, stitched, inverted: false, ..query.shape.clone() };
        let query = TreeQuery { shape, ..query.clone() };
        if query.baseline.is_some() && !format.shows_comparisons() {
            let message = "This format can't show a comparison. Use folded or csv.";
            return Err(Failure::new(FailureCode::NotFound, message).into());
        }
        // pprof profiles contain both count and time.
        let is_counted = query.source == StackSource::Samples && query.weight == Weight::Count;
        let weight = if format == StackFormat::Pprof && is_counted { Weight::Time } else { query.weight.clone() };
        let placed = self.placed_stacks(&TreeQuery { weight, ..query.clone() }, None)?;
        let has_tree = query.baseline.is_some() || roots != Roots::None || stitched;
        let tree = if has_tree { Some(self.top_down(&query)?) } else { None };
        let occurrences = if format == StackFormat::Csv { self.occurrences(&query)? } else { Vec::new() };
        Ok(ExportParts { query, placed, tree, occurrences })
    }
}

/// Stacks of a query for export.
struct ExportParts {
    query: TreeQuery,
    placed: PlacedStacks,
    tree: Option<FramedTree>,
    occurrences: Vec<Occurrence>,
}

/// Maximum size of a file in memory.
const MAX_BYTES: usize = 1 << 30;

impl Session {
    /// Returns a file with the stacks of a query.
    pub(in crate::session) fn stack_file(
        &mut self,
        query: &TreeQuery,
        format: StackFormat,
    ) -> Answered<tables::ExportedFile> {
        let parts = self.export_parts(query, format)?;
        let mut name = self.file().name.clone();
        name.push_str(format.ending());
        let mut file = Bounded(Vec::new());
        StackExport::new(self, format, parts).write(&mut file).map_err(|_| {
            Failure::new(
                FailureCode::TooLarge,
                "This export is too large for the browser. Use a shorter time range, or the command-line tool.",
            )
        })?;
        let mut names = Strings::default();
        names.push(&name);
        Ok(tables::ExportedFile { name: names, bytes: file.0 })
    }
}

/// Buffer with a maximum size.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_too_much = self.0.len() + bytes.len() > MAX_BYTES || self.0.try_reserve(bytes.len()).is_err();
        if is_too_much {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub struct StackExport<'s> {
    session: &'s Session,
    selection: Rc<Selection>,
    stacks: Rc<SampleIndex>,
    query: TreeQuery,
    format: StackFormat,
    /// Both sides of a comparison, or stacks with root frames.
    tree: Option<TopDown>,
    /// By frame: number and times of stacks, for the format that contains them.
    occurrences: Vec<Occurrence>,
    /// Call paths of stacks.
    nodes: Rc<CallNodes>,
    frames: Rc<Frames>,
    /// By stack: true if excluded.
    excluded: Vec<bool>,
}

impl<'s> StackExport<'s> {
    fn new(session: &'s Session, format: StackFormat, parts: ExportParts) -> Self {
        let ExportParts { query, placed, tree, occurrences } = parts;
        let PlacedStacks { samples: stacks, selection, nodes, frames, excluded } = placed;
        let (tree, frames) = match tree {
            Some(FramedTree { tree, frames }) => (Some(tree), frames),
            None => (None, frames),
        };
        Self { session, selection, stacks, query, format, tree, occurrences, nodes, frames, excluded }
    }

    /// Writes the file.
    ///
    /// # Errors
    /// Fails if `output` can't be written.
    pub fn write(&self, output: &mut dyn Write) -> io::Result<()> {
        if let (StackFormat::Folded, Some(tree)) = (self.format, &self.tree) {
            return folded_tree::write(self, tree, output);
        }
        match self.format {
            StackFormat::Folded => {
                let name = |frame| self.raw_name(Some(frame));
                let store = self.session.store();
                output.write_all(folded_stacks(store, &self.stacks, &self.nodes, self.chosen(), name).as_bytes())
            }
            StackFormat::Speedscope => speedscope::write(self, output),
            StackFormat::Firefox => firefox::write(self, output),
            StackFormat::Chrome => chrome::write(self, output),
            StackFormat::Pprof => pprof::write(self, output),
            StackFormat::Csv => csv::write(self, output),
        }
    }

    fn chosen(&self) -> ChosenSamples<'_> {
        let TreeQuery { samples, weight, .. } = &self.query;
        ChosenSamples { excluded: &self.excluded, ..ChosenSamples::new(&self.selection, *samples, weight) }
    }

    /// Returns the threads with matching samples, by ID.
    fn threads(&self) -> impl Iterator<Item = (ThreadId, &ThreadSamples)> {
        let chosen = self.chosen();
        self.stacks.iter().filter(move |(_, thread)| (0..thread.len()).any(|index| chosen.has(thread, index)))
    }

    /// Returns the unit of a weight.
    fn unit(&self) -> Unit {
        match &self.query.weight {
            Weight::Count => Unit::Count,
            Weight::Time => Unit::Nanos,
            Weight::Field(name) => Unit::of_field(name),
        }
    }

    /// Describes the unit of stacks and weights: "samples", "nanoseconds".
    fn unit_words(&self) -> &str {
        match (self.unit(), &self.query.weight, &self.query.source) {
            (Unit::Nanos, ..) => "nanoseconds",
            (Unit::Millis, ..) => "milliseconds",
            (Unit::Bytes, ..) => "bytes",
            (_, Weight::Field(name), _) => name,
            (.., StackSource::Samples) => "samples",
            (.., StackSource::Events(_) | StackSource::Everything) => "events",
        }
    }

    /// Converts a weight to a number for display.
    fn value(&self, weight: u64) -> f64 {
        weight as f64 / self.stacks.fraction.per_one() as f64
    }
}
