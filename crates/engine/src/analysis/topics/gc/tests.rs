//! Tests the report on GCs with hand-written traces.

use super::reason_text::condemned;
use crate::analysis::testing::{Happening, RUNTIME, What, runtime, store_of};
use crate::analysis::topics::recorded_topics::is_recorded;
use crate::analysis::topics::shared::report::Report;
use crate::analysis::topics::tests::reports::{column, figure, numbers, report, report_within, table};
use nettrace::testing::PayloadWriter;
use protocol::base::time::Span;
use protocol::request::Filter;
use protocol::topics::report::ChartAxis;
use protocol::topics::topic::Topic;

fn started(number: u32, generation: u32, kind: u32, reason: u32) -> What {
    let payload = PayloadWriter::new().u32(number).u32(generation).u32(reason).u32(kind).u16(0).u64(0);
    runtime(1, 2, payload)
}

fn left(sizes: [u64; 5]) -> What {
    let mut payload = PayloadWriter::new();
    for size in &sizes[..4] {
        payload = payload.u64(*size).u64(size / 2);
    }
    runtime(4, 2, payload.u64(0).u64(7).u32(3).u32(0).u32(9).u16(0).u64(sizes[4]).u64(0))
}

fn whole(mechanisms: u32, steps: &[u32]) -> What {
    let payload = PayloadWriter::new().u64(0).u32(2).u32(0).u32(0).u32(0).u32(mechanisms).u16(0).u32(0).u32(0);
    let payload = payload.u32(0).u32(0).u32(steps.len() as u32);
    runtime(205, 4, steps.iter().fold(payload, |payload, step| payload.u32(*step)))
}

fn heap(heap: u32, before: u64, free: u64) -> What {
    let payload = (0..6).fold(PayloadWriter::new().u16(0), |payload, _| payload.u64(0));
    let payload = payload.u32(0).u32(0x10).u32(0).u32(0).u32(0).u32(heap).u64(0).u32(1);
    let payload = payload.u64(before).u64(0).u64(0).u64(before / 2).u64(free).u64(0);
    runtime(204, 3, payload.u64(0).u64(0).u64(0).u64(0))
}

fn committed(bytes: u64) -> What {
    let data = PayloadWriter::new().u16(1).u64(bytes).u64(0).u64(0).u64(0).u64(1).finish();
    runtime(39, 0, PayloadWriter::new().utf16("CommittedUsage").u32(data.len() as u32).bytes(&data).u16(0))
}

/// Returns a blocking GC that thread 5 starts, from `at` to `at + 20`.
fn blocking(at: i64, number: u32, generation: u32) -> Vec<Happening> {
    vec![
        (at, 5, What::SuspendBegin(1)),
        (at + 2, 5, What::SuspendEnd),
        (at + 3, 5, started(number, generation, 0, 0)),
        (at + 4, 5, committed(1000)),
        (at + 5, 5, whole(6, &[1, 2, 3, 4, 5, 6, 7, 8])),
        (at + 6, 5, heap(0, 100, 10)),
        (at + 7, 5, heap(1, 60, 1)),
        (at + 8, 5, committed(900)),
        (at + 9, 5, What::GcEnd(number)),
        (at + 10, 5, left([40, 30, 20, 10, 0])),
        (at + 20, 5, What::RestartEnd),
    ]
}

fn report_of(happenings: &[Happening], filter: &Filter) -> Report {
    let (store, bytes) = store_of(happenings);
    report_within(Topic::Gc, &store, &bytes, filter)
}

#[test]
fn gc_has_values_of_its_detail_events() {
    let asked = What::Any(RUNTIME, 35, 0, PayloadWriter::new().u32(0).u16(0).finish(), vec![1, 2]);
    let mut happenings = vec![(90, 5, asked)];
    happenings.extend(blocking(100, 7, 1));
    happenings.extend([(1000, 5, What::Throw("end"))]);
    let report = report_of(&happenings, &Filter::default());
    let all = table(&report, "collections");
    let expected = [
        ("number", 7.0),
        ("startNs", 100.0),
        ("gcStartNs", 103.0),
        ("generation", 1.0),
        ("pauseNs", 8.0),
        ("suspendNs", 2.0),
        ("workNs", 6.0),
        ("resumeNs", 12.0),
        ("beforeBytes", 160.0),
        ("afterBytes", 100.0),
        ("promotedBytes", 50.0),
        ("fragmentationBytes", 11.0),
        ("committedBytes", 901.0),
        ("pinnedObjects", 3.0),
        ("handles", 9.0),
        ("finalizable", 7.0),
        ("heaps", 2.0),
        ("markNs", 15_000.0),
        ("planNs", 6_000.0),
        ("relocateNs", 7_000.0),
        ("compactNs", 8_000.0),
    ];
    for (key, value) in expected {
        assert_eq!(numbers(all, key), [Some(value)], "{key}");
    }
    assert_eq!(numbers(all, "sweepNs"), [None]);
    assert_eq!(
        (column(all, "compacting"), column(all, "condemned")),
        (vec!["yes".to_owned()], vec!["gen 1 budget exceeded".to_owned()])
    );
    assert_eq!(column(all, "askedBy"), ["Shop.M2()"]);
    let of_stack = Filter { query: "stack:Shop.M1".to_owned(), ..Filter::default() };
    assert_eq!(numbers(table(&report_of(&happenings, &of_stack), "collections"), "number"), [Some(7.0)]);
    let of_others = Filter { query: "stack:Shop.M3".to_owned(), ..Filter::default() };
    assert!(table(&report_of(&happenings, &of_others), "collections").is_empty());
    let ChartAxis::Moments(moments) = &report.charts[0].axis else { panic!("moments") };
    assert_eq!(moments, &[103, 110]);
    assert!(report.explanation.contains("Shop.M2()"), "{}", report.explanation);
    assert!(report.explanation.ends_with("Server GC, 2 heaps."), "{}", report.explanation);
}

