//! Tests heap snapshots against facts from the dumped app, and against a slow calculation of retained sizes.

use crate::analysis::tests::reference::{recording, truth};
use crate::analysis::topics::tests::reports::{column, figure, findings, numbers, report, rows, table};
use protocol::topics::topic::Topic;

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn heap_objects_match_app() {
    let Some(recording) = recording("heapdump-net10.nettrace") else { return };
    let truth = truth(&recording).expect("the program's own counts");
    let report = report(Topic::Heap, &recording.store, &recording.bytes, "");
    // 174 types have names; 145 of them have objects.
    for (key, value) in [("objects", 26_456.0), ("types", 145.0), ("references", 44_534.0), ("roots", 289.0)] {
        assert_eq!(figure(&report, key), value, "{key}");
    }
    let types = table(&report, "types");
    let (names, counts) = (column(types, "fullType"), numbers(types, "count"));
    let of_type = |name: &str| names.iter().position(|one| one == name).expect("the type");
    for (name, count) in truth["counted"].as_object().expect("counts") {
        if name.starts_with("Archive.") {
            assert_eq!(counts[of_type(name)], count.as_f64(), "{name}");
        }
    }
    let largest = truth["measured"]["largestArrayBytes"].as_f64().expect("bytes");
    let header = numbers(types, "largestBytes")[of_type("System.Byte[]")].expect("a size") - largest;
    assert_eq!(header, 24.0, "of the array, and what every object has");
    assert_eq!(column(table(&report, "statics"), "field")[..2], ["library", "scan"]);
}

/// The app retains a library of books, a large array, readers by name, and handlers of an event.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn heap_is_retained_by_fields_of_app() {
    let Some(recording) = recording("heapdump-net10.nettrace") else { return };
    let truth = truth(&recording).expect("the program's own counts");
    let found = findings(Topic::Heap, &recording.store, &recording.bytes);
    assert_eq!(found.len(), 2);
    // The other 749 of the 4,800 books are also lent: `static lendings` refers to them.
    assert!(found[0].title.starts_with("Static field “library” retains 4,051 Book objects, "), "{}", found[0].title);
    assert_eq!(found[0].sentence, "That is 34% of the heap, through static library → Library.");
    let details = &found[0].details;
    for part in ["static scan 400 kB", "static readers"] {
        assert!(details.contains(part), "{part}: {details}");
    }
    assert_eq!(found[1].title, "EventHub has 500 event handlers for 500 Reader objects");
    assert_eq!(found[1].sentence, "Path to root: static hub → EventHub.");
    let report = report(Topic::Heap, &recording.store, &recording.bytes, "");
    let events = rows(table(&report, "events"), &["publisher", "handlers"]);
    assert_eq!(
        Some(events[0][1].as_str()),
        truth["counted"]["handlersOnEventHub"].as_u64().map(|of| of.to_string()).as_deref()
    );
    let (types, paths) = (column(table(&report, "types"), "fullType"), column(table(&report, "types"), "path"));
    let of_book = types.iter().position(|one| one == "Archive.Book").expect("the type");
    assert!(
        paths[of_book].starts_with("static library → Library → Shelf[] → Shelf → Book[] → Book"),
        "{}",
        paths[of_book]
    );
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn retained_sizes_match_slow_calculation() {
    let Some(recording) = recording("heapdump-net10.nettrace") else { return };
    let report = report(Topic::Heap, &recording.store, &recording.bytes, "");
    let types = table(&report, "types");
    let retained: Vec<(String, Option<f64>)> =
        column(types, "fullType").into_iter().zip(numbers(types, "retainedBytes")).take(5).collect();
    let expected = [
        ("Archive.Book", 683_760.0),
        ("System.Byte[]", 531_032.0),
        ("System.String", 462_454.0),
        ("System.Collections.Generic.List`1[System.String]", 204_800.0),
        ("Archive.Book[]", 152_216.0),
    ];
    assert_eq!(retained, expected.map(|(name, bytes)| (name.to_owned(), Some(bytes))));
    let roots = table(&report, "roots");
    assert_eq!(column(roots, "kind")[..4], ["Static field", "Handle", "Stack", "Finalizer queue"]);
    assert_eq!(numbers(roots, "count"), [80.0, 20.0, 168.0, 2.0, 19.0, 0.0].map(Some));
    // Arrays kept by handles contain the static fields, too, so fields alone retain nothing.
    assert_eq!(numbers(roots, "retainedBytes"), [0.0, 10_116.0, 154_356.0, 80.0, 0.0, 4_158.0].map(Some));
    let path = &column(types, "path")[2];
    assert_eq!(path, "static s_dataStore → Dictionary<string, object> → Entry<string, object>[] → string");
}
