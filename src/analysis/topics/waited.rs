//! Waits that have something in common: how many, how long.

use super::table::RowTarget;
use crate::model::ids::EventId;
use crate::model::time::Span;

/// Waits, put together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Waited {
    /// How many.
    pub count: u64,
    /// Nanoseconds in all.
    pub total: i64,
    /// Nanoseconds of the longest.
    pub longest: i64,
    /// The event with which the longest began.
    longest_event: Option<EventId>,
    first: i64,
    last: i64,
}

impl Waited {
    /// Adds one, nanoseconds.
    pub fn add(&mut self, event: EventId, start: i64, end: i64) {
        let nanos = end.saturating_sub(start);
        (self.first, self.last) = match self.count {
            0 => (start, end),
            _ => (self.first.min(start), self.last.max(end)),
        };
        if self.longest_event.is_none() || nanos > self.longest {
            (self.longest, self.longest_event) = (nanos, Some(event));
        }
        self.count += 1;
        self.total = self.total.saturating_add(nanos);
    }

    /// A row about all of them leads to the longest.
    pub fn target<'t>(&self, condition: &'t str) -> RowTarget<'t> {
        RowTarget { event: self.longest_event, span: Some(Span::new(self.first, self.last)), condition }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_add_up_and_lead_to_the_longest() {
        let mut waited = Waited::default();
        for (event, start, end) in [(3, 100, 110), (1, 50, 90), (2, 200, 220)] {
            waited.add(EventId(event), start, end);
        }
        assert_eq!((waited.count, waited.total, waited.longest), (3, 70, 40));
        let target = waited.target("");
        assert_eq!((target.event, target.span), (Some(EventId(1)), Some(Span::new(50, 220))));
    }
}
