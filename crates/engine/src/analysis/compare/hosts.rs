//! Matches outgoing requests by host if some traces don't record the method: .NET 8 names a request by its URL only.

use protocol::base::hash::FastMap;
use protocol::base::sort::sort_by_key;
use protocol::compare::{Measures, Subject};
use std::borrow::Cow;

/// Subject, name, and values by slice.
type Row<'m> = (u8, &'m str, Vec<(usize, f64)>);

/// Returns the traces with the same kind of names for outgoing requests.
pub(super) fn matched(traces: Vec<Cow<'_, Measures>>) -> Vec<Cow<'_, Measures>> {
    let names = || traces.iter().flat_map(|trace| (0..trace.len()).filter_map(|row| sent_name(trace, row)));
    let (has_method, lacks_method) =
        (names().any(|name| host_of(name) != name), names().any(|name| host_of(name) == name));
    match has_method && lacks_method {
        true => traces.into_iter().map(|trace| Cow::Owned(by_host(&trace))).collect(),
        false => traces,
    }
}

/// Returns the name of a measure of outgoing requests.
fn sent_name(trace: &Measures, row: usize) -> Option<&str> {
    let is_sent = trace.subject.get(row) == Some(&(Subject::SentRequests as u8));
    is_sent.then(|| trace.name.get(row)).filter(|name| !name.is_empty())
}

/// Returns a request's name without the method: "http://localhost".
fn host_of(name: &str) -> &str {
    name.rsplit_once(' ').map_or(name, |(_, host)| host)
}

/// Returns the measures with those of the same host joined.
fn by_host(trace: &Measures) -> Measures {
    let mut rows: Vec<Row<'_>> = Vec::with_capacity(trace.len());
    let mut hosts: FastMap<&str, usize> = FastMap::default();
    for row in 0..trace.len() {
        let host = sent_name(trace, row).map(host_of);
        match host.and_then(|host| hosts.get(host).copied()).and_then(|at| rows.get_mut(at)) {
            Some((_, _, values)) => values.extend(trace.values(row)),
            None => {
                hosts.extend(host.map(|host| (host, rows.len())));
                rows.push((
                    trace.subject[row],
                    host.unwrap_or_else(|| trace.name.get(row)),
                    trace.values(row).collect(),
                ));
            }
        }
    }
    let mut joined = Measures { bounds: trace.bounds.clone(), slices: trace.slices.clone(), ..Measures::default() };
    for (subject, name, mut values) in rows {
        sort_by_key(&mut values, |(slice, _)| *slice);
        joined.subject.push(subject);
        joined.name.push(name);
        for (slice, value) in values {
            joined.value_slice.push(slice as u16);
            joined.value.push(value);
        }
        joined.end.push(joined.value.len() as u32);
    }
    joined
}
