//! Excludes the events that only one side recorded because of its providers and keywords: that is a difference of the
//! recordings, not of the programs.

use crate::clr::source_names::RUNTIME;
use protocol::compare::{Measures, Subject};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Names of event types: their providers, and those of the runtime.
#[derive(Default)]
struct Recorded<'m> {
    providers: BTreeSet<&'m str>,
    of_runtime: BTreeSet<&'m str>,
}

/// What only one side recorded: providers, and the number of the runtime's event types.
pub(super) type Unshared = (Vec<String>, usize);

/// Returns the measures of old and new traces without events that only one side can have recorded, and what only the
/// old and only the new side recorded.
pub(super) fn of_both<'m>(old: &'m [Measures], new: &'m Measures) -> (Vec<Cow<'m, Measures>>, [Unshared; 2]) {
    let sides = [Recorded::of(old), Recorded::of(std::slice::from_ref(new))];
    let only = [0, 1].map(|side: usize| {
        let [one, other] = [&sides[side], &sides[1 - side]];
        let providers: Vec<String> =
            one.providers.difference(&other.providers).map(|name| (*name).to_owned()).collect();
        // The providers' names cover the types of those that the other side lacks entirely.
        let types = one.of_runtime.difference(&other.of_runtime);
        (providers, types.filter(|name| other.providers.contains(provider_of(name))).count())
    });
    let is_shared = |name: &str| {
        let provider = provider_of(name);
        let is_of_runtime = is_runtime(provider);
        sides.iter().all(|side| side.providers.contains(provider) && (!is_of_runtime || side.of_runtime.contains(name)))
    };
    let is_all_shared = only.iter().all(|(providers, types)| providers.is_empty() && *types == 0);
    let traces = old.iter().chain([new]).map(|trace| match is_all_shared {
        true => Cow::Borrowed(trace),
        false => Cow::Owned(shared(trace, is_shared)),
    });
    (traces.collect(), only)
}

impl<'m> Recorded<'m> {
    fn of(traces: &'m [Measures]) -> Self {
        let mut recorded = Self::default();
        for name in traces.iter().flat_map(|trace| (0..trace.len()).filter_map(|row| type_name(trace, row))) {
            let provider = provider_of(name);
            recorded.providers.insert(provider);
            if is_runtime(provider) {
                recorded.of_runtime.insert(name);
            }
        }
        recorded
    }
}

/// Returns the name of a measure of an event type.
fn type_name(trace: &Measures, row: usize) -> Option<&str> {
    (trace.subject.get(row) == Some(&(Subject::EventType as u8))).then(|| trace.name.get(row))
}

fn provider_of(name: &str) -> &str {
    name.split_once('/').map_or("", |(provider, _)| provider)
}

/// Returns whether a provider is the runtime, whose other subjects are compared by themselves.
fn is_runtime(provider: &str) -> bool {
    provider.starts_with(RUNTIME)
}

/// Returns measures without the event types of one side only, and without these in the number of all events.
fn shared(trace: &Measures, is_shared: impl Fn(&str) -> bool) -> Measures {
    let mut total = vec![0.0; trace.slice_count()];
    for row in (0..trace.len()).filter(|row| type_name(trace, *row).is_some_and(&is_shared)) {
        trace.values(row).for_each(|(slice, value)| total[slice] += value);
    }
    let mut table = Measures { bounds: trace.bounds.clone(), slices: trace.slices.clone(), ..Measures::default() };
    for row in (0..trace.len()).filter(|row| type_name(trace, *row).is_none_or(&is_shared)) {
        table.subject.push(trace.subject[row]);
        table.name.push(trace.name.get(row));
        let mut push = |(slice, value): (usize, f64)| {
            table.value_slice.push(slice as u16);
            table.value.push(value);
        };
        match trace.subject[row] == Subject::Events as u8 {
            true => total.iter().copied().enumerate().filter(|(_, value)| *value > 0.0).for_each(&mut push),
            false => trace.values(row).for_each(&mut push),
        }
        table.end.push(table.value.len() as u32);
    }
    table
}
