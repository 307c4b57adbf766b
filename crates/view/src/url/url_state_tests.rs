//! Tests that views survive a round trip through the URL, and that any URL can be read.

use super::*;
use crate::events::columns::{EventColumns, event_columns, key_of};
use crate::events::{groups, sort};
use crate::grid::Arrangement;
use crate::notes::{MAX_NAME, MAX_NOTES, Note, Place, clean};
use crate::timeline::clock::Clock;
use crate::timeline::saved_range::SavedRange;
use crate::timeline::track_key::{RuntimeKey, TrackKey};
use crate::url::added::AddedLink;
use crate::url::compare::CompareView;
use crate::url::file::{FileLink, Fingerprint};
use crate::url::metadata::MetadataPart;
use crate::url::selection::GcLink;
use crate::url::stacks::tests::looks;
use crate::url::tracks::{TrackChoice, TrackLink};
use proptest::option;
use proptest::prelude::*;
use protocol::compare::Per;
use protocol::request::{FrameName, Label};
use protocol::timeline::track::TrackKind;
use protocol::topics::topic::Topic;

fn spans() -> impl Strategy<Value = Option<Span>> {
    option::of((any::<i64>(), 1..i64::MAX).prop_map(|(start, length)| {
        let start = start.min(i64::MAX - length);
        Span::new(start, start + length)
    }))
}

fn threads() -> impl Strategy<Value = ThreadLink> {
    (any::<u64>(), any::<u32>()).prop_map(|(os_thread, nth)| ThreadLink { os_thread, nth })
}

fn types() -> impl Strategy<Value = TypeLink> {
    (any::<String>(), any::<u32>(), any::<u32>()).prop_map(|(provider, event_id, version)| TypeLink {
        provider,
        event_id,
        version,
    })
}

fn labels() -> impl Strategy<Value = Label> {
    (any::<String>(), any::<String>(), 0..4).prop_map(|(name, value, kind)| match kind {
        0 => Label::Activity(value),
        1 => Label::Trace(value),
        2 => Label::Span(value),
        _ => Label::Named(name, value),
    })
}

fn frames() -> impl Strategy<Value = FrameName> {
    (any::<String>(), any::<String>()).prop_map(|(name, module)| FrameName { name, module })
}

fn selections() -> impl Strategy<Value = SelectionLink> {
    prop_oneof![
        (any::<i64>(), any::<u64>(), any::<u32>(), any::<String>()).prop_map(
            |(time, os_thread, event_id, provider)| SelectionLink::Event { time, os_thread, event_id, provider }
        ),
        (any::<String>(), any::<String>()).prop_map(|(module, name)| SelectionLink::Function { module, name }),
        threads().prop_map(SelectionLink::Thread),
        (any::<u32>(), any::<u32>()).prop_map(|(process, number)| SelectionLink::Gc(GcLink { process, number })),
        types().prop_map(SelectionLink::Type),
    ]
}

fn track_choices() -> impl Strategy<Value = TrackChoice> {
    let thread = || threads().prop_map(TrackLink::Thread);
    let process = (any::<u32>(), 0..4).prop_map(|(process, which)| {
        TrackLink::Other(match which {
            0 => TrackKey::Process(process),
            1 => TrackKey::Runtime(process),
            2 => TrackKey::Kind(RuntimeKey { process, kind: TrackKind::Spans }),
            _ => TrackKey::Kind(RuntimeKey { process, kind: TrackKind::Series(7) }),
        })
    });
    prop_oneof![
        thread().prop_map(TrackChoice::Pinned),
        process.prop_map(TrackChoice::Hidden),
        (thread(), any::<usize>()).prop_map(|(thread, position)| TrackChoice::Placed(thread, position)),
        threads().prop_map(TrackChoice::Stack),
    ]
}

