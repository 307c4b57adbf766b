//! Table of requests that one trace sent and another one served.

use super::{Crossing, letter};
use protocol::table::{Column, Unit};

/// Request between traces. Times are those of the trace that the page is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Across {
    /// Positions of the traces that sent and served it.
    pub traces: [usize; 2],
    /// Start events of both sides.
    pub events: [u32; 2],
    /// Start of the client's side.
    pub sent: i64,
    /// Durations of the client's and the server's side.
    pub waited: i64,
    pub served: i64,
    /// Time on the network before and after it was served.
    pub request: i64,
    pub response: i64,
    /// Method and target as sent.
    pub name: String,
}

/// Columns of the table, in default order.
pub const ACROSS_COLUMNS: [Column<Across>; 7] = [
    Column::text("between", "From", |one, _| format!("{} to {}", letter(one.traces[0]), letter(one.traces[1])).into()),
    Column::text("name", "Request", |one, _| one.name.as_str().into()),
    Column::number("sent", "Sent", Unit::Moment, |one: &Across, _| one.sent.into()).ascending(),
    Column::number("waited", "Waited", Unit::Duration, |one, _| one.waited.into()),
    Column::number("served", "Served", Unit::Duration, |one, _| one.served.into()),
    Column::number("request", "Network out", Unit::Duration, |one, _| one.request.into()),
    Column::number("response", "Network back", Unit::Duration, |one, _| one.response.into()),
];

impl Across {
    /// Returns the row of a request. `to_page` are the nanoseconds to add to times of each trace for those of the page.
    pub fn new(of: &Crossing, to_page: impl Fn(usize) -> i64) -> Self {
        let (client, server) = (&of.client, &of.server);
        let time = |trace: usize, at: i64| at.saturating_add(to_page(trace));
        let (sent, received) = (time(client.trace, client.start), time(client.trace, client.end));
        let (begun, answered) = (time(server.trace, server.start), time(server.trace, server.end));
        Self {
            traces: [client.trace, server.trace],
            events: [client.event, server.event],
            sent,
            waited: received.saturating_sub(sent),
            served: answered.saturating_sub(begun),
            request: begun.saturating_sub(sent),
            response: received.saturating_sub(answered),
            name: client.name.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traces::Side;

    #[test]
    fn network_times_depend_on_the_offset_and_their_sum_does_not() {
        let side = |trace, start, end| Side { trace, start, end, event: 7, name: "payments/charge".to_owned() };
        let crossing = Crossing { caller: None, client: side(0, 100, 200), server: side(1, 20, 90) };
        let row = |offset: i64| Across::new(&crossing, |trace| if trace == 1 { offset } else { 0 });
        let one = row(95);
        assert_eq!((one.sent, one.waited, one.served), (100, 100, 70));
        assert_eq!((one.request, one.response), (15, 15));
        let other = row(100);
        assert_eq!((other.request, other.response), (20, 10));
        let cells: Vec<_> = ACROSS_COLUMNS.iter().map(|column| (column.cell)(&one, 0).plain().into_owned()).collect();
        assert_eq!(cells, ["A to B", "payments/charge", "100", "100", "70", "15", "15"]);
    }
}
