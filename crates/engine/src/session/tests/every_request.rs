//! At least one request of every kind, for tests that send all of them.

use protocol::Request;
use protocol::base::ids::{EventId, FunctionId, ThreadId, TypeId};
use protocol::base::indexed_part::Window;
use protocol::base::time::Span;
use protocol::columns::Packed;
use protocol::compare::{Measures, Per};
use protocol::events::columns::{EventColumn, Property};
use protocol::file::schema_tables::SchemaFormat;
use protocol::file::section_columns::SectionOrder;
use protocol::queries;
use protocol::redaction::{Mask, Redaction};
use protocol::request::{
    Baseline, BaselineOf, EventFormat, EventName, EventOrder, Filter, FunctionOrder, GroupColumn, GroupQuery, Label,
    Measure, RowOrder, SampleChoice, SectionFilter, StackSource, Topic, TreeQuery, Weight, WhenOf,
};
use protocol::stacks::format::StackFormat;
use protocol::stacks::shape::{FrameName, FramePatterns, Grouping, Roots, Shape, Transform};
use protocol::tables::StackProfile;
use protocol::timeline::track::TrackKind;

/// Returns at least one request of every kind, including some without an answer.
pub fn requests() -> Vec<Request> {
    let second = Filter { span: Some(Span::new(1_000_000_000, 2_000_000_000)), ..Filter::default() };
    let narrow = Filter {
        processes: vec![0, 4711],
        threads: vec![ThreadId(0), ThreadId(3)],
        providers: vec!["Microsoft-Windows-DotNETRuntime".to_owned(), "Ünïcode".to_owned()],
        types: (0..40).map(TypeId).collect(),
        query: "a\u{1F980} /[\"]/".to_owned(),
        frames: vec![FrameName { name: "Program.Alloc(object)".to_owned(), module: "Workload".to_owned() }],
        labels: vec![Label::Activity("no GUID".to_owned()), Label::Named("a.b".to_owned(), "=".to_owned())],
        level: Some(3),
        ..second.clone()
    };
    let text = Filter { query: "customer-1".to_owned(), ..Filter::default() };
    let event = |name: &str| {
        StackSource::Events(EventName { provider: "Microsoft-Windows-DotNETRuntime".to_owned(), name: name.to_owned() })
    };
    let (allocations, waits) = (event("GC/AllocationTick"), event("Contention/Start"));
    let (name, module) = ("Program.Alloc(object)".to_owned(), "Workload".to_owned());
    let transforms =
        vec![Transform::CollapseModule("System.Linq".to_owned()), Transform::MergeFunction(FrameName { name, module })];
    let folded = Shape {
        just_my_code: true,
        awaits: true,
        unresolved: true,
        grouping: Grouping::Modules,
        transforms,
        inverted: true,
        ..Shape::default()
    };
    let rest = Some(Baseline { of: BaselineOf::Rest, is_scaled: true });
    let other = Some(Baseline { of: BaselineOf::Filter(Filter::default()), is_scaled: false });
    let by_work = Shape { roots: Roots::Work, stitched: true, just_my_code: true, inverted: true, ..Shape::default() };
    let patterns = FramePatterns { groups: "{%}!=>$1".to_owned(), folds: "Thread".to_owned() };
    let by_thread = Shape { roots: Roots::Thread, patterns, grouping: Grouping::Classes, ..Shape::default() };
    let queries = [
        TreeQuery::default(),
        TreeQuery {
            filter: second.clone(),
            samples: SampleChoice::Managed,
            weight: Weight::Count,
            ..TreeQuery::default()
        },
        TreeQuery {
            source: allocations,
            weight: Weight::Field("AllocationAmount64".to_owned()),
            ..TreeQuery::default()
        },
        TreeQuery { source: waits, filter: second.clone(), ..TreeQuery::default() },
        TreeQuery { shape: folded, ..TreeQuery::default() },
        TreeQuery { filter: second.clone(), baseline: rest, ..TreeQuery::default() },
        TreeQuery { filter: second.clone(), baseline: other, shape: by_work, ..TreeQuery::default() },
        TreeQuery { source: StackSource::Everything, weight: Weight::Count, shape: by_thread, ..TreeQuery::default() },
        TreeQuery { filter: narrow.clone(), samples: SampleChoice::External, ..TreeQuery::default() },
    ];
    let problems = SectionFilter { kinds: u16::MAX, only_problems: true };
    let by_bytes = SectionOrder { column: Some(2), descending: true };
    let mut requests = vec![
        Request::Hello,
        queries::Summary.into(),
        queries::Header.into(),
        queries::Types.into(),
        queries::Schemas.into(),
        queries::SchemaFile { format: SchemaFormat::Json, provider: String::new() }.into(),
        queries::SchemaFile { format: SchemaFormat::CSharp, provider: String::new() }.into(),
        queries::FieldValues { filter: Filter::default(), event_type: TypeId(u32::MAX) }.into(),
        queries::StackSources.into(),
        queries::Costs.into(),
        queries::FieldCosts { event_type: TypeId(3), first: 0 }.into(),
        queries::Sections { of: SectionFilter::default(), order: by_bytes, first: 0, count: 50 }.into(),
        queries::Sections { of: problems, order: SectionOrder::default(), first: u64::MAX, count: u32::MAX }.into(),
        queries::SectionPosition { of: problems, order: by_bytes, offset: u64::MAX }.into(),
        queries::SectionRuns { start: 0, end: u64::MAX, count: 900 }.into(),
        queries::Memory.into(),
        queries::QueryHelp { text: "provider:\u{1F980}\" (".to_owned(), cursor: Some(12) }.into(),
        queries::QueryHelp { text: "Wor".to_owned(), cursor: Some(3) }.into(),
        queries::FindNames { text: "o".to_owned(), most: u32::MAX }.into(),
        queries::SearchProgress { filter: text.clone() }.into(),
        queries::Overview { span: None, buckets: 400 }.into(),
        queries::Density { filter: text.clone(), span: Span::new(0, 1_000_000_000), buckets: 300 }.into(),
        queries::Density { filter: Filter::default(), span: Span::new(i64::MIN, i64::MAX), buckets: 0 }.into(),
        queries::TrackMatches {
            filter: text.clone(),
            threads: (0..30).map(ThreadId).collect(),
            tracks: TrackKind::ALL.iter().map(|kind| (0, *kind)).collect(),
            span: Span::new(-5, 9_000_000_000),
            buckets: 100,
        }
        .into(),
        queries::TrackMatches {
            filter: Filter::default(),
            threads: vec![ThreadId(u32::MAX)],
            tracks: vec![(u32::MAX, TrackKind::Jit), (1, TrackKind::Series(9))],
            span: Span::new(i64::MIN, i64::MAX),
            buckets: 0,
        }
        .into(),
        queries::Overview { span: Some(Span::new(i64::MIN, i64::MAX)), buckets: 3 }.into(),
        queries::Gcs { filter: Filter::default() }.into(),
        queries::Lanes {
            threads: (0..30).map(ThreadId).collect(),
            span: Span::new(-5, 9_000_000_000),
            resolution: 1 << 20,
            max_depth: 32,
            spans: true,
        }
        .into(),
        queries::SpanRows.into(),
        queries::TracedRequests.into(),
        queries::TraceMeasures { filter: Filter::default() }.into(),
        queries::PrivateTexts { filter: Filter::default(), mask: Mask::Blank, key: 1 }.into(),
        queries::TraceChanges { old: Packed::default(), filter: Filter::default(), per: Per::Second }.into(),
        queries::TraceChanges { old: Measures::default().pack(), filter: Filter::default(), per: Per::Request }.into(),
        queries::TraceStacks { query: TreeQuery::default() }.into(),
        queries::OtherStacks { stacks: StackProfile::default().pack(), factor: 0.5 }.into(),
        queries::AddedStacks { stacks: vec![StackProfile::default().pack()] }.into(),
        queries::RanOnThread { thread: ThreadId(3), span: Span::new(0, 2_000_000_000), limit: 9 }.into(),
        queries::FindEvent { at: 637_885, os_thread: 6709, provider: String::new(), event_id: 85 }.into(),
        queries::FindEvent { at: i64::MAX, os_thread: u64::MAX, provider: "none".to_owned(), event_id: u32::MAX }
            .into(),
    ];
    for filter in [Filter::default(), second, narrow, text] {
        requests.extend([
            queries::Threads { filter: filter.clone() }.into(),
            queries::Series { filter: filter.clone() }.into(),
        ]);
        requests.push(queries::Gcs { filter: filter.clone() }.into());
        requests.push(queries::Exceptions { filter: filter.clone(), limit: 100 }.into());
        for &kind in TrackKind::ALL {
            let (filter, span) = (filter.clone(), Span::new(1_000_000_000, 3_000_000_000));
            requests.push(queries::Intervals { kind, filter, span, resolution: 1 << 20 }.into());
        }
        let field = EventColumn::Field("TypeName".to_owned());
        let properties = Property::ALL.map(EventColumn::Property);
        let keys = [EventColumn::Time, EventColumn::Thread, EventColumn::Name, EventColumn::Duration, field];
        for key in keys.into_iter().chain(properties) {
            let order = EventOrder { key, descending: filter.span.is_some() };
            let position =
                queries::EventPosition { filter: filter.clone(), order: order.clone(), event: EventId(9) }.into();
            requests.push(position);
            let (filter, descending) = (filter.clone(), order.descending);
            requests.push(queries::TimePosition { filter: filter.clone(), at: 2_000_000_000, descending }.into());
            requests.push(queries::Events { filter: filter.clone(), order: order.clone(), first: 2, count: 60 }.into());
            let (of, fields) = ((filter.clone(), order.clone()), vec!["TypeName".to_owned(), "\u{1F980}".to_owned()]);
            let field = |name: &String| EventColumn::Field(name.clone());
            let columns: Vec<EventColumn> = fields
                .iter()
                .map(field)
                .chain([EventColumn::Payload, EventColumn::Time, EventColumn::Thread])
                .chain(Property::ALL.map(EventColumn::Property))
                .collect();
            for format in EventFormat::ALL {
                let ((filter, order), columns) = (of.clone(), columns.clone());
                let (with_head, first, count) = (format != EventFormat::Tsv, 0, 20);
                let of = with_head.then(|| queries::TextOfTrace { name: "a, b".to_owned(), shift: -1 });
                requests
                    .push(queries::EventText { filter, order, columns, format, with_head, first, count, of }.into());
            }
            let (filter_, order_) = of;
            requests.push(queries::EventFields { filter: filter_, order: order_, fields, first: 1, count: 9 }.into());
            requests.push(queries::Events { filter: filter.clone(), order, first: u64::MAX, count: u32::MAX }.into());
        }
        let field = |name: &str| Some(Measure::Field(name.to_owned()));
        for (by, measure) in
            [(EventColumn::Name, Some(Measure::Duration)), (EventColumn::Field("Reason".to_owned()), field("Count"))]
        {
            let query = GroupQuery { by, measure, column: GroupColumn::Sum, descending: true };
            requests.push(
                queries::EventGroups { filter: filter.clone(), query: query.clone(), first: 0, count: 50 }.into(),
            );
            requests
                .push(queries::EventGroups { filter: filter.clone(), query, first: u64::MAX, count: u32::MAX }.into());
        }
        let topic = Topic::Exceptions;
        requests.push(queries::RoleTimes { filter: filter.clone() }.into());
        requests.push(queries::Findings { filter: filter.clone() }.into());
        requests.push(queries::Report { topic, filter: filter.clone() }.into());
        for order in
            [RowOrder::default(), RowOrder { table: 1, column: Some(0), descending: true, find: "a".to_owned() }]
        {
            let (filter, order_) = (filter.clone(), order.clone());
            requests.push(queries::ReportFile { topic, filter: filter.clone(), order: order_ }.into());
            requests.push(queries::ReportRows { topic, filter, order, first: 0, count: 50 }.into());
        }
        requests.extend(
            [0, 7]
                .map(|from| queries::Excerpt { filter: filter.clone(), from, redaction: Redaction::default() }.into()),
        );
        requests.push(queries::ItemCounts { filter: filter.clone() }.into());
        requests.push(queries::FieldNames { filter }.into());
    }
    requests.push(queries::Topics.into());
    for span in [None, Some(Span::new(i64::MIN, i64::MAX)), Some(Span::new(5, -5))] {
        let windows = [Vec::new(), vec!["nobody".to_owned()]].map(|providers| Window { span, providers });
        requests.extend(windows.map(|window| queries::WindowSize { window }.into()));
    }
    for query in queries {
        let (path, min_share, max_depth) = (Vec::new(), 0.001, 64);
        requests.push(queries::StackFile { query: query.clone(), format: StackFormat::Csv }.into());
        let nowhere = vec![FunctionId(u32::MAX)];
        requests.push(queries::Flame { query: query.clone(), path: path.clone(), min_share, max_depth }.into());
        requests.push(queries::Flame { query: query.clone(), path: nowhere, min_share: 0.0, max_depth }.into());
        requests.push(queries::Children { query: query.clone(), path: path.clone() }.into());
        requests.push(queries::Below { query: query.clone(), path, most: 500 }.into());
        requests.push(queries::FindFrames { query: query.clone(), text: "threading".to_owned() }.into());
        requests.push(queries::HotPath { query: query.clone(), max_depth }.into());
        let frames = [0, 1, 7, u32::MAX].map(FunctionId);
        let rows = frames.iter().zip([1, 2, 2, 9]).map(|(frame, level)| (level, *frame)).collect();
        for of in [WhenOf::Rows(rows), WhenOf::Functions(frames.to_vec())] {
            requests.push(queries::When { query: query.clone(), of }.into());
        }
        requests.push(queries::UnresolvedCode { query: query.clone() }.into());
        for (number, resolution) in [(0, 1 << 20), (3, 0), (u32::MAX, 1)] {
            let (thread, span, function) = (ThreadId(number), Span::new(0, 2_000_000_000), FunctionId(number));
            requests.push(queries::CodePlaces { query: query.clone(), function }.into());
            requests.push(queries::TimeOrder { query: query.clone(), thread, span, resolution, max_depth }.into());
        }
        for order in [FunctionOrder::Exclusive, FunctionOrder::Inclusive] {
            requests.push(queries::Functions { query: query.clone(), order, limit: 100 }.into());
        }
    }
    for offset in [0, 9, 60, 5_000, 200_000, u64::MAX] {
        requests.push(queries::FileBytes { offset, count: 100 }.into());
        requests.push(queries::EventAt { offset }.into());
        requests.push(queries::Leaves { offset, bytes: 300 }.into());
        for (item, first, count) in [(None, 0, 200), (Some(0), 0, 200), (Some(3), 2, 3), (None, u64::MAX, u32::MAX)] {
            requests.push(queries::Structure { offset, item, first, count }.into());
        }
    }
    for number in [0, 1, 5, 400, u32::MAX] {
        requests.push(queries::EventDetail { event: EventId(number) }.into());
        requests.push(queries::Connections { event: EventId(number) }.into());
        requests.push(queries::SpanTimes { event: EventId(number) }.into());
        requests.push(queries::GcTrigger { event: EventId(number) }.into());
        requests.push(queries::FunctionDetail { function: FunctionId(number) }.into());
        let event_type = TypeId(number);
        requests.push(queries::TypeDetail { event_type }.into());
        let filter = Filter { types: vec![event_type], ..Filter::default() };
        requests.push(queries::FieldValues { filter, event_type }.into());
    }
    requests
}
