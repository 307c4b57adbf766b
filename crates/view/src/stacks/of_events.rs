//! Source of stacks for given events.

use protocol::request::{StackSource, Weight};
use protocol::tables::{StackSources, Types};

/// Returns a source of stacks that includes all events with these names (`Provider/Name`), and no others if possible:
/// their type, the samples, or all stacks, to be filtered. `None` if none of them has stacks.
pub fn stacks_of(names: &[String], sources: &StackSources, types: &Types) -> Option<(StackSource, Weight)> {
    let is_named = |name: &String, provider: &str, rest: &str| {
        name.strip_prefix(provider).and_then(|name| name.strip_prefix('/')) == Some(rest)
    };
    let row_of = |name: &String| {
        (0..sources.count.len()).find(|&row| {
            let is_kind = matches!(sources.source(row), Some(StackSource::Events(_)));
            is_kind && is_named(name, sources.provider.get(row), sources.name.get(row))
        })
    };
    // An event with stacks that isn't a separate source is a sample.
    let is_sample = |name: &String| {
        (0..types.count.len()).any(|row| {
            types.with_stack.get(row).is_some_and(|stacks| *stacks > 0)
                && is_named(name, types.provider.get(row), types.name.get(row))
        })
    };
    let row_where =
        |wanted: StackSource| (0..sources.count.len()).find(|row| sources.source(*row).as_ref() == Some(&wanted));
    let (kinds, others): (Vec<_>, Vec<_>) =
        names.iter().map(|name| (name, row_of(name))).partition(|(_, row)| row.is_some());
    let with_samples = others.iter().any(|(name, _)| is_sample(name));
    let row = match kinds.as_slice() {
        [] if with_samples => row_where(StackSource::Samples)?,
        [] => return None,
        [(_, row)] if !with_samples => (*row)?,
        _ => {
            let row = row_where(StackSource::Everything)?;
            return Some((sources.source(row)?, Weight::Count));
        }
    };
    let weight = sources.weights(row).next()?;
    sources.weighed(weight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::request::EventName;
    use protocol::tables::{EVERYTHING, weight_kind};

    fn sources() -> StackSources {
        StackSources {
            provider: ["", "Shop", "Shop", ""].into_iter().collect(),
            name: ["", "Order", "Stock", EVERYTHING].into_iter().collect(),
            kind: vec![0; 4],
            count: vec![9, 3, 2, 14],
            with_stack: vec![9, 3, 2, 14],
            weight_source: vec![0, 1, 1, 2, 3],
            weight_field: ["", "bytes", "", "", ""].into_iter().collect(),
            weight_kind: vec![
                weight_kind::TIME,
                weight_kind::FIELD,
                weight_kind::COUNT,
                weight_kind::COUNT,
                weight_kind::COUNT,
            ],
        }
    }

    fn types() -> Types {
        Types {
            provider: ["Shop", "Shop", "Shop", "Sampler"].into_iter().collect(),
            name: ["Order", "Stock", "Note", "Thread/Sample"].into_iter().collect(),
            count: vec![3, 2, 5, 9],
            with_stack: vec![3, 2, 0, 9],
            ..Types::default()
        }
    }

    fn of(names: &[&str]) -> Option<(StackSource, Weight)> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        stacks_of(&names, &sources(), &types())
    }

    fn order() -> StackSource {
        StackSource::Events(EventName { provider: "Shop".to_owned(), name: "Order".to_owned() })
    }

    #[test]
    fn single_event_type_has_most_relevant_weight() {
        assert_eq!(of(&["Shop/Order"]), Some((order(), Weight::Field("bytes".to_owned()))));
        assert_eq!(of(&["Shop/Order", "Shop/Note"]).map(|(source, _)| source), Some(order()), "notes have no stacks");
        assert_eq!(of(&["Sampler/Thread/Sample", "Shop/Note"]), Some((StackSource::Samples, Weight::Time)));
    }

    #[test]
    fn several_event_types_use_filter() {
        assert_eq!(of(&["Shop/Order", "Shop/Stock"]), Some((StackSource::Everything, Weight::Count)));
        assert_eq!(of(&["Shop/Order", "Sampler/Thread/Sample"]), Some((StackSource::Everything, Weight::Count)));
    }

    #[test]
    fn events_without_stacks_have_no_source() {
        assert_eq!((of(&["Shop/Note"]), of(&[]), of(&["Shop/Orders"])), (None, None, None));
    }
}
