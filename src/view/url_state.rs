//! What the address bar holds: enough to come back to a view of a trace, on any machine.
//!
//! Nothing here is an index into one loading of a file: events are named by time, thread and type,
//! threads by the operating system's number, functions by name. A part that cannot be read is left
//! out without harm to the others.

use super::bookmark::Bookmark;
use super::clock::Clock;
use super::event_columns::EventColumns;
use super::event_groups;
use super::event_sort;
use super::file_link::{FileLink, Fingerprint};
pub use super::filter_link::{FilterLink, ThreadLink, TypeLink};
use super::metadata_link::MetadataLook;
use super::percent::{escape, unescape};
use super::report_look::ReportLook;
use super::selection_link::SelectionLink;
use super::stack_link::StackLook;
pub use super::tab::Tab;
use super::track_link::TrackChoice;
use crate::model::time::Span;
use crate::protocol::request::{EventOrder, GroupQuery};

const VERSION: &str = "1";
/// Before keys of the baseline's filter.
const BASELINE: &str = "vs-";

/// Which trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SourceLink {
    /// A sample that comes with the page.
    Sample(String),
    /// An address that can be fetched.
    Url(String),
    /// A file of the user's: only the user can open it again.
    File(FileLink),
}

impl SourceLink {
    /// Whether both are the same trace, as far as is known.
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(file), Self::File(other)) => file.is(other),
            _ => self == other,
        }
    }
}

/// Everything that an address says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UrlState {
    /// The open tab.
    pub tab: Tab,
    /// Which trace.
    pub source: Option<SourceLink>,
    /// Which trace of it, if it is an archive: its path in there.
    pub entry: Option<String>,
    /// What the timeline shows.
    pub visible: Option<Span>,
    /// Which events count.
    pub filter: FilterLink,
    /// Which events stacks are compared with, if they are.
    pub baseline: FilterLink,
    /// What is selected.
    pub selection: Option<SelectionLink>,
    /// How the table of events is sorted.
    pub order: EventOrder,
    /// The columns of the table of events.
    pub columns: EventColumns,
    /// How events are grouped, if they are.
    pub groups: Option<GroupQuery>,
    /// How stacks are looked at.
    pub stacks: StackLook,
    /// What of the file is looked at.
    pub metadata: MetadataLook,
    /// How the report of the open topic is looked at.
    pub report: ReportLook,
    /// What was chosen about the tracks.
    pub tracks: Vec<TrackChoice>,
    /// How moments are written.
    pub clock: Clock,
    /// Ranges that were kept.
    pub bookmarks: Vec<Bookmark>,
}

impl UrlState {
    /// As a hash: `#/events?v=1&…`.
    pub fn encode(&self) -> String {
        let mut hash = format!("#/{}?v={VERSION}", self.tab.slug());
        let mut push = |key: &str, value: &str| {
            hash.push('&');
            hash.push_str(key);
            hash.push('=');
            escape(value, &mut hash);
        };
        match &self.source {
            Some(SourceLink::Sample(name)) => push("sample", name),
            Some(SourceLink::Url(url)) => push("url", url),
            Some(SourceLink::File(file)) => {
                push("file", &file.name);
                if let Some(print) = file.print {
                    push("print", &print.encode());
                }
            }
            None => {}
        }
        if let Some(entry) = &self.entry {
            push("entry", entry);
        }
        if let Some(span) = self.visible {
            push("t0", &span.start.0.to_string());
            push("t1", &span.end.0.to_string());
        }
        self.filter.encode("", &mut push);
        self.baseline.encode(BASELINE, &mut push);
        if let Some(selection) = &self.selection {
            push("sel", &selection.encode());
        }
        let order = event_sort::encode(&self.order);
        if !order.is_empty() {
            push("sort", &order);
        }
        self.columns.encode(&mut push);
        if let Some(groups) = &self.groups {
            event_groups::encode(groups, &mut push);
        }
        self.stacks.encode(&mut push);
        self.metadata.encode(&mut push);
        self.report.encode(&mut push);
        self.tracks.iter().for_each(|choice| push("tk", &choice.encode()));
        match self.clock {
            Clock::Relative => {}
            Clock::Utc => push("clock", "utc"),
            Clock::Local => push("clock", "local"),
        }
        self.bookmarks.iter().for_each(|bookmark| push("b", &bookmark.encode()));
        hash
    }

