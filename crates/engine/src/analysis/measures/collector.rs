//! Collects the values of measures by slice.

use protocol::base::hash::FastMap;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::compare::{Form, Measures, Subject};

/// Number of slices: enough to estimate the noise of a trace, and few enough that each has many events.
const SLICES: usize = 40;
/// Maximum number of measures of a subject. Later names aren't measured.
const MAX_NAMES: usize = 20_000;
/// Maximum number of durations or levels of a measure. Later ones aren't measured.
const MAX_VALUES: usize = 1_000_000;

/// Measures with their values so far.
pub struct Collector {
    span: Span,
    positions: FastMap<(Subject, String), usize>,
    measures: Vec<Measure>,
    names: FastMap<Subject, usize>,
}

struct Measure {
    subject: Subject,
    name: String,
    values: Vec<(u16, f64)>,
}

impl Collector {
    /// Creates a collector for the values within a time range.
    pub fn new(span: Span) -> Self {
        Self { span, positions: FastMap::default(), measures: Vec::new(), names: FastMap::default() }
    }

    /// Adds a value at a time: an amount to the sum of its slice, a duration, or a level. Does nothing outside the time
    /// range.
    pub fn add(&mut self, subject: Subject, name: &str, time: i64, value: f64) {
        let Some(slice) = self.slice_of(time) else { return };
        self.add_to_slice(subject, name, slice, value);
    }

    /// Adds the duration of an interval to the sums of the slices that it overlaps.
    pub fn cover(&mut self, subject: Subject, name: &str, start: i64, end: i64) {
        let Span { start: from, end: until } = self.span;
        let (mut start, end) = (start.max(from.0), end.min(until.0));
        while start < end {
            let Some(slice) = self.slice_of(start) else { return };
            let until = self.start_of(usize::from(slice) + 1).clamp(start + 1, end);
            self.add_to_slice(subject, name, slice, (until - start) as f64);
            start = until;
        }
    }

    /// Declares that the trace records a subject, even if it has no value.
    pub fn record(&mut self, subject: Subject) {
        self.position(subject, "");
    }

    /// Returns the measures as a table: by subject and name.
    pub fn finish(mut self) -> Measures {
        sort_by_key(&mut self.measures, |one| (one.subject, one.name.clone()));
        let mut table = Measures {
            bounds: vec![self.span.start.0, self.span.end.0],
            slices: vec![SLICES as u32],
            ..Measures::default()
        };
        for Measure { subject, name, mut values } in self.measures {
            sort_by_key(&mut values, |(slice, _)| *slice);
            table.subject.push(subject as u8);
            table.name.push(&name);
            for (slice, value) in values {
                table.value_slice.push(slice);
                table.value.push(value);
            }
            table.end.push(table.value.len() as u32);
        }
        table
    }

    /// Returns the slice of a time; `None` outside the time range.
    pub fn slice_of(&self, time: i64) -> Option<u16> {
        let Span { start, end } = self.span;
        let is_inside = time >= start.0 && time < end.0.max(start.0 + 1);
        let duration = i128::from(self.span.duration().max(1));
        let slice = || (i128::from(time - start.0) * SLICES as i128 / duration) as usize;
        is_inside.then(|| slice().min(SLICES - 1) as u16)
    }

    /// Returns the start of a slice in nanoseconds.
    fn start_of(&self, slice: usize) -> i64 {
        let duration = i128::from(self.span.duration().max(1));
        // The first nanosecond that `slice_of` assigns to it.
        let offset = (duration * slice as i128 + SLICES as i128 - 1) / SLICES as i128;
        self.span.start.0.saturating_add(offset as i64)
    }

    /// Adds a value to a slice: [`Self::add`].
    pub fn add_to_slice(&mut self, subject: Subject, name: &str, slice: u16, value: f64) {
        if !value.is_finite() {
            return;
        }
        let Some(position) = self.position(subject, name) else { return };
        let values = &mut self.measures[position].values;
        if subject.form() == Form::Sum {
            match values.iter_mut().rev().find(|(of, _)| *of == slice) {
                Some((_, sum)) => *sum += value,
                None => values.push((slice, value)),
            }
        } else if values.len() < MAX_VALUES {
            values.push((slice, value));
        }
    }

    fn position(&mut self, subject: Subject, name: &str) -> Option<usize> {
        // Most calls repeat a name, for which no key needs to be allocated.
        let last = self.measures.last().filter(|last| last.subject == subject && last.name == name);
        if last.is_some() {
            return Some(self.measures.len() - 1);
        }
        let key = (subject, name.to_owned());
        if let Some(known) = self.positions.get(&key) {
            return Some(*known);
        }
        let number = self.names.entry(subject).or_default();
        if *number == MAX_NAMES {
            return None;
        }
        *number += 1;
        self.measures.push(Measure { subject, name: name.to_owned(), values: Vec::new() });
        self.positions.insert(key, self.measures.len() - 1);
        Some(self.measures.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Row<'t> = (Subject, &'t str, Vec<(usize, f64)>);

    fn rows(table: &Measures) -> Vec<Row<'_>> {
        let row = |row: usize| {
            let subject = Subject::from_u8(table.subject[row]).expect("a subject");
            (subject, table.name.get(row), table.values(row).collect())
        };
        (0..table.len()).map(row).collect()
    }

    #[test]
    fn sums_are_per_slice_and_durations_are_separate() {
        let mut collector = Collector::new(Span::new(1_000, 1_400));
        for (time, value) in [(1_000, 1.0), (1_009, 2.0), (1_399, 4.0), (1_400, 8.0), (999, 16.0)] {
            collector.add(Subject::Events, "", time, value);
            collector.add(Subject::Requests, "GET /", time, value);
        }
        let table = collector.finish();
        assert_eq!(
            rows(&table),
            [
                (Subject::Requests, "GET /", vec![(0, 1.0), (0, 2.0), (39, 4.0)]),
                (Subject::Events, "", vec![(0, 3.0), (39, 4.0)]),
            ]
        );
    }

    #[test]
    fn recorded_subject_without_values_is_kept() {
        let mut collector = Collector::new(Span::new(0, 10));
        collector.record(Subject::LockWaits);
        assert_eq!(rows(&collector.finish()), [(Subject::LockWaits, "", vec![])]);
    }

    proptest! {
        #[test]
        fn covered_time_is_complete(from in -500i64..500, span in 0i64..2_000, start in -1_000i64..3_000, nanos in 0i64..3_000) {
            let range = Span::new(from, from + span);
            let mut collector = Collector::new(range);
            collector.cover(Subject::LockWaits, "", start, start + nanos);
            let table = collector.finish();
            let sum: f64 = table.value.iter().sum();
            let inside = (start + nanos).min(from + span) - start.max(from);
            prop_assert_eq!(sum, inside.max(0) as f64);
            prop_assert!(table.value_slice.is_sorted());
        }
    }
}
