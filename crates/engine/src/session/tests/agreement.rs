//! Tests that all answers agree on the same numbers, for any filter.

use super::recorded;
use crate::session::{FileFacts, Loader, Progress, Session};
use flate2::read::GzDecoder;
use protocol::base::ids::EventId;
use protocol::base::time::Span;
use protocol::queries;
use protocol::request::{
    Baseline, BaselineOf, EventColumn, EventFormat, EventOrder, Filter, FunctionOrder, SampleChoice, TreeQuery, Weight,
};
use protocol::stacks::shape::Shape;
use protocol::topics::report::{CellKind, RowOrder};
use protocol::topics::topic::Topic;
use std::io::Read;

fn orders() -> Session {
    let mut bytes = Vec::new();
    let packed = include_bytes!("../../../../../tests/fixtures/orders-net31.nettrace.gz");
    GzDecoder::new(&packed[..]).read_to_end(&mut bytes).expect("a whole gzip file");
    let mut loader = Loader::new();
    loader.append(bytes.len(), |space| space.copy_from_slice(&bytes));
    while loader.advance(1 << 20).expect("a trace") == Progress::Paused {}
    let facts = FileFacts { name: "orders".to_owned(), bytes: bytes.len() as u64, ..FileFacts::default() };
    Session::new(loader.finish().expect("a trace"), Box::new(bytes), facts).expect("a session")
}

/// Returns filters that match at least one event.
fn filters() -> Vec<Filter> {
    let query = |text: &str| Filter { query: text.to_owned(), ..Filter::default() };
    vec![
        Filter::default(),
        Filter { span: Some(Span::new(2_000_000_000, 4_000_000_000)), ..Filter::default() },
        query("time:2s..4s"),
        query("event:GCStart"),
        query("event:Triggered"),
        query("level<=2"),
        query("provider:SampleProfiler"),
        query("nobody says this"),
        Filter { providers: vec!["Workload-Orders".to_owned()], ..Filter::default() },
        Filter { level: Some(4), ..Filter::default() },
    ]
}

#[test]
fn summary_and_report_have_same_gc_count() {
    let mut session = orders();
    let mut counts = Vec::new();
    for filter in filters() {
        let request = queries::Gcs { filter: filter.clone() };
        let table = session.ask(&request).expect("collections");
        let request = queries::Report { topic: Topic::Gc, filter: filter.clone() };
        let report = session.ask(&request).expect("a report");
        let figure = |key: &str| report.figures.iter().find(|one| one.key == key).map_or(0.0, |one| one.value);
        assert_eq!(table.number.len() as f64, figure("count"), "{filter:?}");
        let longest = table.pause_total.iter().copied().max().unwrap_or(0);
        assert_eq!(longest as f64, figure("longestPauseNs"), "{filter:?}");
        counts.push(table.number.len());
    }
    assert_eq!(counts[0], 53);
    assert!(counts.contains(&0) && counts.iter().any(|count| (1..53).contains(count)), "{counts:?}");
}

#[test]
fn typed_and_selected_time_have_same_thread_time() {
    let mut session = orders();
    let mut times = |filter: &Filter| {
        let request = queries::RoleTimes { filter: filter.clone() };
        let table = session.ask(&request).expect("times");
        (table.threads.iter().sum::<u32>(), table.nanos.iter().sum::<i64>())
    };
    let typed = |text: &str| Filter { query: text.to_owned(), ..Filter::default() };
    let (threads, nanos) = times(&Filter::default());
    let range = times(&Filter { span: Some(Span::new(2_000_000_000, 4_000_000_000)), ..Filter::default() });
    assert!(range.1 < nanos && range.1 > 0, "{range:?} of {nanos}");
    assert_eq!(times(&typed("time:2s..4s")), range);
    let with = times(&typed("thread:main or provider:nothing thread:main"));
    let without = times(&typed("-thread:main"));
    assert!(with.0 > 0 && without.0 > 0, "{with:?}, {without:?}");
    assert_eq!((with.0 + without.0, with.1 + without.1), (threads, nanos));
    assert_eq!(times(&typed("event:GCStart -(thread:main level<=2)")), (threads, nanos), "nothing rules a thread out");
}

