//! Events of several traces in one table, in the order of time. Times are those of the first trace.

/// Rows from which a page of the table is merged.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Start {
    /// Row of each trace among its own events.
    pub rows: Vec<u64>,
    /// Number of merged rows before the page.
    pub skip: u64,
}

/// Next step of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Next {
    /// Ask every trace how many of its events are before a time ([`RowSearch::put`]).
    Count(i64),
    Found(Start),
}

/// Search for the rows of all traces before a row of the merged table, by halving its time range.
#[derive(Clone, Debug)]
pub struct RowSearch {
    row: u64,
    /// Number of rows that a page may skip.
    most_skipped: u64,
    /// Times around the row, and the number of events of each trace before each.
    low: (i64, Vec<u64>),
    high: (i64, Vec<u64>),
}

impl RowSearch {
    /// Searches for a row. `times` contains all events, `totals` are their numbers.
    pub fn new(row: u64, times: (i64, i64), totals: Vec<u64>, most_skipped: u64) -> Self {
        let none = vec![0; totals.len()];
        Self { row, most_skipped, low: (times.0, none), high: (times.1.saturating_add(1), totals) }
    }

    /// Returns the next step.
    pub fn next(&self) -> Next {
        let ((low, before), (high, until)) = (&self.low, &self.high);
        let skip = self.row.saturating_sub(before.iter().sum());
        if skip == 0 || until.iter().sum::<u64>().saturating_sub(before.iter().sum()) <= self.most_skipped {
            return Next::Found(Start { rows: before.clone(), skip });
        }
        let middle = low.midpoint(*high);
        if middle > *low && middle < *high {
            return Next::Count(middle);
        }
        // All at the same time: those of the first trace come first.
        let mut skip = skip;
        let rows = before.iter().zip(until).map(|(before, until)| {
            let skipped = skip.min(until.saturating_sub(*before));
            skip -= skipped;
            before + skipped
        });
        Next::Found(Start { rows: rows.collect(), skip: 0 })
    }

    /// Continues with the number of events of each trace before a time.
    pub fn put(&mut self, at: i64, before: Vec<u64>) {
        let side = if before.iter().sum::<u64>() <= self.row { &mut self.low } else { &mut self.high };
        *side = (at, before);
    }
}

/// Returns the first `count` rows of all traces by time, as pairs of trace and row. Each trace has its times in order.
pub fn merged(times: &[Vec<i64>], count: usize) -> Vec<(usize, usize)> {
    let mut at = vec![0; times.len()];
    let mut rows = Vec::new();
    while rows.len() < count {
        let next =
            times.iter().zip(&at).enumerate().filter_map(|(trace, (times, row))| Some((*times.get(*row)?, trace)));
        let Some((_, trace)) = next.min() else { break };
        rows.push((trace, at[trace]));
        at[trace] += 1;
    }
    rows
}

/// Returns the lines of all traces in the order of merged rows, which are pairs of trace and row. Each text has a line
/// for each row of its trace.
pub fn interleaved(rows: &[(usize, usize)], texts: &[String]) -> String {
    let mut lines: Vec<_> = texts.iter().map(|text| text.split_inclusive('\n')).collect();
    rows.iter().filter_map(|(trace, _)| lines.get_mut(*trace)?.next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns a page of the table as the page of the browser finds it.
    fn page(traces: &[Vec<i64>], row: u64, count: usize) -> Vec<(usize, usize)> {
        let all = || traces.iter().flatten().copied();
        let times = (all().min().unwrap_or(0), all().max().unwrap_or(0));
        let mut search = RowSearch::new(row, times, traces.iter().map(|one| one.len() as u64).collect(), 3);
        let mut steps = 0;
        let start = loop {
            steps += 1;
            assert!(steps < 70, "{search:?}");
            match search.next() {
                Next::Count(at) => {
                    let before = |times: &Vec<i64>| times.iter().filter(|time| **time < at).count() as u64;
                    search.put(at, traces.iter().map(before).collect());
                }
                Next::Found(start) => break start,
            }
        };
        let rest = traces.iter().zip(&start.rows).map(|(times, row)| times[*row as usize..].to_vec());
        let rows = merged(&rest.collect::<Vec<_>>(), start.skip as usize + count);
        let shown = rows.into_iter().skip(start.skip as usize);
        shown.map(|(trace, row)| (trace, start.rows[trace] as usize + row)).collect()
    }

    proptest! {
        #[test]
        fn pages_are_parts_of_the_sorted_events(
            mut traces in prop::collection::vec(prop::collection::vec(-20_i64..20, 0..40), 1..4),
            row in 0_u64..60,
        ) {
            traces.iter_mut().for_each(|times| times.sort());
            let mut all: Vec<(i64, usize, usize)> = Vec::new();
            for (trace, times) in traces.iter().enumerate() {
                all.extend(times.iter().enumerate().map(|(row, time)| (*time, trace, row)));
            }
            all.sort();
            let expected: Vec<_> = all.into_iter().skip(row as usize).take(7).map(|(_, trace, row)| (trace, row)).collect();
            if !expected.is_empty() {
                prop_assert_eq!(page(&traces, row, 7), expected);
            }
        }
    }

    #[test]
    fn lines_are_in_the_order_of_rows() {
        let texts = ["a\nb\n".to_owned(), "c\n".to_owned()];
        assert_eq!(interleaved(&[(0, 7), (1, 0), (0, 8), (1, 1), (2, 0)], &texts), "a\nc\nb\n");
    }

    #[test]
    fn extreme_times_end() {
        assert_eq!(page(&[vec![i64::MIN, i64::MAX], vec![0; 9]], 10, 2), [(0, 1)]);
        assert_eq!(page(&[vec![5; 9], vec![5; 9]], 12, 2), [(1, 3), (1, 4)]);
    }
}
