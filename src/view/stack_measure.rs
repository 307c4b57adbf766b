//! What stacks weigh, in words.

use super::format;
use crate::protocol::request::{StackSource, Weight};
use crate::protocol::stack_query::Unit;

/// How weights are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Measure {
    unit: Unit,
    /// What is counted, one of it; empty for the sum of a field.
    noun: &'static str,
}

impl Measure {
    /// Of what is asked.
    pub fn of(source: &StackSource, weight: &Weight) -> Self {
        let noun = match source {
            StackSource::Samples => "sample",
            StackSource::Events(_) => "event",
        };
        match weight {
            Weight::Count => Self { unit: Unit::Count, noun },
            Weight::Time => Self { unit: Unit::Nanos, noun: "" },
            Weight::Field(name) => Self { unit: Unit::of_field(name), noun: "" },
        }
    }

    /// A weight with its unit: "1.820 s", "40.5 MB", "23 events".
    pub fn words(self, value: f64) -> String {
        match self.unit {
            Unit::Count if !self.noun.is_empty() => format::counted(value as u64, self.noun),
            _ => self.number(value),
        }
    }

    /// A weight in a column whose head says what is counted.
    pub fn number(self, value: f64) -> String {
        match self.unit {
            Unit::Nanos => format::duration(value as i64),
            Unit::Millis => format::duration((value * 1e6) as i64),
            Unit::Bytes => format::bytes(value as u64),
            Unit::Count if self.noun.is_empty() => format::quantity(value),
            Unit::Count => format::count(value as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::request::EventName;

    #[test]
    fn weights_are_written_in_their_unit() {
        let events = StackSource::Events(EventName::default());
        let words = |source: &StackSource, weight: Weight, value: f64| Measure::of(source, &weight).words(value);
        let field = |name: &str| Weight::Field(name.to_owned());
        assert_eq!(words(&StackSource::Samples, Weight::Count, 1.0), "1 sample");
        assert_eq!(words(&events, Weight::Count, 1200.0), "1,200 events");
        assert_eq!(words(&events, Weight::Time, 1_820_000_000.0), "1.820 s");
        assert_eq!(words(&events, field("AllocationAmount64"), 40_500_000.0), "40.5 MB");
        assert_eq!(words(&events, field("elapsedMs"), 2.5), "2.50 ms");
        assert_eq!(words(&events, field("price"), 12.5), "12.5");
        assert_eq!(Measure::of(&events, &Weight::Count).number(1200.0), "1,200");
    }
}
