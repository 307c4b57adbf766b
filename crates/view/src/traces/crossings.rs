//! Requests from one trace to another: matched by their IDs, with what they say about the clocks.

use super::clocks::{Offset, OffsetSource};
use protocol::base::hash::FastMap;
use protocol::base::sort::sort_by_key;
use protocol::tables::TracedRequests;

/// Tolerance of an estimate in nanoseconds above which clocks that agree with it are preferred.
const FINE: i64 = 1_000_000;

/// One side of a request between traces, in the times of its trace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Side {
    /// Position of the trace.
    pub trace: usize,
    pub start: i64,
    pub end: i64,
    /// Start event.
    pub event: u32,
    /// Method and target.
    pub name: String,
}

/// Request of one trace that another trace served.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Crossing {
    /// Incoming request in which it was sent, if that is known.
    pub caller: Option<Side>,
    /// The request as sent.
    pub client: Side,
    /// The request as served.
    pub server: Side,
}

/// Row of a table.
type Row = (usize, usize);

/// Returns the requests between traces, by start of the client's side in its own time.
pub fn crossings(traces: &[&TracedRequests]) -> Vec<Crossing> {
    let rows =
        || traces.iter().enumerate().flat_map(|(trace, table)| (0..table.event.len()).map(move |row| (trace, row)));
    let is_sent = |(trace, row): Row| traces[trace].is_sent.get(row) == Some(&1);
    let key = |(trace, row): Row| {
        let table = traces[trace];
        Some((*table.trace_high.get(row)?, *table.trace_low.get(row)?, *table.client_span.get(row)?))
    };
    let side = |(trace, row): Row| {
        let table = traces[trace];
        let (start, end) = (*table.start.get(row)?, *table.end.get(row)?);
        Some(Side { trace, start, end, event: *table.event.get(row)?, name: table.name.get(row).to_owned() })
    };
    let sent: FastMap<_, Row> = rows().filter(|at| is_sent(*at)).filter_map(|at| Some((key(at)?, at))).collect();
    let incoming: FastMap<(usize, u32), Row> =
        rows().filter(|at| !is_sent(*at)).filter_map(|at| Some(((at.0, *traces[at.0].event.get(at.1)?), at))).collect();
    let crossing = |served: Row| {
        let client = *sent.get(&key(served).filter(|(.., span)| *span != 0)?)?;
        let caller = traces[client.0].caller.get(client.1).and_then(|event| incoming.get(&(client.0, *event)));
        let caller = caller.and_then(|at| side(*at));
        (client.0 != served.0).then_some(Crossing { caller, client: side(client)?, server: side(served)? })
    };
    let mut found: Vec<Crossing> = rows().filter(|at| !is_sent(*at)).filter_map(crossing).collect();
    sort_by_key(&mut found, |one| (one.client.trace, one.client.start, one.client.event));
    found
}

/// Returns the offset of a trace from its requests to and from traces with known offsets, unless the clocks are better.
pub fn by_requests(trace: usize, crossings: &[Crossing], known: &[Offset], clock: Offset) -> Offset {
    let range = |one: &Crossing| {
        let (client, server) = (&one.client, &one.server);
        let other = if client.trace == trace { server.trace } else { client.trace };
        let shift = known.get(other).filter(|_| other < trace)?.nanos;
        let starts = |from: &Side, to: &Side| from.start.saturating_add(shift).saturating_sub(to.start);
        let ends = |from: &Side, to: &Side| from.end.saturating_add(shift).saturating_sub(to.end);
        // The server's side lies within the client's side.
        match (client.trace == trace, server.trace == trace) {
            (false, true) => Some((starts(client, server), ends(client, server))),
            (true, false) => Some((ends(server, client), starts(server, client))),
            _ => None,
        }
    };
    let ranges = crossings.iter().filter_map(range).filter(|(low, high)| low <= high).collect();
    let Some((low, high, count)) = agreed(ranges) else { return clock };
    let tolerance = high.saturating_sub(low) / 2;
    let is_agreed = clock.source == OffsetSource::Clock && (low..=high).contains(&clock.nanos);
    match is_agreed && tolerance > FINE {
        true => clock,
        false => Offset { nanos: low.saturating_add(tolerance), source: OffsetSource::Requests { count, tolerance } },
    }
}