#[test]
fn background_gc_has_own_details_among_others() {
    let mut happenings = vec![
        (10, 1, What::SuspendBegin(1)),
        (11, 1, What::SuspendEnd),
        (12, 1, started(7, 2, 1, 4)),
        (13, 1, What::RestartEnd),
    ];
    happenings.extend(blocking(100, 8, 0));
    happenings.extend([
        (200, 9, What::GcEnd(7)),
        (201, 9, left([1, 1, 1, 1, 1])),
        (202, 9, whole(0x15, &[1, 1, 1, 1, 1])),
        (203, 9, heap(0, 500, 5)),
    ]);
    let report = report_of(&happenings, &Filter::default());
    let all = table(&report, "collections");
    assert_eq!(column(all, "kind"), ["Background", "Blocking"]);
    assert_eq!(numbers(all, "beforeBytes"), [Some(500.0), Some(160.0)]);
    assert_eq!(numbers(all, "afterBytes"), [Some(5.0), Some(100.0)]);
    assert_eq!(numbers(all, "planNs"), [None, Some(6_000.0)]);
    assert_eq!(column(all, "compacting"), ["no", "yes"]);
}

#[test]
fn verdict_has_pause_time() {
    let mut happenings = blocking(0, 1, 0);
    happenings.extend(blocking(100, 2, 0));
    happenings.extend([(1000, 5, What::Throw("end"))]);
    let whole = report_of(&happenings, &Filter::default());
    assert!(whole.verdict.starts_with("GC paused the process for 16 ns of "), "{}", whole.verdict);
    let words = "One GC accounts for 50% of it. Resuming threads took another 24 ns.";
    assert!(whole.verdict.ends_with(words), "{}", whole.verdict);
    assert_eq!((figure(&whole, "count"), figure(&whole, "pauseTotalNs")), (2.0, 16.0));
    let parts = ["suspendTotalNs", "workTotalNs", "resumeTotalNs", "stoppedTotalNs"];
    assert_eq!(parts.map(|part| figure(&whole, part)), [4.0, 12.0, 24.0, 40.0]);
    let part = report_of(&happenings, &Filter { span: Some(Span::new(105, 205)), ..Filter::default() });
    let words =
        "GC paused the process for 3 ns of 100 ns (3.0%). It was the only GC. Resuming threads took another 12 ns.";
    assert_eq!(part.verdict, words);
    let after = report_of(&happenings, &Filter { span: Some(Span::new(110, 210)), ..Filter::default() });
    assert_eq!(after.verdict, "1 GC in 100 ns. All pauses are outside this time range.");
    assert_eq!(numbers(table(&part, "collections"), "number"), [Some(2.0)]);
    let none = report_of(&happenings, &Filter { span: Some(Span::new(500, 600)), ..Filter::default() });
    assert_eq!(none.verdict, "No GCs in 100 ns.");
    assert!(table(&none, "collections").is_empty() && none.charts.is_empty());
    let of_provider = Filter { providers: vec!["Orders".to_owned()], ..Filter::default() };
    assert_eq!(figure(&report_of(&happenings, &of_provider), "count"), 2.0, "collections concern all");
    let of_a_thread = Filter { query: "event:GC/Start payload.Count=2".to_owned(), ..Filter::default() };
    assert_eq!(numbers(table(&report_of(&happenings, &of_a_thread), "collections"), "number"), [Some(2.0)]);
}

#[test]
fn suspensions_without_gcs_report_none() {
    let happenings = [(0, 9, What::SuspendBegin(0)), (1, 9, What::SuspendEnd), (2, 9, What::RestartEnd)];
    let (store, bytes) = store_of(&happenings);
    assert!(is_recorded(Topic::Gc, &store));
    let report = report(Topic::Gc, &store, &bytes, "");
    assert!(report.verdict.starts_with("No GCs in "), "{}", report.verdict);
    assert_eq!(figure(&report, "count"), 0.0);
    let (silent, _) = store_of(&[(0, 9, What::Throw("a"))]);
    assert!(!is_recorded(Topic::Gc, &silent));
}

#[test]
fn gc_conditions_have_words() {
    assert_eq!(condemned(0x28, 0x2000), "gen 2 budget exceeded, gen 2 is too small for a background GC");
    assert_eq!(condemned(0, 0x180), "gen 2 is fragmented");
    assert_eq!(condemned(0, 0), "");
}