    /// From a hash; what is missing or malformed is as in [`Default`].
    pub fn decode(hash: &str) -> Self {
        let hash = hash.trim_start_matches('#').trim_start_matches('/');
        let (tab, query) = hash.split_once('?').unwrap_or((hash, ""));
        let mut state = Self { tab: Tab::from_slug(tab).unwrap_or_default(), ..Self::default() };
        let mut bounds = [None::<i64>; 2];
        let mut print = None;
        for pair in query.split('&') {
            let Some((key, value)) = pair.split_once('=') else { continue };
            let Some(value) = unescape(value) else { continue };
            match key {
                "sample" => state.source = Some(SourceLink::Sample(value)),
                "url" => state.source = Some(SourceLink::Url(value)),
                "file" => state.source = Some(SourceLink::File(FileLink { name: value, print: None })),
                "print" => print = Fingerprint::decode(&value),
                "entry" => state.entry = Some(value),
                "t0" => bounds[0] = value.parse().ok(),
                "t1" => bounds[1] = value.parse().ok(),
                "sel" => state.selection = SelectionLink::decode(&value),
                "sort" => state.order = event_sort::decode(&value),
                "tk" => state.tracks.extend(TrackChoice::decode(&value)),
                "clock" if value == "utc" => state.clock = Clock::Utc,
                "clock" if value == "local" => state.clock = Clock::Local,
                "b" => state.bookmarks.extend(Bookmark::decode(&value)),
                other => match other.strip_prefix(BASELINE) {
                    Some(other) => _ = state.baseline.decode(other, &value),
                    None if state.filter.decode(other, &value) => {}
                    None if state.columns.decode(other, &value) => {}
                    None if state.metadata.decode(other, &value) => {}
                    None if state.report.decode(other, &value) => {}
                    None if event_groups::decode(&mut state.groups, other, &value) => {}
                    None => state.stacks.decode(other, &value),
                },
            }
        }
        if let Some(SourceLink::File(file)) = &mut state.source {
            file.print = print;
        }
        state.visible = span(bounds[0], bounds[1]);
        state.filter.finish();
        state.baseline.finish();
        state
    }

    /// What of a view of another trace can be shown of one with this range: times outside of it are left out. Threads,
    /// types and what else is named are looked for where the view is taken on.
    pub fn fitted(self, whole: Span) -> Self {
        let fitted = |span: Option<Span>| span.and_then(|span| span.intersect(whole));
        let metadata = MetadataLook { byte: None, ..self.metadata };
        let mut state = Self { visible: fitted(self.visible), selection: None, metadata, ..self };
        state.filter.range = fitted(state.filter.range);
        state.baseline.range = fitted(state.baseline.range);
        state.bookmarks.retain(|bookmark| bookmark.span.intersect(whole) == Some(bookmark.span));
        state
    }
}

fn span(start: Option<i64>, end: Option<i64>) -> Option<Span> {
    let span = Span::new(start?, end?);
    (span.start < span.end).then_some(span)
}

#[cfg(test)]
mod tests {
    use super::super::metadata_link::MetadataPart;
    use super::super::selection_link::CollectionLink;
    use super::super::stack_link::tests::looks;
    use super::super::track_key::{RuntimeKey, TrackKey};
    use super::super::track_link::TrackLink;
    use super::*;
    use crate::protocol::request::{FrameName, Label};
    use crate::protocol::topic::Topic;
    use crate::protocol::track::TrackKind;
    use proptest::option;
    use proptest::prelude::*;

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
            (any::<u32>(), any::<u32>())
                .prop_map(|(process, number)| SelectionLink::Collection(CollectionLink { process, number })),
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

