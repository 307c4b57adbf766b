//! Leaves out the events of providers that only one side recorded: that is a difference of the recordings, not of the
//! programs.

use protocol::compare::{Measures, Subject};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Returns the measures of old and new traces without events of unshared providers, and the names of those that only
/// the old and only the new side recorded.
pub(super) fn of_both<'m>(old: &'m [Measures], new: &'m Measures) -> (Vec<Cow<'m, Measures>>, [Vec<String>; 2]) {
    let sides = [old.iter().flat_map(providers).collect::<BTreeSet<_>>(), providers(new).collect()];
    let only = [0, 1].map(|side: usize| -> Vec<String> {
        sides[side].difference(&sides[1 - side]).map(|name| (*name).to_owned()).collect()
    });
    let is_shared = |provider: &str| sides.iter().all(|side| side.contains(provider));
    let traces = old.iter().chain([new]).map(|trace| match only.iter().all(Vec::is_empty) {
        true => Cow::Borrowed(trace),
        false => Cow::Owned(shared(trace, is_shared)),
    });
    (traces.collect(), only)
}

/// Returns the provider of a measure of an event type.
fn provider(trace: &Measures, row: usize) -> Option<&str> {
    let is_type = trace.subject.get(row) == Some(&(Subject::EventType as u8));
    is_type.then(|| trace.name.get(row).split_once('/').map_or("", |(provider, _)| provider))
}

fn providers(trace: &Measures) -> impl Iterator<Item = &str> {
    (0..trace.len()).filter_map(|row| provider(trace, row))
}

/// Returns measures without the event types of other providers, and without these in the number of all events.
fn shared(trace: &Measures, is_shared: impl Fn(&str) -> bool) -> Measures {
    let mut total = vec![0.0; trace.slice_count()];
    for row in (0..trace.len()).filter(|row| provider(trace, *row).is_some_and(&is_shared)) {
        trace.values(row).for_each(|(slice, value)| total[slice] += value);
    }
    let mut table = Measures { bounds: trace.bounds.clone(), slices: trace.slices.clone(), ..Measures::default() };
    for row in (0..trace.len()).filter(|row| provider(trace, *row).is_none_or(&is_shared)) {
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
