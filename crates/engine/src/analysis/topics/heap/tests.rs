//! Tests the report on heap snapshots with hand-written snapshots.

use crate::analysis::testing::{Happening, What, runtime, store_of};
use crate::analysis::topics::recorded_topics::is_recorded;
use crate::analysis::topics::shared::report::Report;
use crate::analysis::topics::tests::reports::{column, findings, numbers, report_within, rows, table};
use crate::model::testing::read;
use nettrace::testing::PayloadWriter;
use protocol::base::time::Span;
use protocol::request::Filter;
use protocol::topics::finding::{Finding, FindingKind};
use protocol::topics::topic::Topic;

/// Address, size, type, number of references.
type Node = (u64, u64, u64, u64);

fn numbered(index: u32, count: usize) -> PayloadWriter {
    PayloadWriter::new().u32(index).u32(count as u32).u16(0)
}

fn nodes(index: u32, all: &[Node]) -> What {
    let write = |payload: PayloadWriter, one: &Node| payload.u64(one.0).u64(one.1).u64(one.2).u64(one.3);
    runtime(18, 0, all.iter().fold(numbered(index, all.len()), write))
}

fn edges(index: u32, all: &[u64]) -> What {
    runtime(19, 0, all.iter().fold(numbered(index, all.len()), |payload, one| payload.u64(*one).u32(0)))
}

/// Returns an event with roots: address, kind, flags.
fn roots(all: &[(u64, u8, u32)]) -> What {
    let write = |payload: PayloadWriter, one: &(u64, u8, u32)| payload.u64(one.0).u8(one.1).u32(one.2).u64(0);
    runtime(16, 0, all.iter().fold(numbered(0, all.len()), write))
}

fn types(all: &[(u64, &str)]) -> What {
    let write =
        |payload: PayloadWriter, one: &(u64, &str)| payload.u64(one.0).u64(0).u32(0).u32(0).u8(0).utf16(one.1).u32(0);
    runtime(15, 0, all.iter().fold(PayloadWriter::new().u32(all.len() as u32).u16(0), write))
}

fn field(address: u64, name: &str) -> What {
    runtime(38, 0, PayloadWriter::new().u32(1).u64(0).u16(0).u64(1).u64(address).u64(0).u32(0).utf16(name))
}

fn report_of(all: Vec<What>, filter: &Filter) -> Report {
    let happenings: Vec<Happening> = (10..).zip(all).map(|(time, what)| (time, 5, what)).collect();
    let (store, bytes) = store_of(&happenings);
    report_within(Topic::Heap, &store, &bytes, filter)
}

/// Returns a heap in which a static field keeps a library (type 1) of two shelves (2) that share a book (3); a handle
/// keeps a shelf, too.
fn library() -> Vec<What> {
    vec![
        What::GcStart(1),
        types(&[(1, "Archive.Library"), (2, "Archive.Shelf"), (3, "Archive.Book")]),
        field(0x10, "s_library"),
        nodes(0, &[(0x10, 100, 1, 2), (0x20, 10, 2, 2)]),
        edges(0, &[0x20, 0x30, 0x40]),
        nodes(1, &[(0x30, 10, 2, 1), (0x40, 5, 3, 0), (0x50, 7, 3, 0), (0x60, 1, 9, 1)]),
        roots(&[(0x30, 2, 0), (0, 0, 0), (0x50, 2, 2)]),
        edges(1, &[0x50, 0x40, 0x60]),
        What::GcEnd(1),
    ]
}

#[test]
fn retained_size_counts_objects_reached_only_through_it() {
    let report = report_of(library(), &Filter::default());
    let of_types = table(&report, "types");
    assert_eq!(column(of_types, "type"), ["Library", "Shelf", "Book", "(type 0x9)"]);
    assert_eq!(column(of_types, "fullType")[1], "Archive.Shelf");
    assert_eq!(numbers(of_types, "count"), [1.0, 2.0, 2.0, 1.0].map(Some));
    // The library retains itself, one shelf and the book of that shelf; the other shelf has a handle, and the shared
    // book has two paths.
    assert_eq!(numbers(of_types, "retainedBytes"), [117.0, 27.0, 12.0, 1.0].map(Some));
    let objects = table(&report, "objects");
    assert_eq!(column(objects, "path")[0], "static s_library → Library");
    assert_eq!(column(objects, "path")[1], "static s_library → Library → Shelf");
    assert_eq!(numbers(objects, "retainedBytes")[..2], [117.0, 17.0].map(Some));
    assert!(report.verdict.starts_with("6 objects of 4 types occupy 133 B. Library is the largest type (75%)"));
    assert!(report.explanation.contains("1 B has no known path from a GC root"), "{}", report.explanation);
}

