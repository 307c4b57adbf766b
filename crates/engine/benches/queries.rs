//! Measures how fast an open trace answers requests natively.
//!
//! `cargo bench --bench queries -- FILE` prints one `name value` per line. Times are in milliseconds, the medians of
//! five runs over different spans, so that no answer is cached.

mod common;

use common::{RUNS, Times, open};
use protocol::Request;
use protocol::base::ids::{EventId, FunctionId, ThreadId};
use protocol::base::time::{Nanos, Span};
use protocol::request::{EventOrder, FileRequest, Filter, FunctionOrder, SectionFilter, SortKey, TreeQuery};
use protocol::stacks::shape::Shape;
use protocol::tables::CallNodes;
use std::cell::Cell;
use traceglass_engine::session::{Session, Step};

/// A text that is in no event and can't be a number, so that every payload that may contain text is searched.
const NOWHERE: &str = "\"no such words\"";
/// Pixels of a wide timeline.
const PIXELS: i64 = 1200;

fn main() {
    let Some(path) = std::env::args().skip(1).find(|argument| !argument.starts_with("--")) else {
        eprintln!("usage: cargo bench --bench queries -- FILE");
        return;
    };
    let mut session = open(&path, &std::fs::read(&path).expect("a readable file"));
    let summary = session.summary();
    let file_bytes = summary.file_bytes;
    let provider =
        summary.providers.iter().max_by_key(|provider| provider.events).map(|provider| provider.name.clone());
    let threads: Vec<ThreadId> = session.store().threads().iter().map(|thread| thread.id).collect();
    let busiest = session.store().threads().iter().max_by_key(|thread| thread.events).map(|thread| thread.id);
    let types = session.store().types();
    // The first field of the event type with the most events with fields.
    let most = types.iter().filter(|kind| !kind.schema.fields.is_empty()).max_by_key(|kind| kind.count);
    let field = most.map_or_else(String::new, |kind| kind.schema.fields[0].name.clone());
    let middle = EventId(session.store().events().len() as u32 / 2);
    let full = summary.full_span;
    let half = Span { start: Nanos(full.start.0 + full.duration() / 4), end: Nanos(full.end.0 - full.duration() / 4) };
    println!("samples {}", summary.samples);
    let events = |filter| Request::Events { filter, order: EventOrder::default(), first: 0, count: 256 };
    let flame = |span| Request::Flame {
        query: TreeQuery { filter: Filter { span: Some(span), ..Filter::default() }, ..TreeQuery::default() },
        path: Vec::new(),
        min_share: 1.0 / PIXELS as f64,
        max_depth: 256,
    };
    let of = |span| Filter { span: Some(span), ..Filter::default() };
    let query = TreeQuery::default();
    let path = session.answer(&Request::HotPath { query, max_depth: 256 }).expect("an answer").into_packed();
    let path = CallNodes::unpack(&path.expect("a table")).expect("nodes");
    let middle_of_path = path.function.len() / 2;
    let path: Vec<FunctionId> = path.function.iter().take(middle_of_path).map(|id| FunctionId(*id)).collect();
    let leaves = leaves(&mut session, full);
    let mut time = timing(&mut session);
    let providers: Vec<String> = provider.into_iter().collect();
    time("filter_provider_ms", full, &|span| events(Filter { providers: providers.clone(), ..of(span) }));
    time("filter_thread_ms", full, &|span| events(Filter { threads: busiest.into_iter().collect(), ..of(span) }));
    time("filter_range_ms", half, &|span| events(of(span)));
    time("filter_text_ms", full, &|span| events(Filter { query: NOWHERE.to_owned(), ..of(span) }));
    let sorted = |filter, key| {
        let order = EventOrder { key, descending: false };
        Request::Events { filter, order, first: 0, count: 256 }
    };
    time("sort_thread_ms", full, &|span| sorted(of(span), SortKey::Thread));
    time("sort_field_ms", full, &|span| sorted(of(span), SortKey::Field(field.clone())));
    time("flame_all_ms", full, &flame);
    time("flame_range_ms", half, &flame);
    let shaped = |span, inverted| {
        // Folded as on the page.
        let shape = Shape { just_my_code: true, awaits: true, unresolved: true, inverted, ..Shape::default() };
        TreeQuery { filter: of(span), shape, ..TreeQuery::default() }
    };
    let of_shape = |query| Request::Flame { query, path: Vec::new(), min_share: 1.0 / PIXELS as f64, max_depth: 256 };
    time("flame_my_code_ms", full, &|span| of_shape(shaped(span, false)));
    time("flame_inverted_ms", full, &|span| of_shape(shaped(span, true)));
    time("bottom_up_my_code_ms", full, &|span| Request::Children { query: shaped(span, true), path: Vec::new() });
    let of_span = |span| TreeQuery { filter: of(span), ..TreeQuery::default() };
    time("functions_ms", full, &|span| Request::Functions {
        query: of_span(span),
        order: FunctionOrder::Exclusive,
        limit: 200,
    });
    time("children_ms", full, &|span| Request::Children { query: of_span(span), path: path.clone() });
    let inverted = |span| {
        let shape = Shape { inverted: true, ..Shape::default() };
        TreeQuery { filter: of(span), shape, ..TreeQuery::default() }
    };
    time("bottom_up_ms", full, &|span| Request::Children { query: inverted(span), path: Vec::new() });
    let row = Cell::new(0);
    time("callers_ms", full, &|_| {
        let leaf = leaves.get(row.replace(row.get() + 1) % leaves.len().max(1)).copied();
        Request::Children { query: inverted(full), path: leaf.into_iter().collect() }
    });
    // While the pointer moves across boxes, the stacks stay the same.
    let hovered = path.last().copied().unwrap_or_default();
    time("places_ms", full, &|_| Request::CodePlaces { query: of_span(full), function: hovered });
    time("nameless_ms", full, &|_| Request::UnresolvedCode { query: of_span(full) });
    let thread = busiest.unwrap_or_default();
    time("time_order_ms", full, &|span| Request::TimeOrder {
        query: of_span(full),
        thread,
        span,
        resolution: ((span.duration() / PIXELS).max(1) as u64).next_power_of_two() as i64,
        max_depth: 512,
    });
    time("detail_ms", full, &|_| Request::EventDetail { event: middle });
    let lanes = |span: Span, max_depth| Request::Lanes {
        threads: threads.iter().copied().take(64).collect(),
        span,
        resolution: ((span.duration() / PIXELS).max(1) as u64).next_power_of_two() as i64,
        max_depth,
        spans: false,
    };
    // Another block of the file each time, and the event at a byte in it.
    time("pieces_ms", full, &|_| {
        Request::File(FileRequest::Sections { of: SectionFilter::default(), first: 0, count: 500 })
    });
    time("costs_ms", full, &|_| Request::File(FileRequest::Costs));
    time("strip_ms", full, &|_| Request::File(FileRequest::SectionRuns { start: 0, end: file_bytes, count: 1200 }));
    let place = Cell::new(file_bytes / 3);
    let next = || place.replace((place.get() + file_bytes / 20) % file_bytes.max(1));
    let structure = |item| Request::File(FileRequest::Structure { offset: next(), item, first: 0, count: 256 });
    time("block_ms", full, &|_| structure(None));
    time("event_of_block_ms", full, &|_| structure(Some(500)));
    // The bytes in a window, with some around them.
    time("leaves_ms", full, &|_| Request::File(FileRequest::Leaves { offset: next(), bytes: 2048 }));
    time("lanes_all_ms", full, &|span| lanes(span, 0));
    time("lanes_deep_ms", full, &|span| lanes(span, 256));
}

