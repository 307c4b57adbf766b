//! Formats weights of stacks.

use crate::format;
use protocol::request::{StackSource, Weight};
use protocol::stacks::query::Unit;

/// Format of weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Measure {
    unit: Unit,
    /// Noun of counted items, singular; empty for the sum of a field.
    noun: &'static str,
}

impl Measure {
    /// Returns the format of a source and a weight.
    pub fn of(source: &StackSource, weight: &Weight) -> Self {
        let noun = match source {
            StackSource::Samples => "sample",
            StackSource::Events(_) | StackSource::Everything => "event",
        };
        match weight {
            Weight::Count => Self { unit: Unit::Count, noun },
            Weight::Time => Self { unit: Unit::Nanos, noun: "" },
            Weight::Field(name) => Self { unit: Unit::of_field(name), noun: "" },
        }
    }

    /// Formats a weight with its unit: "1.82 s", "40.5 MB", "23 events".
    pub fn words(self, value: f64) -> String {
        match self.unit {
            Unit::Count if !self.noun.is_empty() && is_whole(value) => format::counted(value.round() as u64, self.noun),
            Unit::Count if !self.noun.is_empty() => format!("{} {}s", format::quantity(value), self.noun),
            _ => self.number(value),
        }
    }

    /// Formats a difference of weights with its unit: "+1.82 s", "−23 events", "±0 events".
    pub fn difference(self, value: f64) -> String {
        format!("{}{}", self.sign(value), self.words(value.abs()))
    }

    /// Formats a difference for a column whose heading names the unit.
    pub fn difference_number(self, value: f64) -> String {
        format!("{}{}", self.sign(value), self.number(value.abs()))
    }

    /// Returns the sign of a difference; ± if it rounds to zero.
    fn sign(self, difference: f64) -> &'static str {
        match difference {
            little if self.number(little.abs()) == self.number(0.0) => "±",
            more if more > 0.0 => "+",
            _ => "−",
        }
    }

    /// Formats a weight for a column whose heading names the unit.
    pub fn number(self, value: f64) -> String {
        match self.unit {
            Unit::Nanos => format::duration(value as i64),
            Unit::Millis => format::duration((value * 1e6) as i64),
            Unit::Bytes => format::bytes(value as u64),
            Unit::Count if self.noun.is_empty() || !is_whole(value) => format::quantity(value),
            Unit::Count => format::count(value.round() as u64),
        }
    }
}

/// Returns whether a count has no fraction; scaled counts may have one.
fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() < 1e-3
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::request::EventName;

    #[test]
    fn weights_are_formatted_with_unit() {
        let events = StackSource::Events(EventName::default());
        let words = |source: &StackSource, weight: Weight, value: f64| Measure::of(source, &weight).words(value);
        let field = |name: &str| Weight::Field(name.to_owned());
        assert_eq!(words(&StackSource::Samples, Weight::Count, 1.0), "1 sample");
        assert_eq!(words(&events, Weight::Count, 1200.0), "1,200 events");
        assert_eq!(words(&events, Weight::Time, 1_820_000_000.0), "1.82 s");
        assert_eq!(words(&events, field("AllocationAmount64"), 40_500_000.0), "40.5 MB");
        assert_eq!(words(&events, field("elapsedMs"), 2.5), "2.50 ms");
        assert_eq!(words(&events, field("price"), 12.5), "12.5");
        let events = Measure::of(&events, &Weight::Count);
        assert_eq!(events.number(1200.0), "1,200");
        assert_eq!([2.0, -3.0, 0.0].map(|value| events.difference(value)), ["+2 events", "−3 events", "±0 events"]);
        assert_eq!(events.difference_number(-1200.0), "−1,200");
        assert_eq!(events.words(2.5), "2.5 events");
    }
}