/// Returns the range in which most ranges agree, and their number.
fn agreed(ranges: Vec<(i64, i64)>) -> Option<(i64, i64, u32)> {
    // Starts before ends at the same value, so that ranges that touch agree there.
    let mut ends: Vec<(i64, bool)> = ranges.into_iter().flat_map(|(low, high)| [(low, false), (high, true)]).collect();
    sort_by_key(&mut ends, |end| *end);
    let (mut open, mut best) = (0_u32, None::<(i64, i64, u32)>);
    for (at, &(value, is_end)) in ends.iter().enumerate() {
        if is_end {
            open = open.saturating_sub(1);
            continue;
        }
        open += 1;
        if best.is_none_or(|(.., most)| open > most)
            && let Some((next, _)) = ends.get(at + 1)
        {
            best = Some((value, *next, open));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requests `(sent, start, end, client span)`.
    fn table(rows: &[(u8, i64, i64, u64)]) -> TracedRequests {
        TracedRequests {
            is_sent: rows.iter().map(|row| row.0).collect(),
            start: rows.iter().map(|row| row.1).collect(),
            end: rows.iter().map(|row| row.2).collect(),
            event: (0..).take(rows.len()).collect(),
            thread: vec![1; rows.len()],
            trace_high: vec![7; rows.len()],
            trace_low: vec![8; rows.len()],
            client_span: rows.iter().map(|row| row.3).collect(),
            caller: vec![0; rows.len()],
            name: rows.iter().map(|row| if row.0 == 1 { "POST" } else { "GET" }).collect(),
        }
    }

    #[test]
    fn request_is_matched_in_other_trace_only() {
        let shop = table(&[(0, 0, 100, 0), (1, 10, 90, 5), (1, 20, 30, 6), (0, 21, 29, 6)]);
        let other = table(&[(0, 15, 80, 5), (0, 16, 17, 0), (0, 18, 19, 9)]);
        let found = crossings(&[&shop, &other]);
        assert_eq!(found.len(), 1, "the other request stayed in its trace: {found:?}");
        let ends = |side: &Side| (side.trace, side.start, side.end);
        assert_eq!((ends(&found[0].client), ends(&found[0].server)), ((0, 10, 90), (1, 15, 80)));
        assert_eq!(found[0].caller.as_ref().map(ends), Some((0, 0, 100)));
    }

    #[test]
    fn offset_is_where_most_requests_nest() {
        let first = Offset::default();
        let clock = Offset { nanos: 5_000, source: OffsetSource::Clock };
        let shop = table(&[(1, 1_000, 1_100, 1), (1, 2_000, 2_060, 2), (1, 3_000, 3_200, 3), (0, 4_020, 4_050, 4)]);
        // The times of the other trace are 500 less. One of its requests is that of another retry.
        let other = table(&[(0, 510, 590, 1), (0, 1_520, 1_555, 2), (0, 700, 750, 3), (1, 3_500, 3_570, 4)]);
        let found = crossings(&[&shop, &other]);
        assert_eq!(found.len(), 4);
        let offset = by_requests(1, &found, &[first], clock);
        // 490 to 510, 480 to 505, 2,300 to 2,450, and 480 to 520.
        assert_eq!(offset, Offset { nanos: 497, source: OffsetSource::Requests { count: 3, tolerance: 7 } });
        assert_eq!(by_requests(1, &[], &[first], clock), clock);
        assert_eq!(by_requests(0, &found, &[], clock), clock, "nothing before the first trace");
    }

    #[test]
    fn clock_is_preferred_to_coarse_estimate() {
        let shop = table(&[(1, 0, 50_000_000, 1)]);
        let other = table(&[(0, 0, 1_000_000, 1)]);
        let found = crossings(&[&shop, &other]);
        let clock = |nanos| Offset { nanos, source: OffsetSource::Clock };
        assert_eq!(by_requests(1, &found, &[Offset::default()], clock(30_000_000)), clock(30_000_000));
        let requests = OffsetSource::Requests { count: 1, tolerance: 24_500_000 };
        assert_eq!(by_requests(1, &found, &[Offset::default()], clock(-1)).source, requests);
    }
}
