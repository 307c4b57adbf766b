//! What traces are compared by: their measures over time, and the changes between them.

mod comparison;
mod subject;

pub use comparison::{Change, ChangeKind, Comparison, Per, Side};
pub use subject::{Form, Preference, Subject, SubjectUnit};

use crate::columns::Strings;
use crate::packed_table;
use crate::request::Filter;
use serde::{Deserialize, Serialize};

/// The measures of a trace, by time slice.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TraceMeasures {
    /// Limits the measures to a time range, for example to exclude warm-up.
    pub filter: Filter,
}

packed_table!(
    /// Measures of a trace. Each has values in time slices of equal length.
    Measures {
        /// Start and end of the measured time.
        bounds: Vec<i64>,
        /// Number of slices: one value.
        slices: Vec<u32>,
        /// [`Subject`] of each measure.
        subject: Vec<u8>,
        /// Route, function, type or other name that the measure is about; empty for the whole trace.
        name: Strings,
        /// Position after the measure's last value.
        end: Vec<u32>,
        /// Slice of each value, ascending within a measure.
        value_slice: Vec<u16>,
        /// By [`Form`]: sum in the slice, one duration, or one level.
        value: Vec<f64>,
    }
);

impl Measures {
    /// Returns the number of measures.
    pub fn len(&self) -> usize {
        self.subject.len()
    }

    /// Returns whether there are no measures.
    pub fn is_empty(&self) -> bool {
        self.subject.is_empty()
    }

    /// Returns the values of a measure with their slices.
    pub fn values(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let end_of = |row: usize| self.end.get(row).map_or(0, |end| *end as usize);
        let range = (if row == 0 { 0 } else { end_of(row - 1) })..end_of(row);
        let slices = self.value_slice.get(range.clone()).unwrap_or_default();
        let values = self.value.get(range).unwrap_or_default();
        slices.iter().map(|slice| usize::from(*slice)).zip(values.iter().copied())
    }

    /// Returns the measured time in nanoseconds.
    pub fn duration(&self) -> i64 {
        match self.bounds[..] {
            [start, end] => end.saturating_sub(start).max(0),
            _ => 0,
        }
    }

    /// Returns the number of slices.
    pub fn slice_count(&self) -> usize {
        self.slices.first().map_or(0, |slices| *slices as usize)
    }
}
