//! Tests the events that queries match.

use super::*;
use crate::analysis::filter::select::Search;
use crate::analysis::intervals::gc::gcs_of;
use crate::analysis::intervals::spans::request_times::RequestTimes;
use crate::analysis::intervals::spans::search::SpanSearch;
use crate::analysis::intervals::tracks::TrackIndex;
use crate::analysis::names::function_counts::FunctionCountSearch;
use crate::analysis::names::items::item;
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::stacks::tree_query::call_nodes;
use crate::analysis::testing::{Happening, What, store_of};
use proptest::prelude::*;
use protocol::base::ids::EventId;
use protocol::filter::parse;
use protocol::request::Filter;
use protocol::topics::topic::Topic;

fn trace() -> (Store, Vec<u8>) {
    store_of(&[
        (0, 5, What::Order("TR-0049", 12)),
        (10, 6, What::Sample(true, vec![1, 2])),
        (20, 6, What::Order("BK-4471", 700)),
        (30, 5, What::Throw("bad TR-0049")),
        (40, 6, What::Sample(false, vec![1, 3])),
        (50, 5, What::GcStart(3)),
        (60, 6, What::StackedOrder("", -3, vec![2])),
        (80, 5, What::GcEnd(3)),
    ])
}

/// Returns what [`Prepared`] refers to.
fn prepared_data(store: &Store, bytes: &dyn ByteSource) -> (EventDurations, Rc<RequestTimes>) {
    let (mut search, mut tracks) = (SpanSearch::new(store), TrackIndex::default());
    while search.step(store, bytes, false).expect("a file") != Step::Done {}
    let spans = search.finish(store, bytes, &mut tracks).expect("a file");
    let gcs = gcs_of(store, bytes).expect("a file");
    let lasting = EventDurations::new(store, bytes, &spans, &mut tracks, &gcs).expect("a file");
    (lasting, Rc::new(RequestTimes::of(store, &spans)))
}

/// Returns the times of the events that a query matches.
fn times(store: &Store, bytes: &dyn ByteSource, query: &str) -> Vec<i64> {
    let filter = Filter { query: format!("time:0ns.. ({query})"), ..Filter::default() };
    let query = parse(&filter.query).expect("a query");
    let (lasting, requests) = prepared_data(store, bytes);
    let prepared = Prepared { lasting: Some(&lasting), requests: Some(&requests) };
    let mut search = Search::new(store, &filter, &query, prepared);
    while search.step(store, bytes, false).expect("a file") != Step::Done {}
    search.finish().iter().map(|row| store.events.row(EventId(row as u32)).ticks).collect()
}

#[test]
fn condition_applies_to_its_key() {
    let (store, bytes) = trace();
    let none: [i64; 0] = [];
    let wants = |query: &str, expected: &[i64]| assert_eq!(times(&store, &bytes, query), expected, "{query}");
    wants("provider:orders", &[0, 20, 60]);
    wants("provider=Order", &none);
    wants("event=OrderPlaced", &[0, 20, 60]);
    wants("event=Orders/OrderPlaced", &[0, 20, 60]);
    wants("event:/^Orders.*ced$/", &[0, 20, 60]);
    wants("thread=5", &[0, 30, 50, 80]);
    wants("-thread=5", &[10, 20, 40, 60]);
    wants("cpu=6", &[10, 20, 40, 60]);
    wants("-cpu:/.?/", &[0, 30, 50, 80]);
    // Thread 1 wrote all events.
    wants("capture:1 thread=6", &[10, 20, 40, 60]);
    wants("capture=6 or -capture:/.?/", &none);
    wants("stack:M2", &[10, 60]);
    wants("stack:/M[23]/", &[10, 40, 60]);
    // For a group, `=` needs the whole name; `:` searches only names of functions.
    wants("stack=Shop", &[10, 40, 60]);
    wants("-stack=Shop", &[0, 20, 30, 50, 80]);
    wants("stack=Sho", &none);
    wants("level<=4 event:Placed", &[0, 20, 60]);
    wants("level<critical", &none);
    wants("time:20ns..40ns", &[20, 30]);
    wants("time<15ns", &[0, 10]);
    wants("dur=30ns", &[50, 80]);
    wants("dur>30ns", &none);
    wants("TR-0049", &[0, 30]);
    wants("/tr-\\d+/i", &[0, 30]);
    wants("/tr-\\d+/", &none);
    wants("process:no-such-process", &none);
    wants("activity:1 or trace:a or span:b or label.x=1", &none);
}

