//! Tests that a filter by route selects what its requests did.

use super::recorded;
use crate::analysis::samples::index::is_sample;
use crate::analysis::topics::tests::activity_traces::ActivityTrace;
use crate::analysis::topics::tests::activity_traces::FieldValue::{Pairs, Text};
use crate::clr::source_names::DIAGNOSTIC_SOURCE;
use crate::session::{FileFacts, Session};
use protocol::base::ids::EventId;
use protocol::queries;
use protocol::request::{Filter, FunctionOrder, TreeQuery};
use protocol::topics::report::RowOrder;
use protocol::topics::topic::Topic;

fn matching(query: &str) -> Filter {
    Filter { query: query.to_owned(), ..Filter::default() }
}

/// Returns a number that the HTTP tab shows.
fn figure(session: &mut Session, filter: Filter, key: &str) -> u64 {
    let head = session.ask(&queries::Report { topic: Topic::Http, filter }).expect("a report");
    head.figures.iter().find(|figure| figure.key == key).map_or(0, |figure| figure.value as u64)
}

/// Returns the number of incoming requests that the HTTP tab shows.
fn requests(session: &mut Session, filter: Filter) -> u64 {
    figure(session, filter, "served")
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn row_of_route_filters_to_its_requests() {
    for name in ["web-net8.nettrace", "web-net9.nettrace"] {
        let Some(mut session) = recorded(name) else { continue };
        let order = RowOrder { table: 2, ..RowOrder::default() };
        let query = queries::ReportRows { topic: Topic::Http, filter: Filter::default(), order, first: 0, count: 100 };
        let rows = session.ask(&query).expect("rows");
        // Method, route, number of requests, and more.
        let columns = rows.cells.len() / rows.condition.len();
        let row = |row: usize| (rows.condition.get(row).to_owned(), rows.cells[row * columns + 2] as u64);
        let routes: Vec<(String, u64)> = (0..rows.condition.len()).map(row).collect();
        assert!(routes.len() > 5, "{name}: {routes:?}");
        for (condition, count) in routes {
            assert_eq!(requests(&mut session, matching(&condition)), count, "{name}: {condition}");
        }
    }
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn filter_by_route_selects_samples_of_its_requests() {
    let Some(mut session) = recorded("web-net9.nettrace") else { return };
    let filter = matching("route=\"GET /legacy\"");
    let selection = session.complete(|session| session.selection(&filter)).expect("rows");
    let type_of = |row: usize| session.store().events.row(EventId(row as u32)).event_type;
    let is_of_sampler = |row: &usize| session.store().types.get(type_of(*row)).is_some_and(is_sample);
    let samples = selection.iter().filter(is_of_sampler).count();
    assert!(samples > 100, "{samples} samples");
    let query = TreeQuery { filter, ..TreeQuery::default() };
    let functions =
        session.ask(&queries::Functions { query, order: FunctionOrder::Inclusive, limit: 400 }).expect("functions");
    let names: Vec<&str> = (0..functions.name.len()).map(|row| functions.name.get(row)).collect();
    assert!(names.iter().any(|name| name.contains("LegacyGateway")), "{names:?}");
    // Another thread, and what the threads of requests did while these awaited.
    for other in ["PriceFeed", "LoadDriver"] {
        assert!(!names.iter().any(|name| name.contains(other)), "{names:?}");
    }
}

/// While a request awaits, its thread serves others, and the load driver of the same process sends more.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn requests_sent_during_a_route_are_those_of_its_handler() {
    let Some(mut session) = recorded("web-net9.nettrace") else { return };
    // A checkout calls three other routes.
    for (route, sent_by_each) in [("/legacy", 0), ("/orders/{n}", 0), ("/checkout/{n}", 3)] {
        let filter = matching(&format!("route=\"GET {route}\""));
        let served = requests(&mut session, filter.clone());
        assert!(served > 0, "{route}");
        assert_eq!(figure(&mut session, filter, "sent"), sent_by_each * served, "{route}");
    }
}

/// Matches a route by an ASP.NET Core template, or by a part of its path.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn route_matches_template_or_part() {
    let Some(mut session) = recorded("web-net9.nettrace") else { return };
    let orders = requests(&mut session, matching("route=\"GET /orders/{n}\""));
    assert!(orders > 0);
    assert_eq!(requests(&mut session, matching("route=\"/orders/{id:int}\"")), orders);
    assert_eq!(requests(&mut session, matching("route:/orders")), orders);
    assert_eq!(requests(&mut session, matching("route=/orders")), 0);
    let all = requests(&mut session, Filter::default());
    assert_eq!(requests(&mut session, matching("-route:/orders")), all - orders);
}

/// The span of the request is named after the activity; the filter uses the name that the tab shows.
#[test]
fn route_is_named_as_on_the_tab() {
    let name = "Microsoft.AspNetCore.Hosting.HttpRequestIn";
    let ids = [("TraceId", "4bf92f3577b34da6a3ce929d0e0e4736"), ("SpanId", "00f067aa0ba902b7")];
    let of_source = |more| [ids[0], ids[1], ("ParentSpanId", "0000000000000000"), more];
    let (begun, ended) = (of_source(("DurationTicks", "0")), of_source(("DurationTicks", "100000")));
    let start = format!("{name}.Start");
    let id = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let listened = [("ActivityId", id), ("Path", "/orders/17"), ("Method", "PUT")];
    let source = |pairs| {
        [("SourceName", Text("Microsoft.AspNetCore")), ("ActivityName", Text(name)), ("Arguments", Pairs(pairs))]
    };
    let listener =
        [("SourceName", Text("Microsoft.AspNetCore")), ("EventName", Text(&start)), ("Arguments", Pairs(&listened))];
    let mut trace = ActivityTrace::default();
    trace.event(10_000_000, 1, "", (DIAGNOSTIC_SOURCE, "ActivityStart"), &source(&begun));
    trace.event(11_000_000, 1, "", (DIAGNOSTIC_SOURCE, "Activity1Start"), &listener);
    trace.event(20_000_000, 1, "", (DIAGNOSTIC_SOURCE, "ActivityStop"), &source(&ended));
    let (store, bytes) = trace.finish();
    let mut session = Session::new(store, Box::new(bytes), FileFacts::default()).expect("a session");
    assert_eq!(requests(&mut session, matching("route=\"PUT /orders/{n}\"")), 1);
    assert_eq!(requests(&mut session, matching("-route:/orders")), 0);
}
