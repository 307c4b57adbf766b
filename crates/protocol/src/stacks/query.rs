//! Inputs of stack queries: events and weights.

use super::shape::Shape;
use crate::base::ids::FunctionId;
use crate::request::Filter;
use crate::timeline::thread_state::Activity;
use serde::{Deserialize, Serialize};

/// Name of an event type, of any version.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EventName {
    pub provider: String,
    pub name: String,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum StackSource {
    #[default]
    Samples,
    Events(EventName),
    /// All events with a stack, including samples.
    Everything,
}

/// Time of samples by thread state. Other events have no state and always match.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum SampleChoice {
    /// All samples: wall-clock time, including waits.
    #[default]
    All,
    /// Samples in managed code.
    Managed,
    /// Samples outside managed code (native code or waiting).
    External,
    /// Time in which the thread ran.
    Running,
    /// Time in which the thread was blocked.
    Blocked,
    /// Time in which the thread was idle.
    Idle,
    /// Time in which the thread wasn't idle.
    NotIdle,
}

impl SampleChoice {
    /// Returns the activity of threads during the selected time; `None` for choices that don't depend on it.
    pub fn activity(self) -> Option<Activity> {
        match self {
            Self::All | Self::Managed | Self::External | Self::NotIdle => None,
            Self::Running => Some(Activity::Running),
            Self::Blocked => Some(Activity::Blocked),
            Self::Idle => Some(Activity::Idle),
        }
    }
}

/// Weight of a stack.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Weight {
    /// Each event counts 1.
    Count,
    /// Nanoseconds. A sample lasts until the thread's next sample, at most five of the thread's median periods. A CPU
    /// sample of a machine-wide trace lasts one sampler period, because the thread may not have run until the next one.
    /// Other events have the duration of the interval that they start, or 0 if the trace doesn't contain its end.
    #[default]
    Time,
    /// Numeric payload field. Missing and negative values count as 0.
    Field(String),
}

/// Unit of a weight.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Unit {
    #[default]
    Count,
    Nanos,
    Bytes,
    Millis,
}

impl Unit {
    /// Returns the unit of a payload field, inferred from its name.
    pub fn of_field(name: &str) -> Self {
        let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        let starts = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
        if ends(&["Ns", "NSec", "Nanos", "Nanoseconds"]) {
            Self::Nanos
        } else if ends(&["Ms", "MSec", "Millis", "Milliseconds"]) {
            Self::Millis
        } else if ends(&["Bytes", "bytes", "Size"]) || starts(&["AllocationAmount", "Bytes", "bytes", "TotalSize"]) {
            Self::Bytes
        } else {
            Self::Count
        }
    }
}

/// Baseline: the same stacks of other events.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Baseline {
    pub of: BaselineOf,
    /// True to scale the weights to the same total, so that shares are compared.
    pub is_scaled: bool,
}

/// Events of a baseline.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum BaselineOf {
    /// Complement of the filter: for a filter with a time range, events at other times; otherwise all other events.
    Rest,
    /// Events of another filter.
    Filter(Filter),
    /// Stacks of another trace.
    OtherTrace {
        /// Their number, from [`crate::queries::OtherStacks`].
        stacks: u64,
        /// True if the stacks of the other trace are the current ones, and those of this trace the baseline.
        is_newer: bool,
    },
    /// Stacks of other traces, which are added to those of this trace instead of compared with them.
    Sum {
        /// Their number, from [`crate::queries::AddedStacks`].
        stacks: u64,
    },
}

impl Baseline {
    /// Returns the filter for the baseline's events. For [`BaselineOf::Rest`], the events of `filter` must be
    /// subtracted.
    pub fn filter(&self, filter: &Filter) -> Filter {
        match &self.of {
            BaselineOf::Filter(other) => other.clone(),
            BaselineOf::OtherTrace { .. } | BaselineOf::Sum { .. } => Filter::default(),
            BaselineOf::Rest if filter.span.is_some() => Filter { span: None, ..filter.clone() },
            BaselineOf::Rest => Filter::default(),
        }
    }
}

/// Call-tree query: stacks and their weights.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct TreeQuery {
    pub filter: Filter,
    pub source: StackSource,
    pub samples: SampleChoice,
    pub weight: Weight,
    pub shape: Shape,
    pub baseline: Option<Baseline>,
}

/// Sort order of a function table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum FunctionOrder {
    /// By exclusive weight, largest first.
    #[default]
    Exclusive,
    /// By inclusive weight, largest first.
    Inclusive,
}

/// Subject of a query for weights over time.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum WhenOf {
    /// Rows of the tree: level (1 at the top) and function. A row's parent is the last earlier row with a smaller
    /// level, so all ancestors must be included.
    Rows(Vec<(u32, FunctionId)>),
    /// Functions, at any place in the tree.
    Functions(Vec<FunctionId>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_unit_follows_from_name() {
        let units = ["AllocationAmount64", "DurationNs", "elapsedMs", "ObjectSize", "Count", "bytesWritten"]
            .map(Unit::of_field);
        let expected = [Unit::Bytes, Unit::Nanos, Unit::Millis, Unit::Bytes, Unit::Count, Unit::Bytes];
        assert_eq!(units, expected);
    }
}