fn saved_ranges() -> impl Strategy<Value = SavedRange> {
    (spans(), any::<String>(), any::<String>()).prop_map(|(span, name, note)| SavedRange {
        span: span.unwrap_or(Span::new(1, 2)),
        name,
        note,
    })
}

fn notes() -> impl Strategy<Value = Note> {
    let track = || threads().prop_map(TrackLink::Thread);
    let name = || any::<String>().prop_map(|name| clean(&name, MAX_NAME));
    let place = prop_oneof![
        any::<i64>().prop_map(Place::Moment),
        (track(), name()).prop_map(|(track, name)| Place::Track { track, name }),
        (track(), spans(), name())
            .prop_map(|(track, span, name)| { Place::Item { track, span: span.unwrap_or(Span::new(7, 7)), name } }),
    ];
    (place, any::<String>())
        .prop_map(|(place, text)| Note::new(place.clone(), &text).unwrap_or(Note { place, text: "x".to_owned() }))
}

fn sources() -> impl Strategy<Value = SourceLink> {
    (any::<String>(), 0..3).prop_map(|(text, kind)| match kind {
        0 => SourceLink::Sample(text),
        1 => SourceLink::Url(text),
        _ => {
            let print = (!text.is_empty()).then(|| Fingerprint::new(text.len() as u64, [text.as_bytes(), &[]]));
            SourceLink::File(FileLink { name: text, print })
        }
    })
}

fn comparisons() -> impl Strategy<Value = CompareView> {
    let other = (sources(), option::of(any::<String>()));
    let some = (other, any::<bool>(), prop::sample::select(&Per::ALL[..]), any::<[String; 2]>());
    let view = |((source, entry), is_open_old, per, ranges)| CompareView {
        other: TraceLink { source: Some(source), entry },
        is_open_old,
        per,
        ranges,
    };
    prop_oneof![Just(CompareView::default()), some.prop_map(view)]
}

prop_compose! {
    fn columns()(
        fields in prop::collection::vec("[A-Za-z&=. ]{1,4}", 0..3),
        moved in prop::collection::vec((0_usize..9, 0_usize..9), 0..3),
        widths in prop::collection::vec((0_usize..9, 0_u16..2000), 0..3),
    ) -> EventColumns {
        let mut columns = EventColumns::default();
        fields.iter().for_each(|name| columns.add_field(name));
        let at = |columns: &EventColumns, place: usize| key_of(&columns.order()[place % columns.order().len()]);
        for (from, to) in moved {
            let (from, to, all) = (at(&columns, from), at(&columns, to), event_columns(&columns.fields()));
            columns.arrangement.put_at(&all, &from, &to);
        }
        for (place, width) in widths {
            let key = at(&columns, place);
            columns.arrangement.set_width(&key, f64::from(width));
        }
        columns
    }
}

prop_compose! {
    fn filters()(
        range in spans(),
        processes in prop::collection::vec(any::<u32>(), 0..3),
        threads in prop::collection::vec(threads(), 0..4),
        providers in prop::collection::vec(any::<String>(), 0..3),
        types in prop::collection::vec(types(), 0..3),
        query in any::<String>(),
        labels in prop::collection::vec(labels(), 0..3),
        frames in prop::collection::vec(frames(), 0..2),
        level in option::of(any::<u8>()),
    ) -> FilterLink {
        FilterLink { range, processes, threads, providers, types, query, labels, frames, level }
    }
}

fn added() -> impl Strategy<Value = AddedView> {
    let offset = option::of(-1_000_000_000_000_000_i64..1_000_000_000_000_000);
    let one = (sources(), option::of(any::<String>()), offset)
        .prop_map(|(source, entry, offset)| AddedLink { trace: TraceLink { source: Some(source), entry }, offset });
    (prop::collection::vec(one, 0..3), any::<bool>())
        .prop_map(|(traces, are_all)| AddedView { are_all: are_all && !traces.is_empty(), traces })
}