/// Returns the rows of the bottom-up tree.
fn leaves(session: &mut Session, full: Span) -> Vec<FunctionId> {
    let shape = Shape { inverted: true, ..Shape::default() };
    let filter = Filter { span: Some(full), ..Filter::default() };
    let request = Request::Children { query: TreeQuery { filter, shape, ..TreeQuery::default() }, path: Vec::new() };
    let packed = session.answer(&request).expect("an answer").into_packed().expect("a table");
    CallNodes::unpack(&packed).expect("nodes").function.into_iter().map(FunctionId).collect()
}

/// Sends a request several times, each time for another span, and prints the median duration.
fn timing(session: &mut Session) -> impl FnMut(&str, Span, &dyn Fn(Span) -> Request) {
    |name, full, request| {
        let ms = median_ms(|run| {
            let span = Span { start: Nanos(full.start.0 - run as i64), end: full.end };
            let request = request(span);
            while session.prepare(&request).expect("a step") != Step::Done {}
            session.answer(&request).expect("an answer")
        });
        println!("{name} {ms:.2}");
    }
}

/// Returns the median duration in milliseconds of `action`, which gets the number of the run.
fn median_ms<T>(mut action: impl FnMut(usize) -> T) -> f64 {
    let mut times = Times::default();
    (0..RUNS).for_each(|run| times.add(|| action(run)));
    times.median_ms()
}
