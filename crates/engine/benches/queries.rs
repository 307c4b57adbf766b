//! Measures how fast an open trace answers requests natively.
//!
//! `cargo bench --bench queries -- FILE` prints one `name value` per line. Times are in milliseconds, the medians of
//! five runs over different spans, so that no answer is cached.

mod common;

use common::{RUNS, Times, open};
use protocol::Request;
use protocol::base::ids::{EventId, FunctionId, ThreadId};
use protocol::base::time::{Nanos, Span};
use protocol::file::section_columns::SectionOrder;
use protocol::queries;
use protocol::request::{EventColumn, EventOrder, Filter, FunctionOrder, SectionFilter, TreeQuery};
use protocol::stacks::shape::Shape;
use std::cell::Cell;
use traceglass_engine::session::{Interrupt, Session};

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
    let threads: Vec<ThreadId> = session.store().threads.iter().map(|thread| thread.id).collect();
    let busiest = session.store().threads.iter().max_by_key(|thread| thread.events).map(|thread| thread.id);
    let types = &session.store().types;
    // The first field of the event type with the most events with fields.
    let most = types.iter().filter(|kind| !kind.schema.fields.is_empty()).max_by_key(|kind| kind.count);
    let field = most.map_or_else(String::new, |kind| kind.schema.fields[0].name.clone());
    let middle = EventId(session.store().events.len() as u32 / 2);
    let full = summary.full_span;
    let half = Span { start: Nanos(full.start.0 + full.duration() / 4), end: Nanos(full.end.0 - full.duration() / 4) };
    println!("samples {}", summary.samples);
    let events = |filter| queries::Events { filter, order: EventOrder::default(), first: 0, count: 256 };
    let flame = |span| queries::Flame {
        query: TreeQuery { filter: Filter { span: Some(span), ..Filter::default() }, ..TreeQuery::default() },
        path: Vec::new(),
        min_share: 1.0 / PIXELS as f64,
        max_depth: 256,
    };
    let of = |span| Filter { span: Some(span), ..Filter::default() };
    let query = TreeQuery::default();
    let path = session.ask(&queries::HotPath { query, max_depth: 256 }).expect("nodes");
    let middle_of_path = path.function.len() / 2;
    let path: Vec<FunctionId> = path.function.iter().take(middle_of_path).map(|id| FunctionId(*id)).collect();
    let leaves = leaves(&mut session, full);
    let mut timing = Timing(&mut session);
    let providers: Vec<String> = provider.into_iter().collect();
    timing.time("filter_provider_ms", full, |span| events(Filter { providers: providers.clone(), ..of(span) }));
    timing.time("filter_thread_ms", full, |span| events(Filter { threads: busiest.into_iter().collect(), ..of(span) }));
    timing.time("filter_range_ms", half, |span| events(of(span)));
    timing.time("filter_text_ms", full, |span| events(Filter { query: NOWHERE.to_owned(), ..of(span) }));
    let sorted = |filter, key| {
        let order = EventOrder { key, descending: false };
        queries::Events { filter, order, first: 0, count: 256 }
    };
    timing.time("sort_thread_ms", full, |span| sorted(of(span), EventColumn::Thread));
    timing.time("sort_field_ms", full, |span| sorted(of(span), EventColumn::Field(field.clone())));
    timing.time("flame_all_ms", full, flame);
    timing.time("flame_range_ms", half, flame);
    let shaped = |span, inverted| {
        // Folded as on the page.
        let shape = Shape { just_my_code: true, awaits: true, unresolved: true, inverted, ..Shape::default() };
        TreeQuery { filter: of(span), shape, ..TreeQuery::default() }
    };
    let of_shape = |query| queries::Flame { query, path: Vec::new(), min_share: 1.0 / PIXELS as f64, max_depth: 256 };
    timing.time("flame_my_code_ms", full, |span| of_shape(shaped(span, false)));
    timing.time("flame_inverted_ms", full, |span| of_shape(shaped(span, true)));
    timing.time("bottom_up_my_code_ms", full, |span| queries::Children { query: shaped(span, true), path: Vec::new() });
    let of_span = |span| TreeQuery { filter: of(span), ..TreeQuery::default() };
    timing.time("functions_ms", full, |span| queries::Functions {
        query: of_span(span),
        order: FunctionOrder::Exclusive,
        limit: 200,
    });
    timing.time("children_ms", full, |span| queries::Children { query: of_span(span), path: path.clone() });
    let inverted = |span| {
        let shape = Shape { inverted: true, ..Shape::default() };
        TreeQuery { filter: of(span), shape, ..TreeQuery::default() }
    };
    timing.time("bottom_up_ms", full, |span| queries::Children { query: inverted(span), path: Vec::new() });
    let row = Cell::new(0);
    timing.time("callers_ms", full, |_| {
        let leaf = leaves.get(row.replace(row.get() + 1) % leaves.len().max(1)).copied();
        queries::Children { query: inverted(full), path: leaf.into_iter().collect() }
    });
    // While the pointer moves across boxes, the stacks stay the same.
    let hovered = path.last().copied().unwrap_or_default();
    timing.time("places_ms", full, |_| queries::CodePlaces { query: of_span(full), function: hovered });
    timing.time("unresolved_ms", full, |_| queries::UnresolvedCode { query: of_span(full) });
    let thread = busiest.unwrap_or_default();
    timing.time("time_order_ms", full, |span| queries::TimeOrder {
        query: of_span(full),
        thread,
        span,
        resolution: ((span.duration() / PIXELS).max(1) as u64).next_power_of_two() as i64,
        max_depth: 512,
    });
    timing.time("detail_ms", full, |_| queries::EventDetail { event: middle });
    let lanes = |span: Span, max_depth| queries::Lanes {
        threads: threads.iter().copied().take(64).collect(),
        span,
        resolution: ((span.duration() / PIXELS).max(1) as u64).next_power_of_two() as i64,
        max_depth,
        spans: false,
    };
    // Another block of the file each time, and the event at a byte in it.
    timing.time("pieces_ms", full, |_| queries::Sections {
        of: SectionFilter::default(),
        order: SectionOrder::default(),
        first: 0,
        count: 500,
    });
    timing.time("costs_ms", full, |_| queries::Costs);
    timing.time("strip_ms", full, |_| queries::SectionRuns { start: 0, end: file_bytes, count: 1200 });
    let place = Cell::new(file_bytes / 3);
    let next = || place.replace((place.get() + file_bytes / 20) % file_bytes.max(1));
    let structure = |item| queries::Structure { offset: next(), item, first: 0, count: 256 };
    timing.time("block_ms", full, |_| structure(None));
    timing.time("event_of_block_ms", full, |_| structure(Some(500)));
    // The bytes in a window, with some around them.
    timing.time("leaves_ms", full, |_| queries::Leaves { offset: next(), bytes: 2048 });
    timing.time("lanes_all_ms", full, |span| lanes(span, 0));
    timing.time("lanes_deep_ms", full, |span| lanes(span, 256));
}

/// Returns the rows of the bottom-up tree.
fn leaves(session: &mut Session, full: Span) -> Vec<FunctionId> {
    let shape = Shape { inverted: true, ..Shape::default() };
    let filter = Filter { span: Some(full), ..Filter::default() };
    let request = queries::Children { query: TreeQuery { filter, shape, ..TreeQuery::default() }, path: Vec::new() };
    session.ask(&request).expect("nodes").function.into_iter().map(FunctionId).collect()
}

/// Session whose queries are timed.
struct Timing<'s>(&'s mut Session);

impl Timing<'_> {
    /// Runs a query several times, each for a different span, and prints the median.
    fn time<Q: Into<Request>>(&mut self, name: &str, full: Span, query: impl Fn(Span) -> Q) {
        let ms = median_ms(|run| {
            let span = Span { start: Nanos(full.start.0 - run as i64), end: full.end };
            let request = query(span).into();
            loop {
                match self.0.turn(&request) {
                    Ok(reply) => break reply,
                    Err(Interrupt::Failed(failure)) => panic!("{failure}"),
                    Err(_) => {}
                }
            }
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
