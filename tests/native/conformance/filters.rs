//! Filters by header values of events.

use super::support::*;
use nettrace::testing::{Event, Format};
use nettrace::{Guid, LabelList, LabelValue, MetadataRecord};
use protocol::base::ids::{ActivityId, EventId};
use protocol::request::{Filter, Label};
use std::io::Read;

fn labelled() -> Opened {
    let pairs = |tenant: &str, number: u64| {
        let number = LabelValue::Number { by_document: 0, plain: number };
        vec![("tenant".to_owned(), LabelValue::Text(tenant.to_owned())), ("try".to_owned(), number)]
    };
    let lists = [
        LabelList {
            activity_id: Some(Guid([1; 16])),
            trace_id: Some([0x0A; 16]),
            span_id: Some(0x12),
            pairs: pairs("blue", 1),
            ..LabelList::default()
        },
        LabelList {
            activity_id: Some(Guid([2; 16])),
            related_activity_id: Some(Guid([1; 16])),
            trace_id: Some([0x0A; 16]),
            span_id: Some(0x13),
            pairs: pairs("green", 2),
            ..LabelList::default()
        },
        LabelList { trace_id: Some([0x0B; 16]), pairs: pairs("green", 1), ..LabelList::default() },
    ];
    open(&trace(Format::Nettrace6, |builder| {
        builder.threads(&[thread(7)]).labels(1, &lists);
        let with = |label_list, sequence| Event { label_list, ..event(1, sequence, i64::from(sequence)) };
        builder.events(&[with(1, 1), with(2, 2), with(3, 3), with(0, 4)]);
    }))
}

/// Returns the matches of a filter for each label of an event.
fn clicked(opened: &mut Opened, row: u32) -> Vec<(String, Vec<u32>)> {
    let labels: Vec<Label> = opened.detail(row).header.into_iter().filter_map(|fact| fact.label).collect();
    let narrowed = |label: Label| {
        let name = label.name().to_owned();
        (name, opened.rows(Filter { labels: vec![label], ..Filter::default() }))
    };
    labels.into_iter().map(narrowed).collect()
}

/// S227, S228, S229, S230, S231, S232, S237: every label of an event filters to the events with the same label; an
/// activity also to related events.
#[test]
fn events_are_found_by_labels() {
    let mut opened = labelled();
    let first = [("Activity", vec![0, 1]), ("Trace ID", vec![0, 1]), ("Span ID", vec![0])];
    let pairs = [("tenant", vec![0]), ("try", vec![0, 2])];
    let expected = |rows: &[(&str, Vec<u32>)]| -> Vec<(String, Vec<u32>)> {
        rows.iter().map(|(name, rows)| ((*name).to_owned(), rows.clone())).collect()
    };
    assert_eq!(clicked(&mut opened, 0), expected(&[&first[..], &pairs].concat()));
    let third = [("Trace ID", vec![2]), ("tenant", vec![1, 2]), ("try", vec![0, 2])];
    assert_eq!(clicked(&mut opened, 2), expected(&third));
    assert_eq!(clicked(&mut opened, 3), []);
}

/// S237: values of one label are alternatives; different labels and other conditions must all match.
#[test]
fn label_conditions_are_combined() {
    let mut opened = labelled();
    let named = |name: &str, value: &str| Label::Named(name.to_owned(), value.to_owned());
    let mut rows = |labels: &[Label], query: &str| {
        opened.rows(Filter { labels: labels.to_vec(), query: query.to_owned(), ..Filter::default() }) //
    };
    assert_eq!(rows(&[named("tenant", "blue"), named("tenant", "green")], ""), [0, 1, 2]);
    assert_eq!(rows(&[named("tenant", "green"), named("try", "1")], ""), [2]);
    let activity = Label::Activity("01010101-0101-0101-0101-010101010101".to_owned());
    assert_eq!(rows(&[activity.clone(), named("tenant", "green")], "order"), [1]);
    assert_eq!(rows(&[activity, named("tenant", "green")], "refund"), [] as [u32; 0]);
    for nothing in [Label::Activity("no GUID".to_owned()), Label::Trace("0a".to_owned()), named("colour", "blue")] {
        assert_eq!(rows(&[nothing], ""), [] as [u32; 0]);
    }
}