#[test]
fn thread_event_counts_add_up_to_matches() {
    let mut session = orders();
    for filter in filters() {
        let threads = session.ask(&queries::Threads { filter: filter.clone() }).expect("threads");
        let matches = session.complete(|session| session.selection(&filter)).expect("rows").count();
        assert_eq!(threads.events.iter().sum::<u64>(), matches, "{filter:?}");
        let is_of_samples = threads.samples.iter().sum::<u64>() <= matches;
        assert!(is_of_samples, "a sample is an event: {filter:?}");
    }
}

/// The stacks of a time range and of the rest of the time have different call paths.
#[test]
fn time_range_and_its_rest_add_up_to_all_thread_time() {
    let mut session = orders();
    let mut totals = |filter: &Filter, shape: &Shape, baseline: Option<Baseline>| {
        let (samples, weight) = (SampleChoice::Running, Weight::Time);
        let query = TreeQuery {
            filter: filter.clone(),
            samples,
            weight,
            shape: shape.clone(),
            baseline,
            ..TreeQuery::default()
        };
        let request = queries::Functions { query, order: FunctionOrder::Exclusive, limit: 5 };
        let table = session.ask(&request).expect("functions");
        let base = table.base_total.first().copied().unwrap_or(0.0);
        (table.total.first().copied().unwrap_or(0.0), base)
    };
    let range = Filter { query: "time:2s..3s".to_owned(), ..Filter::default() };
    let rest = || Some(Baseline { of: BaselineOf::Rest, is_scaled: false });
    let mine = Shape { just_my_code: true, without_polls: true, ..Shape::default() };
    for shape in [Shape::default(), mine] {
        let (whole, _) = totals(&Filter::default(), &shape, None);
        let (part, _) = totals(&range, &shape, None);
        assert!(part > 0.0 && part < whole, "{part} of {whole}");
        let (now, base) = totals(&range, &shape, rest());
        assert!((now - part).abs() < 1e4 && (now + base - whole).abs() < 1e4, "{now} and {base} of {whole}");
    }
}

#[test]
fn text_of_several_traces_names_the_trace_and_shifts_times() {
    let mut session = orders();
    let mut text = |format, of| {
        let order = EventOrder::default();
        let columns = vec![EventColumn::Time, EventColumn::Name];
        let filter = Filter::default();
        let request = queries::EventText { filter, order, columns, format, with_head: true, first: 3, count: 1, of };
        String::from_utf8(session.ask(&request).expect("text").bytes).expect("UTF-8")
    };
    let of = |shift| Some(queries::TextOfTrace { name: "a, \"b\"".to_owned(), shift });
    let alone = text(EventFormat::Csv, None);
    let (head, row) = alone.trim_end().split_once('\n').expect("two lines");
    assert_eq!(text(EventFormat::Csv, of(0)), format!("Trace,{head}\n\"a, \"\"b\"\"\",{row}\n"));
    let (time, name) = row.split_once(',').expect("two cells");
    let later = format!("{:.9}", time.parse::<f64>().expect("seconds") + 1.5);
    assert_eq!(
        text(EventFormat::Tsv, of(1_500_000_000)).lines().nth(1),
        Some(&*format!("\"a, \"\"b\"\"\"\t{later}\t{name}"))
    );
    assert!(text(EventFormat::JsonLines, of(0)).starts_with(r#"{"trace":"a, \"b\"","#));
}

/// Server GCs run on threads of their own.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn trigger_of_gc_is_that_of_its_row() {
    let Some(mut session) = recorded("gc-net10.nettrace") else { return };
    let (topic, filter) = (Topic::Gc, Filter::default());
    let head = session.ask(&queries::Report { topic, filter: filter.clone() }).expect("a report");
    let order = RowOrder::default();
    let rows = session.ask(&queries::ReportRows { topic, filter, order, first: 0, count: 100 }).expect("rows");
    let column = head.tables[0].columns.iter().position(|column| column.key == "askedBy").expect("a column");
    let mut named = 0;
    for row in 0..rows.event.len() {
        let trigger = session.ask(&queries::GcTrigger { event: EventId(rows.event[row]) }).expect("an answer");
        let Some(trigger) = trigger else { continue };
        assert_eq!(rows.cell(row, column, CellKind::Text), trigger.site.as_str().into(), "row {row}");
        let thread = session.store().threads.get(trigger.thread).expect("a thread").label();
        assert!(!thread.starts_with(".NET"), "row {row}: {thread} only runs GCs");
        named += usize::from(!trigger.site.is_empty());
    }
    assert!(named > 30, "{named} of {} GCs", rows.event.len());
}
