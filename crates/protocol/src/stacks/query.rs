//! Which stacks a tree is made of, and what each of them weighs.

use super::shape::Shape;
use crate::base::ids::FunctionId;
use crate::request::Filter;
use crate::timeline::thread_state::Activity;
use serde::{Deserialize, Serialize};

/// Events of one kind, in whatever version, by what the file calls them.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EventName {
    /// The provider.
    pub provider: String,
    /// The event.
    pub name: String,
}

/// Whose stacks.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum StackSource {
    /// Samples of what threads did.
    #[default]
    Samples,
    /// Events of one kind: where they were written.
    Events(EventName),
    /// Everything that has a stack, samples too: the filter chooses.
    Everything,
}

/// Which time of samples counts. Other events than samples have no such state: all of them do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum SampleChoice {
    /// Every sample: wall-clock time, waiting included.
    #[default]
    All,
    /// Samples that found the thread in managed code.
    Managed,
    /// Samples that found the thread outside managed code (waiting, native code).
    External,
    /// Time in which the thread ran.
    Running,
    /// Time in which the thread was blocked.
    Blocked,
    /// Time in which the thread was idle.
    Idle,
}

impl SampleChoice {
    /// What threads did in the time that is chosen; none if the choice isn't about that.
    pub fn activity(self) -> Option<Activity> {
        match self {
            Self::All | Self::Managed | Self::External => None,
            Self::Running => Some(Activity::Running),
            Self::Blocked => Some(Activity::Blocked),
            Self::Idle => Some(Activity::Idle),
        }
    }
}

/// What a stack weighs.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Weight {
    /// One.
    Count,
    /// Nanoseconds. A sample stands for the time to the thread's next sample, capped at five of the thread's median periods; a
    /// CPU sample of a machine-wide trace for one period of the sampler: between two of them the thread may not have run.
    /// Another event weighs as long as what begins with it lasts; what does not end in the trace weighs nothing.
    #[default]
    Time,
    /// The number in the payload's field of this name. Events without it, and negative numbers, weigh nothing.
    Field(String),
}

/// What a number counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[repr(u8)]
pub enum Unit {
    /// Things.
    #[default]
    Count,
    /// Nanoseconds.
    Nanos,
    /// Bytes.
    Bytes,
    /// Milliseconds.
    Millis,
}

impl Unit {
    /// All of them, by their number in tables.
    pub const ALL: [Self; 4] = [Self::Count, Self::Nanos, Self::Bytes, Self::Millis];

    /// What a payload's field of this name counts, as far as the name tells.
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

/// What stacks are compared with: the same stacks of other events.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Baseline {
    /// Which events.
    pub of: BaselineOf,
    /// Whether what they weigh is scaled to the same total, so that shares are compared.
    pub is_scaled: bool,
}

/// Which events others are compared with.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum BaselineOf {
    /// Those that the filter leaves out: of one with a range those at other times, else all others.
    Rest,
    /// Those of another filter.
    Filter(Filter),
}

impl Baseline {
    /// The filter of the stacks that the baseline is made of, or ([`BaselineOf::Rest`]) what is left of them without those
    /// of `filter`.
    pub fn filter(&self, filter: &Filter) -> Filter {
        match &self.of {
            BaselineOf::Filter(other) => other.clone(),
            BaselineOf::Rest if filter.span.is_some() => Filter { span: None, ..filter.clone() },
            BaselineOf::Rest => Filter::default(),
        }
    }
}

/// A call tree: which stacks, weighed how.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct TreeQuery {
    /// Which events.
    pub filter: Filter,
    /// Whose stacks among them.
    pub source: StackSource,
    /// Which samples.
    pub samples: SampleChoice,
    /// What each weighs.
    pub weight: Weight,
    /// What is done to them first.
    pub shape: Shape,
    /// What they are compared with.
    pub baseline: Option<Baseline>,
}

/// Order of a function table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum FunctionOrder {
    /// By exclusive weight, largest first.
    #[default]
    Exclusive,
    /// By inclusive weight, largest first.
    Inclusive,
}

/// What is asked for the time of.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum WhenOf {
    /// Rows of the tree: each its level, 1 at the top, and its frame. A row stands below the last one before it of a
    /// smaller level, so that what leads to a row has to be among them.
    Rows(Vec<(u32, FunctionId)>),
    /// Functions, wherever they are called.
    Functions(Vec<FunctionId>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_fields_tell_units() {
        let units = ["AllocationAmount64", "DurationNs", "elapsedMs", "ObjectSize", "Count", "bytesWritten"]
            .map(Unit::of_field);
        let expected = [Unit::Bytes, Unit::Nanos, Unit::Millis, Unit::Bytes, Unit::Count, Unit::Bytes];
        assert_eq!(units, expected);
    }
}
