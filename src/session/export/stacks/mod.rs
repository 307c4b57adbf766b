//! Stacks for other programs.

mod chrome;
mod csv;
mod difference;
mod firefox;
mod names;
mod numbered;
mod pprof;
mod protobuf;
mod speedscope;

use crate::analysis::sample_choice::ChosenSamples;
use crate::analysis::samples::SampleIndex;
use crate::analysis::selection::Selection;
use crate::analysis::stack_tree::TopDown;
use crate::analysis::stacks_folded::folded_stacks;
use crate::analysis::thread_samples::ThreadSamples;
use crate::model::ids::ThreadId;
use crate::protocol::columns::Strings;
use crate::protocol::request::{StackSource, TreeQuery, Weight};
pub use crate::protocol::stack_format::StackFormat;
use crate::protocol::stack_query::Unit;
use crate::protocol::{Failure, FailureCode, tables};
use crate::session::Session;
use std::io::{self, Write};
use std::rc::Rc;

impl Session {
    /// The stacks of a query, ready to be written.
    ///
    /// # Errors
    /// If the file can no longer be read, or the format cannot show such stacks.
    pub fn stack_export(&mut self, query: &TreeQuery, format: StackFormat) -> Result<StackExport<'_>, Failure> {
        if format.is_over_time() && query.source != StackSource::Samples {
            let message = "This format shows what threads did over time: it takes samples, no other events.";
            return Err(Failure::new(FailureCode::NotFound, message));
        }
        let compared = match query.baseline {
            Some(_) if !matches!(format, StackFormat::Folded | StackFormat::Csv) => {
                let message = "This format cannot show a comparison: folded and csv can.";
                return Err(Failure::new(FailureCode::NotFound, message));
            }
            Some(_) => Some(self.top_down(query)?),
            None => None,
        };
        let selection = self.selection(&query.filter)?;
        let stacks = self.weighed_stacks(query)?;
        Ok(StackExport { session: self, selection, stacks, query: query.clone(), format, compared })
    }
}

/// A file beyond this is not put together in memory.
const MOST_BYTES: usize = 1 << 30;

impl Session {
    /// A file of the stacks of a query.
    pub(in crate::session) fn stack_file(
        &mut self,
        query: &TreeQuery,
        format: StackFormat,
    ) -> Result<tables::ExportedFile, Failure> {
        let mut name = self.file().name.clone();
        name.push_str(format.ending());
        let mut file = Bounded(Vec::new());
        self.stack_export(query, format)?.write(&mut file).map_err(|_| {
            Failure::new(
                FailureCode::TooLarge,
                "The file would be too large to put together here. Narrow the range, or use the command line.",
            )
        })?;
        let mut names = Strings::default();
        names.push(&name);
        Ok(tables::ExportedFile { name: names, bytes: file.0 })
    }
}

/// Bytes in memory, of which there are not too many.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_too_much = self.0.len() + bytes.len() > MOST_BYTES || self.0.try_reserve(bytes.len()).is_err();
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

/// Stacks to be written.
pub struct StackExport<'s> {
    session: &'s Session,
    selection: Rc<Selection>,
    stacks: Rc<SampleIndex>,
    query: TreeQuery,
    format: StackFormat,
    /// Both sides of a comparison.
    compared: Option<TopDown>,
}

impl StackExport<'_> {
    /// Writes them.
    ///
    /// # Errors
    /// If `output` cannot be written.
    pub fn write(&self, output: &mut dyn Write) -> io::Result<()> {
        if let (StackFormat::Folded, Some(compared)) = (self.format, &self.compared) {
            return difference::write_folded(self, compared, output);
        }
        match self.format {
            StackFormat::Folded => {
                let (store, nodes) = (self.session.store(), self.session.nodes());
                output.write_all(folded_stacks(store, &self.stacks, nodes, self.chosen()).as_bytes())
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
        ChosenSamples { selection: &self.selection, samples: *samples, weight }
    }

    /// The threads that have chosen samples, in order of their ids.
    fn threads(&self) -> impl Iterator<Item = (ThreadId, &ThreadSamples)> {
        let chosen = self.chosen();
        self.stacks.iter().filter(move |(_, thread)| (0..thread.len()).any(|index| chosen.has(thread, index)))
    }

    /// What a weight counts.
    fn unit(&self) -> Unit {
        match &self.query.weight {
            Weight::Count => Unit::Count,
            Weight::Time => Unit::Nanos,
            Weight::Field(name) => Unit::of_field(name),
        }
    }

    /// What one of the stacks is, and what its weight counts, in words: "samples", "nanoseconds".
    fn unit_words(&self) -> &str {
        match (self.unit(), &self.query.weight, &self.query.source) {
            (Unit::Nanos, ..) => "nanoseconds",
            (Unit::Millis, ..) => "milliseconds",
            (Unit::Bytes, ..) => "bytes",
            (_, Weight::Field(name), _) => name,
            (.., StackSource::Samples) => "samples",
            (.., StackSource::Events(_)) => "events",
        }
    }

    /// A weight as a number for people.
    fn value(&self, weight: u64) -> f64 {
        weight as f64 / self.stacks.fraction().per_one() as f64
    }
}
