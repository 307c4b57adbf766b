//! Tests the report on allocations with hand-written traces.

use crate::analysis::testing::{Happening, RUNTIME, What, runtime, store_of};
use crate::analysis::topics::shared::report::Report;
use crate::analysis::topics::tests::reports::{column, figure, numbers, report_within, table};
use nettrace::testing::PayloadWriter;
use protocol::base::time::Span;
use protocol::request::Filter;
use protocol::topics::topic::Topic;

fn tick(bytes: u64, kind: u32, type_id: u64, name: &str, stack: &[u64]) -> What {
    let payload = PayloadWriter::new().u32(bytes as u32).u32(kind).u16(0).u64(bytes).u64(type_id).utf16(name).u32(0);
    What::Any(RUNTIME, 10, 4, payload.u64(0).u64(24).finish(), stack.to_vec())
}

fn sampled(size: u64, type_id: u64, name: &str) -> What {
    runtime(303, 0, PayloadWriter::new().u32(0).u16(0).u64(type_id).utf16(name).u64(0).u64(size).u64(0))
}

fn by_type(type_id: u64, objects: u32, bytes: u64) -> What {
    runtime(20, 0, PayloadWriter::new().u64(0).u64(type_id).u32(objects).u64(bytes).u16(0))
}

fn type_name(type_id: u64, name: &str) -> What {
    let one = PayloadWriter::new().u32(1).u16(0).u64(type_id).u64(0).u32(0).u32(0).u8(0);
    runtime(15, 0, one.utf16(name).u32(0))
}

fn report_of(happenings: &[Happening], filter: &Filter) -> Report {
    let (store, bytes) = store_of(happenings);
    report_within(Topic::Allocations, &store, &bytes, filter)
}

#[test]
fn ticks_are_summed_by_type_site_and_thread() {
    let happenings = [
        (0, 5, tick(100_000, 0, 7, "System.String", &[1, 2])),
        (10, 5, tick(110_000, 0, 8, "System.Byte[]", &[1])),
        (20, 6, tick(300_000, 1, 8, "System.Byte[]", &[1, 2])),
    ];
    let report = report_of(&happenings, &Filter::default());
    assert_eq!((figure(&report, "bytes"), figure(&report, "largeBytes")), (510_000.0, 300_000.0));
    let types = table(&report, "types");
    assert_eq!(column(types, "fullType"), ["System.Byte[]", "System.String"]);
    assert_eq!(column(types, "type"), ["byte[]", "string"]);
    assert_eq!(numbers(types, "largeBytes"), [300_000.0, 0.0].map(Some));
    assert!(types.head().columns.iter().all(|column| column.key != "objects"), "ticks don't count objects");
    assert_eq!(column(table(&report, "places"), "site"), ["Shop.M2()", "Shop.M1()"]);
    assert_eq!(numbers(table(&report, "sites"), "bytes"), [300_000.0, 110_000.0, 100_000.0].map(Some));
    assert_eq!(numbers(table(&report, "threads"), "bytes"), [300_000.0, 210_000.0].map(Some));
    assert_eq!(column(table(&report, "heaps"), "heap"), ["SOH", "LOH"]);
    assert!(report.verdict.ends_with("byte[] accounts for 80%."), "{}", report.verdict);
    let first = report_of(&happenings, &Filter { span: Some(Span::new(0, 5)), ..Filter::default() });
    assert_eq!(figure(&first, "bytes"), 100_000.0);
    let condition = &types.rows(&[1]).condition;
    let filtered = Filter { query: condition.get(0).to_owned(), ..Filter::default() };
    assert_eq!(figure(&report_of(&happenings, &filtered), "bytes"), 100_000.0, "{}", condition.get(0));
}