/// S39, S231, S232: the event table shows activities and labels.
#[test]
fn labels_have_column() {
    let mut opened = labelled();
    let first = format!("01010101-0101-0101-0101-010101010101 · {} · tenant blue · try 1", "0a".repeat(16));
    // Cut at the end of the column.
    let first: String = first.chars().take(79).chain(['…']).collect();
    let third = format!("{} · tenant green · try 1", "0b".repeat(16));
    let shown = opened.table().belongs_to;
    assert_eq!((shown.get(0), shown.get(2), shown.get(3)), (first.as_str(), third.as_str(), ""));
    assert!(opened.summary().has_labels);
}

/// S39: events are found by both activities in their headers.
#[test]
fn events_are_found_by_header_activities() {
    let mut opened = open(&trace(Format::Nettrace4, |builder| {
        let of = |activity: u8, related: u8, sequence| Event {
            activity_id: Guid([activity; 16]),
            related_activity_id: Guid([related; 16]),
            ..event(1, sequence, i64::from(sequence))
        };
        builder.events(&[of(1, 0, 1), of(2, 1, 2), of(2, 0, 3), of(0, 0, 4)]);
    }));
    assert_eq!(clicked(&mut opened, 0), [("Activity".to_owned(), vec![0, 1])]);
    let both = [("Activity".to_owned(), vec![1, 2]), ("Activity".to_owned(), vec![0, 1])];
    assert_eq!(clicked(&mut opened, 1), both);
}

/// S57, S233: events up to a level, including levels from labels; level 0 is always included.
#[test]
fn events_are_found_by_level() {
    let levels = [0, 2, 4, 5];
    let mut opened = open(&trace(Format::Nettrace6, |builder| {
        let records = levels.map(|level| MetadataRecord { level, ..record(10 + u32::from(level), "Order") });
        builder.metadata(&records).threads(&[thread(7)]);
        builder.labels(1, &[LabelList { level: Some(3), ..LabelList::default() }]);
        let of = |level: u8, label_list, sequence| Event {
            label_list,
            ..event(10 + u32::from(level), sequence, i64::from(sequence)) //
        };
        builder.events(&[of(0, 0, 1), of(2, 0, 2), of(4, 0, 3), of(5, 0, 4), of(5, 1, 5)]);
    }));
    let mut rows = |level| opened.rows(Filter { level, ..Filter::default() });
    assert_eq!(rows(None), [0, 1, 2, 3, 4]);
    assert_eq!(rows(Some(1)), [0]);
    assert_eq!(rows(Some(3)), [0, 1, 4]);
    assert_eq!(rows(Some(4)), [0, 1, 2, 4]);
}

/// Bundled trace of a web server: every twentieth activity matches exactly the events with it.
#[test]
fn recorded_activities_are_found() {
    let path = crate::common::root().join("www/samples/web.nettrace.gz");
    let mut trace = Vec::new();
    let file = std::fs::File::open(path).expect("the sample");
    flate2::read::GzDecoder::new(file).read_to_end(&mut trace).expect("a whole file");
    let mut opened = open(&trace);
    let named: Vec<[u32; 2]> = {
        let store = opened.store();
        let related = |event| store.related_activity(event).map_or(0, |activity| activity.0);
        let events = (0..store.events.len() as u32).map(EventId);
        events.map(|event| [store.events.row(event).activity.0, related(event)]).collect()
    };
    let mut wanted: Vec<u32> = named.iter().map(|[activity, _]| *activity).filter(|&id| id != 0).collect();
    wanted.sort_unstable();
    wanted.dedup();
    assert!(wanted.len() > 200, "{}", wanted.len());
    for &activity in wanted.iter().step_by(20) {
        let guid = opened.store().activities.guid(ActivityId(activity)).to_string();
        let rows = opened.rows(Filter { labels: vec![Label::Activity(guid)], ..Filter::default() });
        let expected = (0..named.len() as u32).filter(|&row| named[row as usize].contains(&activity));
        assert_eq!(rows, expected.take(1000).collect::<Vec<_>>());
    }
}
