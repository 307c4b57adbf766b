//! Export formats of stacks.

use serde::{Deserialize, Serialize};

/// Export format of stacks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum StackFormat {
    /// Distinct stacks with their counts, for flame-graph scripts.
    #[default]
    Folded,
    /// Threads over time, for speedscope.
    Speedscope,
    /// Samples of each thread, for the Firefox Profiler.
    Firefox,
    /// Threads over time, for Perfetto and Chrome's tracing.
    Chrome,
    /// Distinct stacks with their weights, for pprof (binary).
    Pprof,
    /// Table of functions with their weights.
    Csv,
}

impl StackFormat {
    /// All formats.
    pub const ALL: [Self; 6] = [Self::Folded, Self::Speedscope, Self::Firefox, Self::Chrome, Self::Pprof, Self::Csv];

    /// Returns whether the format shows threads over time, which requires samples.
    pub const fn is_over_time(self) -> bool {
        matches!(self, Self::Chrome)
    }

    /// Returns whether the format supports a baseline.
    pub const fn shows_comparisons(self) -> bool {
        matches!(self, Self::Folded | Self::Csv)
    }

    /// Returns whether the format supports root frames. Other formats separate threads anyway.
    pub const fn shows_roots(self) -> bool {
        self.shows_comparisons()
    }

    /// Returns the name on the command line.
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

    /// Returns the file extension.
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
