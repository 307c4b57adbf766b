//! Changes between two traces.

use super::Subject;
use crate::named;
use serde::{Deserialize, Serialize};

/// Minimum relative difference of a change.
pub const LEAST_CHANGE: f64 = 0.01;

named! {
    /// What sums are divided by before they are compared.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
    pub enum Per {
        /// Seconds of the measured time.
        #[default]
        Second: "second", " per second";
        /// Incoming requests.
        Request: "request", " per request";
        /// Nothing.
        Total: "total", "";
    }
    /// Returns the name in URLs, in JSON and on the command line.
    fn name;
    /// Returns the words after a value: " per second"; empty for totals.
    fn words;
}

impl Per {
    /// Returns the value with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|per| per.name() == name)
    }
}

/// One of the compared traces, or all traces of a baseline.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Side {
    pub seconds: f64,
    /// Number of incoming requests.
    pub requests: f64,
}

/// What only one of the traces recorded, so that it can't be compared.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Only {
    pub subjects: Vec<Subject>,
    pub providers: Vec<String>,
    /// Number of the runtime's event types. Keywords decide which ones are recorded.
    pub runtime_types: usize,
}

named! {
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
    pub enum ChangeKind {
        Grew: "grew";
        Shrank: "shrank";
        /// Only the new trace has it.
        New: "new";
        /// Only the old trace has it.
        Gone: "gone";
        /// The difference isn't significant.
        Same: "same";
    }
    /// Returns the name in JSON.
    fn name;
}

/// A compared value of both traces.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Change {
    pub subject: Subject,
    /// What the value is about; empty for the whole trace.
    pub name: String,
    /// Percentile of durations; `None` for sums, levels and the number of operations.
    pub percentile: Option<u8>,
    pub kind: ChangeKind,
    /// Value in the old trace, divided as [`Comparison::per`] says if it is a sum.
    pub old: f64,
    /// Value in the new trace.
    pub new: f64,
    /// Bounds of the 95% confidence interval of `new / old`; `None` unless both are known.
    pub ratio: Option<(f64, f64)>,
    /// Probability that traces of the same behavior differ as much.
    pub probability: f64,
    /// Size for sorting: the difference relative to the larger total of the subject.
    pub weight: f64,
    /// The change in words.
    pub sentence: String,
}

impl Comparison {
    /// Returns the certain changes as tab-separated lines with titles.
    pub fn significant_text(&self) -> String {
        let row = |change: &Change| {
            let (sign, size, interval) = (change.sign(), change.size_words(), change.interval_words());
            format!("{sign}\t{size}\t{interval}\t{}\n", change.sentence.replace(['\t', '\n', '\r'], " "))
        };
        let rows = self.changes.iter().filter(|change| change.is_significant()).map(row);
        format!("\tChange\t95% CI\tWhat\n{}", rows.collect::<String>())
    }
}

impl Change {
    /// Returns the relative change; `None` if the old value is 0.
    pub fn relative(&self) -> Option<f64> {
        (self.old > 0.0).then(|| self.new / self.old - 1.0)
    }

    /// Returns whether the confidence interval of this value alone shows a change, but so many values are compared that
    /// chance explains it, too.
    pub fn is_possible(&self) -> bool {
        let is_large = self.relative().is_some_and(|relative| relative.abs() >= LEAST_CHANGE);
        !self.is_significant() && is_large && self.ratio.is_some_and(|(low, high)| low > 1.0 || high < 1.0)
    }

    /// Returns whether the traces prove the change.
    pub fn is_significant(&self) -> bool {
        self.kind != ChangeKind::Same
    }
}

/// The changes between two traces.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Comparison {
    pub old: Side,
    pub new: Side,
    pub per: Per,
    /// What only the old trace recorded, and what only the new one did.
    pub only: [Only; 2],
    /// Certain changes, most important first, then values without a proven change.
    pub changes: Vec<Change>,
}
