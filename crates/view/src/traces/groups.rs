//! Groups of the events of several traces: groups with the same name become one.

use protocol::base::hash::FastMap;
use protocol::base::sort::sort_by;
use protocol::request::{GroupColumn, GroupQuery};
use protocol::tables::EventGroups;
use std::cmp::Ordering;

/// Groups of a trace.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct GroupsOf {
    /// All of its groups.
    pub pages: Vec<EventGroups>,
    /// Nanoseconds to add to its times.
    pub shift: i64,
}

/// Groups of all traces.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MergedGroups {
    /// The groups, in order. Percentiles of several traces can't be computed from those of each, so they are NaN.
    pub table: EventGroups,
    /// Numbers of events of a group, by trace.
    pub of_traces: Vec<Vec<u64>>,
}

#[derive(Clone, Default)]
struct Group {
    kind: u8,
    name: String,
    of_traces: Vec<u64>,
    first: i64,
    last: i64,
    measured: u64,
    sum: f64,
    min: f64,
    max: f64,
}

impl MergedGroups {
    /// Merges the groups of all traces, and sorts them as a query says.
    pub fn new(traces: &[GroupsOf], query: &GroupQuery) -> Self {
        let mut places: FastMap<(u8, String), usize> = FastMap::default();
        let mut groups: Vec<Group> = Vec::new();
        for (trace, GroupsOf { pages, shift }) in traces.iter().enumerate() {
            for (page, row) in pages.iter().flat_map(|page| (0..page.kind.len()).map(move |row| (page, row))) {
                let (kind, name) = (page.kind[row], page.name.get(row).to_owned());
                let place = *places.entry((kind, name.clone())).or_insert_with(|| {
                    let of_traces = vec![0; traces.len()];
                    let (first, last, min, max) = (i64::MAX, i64::MIN, f64::NAN, f64::NAN);
                    groups.push(Group { kind, name, of_traces, first, last, min, max, ..Group::default() });
                    groups.len() - 1
                });
                groups[place].add(trace, page, row, *shift);
            }
        }
        sort_by(&mut groups, |one, other| compared(one, other, query));
        let mut merged = Self::default();
        for group in groups {
            merged.push(group);
        }
        merged.table.groups = vec![merged.table.kind.len() as u64];
        merged.table.events = vec![merged.table.count.iter().sum()];
        merged.table.is_sampled = vec![0];
        merged
    }

    fn push(&mut self, group: Group) {
        let table = &mut self.table;
        table.kind.push(group.kind);
        table.name.push(&group.name);
        table.count.push(group.count());
        table.first.push(group.first);
        table.last.push(group.last);
        table.measured.push(group.measured);
        table.sum.push(group.sum);
        table.min.push(group.min);
        table.median.push(f64::NAN);
        table.percentile_95.push(f64::NAN);
        table.max.push(group.max);
        self.of_traces.push(group.of_traces);
    }
}

impl Group {
    fn count(&self) -> u64 {
        self.of_traces.iter().sum()
    }

    fn add(&mut self, trace: usize, page: &EventGroups, row: usize, shift: i64) {
        let number = |values: &[u64]| values.get(row).copied().unwrap_or(0);
        self.of_traces[trace] += number(&page.count);
        let time = |times: &[i64]| times.get(row).map(|time| time.saturating_add(shift));
        self.first = time(&page.first).map_or(self.first, |first| self.first.min(first));
        self.last = time(&page.last).map_or(self.last, |last| self.last.max(last));
        if number(&page.measured) > 0 {
            let value = |values: &[f64]| values.get(row).copied().unwrap_or(f64::NAN);
            self.measured += number(&page.measured);
            self.sum += value(&page.sum);
            // Ignores NaN.
            self.min = self.min.min(value(&page.min));
            self.max = self.max.max(value(&page.max));
        }
    }

    /// Returns the value that groups are sorted by; `None` for groups without one, which come last.
    fn value(&self, column: GroupColumn) -> Option<f64> {
        let number = match column {
            GroupColumn::Sum => self.sum,
            GroupColumn::Min => self.min,
            GroupColumn::Max => self.max,
            _ => return None,
        };
        (self.measured > 0).then_some(number)
    }
}

fn compared(one: &Group, other: &Group, query: &GroupQuery) -> Ordering {
    let by_name = (one.kind, &one.name).cmp(&(other.kind, &other.name));
    let turned = |order: Ordering| if query.descending { order.reverse() } else { order };
    let by_column = match query.column {
        GroupColumn::Name => turned(by_name),
        GroupColumn::First => turned(one.first.cmp(&other.first)),
        GroupColumn::Last => turned(one.last.cmp(&other.last)),
        GroupColumn::Count | GroupColumn::Median | GroupColumn::Percentile95 => turned(one.count().cmp(&other.count())),
        GroupColumn::Sum | GroupColumn::Min | GroupColumn::Max => {
            match (one.value(query.column), other.value(query.column)) {
                (Some(one), Some(other)) => turned(one.total_cmp(&other)),
                (one, other) => other.is_some().cmp(&one.is_some()),
            }
        }
    };
    by_column.then(by_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::groups::{group_name, grouped_by};
    use protocol::request::{EventColumn, Measure};

    fn groups(rows: &[(u8, &str, u64, f64)], shift: i64) -> GroupsOf {
        let mut table = EventGroups::default();
        for (kind, name, count, number) in rows {
            table.kind.push(*kind);
            table.name.push(name);
            table.count.push(*count);
            table.first.push(10);
            table.last.push(20);
            table.measured.push(u64::from(!number.is_nan()));
            for values in [&mut table.sum, &mut table.min, &mut table.max, &mut table.median] {
                values.push(*number);
            }
            table.percentile_95.push(*number);
        }
        GroupsOf { pages: vec![table], shift }
    }

    fn query(column: GroupColumn, descending: bool) -> GroupQuery {
        let by = EventColumn::Field("sku".to_owned());
        GroupQuery { column, descending, ..grouped_by(by, Some(Measure::Field("amount".to_owned()))) }
    }

    #[test]
    fn groups_with_the_same_name_are_one() {
        let traces = [
            groups(&[(0, "a", 3, 2.0), (0, "b", 2, f64::NAN), (1, "", 1, f64::NAN)], 0),
            groups(&[(0, "c", 9, 5.0), (0, "a", 4, -1.0)], 100),
        ];
        let by_count = query(GroupColumn::Count, true);
        let merged = MergedGroups::new(&traces, &by_count);
        let table = &merged.table;
        let names: Vec<String> = (0..4).map(|row| group_name(table, row, &by_count)).collect();
        assert_eq!(names, ["c", "a", "b", "(no sku)"]);
        assert_eq!((table.count.as_slice(), table.events.as_slice()), ([9, 7, 2, 1].as_slice(), [19].as_slice()));
        assert_eq!(merged.of_traces[1], [3, 4]);
        assert_eq!((table.first[1], table.last[1]), (10, 120), "in the times of the first trace");
        assert_eq!((table.sum[1], table.min[1], table.max[1], table.measured[1]), (1.0, -1.0, 2.0, 2));
        assert!(table.median.iter().chain(&table.percentile_95).all(|value| value.is_nan()));
        let order = |column, descending| {
            let merged = MergedGroups::new(&traces, &query(column, descending));
            merged.table.name.iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(order(GroupColumn::Sum, true), ["c", "a", "b", ""], "without a number at the end");
        assert_eq!(order(GroupColumn::Max, false), ["a", "c", "b", ""]);
        assert_eq!(order(GroupColumn::Name, true), ["", "c", "b", "a"]);
    }
}