#[test]
fn neighbors_are_references_in_both_directions() {
    let report = report_of(library(), &Filter::default());
    let around = rows(table(&report, "neighbors"), &["address", "relation", "otherAddress", "type", "retainedBytes"]);
    let of_shelf: Vec<_> = around.iter().filter(|row| row[0] == "0x30").map(|row| row[1..].join(" ")).collect();
    assert_eq!(of_shelf, ["references 0x40 Book 5", "referenced by 0x10 Library 117"]);
    let of_library: Vec<_> = around.iter().filter(|row| row[0] == "0x10").map(|row| row[1..3].join(" ")).collect();
    assert_eq!(of_library, ["references 0x20", "references 0x30"]);
}

#[test]
fn roots_are_counted_by_kind() {
    let report = report_of(library(), &Filter::default());
    let of_roots = table(&report, "roots");
    assert_eq!(
        column(of_roots, "kind"),
        ["Static field", "Handle", "Stack", "Weak handle (not a root)", "No known root"]
    );
    assert_eq!(numbers(of_roots, "count"), [1.0, 1.0, 1.0, 1.0, 0.0].map(Some));
    assert_eq!(numbers(of_roots, "objects"), [1.0, 1.0, 0.0, 1.0, 1.0].map(Some));
    assert_eq!(numbers(of_roots, "retainedBytes"), [117.0, 0.0, 0.0, 0.0, 1.0].map(Some));
    assert_eq!(column(table(&report, "statics"), "field"), ["s_library"]);
    let references = table(&report, "references");
    assert_eq!(column(references, "from"), ["Shelf", "Library", "(type 0x9)"]);
    assert_eq!(column(references, "to"), ["Book", "Shelf", "(type 0x9)"]);
    assert_eq!(numbers(references, "references"), [3.0, 2.0, 1.0].map(Some));
}

#[test]
fn snapshots_are_compared() {
    let mut all = library();
    all.extend([
        What::GcStart(2),
        types(&[(4, "Archive.Reader")]),
        nodes(0, &[(0x10, 100, 1, 0), (0x40, 5, 3, 0), (0x70, 50, 4, 0)]),
        roots(&[(0x70, 0, 0)]),
        What::GcEnd(2),
    ]);
    let report = report_of(all.clone(), &Filter::default());
    let change = table(&report, "difference");
    assert_eq!(column(change, "type"), ["Reader", "(type 0x9)", "Book", "Shelf"]);
    assert_eq!(numbers(change, "bytesChange"), [50.0, -1.0, -7.0, -20.0].map(Some));
    assert_eq!(numbers(change, "countAfter"), [1.0, 0.0, 1.0, 0.0].map(Some));
    assert_eq!(numbers(table(&report, "snapshots"), "bytes"), [133.0, 155.0].map(Some));
    let first = report_of(all, &Filter { span: Some(Span::new(0, 17)), ..Filter::default() });
    assert!(first.verdict.starts_with("6 objects") && first.tables.iter().all(|one| one.head().key != "difference"));
}

#[test]
fn lost_event_makes_snapshot_partial() {
    let all = vec![
        nodes(0, &[(0x10, 100, 1, 1)]),
        nodes(2, &[(0x20, 10, 2, u64::MAX), (0x30, 10, 2, 1)]),
        edges(0, &[0x20, 0x30, 0x99]),
        edges(7, &[0x10]),
        roots(&[(0x10, 0, 0)]),
    ];
    let report = report_of(all, &Filter::default());
    assert!(report.explanation.contains("The snapshot is incomplete"), "{}", report.explanation);
    assert_eq!(numbers(table(&report, "objects"), "retainedBytes")[0], Some(110.0));
}

#[test]
fn chain_of_one_type_is_one_step() {
    let length = 500u64;
    let mut chain: Vec<Node> = (1..=length).map(|at| (at * 16, 16, 1, u64::from(at < length))).collect();
    chain.push((length * 16 + 16, 8, 2, 1));
    let mut links: Vec<u64> = (2..=length).map(|at| at * 16).collect();
    links.push(16);
    let all = vec![
        types(&[(1, "Link"), (2, "Head")]),
        nodes(0, &chain),
        edges(0, &links),
        roots(&[(length * 16 + 16, 0, 0)]),
    ];
    let report = report_of(all, &Filter::default());
    let objects = table(&report, "objects");
    assert_eq!(column(objects, "path"), ["stack → Head", "stack → Head → Link"]);
    assert_eq!(numbers(objects, "retainedBytes"), [8008.0, 8000.0].map(Some));
}