prop_compose! {
    fn states()(
        tab in prop::sample::select(Tab::all(Topic::ALL)),
        (source, entry, compare, added) in (option::of(sources()), option::of(any::<String>()), comparisons(), added()),
        visible in spans(),
        (filter, baseline) in (filters(), filters()),
        selection in option::of(selections()),
        order in "-?(level|field.[a-z&=.-]{0,3})|".prop_map(|text| sort::decode(&text)),
        stacks in looks(),
        metadata in (prop::sample::select(&MetadataPart::ALL[..]), option::of(any::<u64>()))
            .prop_map(|(part, byte)| MetadataView { part, byte }),
        report in ("[a-z&=]{0,3}", "[a-z&=]{0,3}", any::<bool>(), any::<bool>(), any::<String>(), prop::collection::vec("[a-z&=]{1,3}", 0..3)).prop_map(|(table, column, down, all, find, only)| {
            let descending = down && !column.is_empty();
            let arrangement = Arrangement { shown: only, widths: vec![("a".to_owned(), 120)] };
            ReportView { table, column, descending, all_columns: all, arrangement, find }
        }),
        columns in columns(),
        groups in option::of("(event|field.[a-z&=.-]{0,3})".prop_map(|text| {
            let measure = (text.len() % 2 == 0).then_some(protocol::request::Measure::Duration);
            groups::grouped_by(sort::decode_key(&text).unwrap_or_default(), measure)
        })),
        (tracks, clock, saved_ranges, notes) in (
            prop::collection::vec(track_choices(), 0..3),
            prop::sample::select(&Clock::ALL[..]),
            prop::collection::vec(saved_ranges(), 0..3),
            prop::collection::vec(notes(), 0..4),
        ),
    ) -> UrlState {
        UrlState {
            tab,
            // Only an open trace is compared with another one.
            compare: if source.is_some() { compare } else { CompareView::default() },
            added: if source.is_some() { added } else { AddedView::default() },
            trace: TraceLink { source, entry },
            visible: VisibleRange(visible),
            filter,
            baseline: BaselineLink(baseline),
            selection,
            events: EventsView { order, columns, groups },
            stacks,
            metadata,
            report,
            timeline: TimelineView { tracks, clock, saved_ranges },
            notes: NotesView { notes },
        }
    }
}

proptest! {
    #[test]
    fn every_view_round_trips_through_url(state in states()) {
        prop_assert_eq!(UrlState::decode(&state.encode()), state);
    }

    #[test]
    fn any_url_is_accepted(hash in any::<String>()) {
        UrlState::decode(&hash);
    }
}

#[test]
fn urls_are_readable() {
    let state = UrlState {
        tab: Tab::Events,
        trace: TraceLink::of(SourceLink::Sample("web".to_owned())),
        filter: FilterLink {
            range: Some(Span::new(-5, 1_000)),
            threads: vec![ThreadLink { os_thread: 4153, nth: 0 }],
            ..FilterLink::default()
        },
        selection: Some(SelectionLink::Gc(GcLink { process: 0, number: 7 })),
        ..UrlState::default()
    };
    assert_eq!(state.encode(), "#/events?v=1&sample=web&r0=-5&r1=1000&th=4153&sel=gc.7");
    let (table, column, find) = ("sites".to_owned(), "count".to_owned(), "orders get".to_owned());
    let only = vec!["site".to_owned(), "count".to_owned()];
    let arrangement = Arrangement { shown: only, widths: vec![("site".to_owned(), 200)] };
    let report = ReportView { table, column, descending: true, all_columns: true, arrangement, find };
    let state = UrlState { tab: Tab::Topic(Topic::Exceptions), report, ..UrlState::default() };
    assert_eq!(
        state.encode(),
        "#/exceptions?v=1&table=sites&rows=-count&wide=1&shown=site.count&widths=site-200&find=orders%20get"
    );
    let state = UrlState {
        trace: TraceLink {
            source: Some(SourceLink::Url("https://a.b/c.zip".to_owned())),
            entry: Some("day/app.nettrace".to_owned()),
        },
        filter: FilterLink {
            labels: vec![Label::Named("tenant.id".to_owned(), "7".to_owned())],
            level: Some(3),
            ..FilterLink::default()
        },
        baseline: BaselineLink(FilterLink {
            range: Some(Span::new(1, 2)),
            query: "x".to_owned(),
            ..FilterLink::default()
        }),
        ..UrlState::default()
    };
    let expected = "#/summary?v=1&url=https%3A%2F%2Fa.b%2Fc.zip&entry=day%2Fapp.nettrace&l=label.tenant%252Eid.7&lv=3\
                    &vs-r0=1&vs-r1=2&vs-f=x";
    assert_eq!(state.encode(), expected);
}