#[test]
fn values_compare_as_numbers_and_texts() {
    let (store, bytes) = trace();
    let none: [i64; 0] = [];
    let wants = |query: &str, expected: &[i64]| assert_eq!(times(&store, &bytes, query), expected, "{query}");
    wants("payload.amount>11", &[0, 20]);
    wants("payload.amount<=12", &[0, 60]);
    wants("payload.amount=0xC", &[0]);
    wants("payload.AMOUNT=12.0", &[0]);
    wants("payload.amount!=12", &[20, 60]);
    wants("payload.amount:7", &[20]);
    wants("payload.sku=\"\"", &[60]);
    wants("payload.sku=bk-4471", &[20]);
    wants("payload.sku~/^[BT]/", &[0, 20]);
    wants("payload.sku>1", &none);
    wants("payload.nothing!=1", &none);
    wants("-payload.amount=12 event:Placed", &[20, 60]);
    // The words for a number match like its text.
    wants("payload.Reason:induced", &[50]);
}

#[test]
fn payload_or_name_condition_matches_either() {
    let (store, bytes) = trace();
    let wants = |query: &str, expected: &[i64]| assert_eq!(times(&store, &bytes, query), expected, "{query}");
    wants("payload.amount=12 or thread=6", &[0, 10, 20, 40, 60]);
    wants("-(payload.amount=12 or thread=6)", &[30, 50, 80]);
    wants("(TR-0049 or payload.amount<0) -event:Exception", &[0, 60]);
}

const CONDITIONS: [&str; 13] = [
    "route:/a",
    "thread=5",
    "event:Order",
    "payload.amount>3",
    "payload.sku:a",
    "ab",
    "7",
    "dur>10ns",
    "stack:M1",
    "time:5ns..30ns",
    "level<=3",
    "-payload.amount=2",
    "/b[0-9]/i",
];

fn query() -> impl Strategy<Value = String> {
    (0..CONDITIONS.len()).prop_map(|index| CONDITIONS[index].to_owned()).prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|one| format!("-({one})")),
            proptest::collection::vec(inner.clone(), 2..4).prop_map(|all| format!("({})", all.join(" "))),
            proptest::collection::vec(inner, 2..4).prop_map(|all| format!("({})", all.join(" or "))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// Evaluating rows together gives the same result as evaluating each row with its payload.
    #[test]
    fn rows_evaluated_together_match_single_evaluation(
        happenings in proptest::collection::vec((5u64..7, 0usize..6, -2i32..9), 1..40),
        query in query(),
    ) {
        const TEXTS: [&str; 6] = ["", "a", "ab", "B7", "7", "xab"];
        let what = |text: usize, amount: i32| match amount {
            -2 => What::Sample(true, vec![1, 2]),
            -1 => What::Throw(TEXTS[text]),
            0 => What::StackedOrder(TEXTS[text], amount, vec![1]),
            _ => What::Order(TEXTS[text], amount),
        };
        let events: Vec<Happening> = (0i64..).zip(&happenings).map(|(at, one)| (at, one.0, what(one.1, one.2))).collect();
        let (store, bytes) = store_of(&events);
        let (known, requests) = prepared_data(&store, &bytes);
        let prepared = Prepared { lasting: Some(&known), requests: Some(&requests) };
        let parsed = parse(&query).expect("a query");
        let node = compile::compile(&store, &parsed, prepared);
        let mut search = Search::new(&store, &Filter { query, ..Filter::default() }, &parsed, prepared);
        while search.step(&store, &bytes, false).expect("a file") != Step::Done {}
        let found = search.finish();
        for row in 0..store.events.len() {
            let payload = store.payload(EventId(row as u32), &bytes).expect("a payload");
            let chunk = &store.events.chunks()[row / CHUNK_ROWS];
            let one = Row::new(&store, chunk, row % CHUNK_ROWS, &payload).expect("a type");
            prop_assert_eq!(found.contains(row), node.matches_row(&one), "row {}", row);
        }
    }
}

/// Returns the names for suggestions, with a route and a type.
fn names(store: &Store) -> Names {
    let mut search = FunctionCountSearch::new(store);
    while search.step(store) != Step::Done {}
    let route = item(Topic::Http, "GET /tr/{n}".to_owned(), (3, "request"), "route=\"GET /tr/{n}\"".to_owned());
    let of_type = item(Topic::Exceptions, "Shop.TrError".to_owned(), (2, "exception"), "payload.Type=x".to_owned());
    Names { counts: Some(search.finish(&call_nodes(store)).into()), items: vec![[route].into(), [of_type].into()] }
}