#[test]
fn sample_represents_more_than_its_object() {
    let mut happenings: Vec<Happening> = (0..100).map(|at| (at, 5, sampled(1000, 7, "Shop.Order"))).collect();
    happenings.push((200, 5, by_type(7, 50, 9_000_000)));
    let report = report_of(&happenings, &Filter::default());
    let bytes = figure(&report, "bytes");
    assert!((bytes / (100.0 * 102_901.0) - 1.0).abs() < 0.001, "{bytes}");
    let margin = figure(&report, "marginBytes");
    assert!((margin / bytes - 0.195).abs() < 0.01, "{margin}");
    let sources = table(&report, "sources");
    assert_eq!(column(sources, "counts"), ["yes", "no, duplicates another source"]);
    assert_eq!(numbers(sources, "events"), [100.0, 1.0].map(Some));
}

#[test]
fn type_without_name_is_shown_by_id() {
    let happenings = [
        (0, 5, by_type(7, 10, 1000)),
        (1, 5, by_type(9, 1, 10)),
        (2, 5, type_name(7, "System.Collections.Generic.List`1[System.Int32]")),
        (3, 5, by_type(7, 2, 200)),
    ];
    let report = report_of(&happenings, &Filter::default());
    let types = table(&report, "types");
    assert_eq!(column(types, "type"), ["List<int>", "(type 0x9)"]);
    assert_eq!(
        (numbers(types, "objects"), numbers(types, "bytes")),
        (vec![Some(12.0), Some(1.0)], vec![Some(1200.0), Some(10.0)])
    );
    assert_eq!(numbers(types, "marginBytes"), [None, None]);
    let aot = [(0, 5, tick(100, 0, 7, "NULL", &[])), (1, 5, tick(50, 0, 8, "NULL", &[]))];
    assert_eq!(column(table(&report_of(&aot, &Filter::default()), "types"), "type"), ["(type 0x7)", "(type 0x8)"]);
}

#[test]
fn empty_selection_is_reported() {
    let happenings = [(0, 5, tick(100, 0, 7, "A", &[]))];
    let report = report_of(&happenings, &Filter { span: Some(Span::new(50, 60)), ..Filter::default() });
    assert_eq!(report.verdict, "No allocations recorded in 10 ns.");
}

#[test]
fn noted_amounts_match_payloads() {
    let mut happenings: Vec<Happening> = (0..40)
        .map(|at| (at, 5, tick(100_000 + at as u64, at as u32 % 3, 7 + at as u64 % 5, "Shop.Order", &[1])))
        .collect();
    let span = Filter { span: Some(Span::new(0, 100)), ..Filter::default() };
    let noted = report_of(&happenings, &span);
    // Without a type ID, no type is noted, and all payloads are read.
    happenings.push((1_000, 5, tick(1, 0, 0, "Shop.Late", &[1])));
    let read = report_of(&happenings, &span);
    assert_eq!(noted.verdict, read.verdict);
    for key in ["types", "places", "heaps", "threads"] {
        let (noted, read) = (table(&noted, key), table(&read, key));
        assert_eq!(numbers(noted, "bytes"), numbers(read, "bytes"), "{key}");
    }
    assert_eq!(column(table(&noted, "types"), "type"), column(table(&read, "types"), "type"));
}

#[test]
fn burst_of_allocations_is_found_in_a_long_recording() {
    use crate::analysis::topics::tests::reports::findings;
    const SECOND: i64 = 1_000_000_000;
    let found = |ticks: i64| {
        let tick = |at: i64| (at * SECOND / 100, 5, tick(1_000_000, 0, 8, "System.Byte[]", &[1]));
        let mut happenings: Vec<Happening> = (0..ticks).map(tick).collect();
        happenings.push((60 * SECOND, 5, What::Order("last", 1)));
        let (store, bytes) = store_of(&happenings);
        findings(Topic::Allocations, &store, &bytes).into_iter().map(|one| one.title).collect::<Vec<_>>()
    };
    assert_eq!(found(1_000), ["Shop.M1 allocated 1.00 GB"], "100 MB/s for ten seconds");
    assert!(found(400).is_empty(), "400 MB in a minute");
}
