//! Stack sources of a trace: samples, and all event types with stacks.

use super::event_stacks::{is_amount, is_of, time_field};
use crate::analysis::intervals::spans::roles::Roles;
use crate::analysis::samples::index::is_sample;
use crate::clr::KnownEvent;
use crate::model::{EventType, Store};
use nettrace::Field;
use protocol::base::sort::sort_by_key;
use protocol::request::{EventName, StackSource};
use protocol::stacks::query::Unit;
use protocol::tables::{EVERYTHING, StackSources, source_kind, weight_kind};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Suffixes of fields whose sum is meaningless.
const NO_AMOUNTS: [&str; 14] = [
    "ID", "Id", "id", "Address", "Handle", "Flags", "Token", "Version", "Index", "Reason", "Type", "Kind", "Mode",
    "Number",
];

pub fn stack_sources(store: &Store) -> StackSources {
    let mut events: BTreeMap<EventName, (u64, u64)> = BTreeMap::new();
    let mut samples = (0, 0);
    for kind in store.types.iter().filter(|kind| kind.count > 0) {
        let sum = if is_sample(kind) {
            &mut samples
        } else {
            let name = EventName { provider: kind.provider.clone(), name: kind.display_name.clone() };
            events.entry(name).or_default()
        };
        *sum = (sum.0 + kind.count, sum.1 + kind.with_stack);
    }
    let mut events: Vec<(EventName, (u64, u64))> = events.into_iter().filter(|(_, (_, stacks))| *stacks > 0).collect();
    sort_by_key(&mut events, |(_, (_, stacks))| Reverse(*stacks));
    let roles = Roles::new(store);
    let mut table = StackSources::default();
    if samples.0 > 0 {
        push(&mut table, store, &roles, StackSource::Samples, samples);
    }
    let kinds = events.len() + usize::from(samples.1 > 0);
    let stacks = samples.1 + events.iter().map(|(_, (_, stacks))| stacks).sum::<u64>();
    for (name, counts) in events {
        push(&mut table, store, &roles, StackSource::Events(name), counts);
    }
    if kinds > 1 {
        push(&mut table, store, &roles, StackSource::Everything, (stacks, stacks));
    }
    table
}

fn push(table: &mut StackSources, store: &Store, roles: &Roles, source: StackSource, counts: (u64, u64)) {
    let row = table.count.len() as u32;
    let (provider, name) = match &source {
        StackSource::Samples => ("", ""),
        StackSource::Events(name) => (name.provider.as_str(), name.name.as_str()),
        StackSource::Everything => ("", EVERYTHING),
    };
    let is_samples = source == StackSource::Samples;
    let is_one_kind = matches!(source, StackSource::Events(_));
    table.provider.push(provider);
    table.name.push(name);
    let kinds = || store.types.iter().filter(|kind| kind.count > 0 && is_of(kind, &source));
    let time_field = if is_one_kind { time_field(store, &source) } else { None };
    table.kind.push(match (is_samples, time_field) {
        (true, _) if kinds().all(|kind| kind.known == KnownEvent::CpuSample) => source_kind::ON_PROCESSOR,
        (true, _) => source_kind::WALL_CLOCK,
        (false, Some(_)) => source_kind::OFF_PROCESSOR,
        (false, None) => source_kind::EVENTS,
    });
    table.count.push(counts.0);
    table.with_stack.push(counts.1);
    // An allocation sample represents more than the object that was sampled.
    let is_estimate = kinds().any(|kind| kind.known == KnownEvent::AllocationSampled);
    let measures = |kind: u8, unit: Unit| kind == weight_kind::TIME || (unit != Unit::Count && !is_estimate);
    let mut weights: Vec<(u8, &str, Unit)> = Vec::new();
    let starts = || is_one_kind && kinds().any(|kind| starts_something(kind, roles));
    if is_samples || time_field.is_some() || starts() {
        weights.push((weight_kind::TIME, "", Unit::Nanos));
    }
    if is_one_kind {
        for field in kinds().flat_map(amounts) {
            if time_field != Some(field.name.as_str()) && !weights.iter().any(|weight| weight.1 == field.name) {
                weights.push((weight_kind::FIELD, &field.name, Unit::of_field(&field.name)));
            }
        }
        // The widest field, because newer fields replace older ones.
        sort_by_key(&mut weights, |(kind, name, unit)| {
            (!measures(*kind, *unit), *kind != weight_kind::TIME, *unit == Unit::Count, !name.ends_with("64"))
        });
    }
    let measured = weights.partition_point(|(kind, _, unit)| measures(*kind, *unit));
    weights.insert(measured, (weight_kind::COUNT, "", Unit::Count));
    for (kind, field, _) in weights {
        table.weight_source.push(row);
        table.weight_field.push(field);
        table.weight_kind.push(kind);
    }
}

/// Returns the fields of a type whose sum is meaningful.
fn amounts(kind: &EventType) -> impl Iterator<Item = &Field> {
    let says_nothing = |name: &str| NO_AMOUNTS.iter().any(|end| name.ends_with(end));
    kind.schema.fields.iter().filter(move |field| is_amount(&field.field_type) && !says_nothing(&field.name))
}

/// Returns whether such an event starts an interval.
fn starts_something(kind: &EventType, roles: &Roles) -> bool {
    use KnownEvent::*;
    let starts = [ContentionStart, WaitHandleWaitStart, MethodJittingStarted, BackgroundJitStart];
    starts.contains(&kind.known) || roles.of(kind.id.index()).is_some_and(|role| role.is_start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{ORDERS, What, store_of};

    #[test]
    fn sources_have_stacks_and_existing_weights() {
        let (store, _) = store_of(&[
            (0, 5, What::Sample(true, vec![1])),
            (1, 5, What::Sample(false, vec![1])),
            (10, 5, What::StackedOrder("a", 12, vec![1, 2])),
            (20, 6, What::Throw("no stack")),
            (30, 6, What::Order("b", 12)),
        ]);
        let table = stack_sources(&store);
        assert_eq!(table.name.iter().collect::<Vec<_>>(), ["", "OrderPlaced", EVERYTHING]);
        assert_eq!(
            (table.provider.get(1), &*table.count, &*table.with_stack),
            (ORDERS, &[2, 2, 3][..], &[2, 1, 3][..])
        );
        let weights: Vec<_> = (0..table.weight_source.len())
            .map(|row| (table.weight_source[row], table.weight_kind[row], table.weight_field.get(row)))
            .collect();
        let expected = [
            (0, weight_kind::TIME, ""),
            (0, weight_kind::COUNT, ""),
            (1, weight_kind::COUNT, ""),
            (1, weight_kind::FIELD, "amount"),
            (2, weight_kind::COUNT, ""),
        ];
        assert_eq!(weights, expected);
    }
}