#[test]
fn typed_text_is_completed_with_names_of_trace() {
    let (store, _) = trace();
    let names = names(&store);
    let suggestions = |typed: &str| query_help(&store, typed, Some(typed.len() as u32), &names).suggestions;
    let texts = |typed: &str| suggestions(typed).into_iter().map(|one| one.text).collect::<Vec<_>>();
    assert_eq!(texts("pro")[..2], ["provider:", "process:"]);
    assert_eq!(texts("dur>5ms event:Plac"), ["Orders/OrderPlaced"]);
    assert_eq!(texts("payload.am")[0], "amount");
    assert_eq!(texts("level<=w"), ["warning"]);
    let functions: Vec<_> = suggestions("stack:M").into_iter().map(|one| (one.text, one.note)).collect();
    let function = |name: &str, count: u32| (format!("\"Shop.{name}()\""), format!("on the stack: {count}"));
    assert_eq!(functions, [function("M1", 2), function("M2", 2), function("M3", 1)]);
    assert_eq!(texts("route:get"), ["\"GET /tr/{n}\""]);
    assert_eq!(texts("rout:/orders"), ["route:/orders"], "a letter is missing");
    assert_eq!(texts("thraed=5 lvel<=warning"), ["level<=warning"]);
    assert_eq!(texts("thraed=5"), ["thread=5"], "two are swapped");
    assert_eq!(texts("dir>5ms"), ["dur>5ms"], "another letter");
    assert_eq!(texts("proc:dotnet"), ["process:dotnet"], "the rest is missing");
    assert_eq!(texts("paylod.Amount=5"), ["payload.Amount=5"]);
    assert_eq!(texts("ROUTE:/orders"), ["route:/orders"]);
    assert!(texts("http://shop").is_empty());
    let help = query_help(&store, "a (b", None, &names);
    assert_eq!(help.mistake.map(|mistake| mistake.at), Some((2, 3)));
    let help = query_help(&store, "a -b thread:5", None, &names);
    assert_eq!(help.parts, [(0, 1), (2, 4), (5, 13)]);
    assert!(help.suggestions.is_empty() && help.mistake.is_none());
}

#[test]
fn routes_types_functions_and_fields_are_suggested_as_conditions() {
    let (store, _) = trace();
    let names = names(&store);
    let shown = |typed: &str| {
        let found = query_help(&store, typed, Some(typed.len() as u32), &names).suggestions.into_iter();
        found.map(|one| (one.text, one.label, one.note)).collect::<Vec<_>>()
    };
    let found = shown("tr");
    let text = |text: &str, label: &str, note: &str| (text.to_owned(), label.to_owned(), note.to_owned());
    assert_eq!(found[0].0, "trace:", "keys come first");
    let route = text("route=\"GET /tr/{n}\"", "GET /tr/{n}", "3 requests");
    assert!(found.contains(&route) && found.contains(&text("payload.Type=x", "Shop.TrError", "2 exceptions")));
    assert!(shown("shop.m").contains(&text("stack=\"Shop.M3()\"", "", "on the stack: 1")), "{:?}", shown("shop.m"));
    assert_eq!(shown("amo"), [text("payload.amount", "", "3 events")]);
    assert!(!suggests_names("t", 1) && suggests_names("tr", 2) && suggests_names("stack:", 6));
    assert!(!suggests_names("payload.tr", 10));
}

#[test]
fn fields_of_matching_event_types_are_suggested_first() {
    let (store, _) = trace();
    let first = |typed: &str| {
        let cursor = typed.find('|').expect("a cursor");
        let help = query_help(&store, &typed.replace('|', ""), Some(cursor as u32), &Names::default());
        help.suggestions.into_iter().map(|one| format!("{}: {}", one.text, one.note)).next()
    };
    assert_eq!(first("event:OrderPlaced payload.|"), Some("amount: 3 events".to_owned()));
    assert_eq!(first("payload.| event:Exception"), Some("ClrInstanceID: 1 event".to_owned()));
    assert_eq!(first("-provider:Orders event:/Exception/ payload.|"), Some("ClrInstanceID: 1 event".to_owned()));
}