/// A heap dump of Mono before .NET 8: objects have vtables, whose classes are named by other events.
#[test]
fn heap_dump_of_mono_shows_objects_by_class() {
    let bytes = include_bytes!("../../../../../../tests/fixtures/cases/mono-heapdump.nettrace").to_vec();
    let store = read(&bytes);
    let names: Vec<&str> = store.types.iter().map(|one| one.display_name.as_str()).collect();
    assert_eq!(names, ["GCHeapDumpObjectReference", "GCHeapDumpVTableClassReference"]);
    let report = report_within(Topic::Heap, &store, &bytes, &Filter::default());
    let types = table(&report, "types");
    assert_eq!(rows(types, &["fullType", "count", "bytes"]), [["MyApp.LeakyPage", "10", "640"]]);
    assert!(is_recorded(Topic::Heap, &store));
}

#[test]
fn mono_objects_in_parts_and_classes_of_vtables_are_joined() {
    const MONO: &str = crate::clr::source_names::MONO_PROFILER;
    let mono = |id, payload: PayloadWriter| What::Any(MONO, id, 0, payload.finish(), Vec::new());
    let object = |address: u64, vtable: u64, targets: &[u64]| {
        let payload = PayloadWriter::new().u64(address).u64(vtable).u64(32).u8(0).u32(targets.len() as u32);
        mono(53, targets.iter().fold(payload, |payload, target| payload.u32(8).u64(*target)))
    };
    let all = vec![
        mono(16, PayloadWriter::new().u64(7).u64(0).utf16("App.Page")),
        mono(19, PayloadWriter::new().u64(5).u64(7).u64(0)),
        mono(51, PayloadWriter::new()),
        object(0x10, 5, &[0x20]),
        object(0x10, 5, &[0x30]),
        object(0x20, 6, &[]),
        object(0x30, 6, &[]),
        mono(50, PayloadWriter::new().u32(1).u64(0x10).u64(0)),
        mono(52, PayloadWriter::new()),
        mono(63, PayloadWriter::new().u64(6).u64(0).u64(0).utf16("App.Cell")),
    ];
    let report = report_of(all, &Filter::default());
    let types = rows(table(&report, "types"), &["type", "count", "bytes", "retainedBytes"]);
    assert_eq!(types, [["Page", "1", "32", "96"], ["Cell", "2", "64", "64"]]);
    let roots = rows(table(&report, "roots"), &["kind", "objects"]);
    assert_eq!(roots, [["Other", "1"]], "nothing says in which memory it is");
}

#[test]
fn mono_roots_are_in_registered_memory() {
    const MONO: &str = crate::clr::source_names::MONO_PROFILER;
    let mono = |id, payload: PayloadWriter| What::Any(MONO, id, 0, payload.finish(), Vec::new());
    let object = |address: u64| mono(53, PayloadWriter::new().u64(address).u64(5).u64(32).u8(0).u32(0));
    let range =
        |start: u64, source: u8| mono(48, PayloadWriter::new().u64(start).u64(16).u8(source).u64(0).utf16("Roots"));
    let roots = [(0x10, 0x100), (0x20, 0x208), (0x30, 0x300), (0x40, 0x310)];
    let refer = |payload: PayloadWriter, root: &(u64, u64)| payload.u64(root.0).u64(root.1);
    let all = vec![
        range(0x100, 3),
        range(0x300, 6),
        mono(51, PayloadWriter::new()),
        object(0x10),
        object(0x20),
        object(0x30),
        object(0x40),
        mono(50, roots.iter().fold(PayloadWriter::new().u32(4), refer)),
        // Registered now and unregistered later: both apply to the snapshot.
        range(0x200, 1),
        mono(49, PayloadWriter::new().u64(0x300)),
        mono(52, PayloadWriter::new()),
    ];
    let report = report_of(all, &Filter::default());
    let roots = rows(table(&report, "roots"), &["kind", "objects"]);
    assert_eq!(roots, [["Static field", "1"], ["Handle", "1"], ["Stack", "1"], ["Other", "1"]]);
    assert_eq!(column(table(&report, "keepers"), "root"), ["static field", "stack", "handle", "other root"]);
}

/// Returns an event with types and flags: 1 for delegates, 8 for arrays.
fn types_with_flags(all: &[(u64, u32, &str)]) -> What {
    let write = |payload: PayloadWriter, one: &(u64, u32, &str)| {
        payload.u64(one.0).u64(0).u32(0).u32(one.1).u8(0).utf16(one.2).u32(0)
    };
    runtime(15, 0, all.iter().fold(PayloadWriter::new().u32(all.len() as u32).u16(0), write))
}