    fn bookmarks() -> impl Strategy<Value = Bookmark> {
        (spans(), any::<String>(), any::<String>()).prop_map(|(span, name, note)| Bookmark {
            span: span.unwrap_or(Span::new(1, 2)),
            name,
            note,
        })
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

    prop_compose! {
        fn columns()(
            fields in prop::collection::vec("[A-Za-z&=. ]{1,4}", 0..3),
            moved in prop::collection::vec((0_usize..9, 0_usize..9), 0..3),
            widths in prop::collection::vec((0_usize..9, 0_u16..2000), 0..3),
        ) -> EventColumns {
            let mut columns = EventColumns::default();
            fields.iter().for_each(|name| columns.add_field(name));
            let at = |columns: &EventColumns, place: usize| columns.order()[place % columns.order().len()].clone();
            for (from, to) in moved {
                let (from, to) = (at(&columns, from), at(&columns, to));
                columns.put_at(&from, &to);
            }
            for (place, width) in widths {
                let column = at(&columns, place);
                columns.set_width(&column, f64::from(width));
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

    prop_compose! {
        fn states()(
            tab in prop::sample::select(Tab::all(Topic::ALL)),
            source in option::of(sources()),
            visible in spans(),
            (filter, baseline) in (filters(), filters()),
            entry in option::of(any::<String>()),
            selection in option::of(selections()),
            order in "-?(level|field.[a-z&=.-]{0,3})|".prop_map(|text| event_sort::decode(&text)),
            stacks in looks(),
            metadata in (prop::sample::select(&MetadataPart::ALL[..]), option::of(any::<u64>()))
                .prop_map(|(part, byte)| MetadataLook { part, byte }),
            report in ("[a-z&=]{0,3}", "[a-z&=]{0,3}", any::<bool>(), any::<bool>(), any::<String>(), prop::collection::vec("[a-z&=]{1,3}", 0..3)).prop_map(|(table, column, down, all, find, only)| {
                let descending = down && !column.is_empty();
                ReportLook { table, column, descending, all_columns: all, only, find }
            }),
            columns in columns(),
            groups in option::of("(event|field.[a-z&=.-]{0,3})".prop_map(|text| {
                let measure = (text.len() % 2 == 0).then_some(crate::protocol::request::Measure::Duration);
                event_groups::grouped_by(event_sort::decode_key(&text).unwrap_or_default(), measure)
            })),
            (tracks, clock, bookmarks) in (
                prop::collection::vec(track_choices(), 0..3),
                prop::sample::select(&Clock::ALL[..]),
                prop::collection::vec(bookmarks(), 0..3),
            ),
        ) -> UrlState {
            UrlState {
                tab, source, visible, filter, baseline, entry, selection, order, columns, groups, stacks, metadata, report, tracks,
                clock, bookmarks,
            }
        }
    }

    proptest! {
        #[test]
        fn every_view_survives_the_address_bar(state in states()) {
            prop_assert_eq!(UrlState::decode(&state.encode()), state);
        }

        #[test]
        fn no_address_is_refused(hash in any::<String>()) {
            UrlState::decode(&hash);
        }
    }

    #[test]
    fn addresses_are_readable() {
        let state = UrlState {
            tab: Tab::Events,
            source: Some(SourceLink::Sample("web".to_owned())),
            filter: FilterLink {
                range: Some(Span::new(-5, 1_000)),
                threads: vec![ThreadLink { os_thread: 4153, nth: 0 }],
                ..FilterLink::default()
            },
            selection: Some(SelectionLink::Collection(CollectionLink { process: 0, number: 7 })),
            ..UrlState::default()
        };
        assert_eq!(state.encode(), "#/events?v=1&sample=web&r0=-5&r1=1000&th=4153&sel=gc.7");
        let (table, column, find) = ("sites".to_owned(), "count".to_owned(), "orders get".to_owned());
        let only = vec!["site".to_owned(), "count".to_owned()];
        let report = ReportLook { table, column, descending: true, all_columns: true, only, find };
        let state = UrlState { tab: Tab::Topic(Topic::Exceptions), report, ..UrlState::default() };
        assert_eq!(
            state.encode(),
            "#/exceptions?v=1&table=sites&rows=-count&wide=1&shown=site.count&find=orders%20get"
        );
        let state = UrlState {
            source: Some(SourceLink::Url("https://a.b/c.zip".to_owned())),
            entry: Some("day/app.nettrace".to_owned()),
            filter: FilterLink {
                labels: vec![Label::Named("tenant.id".to_owned(), "7".to_owned())],
                level: Some(3),
                ..FilterLink::default()
            },
            baseline: FilterLink { range: Some(Span::new(1, 2)), query: "x".to_owned(), ..FilterLink::default() },
            ..UrlState::default()
        };
        let expected = "#/summary?v=1&url=https%3A%2F%2Fa.b%2Fc.zip&entry=day%2Fapp.nettrace&l=label.tenant%252Eid.7&lv=3\
                        &vs-r0=1&vs-r1=2&vs-f=x";
        assert_eq!(state.encode(), expected);
    }

    #[test]
    fn a_local_file_is_named_with_its_fingerprint() {
        let file = FileLink { name: "my app.nettrace".to_owned(), print: Some(Fingerprint::new(6, [b"foobar", &[]])) };
        let state = UrlState { source: Some(SourceLink::File(file)), ..UrlState::default() };
        let expected = "#/summary?v=1&file=my%20app.nettrace&print=6.85944171f73967e8";
        assert_eq!(state.encode(), expected);
        let renamed = UrlState::decode(&expected.replace("my%20app", "copy"));
        let (meant, found) = (state.source.expect("a file"), renamed.source.expect("a file"));
        assert!(meant != found && meant.is(&found));
        let other = UrlState::decode(&expected.replace("e8", "e9")).source.expect("a file");
        assert!(!meant.is(&other));
    }

    #[test]
    fn of_another_trace_only_times_inside_of_it_are_shown() {
        let bookmark = |start, end| Bookmark { span: Span::new(start, end), name: String::new(), note: String::new() };
        let state = UrlState {
            tab: Tab::Events,
            visible: Some(Span::new(50, 500)),
            filter: FilterLink { range: Some(Span::new(200, 300)), query: "x".to_owned(), ..FilterLink::default() },
            bookmarks: vec![bookmark(10, 20), bookmark(90, 110)],
            metadata: MetadataLook { part: MetadataPart::Schemas, byte: Some(7) },
            ..UrlState::default()
        };
        let fitted = UrlState {
            tab: Tab::Events,
            visible: Some(Span::new(50, 100)),
            filter: FilterLink { query: "x".to_owned(), ..FilterLink::default() },
            bookmarks: vec![bookmark(10, 20)],
            metadata: MetadataLook { part: MetadataPart::Schemas, byte: None },
            ..UrlState::default()
        };
        assert_eq!(state.fitted(Span::new(0, 100)), fitted);
    }

    #[test]
    fn one_bad_part_does_not_spoil_the_others() {
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
}