#[test]
fn local_file_link_has_fingerprint() {
    let file = FileLink { name: "my app.nettrace".to_owned(), print: Some(Fingerprint::new(6, [b"foobar", &[]])) };
    let state = UrlState { trace: TraceLink::of(SourceLink::File(file)), ..UrlState::default() };
    let expected = "#/summary?v=1&file=my%20app.nettrace&print=6.85944171f73967e8";
    assert_eq!(state.encode(), expected);
    let renamed = UrlState::decode(&expected.replace("my%20app", "copy"));
    let other = UrlState::decode(&expected.replace("e8", "e9"));
    assert!(state.trace != renamed.trace && state.trace.is(&renamed.trace));
    assert!(!state.trace.is(&other.trace));
    assert!(!renamed.is_step_from(&state) && other.is_step_from(&state), "a better name of the same file isn't a step");
}

#[test]
fn view_of_other_trace_keeps_only_times_inside_it() {
    let note = |at| Note { place: Place::Moment(at), text: "n".to_owned() };
    let saved_range = |start, end| SavedRange { span: Span::new(start, end), name: String::new(), note: String::new() };
    let state = UrlState {
        tab: Tab::Events,
        visible: VisibleRange(Some(Span::new(50, 500))),
        filter: FilterLink { range: Some(Span::new(200, 300)), query: "x".to_owned(), ..FilterLink::default() },
        selection: Some(SelectionLink::Gc(GcLink { process: 0, number: 7 })),
        timeline: TimelineView {
            saved_ranges: vec![saved_range(10, 20), saved_range(90, 110)],
            ..TimelineView::default()
        },
        metadata: MetadataView { part: MetadataPart::Schemas, byte: Some(7) },
        notes: NotesView { notes: vec![note(100), note(101)] },
        ..UrlState::default()
    };
    let fitted = UrlState {
        tab: Tab::Events,
        visible: VisibleRange(Some(Span::new(50, 100))),
        filter: FilterLink { query: "x".to_owned(), ..FilterLink::default() },
        timeline: TimelineView { saved_ranges: vec![saved_range(10, 20)], ..TimelineView::default() },
        metadata: MetadataView { part: MetadataPart::Schemas, byte: None },
        notes: NotesView { notes: vec![note(100)] },
        ..UrlState::default()
    };
    assert_eq!(state.fitted(Span::new(0, 100)), fitted);
}

#[test]
fn url_has_limited_notes() {
    let hash = "#/events?v=1".to_owned() + &"&note=at.1.x&b=1.2.x.y".repeat(2 * MAX_NOTES);
    let state = UrlState::decode(&hash);
    assert_eq!((state.notes.notes.len(), state.timeline.saved_ranges.len()), (MAX_NOTES, MAX_NOTES));
}

