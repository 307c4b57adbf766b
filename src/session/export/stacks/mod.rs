//! Stacks for other programs.

mod chrome;
mod csv;
mod firefox;
mod names;
mod numbered;
mod pprof;
mod protobuf;
mod speedscope;

use crate::analysis::sample_choice::ChosenSamples;
use crate::analysis::samples::SampleIndex;
use crate::analysis::selection::Selection;
use crate::analysis::stacks_folded::folded_stacks;
use crate::analysis::thread_samples::ThreadSamples;
use crate::model::ids::ThreadId;
use crate::protocol::request::{StackSource, TreeQuery, Weight};
use crate::protocol::stack_query::Unit;
use crate::protocol::{Failure, FailureCode};
use crate::session::Session;
use std::io::{self, Write};
use std::rc::Rc;

/// How stacks are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StackFormat {
    /// Distinct stacks with their counts, as flame-graph scripts read them.
    #[default]
    Folded,
    /// Threads over time, as speedscope reads them.
    Speedscope,
    /// Samples of each thread, as the Firefox Profiler reads them.
    Firefox,
    /// Threads over time, as Perfetto and Chrome's tracing read them.
    Chrome,
    /// Distinct stacks with their weights, as pprof reads them: a binary file.
    Pprof,
    /// What each function weighs: a table.
    Csv,
}

impl StackFormat {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Folded, Self::Speedscope, Self::Firefox, Self::Chrome, Self::Pprof, Self::Csv];

    /// Whether it shows what threads did over time, which only samples tell.
    pub const fn is_over_time(self) -> bool {
        matches!(self, Self::Chrome)
    }

    /// What it is called on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Folded => "folded",
            Self::Speedscope => "speedscope",
            Self::Firefox => "firefox",
            Self::Chrome => "chrome",
            Self::Pprof => "pprof",
            Self::Csv => "csv",
        }
    }
}

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
        let selection = self.selection(&query.filter)?;
        let stacks = self.weighed_stacks(query)?;
        Ok(StackExport { session: self, selection, stacks, query: query.clone(), format })
    }
}

/// Stacks to be written.
pub struct StackExport<'s> {
    session: &'s Session,
    selection: Rc<Selection>,
    stacks: Rc<SampleIndex>,
    query: TreeQuery,
    format: StackFormat,
}

impl StackExport<'_> {
    /// Writes them.
    ///
    /// # Errors
    /// If `output` cannot be written.
    pub fn write(&self, output: &mut dyn Write) -> io::Result<()> {
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
