//! The formats that stacks are written in for other programs.

use serde::{Deserialize, Serialize};

/// How stacks are written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
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

    /// Whether it can show what stacks are compared with.
    pub const fn shows_comparisons(self) -> bool {
        matches!(self, Self::Folded | Self::Csv)
    }

    /// Whether stacks in it can begin with what they have in common; the others tell threads apart by themselves.
    pub const fn shows_roots(self) -> bool {
        self.shows_comparisons()
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

    /// How names of its files end.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Folded => ".folded.txt",
            Self::Speedscope => ".speedscope.json",
            Self::Firefox => ".firefox.json",
            Self::Chrome => ".trace.json",
            Self::Pprof => ".pb",
            Self::Csv => ".csv",
        }
    }
}
