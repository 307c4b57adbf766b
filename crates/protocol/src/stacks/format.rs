//! Export formats of stacks.

use crate::named;
use serde::{Deserialize, Serialize};

named! {
    /// Export format of stacks.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
    pub enum StackFormat {
        /// Distinct stacks with their counts, for flame-graph scripts.
        #[default]
        Folded: "folded", ".folded.txt";
        /// Threads over time, for speedscope.
        Speedscope: "speedscope", ".speedscope.json";
        /// Samples of each thread, for the Firefox Profiler.
        Firefox: "firefox", ".firefox.json";
        /// Threads over time, for Perfetto and Chrome's tracing.
        Chrome: "chrome", ".trace.json";
        /// Distinct stacks with their weights, for pprof (binary).
        Pprof: "pprof", ".pb";
        /// Table of functions with their weights.
        Csv: "csv", ".csv";
    }
    /// Returns the name on the command line.
    fn name;
    /// Returns the file extension.
    fn ending;
}

impl StackFormat {
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
}