#[test]
fn moves_widths_and_searches_are_no_steps() {
    let before = UrlState { tab: Tab::Metadata, ..UrlState::default() };
    let mut now = before.clone();
    now.visible = VisibleRange(Some(Span::new(1, 2)));
    now.timeline.clock = Clock::Utc;
    now.timeline.tracks = vec![TrackChoice::Pinned(TrackLink::Other(TrackKey::Threads(0)))];
    now.events.columns.arrangement.set_width("time", 200.0);
    now.metadata.byte = Some(7);
    now.report.find = "a".to_owned();
    now.report.arrangement.set_width("type", 90.0);
    assert!(now != before && !now.is_step_from(&before));
    let steps: [fn(&mut UrlState); 6] = [
        |state| state.tab = Tab::Events,
        |state| state.filter.level = Some(3),
        |state| state.events.order = sort::decode("-level"),
        |state| state.metadata.part = MetadataPart::Bytes,
        |state| state.report.table = "sites".to_owned(),
        |state| {
            state.timeline.saved_ranges =
                vec![SavedRange { span: Span::new(1, 2), name: String::new(), note: String::new() }]
        },
    ];
    for step in steps {
        let mut next = now.clone();
        step(&mut next);
        assert!(next.is_step_from(&before));
    }
}

#[test]
fn link_of_newer_version_is_detected() {
    assert!(UrlState::is_newer(&format!("#/events?v={}&t0=1", VERSION + 1)));
    assert!(!UrlState::is_newer(&UrlState::default().encode()));
    assert!(["", "#/", "#/events?v=x", "#/events?t0=1&v="].into_iter().all(|hash| !UrlState::is_newer(hash)));
}

#[test]
fn malformed_part_does_not_affect_others() {
    let state = UrlState::decode("#/stacks?v=1&t0=9&t1=oops&r0=1&r1=2&th=x&th=7&q=%zz&p=A%20B&sel=event.1");
    let expected = UrlState {
        tab: Tab::Stacks,
        filter: FilterLink {
            range: Some(Span::new(1, 2)),
            threads: vec![ThreadLink { os_thread: 7, nth: 0 }],
            providers: vec!["A B".to_owned()],
            ..FilterLink::default()
        },
        ..UrlState::default()
    };
    assert_eq!(state, expected);
}

/// Links of the first version: each part keeps its meaning.
#[test]
fn link_to_trace_is_view_of_it_as_it_opens() {
    let source = SourceLink::Url("https://a.b/c d.zip".to_owned());
    let trace = TraceLink { source: Some(source), entry: Some("day/app.nettrace".to_owned()) };
    let state = UrlState { trace: trace.clone(), ..UrlState::default() };
    assert_eq!(trace.hash(), state.encode());
}

#[test]
fn links_of_first_version_keep_their_meaning() {
    const LINKS: [&str; 10] = [
        "#/summary?v=1&sample=web",
        "#/events?v=1&url=https%3A%2F%2Fhost%2Fapp.zip&entry=day%2Fapp.nettrace&t0=1000&t1=2000&sort=-level",
        "#/events?v=1&file=app.nettrace&p=Microsoft-Windows-DotNETRuntime&f=GC%2FStart&lv=4&events-by=provider",
        "#/stacks?v=1&sample=cpu&r0=0&r1=5000000&th=4711&as=sandwich&mine=0",
        "#/stacks?v=1&sample=cpu&as=tree&only=managed&vs=rest",
        "#/gc?v=1&sample=gc&sel=gc.0.39&table=all&rows=-pause",
        "#/http?v=1&sample=web&find=checkout",
        "#/metadata?v=1&sample=web&part=blocks&byte=540",
        "#/summary?v=1&sample=web&tk=by.name&tk=hide.collections&tk=hide.compilations&tk=pin.contentions&tk=open.losses&\
         tk=hide.tierups&tk=pin.requestsserved&tk=pin.requestssent&tk=pin.series.3&tk=close.exceptions.70",
        "#/summary?v=1&sample=web&tk=by.activity&tk=pin.thread.4711&clock=utc",
    ];
    for link in LINKS {
        assert_eq!(UrlState::decode(link).encode(), link);
    }
}
