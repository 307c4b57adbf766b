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
use crate::analysis::selection::Selection;
use crate::analysis::stacks_folded::folded_stacks;
use crate::analysis::thread_samples::ThreadSamples;
use crate::model::ids::ThreadId;
use crate::protocol::Failure;
use crate::protocol::request::TreeQuery;
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
    /// If the file can no longer be read.
    pub fn stack_export(&mut self, query: &TreeQuery) -> Result<StackExport<'_>, Failure> {
        let selection = self.selection(&query.filter)?;
        Ok(StackExport { session: self, selection, query: query.clone() })
    }
}

/// Stacks to be written.
pub struct StackExport<'s> {
    session: &'s Session,
    selection: Rc<Selection>,
    query: TreeQuery,
}

impl StackExport<'_> {
    /// Writes them.
    ///
    /// # Errors
    /// If `output` cannot be written.
    pub fn write(&self, format: StackFormat, output: &mut dyn Write) -> io::Result<()> {
        match format {
            StackFormat::Folded => {
                let (store, samples, nodes) = (self.session.store(), self.session.samples(), self.session.nodes());
                output.write_all(folded_stacks(store, samples, nodes, self.chosen()).as_bytes())
            }
            StackFormat::Speedscope => speedscope::write(self, output),
            StackFormat::Firefox => firefox::write(self, output),
            StackFormat::Chrome => chrome::write(self, output),
            StackFormat::Pprof => pprof::write(self, output),
            StackFormat::Csv => csv::write(self, output),
        }
    }

    fn chosen(&self) -> ChosenSamples<'_> {
        let TreeQuery { samples, weight, .. } = self.query;
        ChosenSamples { selection: &self.selection, samples, weight }
    }

    /// The threads that have chosen samples, in order of their ids.
    fn threads(&self) -> impl Iterator<Item = (ThreadId, &ThreadSamples)> {
        let chosen = self.chosen();
        self.session
            .samples()
            .iter()
            .filter(move |(_, thread)| (0..thread.len()).any(|index| chosen.has(thread, index)))
    }
}
