//! Requests with the IDs of the W3C trace context, which connect them with requests in other traces.

use super::index::SpanIndex;
use protocol::base::ids::EventId;
use protocol::tables::TracedRequests;
use protocol::timeline::track::TrackKind;

/// Maximum number of requests.
const MAX_REQUESTS: usize = 200_000;
/// Maximum number of spans examined around an outgoing request for the incoming one.
const MAX_ABOVE: usize = 32;

/// Returns the requests that have IDs, by start.
pub fn traced_requests(spans: &SpanIndex) -> TracedRequests {
    let mut table = TracedRequests::default();
    for (at, span) in (0..).zip(spans.spans()) {
        if table.event.len() == MAX_REQUESTS {
            break;
        }
        let is_sent = match span.track {
            Some(TrackKind::OutgoingRequests) => true,
            Some(TrackKind::IncomingRequests) => false,
            _ => continue,
        };
        // An end that isn't recorded would be taken for the time of another clock.
        if !span.interval.is_whole() || span.interval.has_unsure_end() {
            continue;
        }
        let ids = if is_sent { spans.outgoing_context(at, span) } else { spans.incoming_context(at, span) };
        let Some((ids, client)) = ids.map(|ids| (ids, if is_sent { ids.span } else { ids.parent })) else { continue };
        if client == 0 && is_sent {
            continue;
        }
        let incoming = |above: u32| {
            let above = spans.spans().get(above as usize)?;
            (above.track == Some(TrackKind::IncomingRequests)).then_some(above.interval.event)
        };
        let caller = spans.above(at).take(MAX_ABOVE).find_map(incoming).filter(|_| is_sent);
        let trace = u128::from_be_bytes(ids.trace);
        table.is_sent.push(u8::from(is_sent));
        table.start.push(span.interval.start);
        table.end.push(span.interval.end);
        table.event.push(span.interval.event.0);
        table.thread.push(span.interval.thread.0);
        table.trace_high.push((trace >> 64) as u64);
        table.trace_low.push(trace as u64);
        table.client_span.push(client);
        table.caller.push(caller.map_or(u32::MAX, |EventId(event)| event));
        _ = table.name.push(spans.text(span.interval.name));
    }
    table
}
