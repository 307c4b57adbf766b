//! What traces are compared by: their measures over time, and the changes between them.

mod change_columns;
mod comparison;
mod subject;
mod words;

pub use change_columns::{CHANGE_COLUMNS, CHANGE_FACTS};
pub use comparison::{Change, ChangeKind, Comparison, LEAST_CHANGE, Only, Per, Side};
pub use subject::{Form, Preference, Subject, SubjectUnit};
pub use words::signed;

use crate::columns::{Packed, Strings};
use crate::packed_table;
use crate::request::Filter;
use serde::{Deserialize, Serialize};

/// The measures of a trace, by time slice.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TraceMeasures {
    /// Limits the measures to a time range, for example to exclude warm-up.
    pub filter: Filter,
}

/// The changes from another trace to this one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TraceChanges {
    /// [`Measures`] of the other trace.
    pub old: Packed,
    /// Limits the measures of this trace to a time range.
    pub filter: Filter,
    pub per: Per,
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

    /// Returns whether all values are in slices of the measured time, and no measure has values of another one.
    pub fn is_valid(&self) -> bool {
        let slices = self.slice_count();
        let is_inside = |slice: &u16| usize::from(*slice) < slices;
        let ends = self.end.last().map_or(0, |end| *end as usize);
        self.bounds.len() == 2
            && self.subject.len() == self.end.len()
            && self.end.is_sorted()
            && ends == self.value.len()
            && ends == self.value_slice.len()
            && slices <= usize::from(u16::MAX)
            && self.value_slice.iter().all(is_inside)
    }

    /// Returns the number of slices.
    pub fn slice_count(&self) -> usize {
        self.slices.first().map_or(0, |slices| *slices as usize)
    }
}