/// Returns a heap with a library of two books of this size in a static field, whose array is also in a local variable.
fn library_with_books(size: u64) -> Vec<What> {
    vec![
        types_with_flags(&[(1, 0, "Archive.Library"), (2, 8, "Archive.Book[]"), (3, 0, "Archive.Book")]),
        field(0x10, "s_library"),
        nodes(0, &[(0x10, 24, 1, 1), (0x20, 100, 2, 2), (0x30, size, 3, 0), (0x40, size, 3, 0)]),
        edges(0, &[0x20, 0x30, 0x40]),
        roots(&[(0x20, 0, 0)]),
    ]
}

fn findings_of(all: Vec<What>) -> Vec<Finding> {
    let happenings: Vec<Happening> = (10..).zip(all).map(|(time, what)| (time, 5, what)).collect();
    let (store, bytes) = store_of(&happenings);
    findings(Topic::Heap, &store, &bytes)
}

#[test]
fn static_fields_come_before_stacks() {
    let all = library_with_books(100_000);
    let report = report_of(all.clone(), &Filter::default());
    let keepers = rows(table(&report, "keepers"), &["root", "type", "retainedBytes", "kept", "keptType"]);
    assert_eq!(keepers, [["static s_library", "Library", "200124", "2", "Book"]]);
    assert_eq!(column(table(&report, "objects"), "path")[0], "static s_library → Library → Book[]");
    assert!(report.explanation.starts_with("The static s_library → Library retains 2 Book"), "{}", report.explanation);
    let found = findings_of(all);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].kind, found[0].cost.value), (FindingKind::HeapKeeper, 200_124.0));
    assert_eq!(found[0].title, "Static field “s_library” retains 2 Book objects, 200 kB");
    assert!(found[0].sentence.contains("100% of the heap"), "{}", found[0].sentence);
}

#[test]
fn small_or_shared_heaps_have_no_finding() {
    assert_eq!(findings_of(library_with_books(10_000)), [], "20 kB");
    let fields = (0..20).map(|at| field(0x1000 + at * 0x10, &format!("field{at}")));
    let objects: Vec<Node> = (0..20).map(|at| (0x1000 + at * 0x10, 100_000, 3, 0)).collect();
    let spread = [types(&[(3, "Archive.Book")]), nodes(0, &objects)].into_iter().chain(fields);
    assert_eq!(findings_of(spread.collect()), [], "20 fields keep 5% each");
}

#[test]
fn event_handlers_are_retained_by_event() {
    let (hub, all, list, count) = (0x10, 0x20, 0x30, 120u64);
    let handler = |at: u64| 0x1_0000 + at * 0x10;
    let reader = |at: u64| 0x2_0000 + at * 0x10;
    let mut objects: Vec<Node> = vec![(hub, 24, 1, 1), (all, 64, 2, 2), (list, 1000, 3, count)];
    objects.extend((0..count).map(|at| (handler(at), 64, 2, 1)));
    objects.extend((0..count).map(|at| (reader(at), 2000, 4, 0)));
    let mut links = vec![all, all, list];
    links.extend((0..count).map(handler));
    links.extend((0..count).map(reader));
    let names = [
        (1, 0, "Archive.EventHub"),
        (2, 1, "System.EventHandler"),
        (3, 8, "System.Object[]"),
        (4, 0, "Archive.Reader"),
    ];
    // The stack refers to the hub and a reader, and nothing else refers to either.
    let happened =
        vec![types_with_flags(&names), nodes(0, &objects), edges(0, &links), roots(&[(reader(0), 0, 0), (hub, 0, 0)])];
    let report = report_of(happened.clone(), &Filter::default());
    let events = rows(table(&report, "events"), &["publisher", "delegate", "handlers", "targets", "target", "path"]);
    assert_eq!(events, [["EventHub", "EventHandler", "120", "120", "Reader", "stack → EventHub"]]);
    let paths = column(table(&report, "types"), "path");
    let of_reader = column(table(&report, "types"), "type").iter().position(|one| one == "Reader").expect("the type");
    let path = &paths[of_reader];
    assert!(path.starts_with("stack → EventHub → EventHandler → object[] → EventHandler → Reader"), "{path}");
    let found = findings_of(happened);
    // The stack also refers directly to one reader.
    assert!(found[0].title.starts_with("A running method retains 119 Reader"), "{}", found[0].title);
    assert_eq!((found.len(), found[1].kind), (2, FindingKind::EventHandlers));
    assert_eq!(found[1].title, "EventHub has 120 event handlers for 120 Reader objects");
    assert_eq!(found[1].sentence, "Path to root: stack → EventHub.");
    assert_eq!(found[1].advice, "Unsubscribe with -=.");
}
