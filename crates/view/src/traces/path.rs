//! Path of a request through two traces, in time order.

use super::crossings::{Crossing, Side};
use crate::format;

/// Part of a path. Times are those of the client's trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Position of the trace; `None` for the network.
    pub trace: Option<usize>,
    /// Event that shows it in the details.
    pub event: Option<u32>,
    /// Name of the request, or what happened.
    pub name: String,
    /// What it says about the request: "served 106 ms".
    pub note: String,
    pub start: i64,
    pub end: i64,
}

/// Returns the parts of a request. `shift` are the nanoseconds to add to times of the server's trace for those of the
/// client's trace.
pub fn path(crossing: &Crossing, shift: i64) -> Vec<Part> {
    let Crossing { caller, client, server } = crossing;
    let (served, answered) = (server.start.saturating_add(shift), server.end.saturating_add(shift));
    let lasting =
        |words: &str, start: i64, end: i64| format!("{words} {}", format::duration(end.saturating_sub(start)));
    let of = |side: &Side, words: &str, start: i64, end: i64| Part {
        trace: Some(side.trace),
        event: Some(side.event),
        name: side.name.clone(),
        note: lasting(words, start, end),
        start,
        end,
    };
    let between = |trace: Option<usize>, name: &str, start: i64, end: i64| Part {
        trace,
        event: None,
        name: name.to_owned(),
        note: format::duration(end.saturating_sub(start)),
        start,
        end,
    };
    let mut parts = Vec::new();
    if let Some(caller) = caller {
        parts.push(of(caller, "served", caller.start, caller.end));
        parts.push(between(Some(caller.trace), "Before sending", caller.start, client.start));
    }
    parts.push(of(client, "waited", client.start, client.end));
    parts.push(between(None, "Network, request", client.start, served));
    parts.push(of(server, "served", served, answered));
    parts.push(between(None, "Network, response", answered, client.end));
    if let Some(caller) = caller {
        parts.push(between(Some(caller.trace), "After the response", client.end, caller.end));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_is_sent_served_and_received() {
        let side = |trace, start, end, name: &str| Side { trace, start, end, event: 1, name: name.to_owned() };
        let crossing = Crossing {
            caller: Some(side(0, 0, 100_000, "GET /checkout")),
            client: side(0, 10_000, 80_000, "payments/charge"),
            server: side(1, 4_000, 64_000, "POST /charge"),
        };
        let parts = path(&crossing, 8_000);
        let lines: Vec<(&str, &str)> = parts.iter().map(|part| (part.name.as_str(), part.note.as_str())).collect();
        assert_eq!(
            lines,
            [
                ("GET /checkout", "served 100 µs"),
                ("Before sending", "10.0 µs"),
                ("payments/charge", "waited 70.0 µs"),
                ("Network, request", "2.00 µs"),
                ("POST /charge", "served 60.0 µs"),
                ("Network, response", "8.00 µs"),
                ("After the response", "20.0 µs"),
            ]
        );
        assert_eq!((parts[4].start, parts[4].end), (12_000, 72_000));
    }
}
