//! From one notable moment to the next: collections and exceptions in the order of time.

use super::hit::Target;
use crate::protocol::tables::{Collections, Exceptions};

/// When a collection or exception begins.
pub fn moment_of(target: &Target, collections: Option<&Collections>, exceptions: Option<&Exceptions>) -> Option<i64> {
    match target {
        Target::Collection(row) => collections?.start.get(*row).copied(),
        Target::Exception(row) => exceptions?.time.get(*row).copied(),
        _ => None,
    }
}

/// The first collection or exception after `from`.
pub fn next(from: i64, collections: Option<&Collections>, exceptions: Option<&Exceptions>) -> Option<Target> {
    let collection =
        collections.map(|table| table.start.partition_point(|start| *start <= from)).map(Target::Collection);
    let exception = exceptions.map(|table| table.time.partition_point(|time| *time <= from)).map(Target::Exception);
    let candidates = [collection, exception].into_iter().flatten();
    candidates
        .filter_map(|target| Some((moment_of(&target, collections, exceptions)?, target)))
        .min_by_key(|(at, _)| *at)
        .map(|(_, target)| target)
}

/// The last collection or exception before `from`.
pub fn previous(from: i64, collections: Option<&Collections>, exceptions: Option<&Exceptions>) -> Option<Target> {
    let before = |times: &[i64]| times.partition_point(|time| *time < from).checked_sub(1);
    let collection = collections.and_then(|table| before(&table.start)).map(Target::Collection);
    let exception = exceptions.and_then(|table| before(&table.time)).map(Target::Exception);
    let candidates = [collection, exception].into_iter().flatten();
    candidates
        .filter_map(|target| Some((moment_of(&target, collections, exceptions)?, target)))
        .max_by_key(|(at, _)| *at)
        .map(|(_, target)| target)
}

#[cfg(test)]
mod tests {
    use super::super::hit::samples::small;
    use super::*;

    #[test]
    fn one_step_leads_to_the_neighbour_in_time_whatever_its_kind() {
        let small = small();
        let tables = (Some(&small.collections), Some(&small.exceptions));
        assert_eq!(next(i64::MIN, tables.0, tables.1), Some(Target::Collection(0)));
        assert_eq!(next(405, tables.0, tables.1), Some(Target::Exception(0)));
        assert_eq!(next(700, tables.0, tables.1), None);
        assert_eq!(previous(700, tables.0, tables.1), Some(Target::Exception(0)));
        assert_eq!(previous(105, tables.0, tables.1), None);
        assert_eq!(next(0, None, None), None);
    }
}
