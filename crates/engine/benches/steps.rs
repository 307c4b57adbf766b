//! Measures the longest step of every request in a session natively, and the total time.
//!
//! `cargo bench --bench steps -- FILE` prints `name, all ms, longest ms, reads of the file` per line. During a step,
//! the worker can't answer or cancel anything; there it takes two to three times as long.

use nettrace::{ByteSource, SourceError};
use protocol::Request;
use protocol::base::ids::{EventId, ThreadId};
use protocol::base::time::Span;
use protocol::queries;
use protocol::request::{EventColumn, EventOrder, Filter, FunctionOrder, TreeQuery};
use protocol::timeline::track::TrackKind;
use std::cell::Cell;
use std::fs::File;
use std::io::Read;
use std::rc::Rc;
use std::time::Instant;
use traceglass_engine::session::{FileFacts, Interrupt, Loader, Progress, Session};

/// Size of the slices that the worker reads.
const CHUNK_BYTES: usize = 8 << 20;
/// Number of bytes that the worker parses before it checks the time.
const PARSE_BYTES: usize = 1 << 20;
/// Pixels of a wide timeline.
const PIXELS: i64 = 1200;

/// A file whose reads are counted.
struct Counted {
    file: File,
    reads: Rc<Cell<u32>>,
}

impl ByteSource for Counted {
    fn len(&self) -> u64 {
        self.file.len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), SourceError> {
        self.reads.set(self.reads.get() + 1);
        self.file.read_at(offset, buffer)
    }
}

/// Times of the steps of one thing.
#[derive(Default)]
struct Steps {
    all: f64,
    longest: f64,
}

impl Steps {
    fn time<T>(&mut self, action: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = action();
        let ms = start.elapsed().as_secs_f64() * 1e3;
        self.all += ms;
        self.longest = self.longest.max(ms);
        result
    }

    fn print(&self, name: &str, reads: u32) {
        println!("{name:28} {:9.1} {:9.1} {reads:6}", self.all, self.longest);
    }
}

fn main() {
    let Some(path) = std::env::args().skip(1).find(|argument| !argument.starts_with("--")) else {
        eprintln!("usage: cargo bench --bench steps -- FILE");
        return;
    };
    println!("{:28} {:>9} {:>9} {:>6}", "", "all ms", "longest", "reads");
    let reads = Rc::new(Cell::new(0));
    let mut session = open(&path, &reads);
    for (name, request) in questions(&session) {
        reads.set(0);
        let mut steps = Steps::default();
        while let Err(interrupt) = steps.time(|| session.turn(&request)) {
            assert!(!matches!(interrupt, Interrupt::Failed(_)), "{interrupt:?}");
        }
        steps.print(&name, reads.get());
    }
    println!("held, MB: {:.0}", session.memory().total() as f64 / 1e6);
}

fn open(path: &str, reads: &Rc<Cell<u32>>) -> Session {
    let mut file = File::open(path).expect("a readable file");
    let (mut loader, mut parsing) = (Loader::new(), Steps::default());
    let mut piece = vec![0; CHUNK_BYTES];
    loop {
        let length = file.read(&mut piece).expect("a readable file");
        parsing.time(|| loader.append(length, |space| space.copy_from_slice(&piece[..length])));
        while let Ok(Progress::Paused) = parsing.time(|| loader.advance(PARSE_BYTES)) {}
        if length == 0 {
            break;
        }
    }
    parsing.print("parse", 0);
    let mut steps = Steps::default();
    let preview = steps.time(|| loader.preview()).expect("a readable trace");
    steps.print("preview", 0);
    drop(preview);
    let mut steps = Steps::default();
    let store = steps.time(|| loader.finish()).expect("a readable trace");
    steps.print("finish", 0);
    let facts = FileFacts { name: path.to_owned(), bytes: file.len(), ..FileFacts::default() };
    let source = Box::new(Counted { file, reads: reads.clone() });
    let mut steps = Steps::default();
    let session = steps.time(|| Session::new(store, source, facts)).expect("a trace that answers");
    steps.print("session", reads.get());
    session
}

fn questions(session: &Session) -> Vec<(String, Request)> {
    let summary = session.summary();
    let full = summary.full_span;
    let quarter = full.duration() / 4;
    let half = Span::new(full.start.0 + quarter, full.end.0 - quarter);
    let providers: Vec<String> = summary.providers.iter().take(1).map(|provider| provider.name.clone()).collect();
    let threads: Vec<ThreadId> = session.store().threads.iter().map(|thread| thread.id).take(64).collect();
    let types = session.store().types.iter().filter(|kind| !kind.schema.fields.is_empty());
    let field = types.max_by_key(|kind| kind.count).map_or_else(String::new, |kind| kind.schema.fields[0].name.clone());
    let middle = EventId(session.store().events.len() as u32 / 2);
    let of = |span| Filter { span: Some(span), ..Filter::default() };
    let order = |key| EventOrder { key, descending: false };
    let events = |filter, order| queries::Events { filter, order, first: 0, count: 256 }.into();
    let tree = |span| TreeQuery { filter: of(span), ..TreeQuery::default() };
    let flame =
        |span| queries::Flame { query: tree(span), path: Vec::new(), min_share: 1.0 / 1200.0, max_depth: 256 }.into();
    let resolution = ((full.duration() / PIXELS).max(1) as u64).next_power_of_two() as i64;
    let lanes =
        |max_depth| queries::Lanes { threads: threads.clone(), span: full, resolution, max_depth, spans: true }.into();
    let of_provider = Filter { providers, ..Filter::default() };
    let matches = queries::TrackMatches {
        filter: of_provider.clone(),
        threads: threads.clone(),
        tracks: [TrackKind::Gc, TrackKind::Jit, TrackKind::Exceptions].map(|kind| (0, kind)).to_vec(),
        span: full,
        buckets: PIXELS as u32,
    };
    let intervals = |kind| queries::Intervals { kind, filter: Filter::default(), span: full, resolution }.into();
    let text = |text: &str| Filter { query: text.to_owned(), ..Filter::default() };
    let by_field = || order(EventColumn::Field(field.clone()));
    let mut questions = vec![
        ("overview", queries::Overview { span: None, buckets: 1200 }.into()),
        ("threads", queries::Threads { filter: Filter::default() }.into()),
        ("threads of half", queries::Threads { filter: of(half) }.into()),
        ("lanes", lanes(0)),
        ("lanes, deep", lanes(256)),
        ("lanes again", lanes(0)),
        ("matches on tracks", matches.into()),
        ("collections", queries::Gcs { filter: Filter::default() }.into()),
        ("exceptions", queries::Exceptions { filter: Filter::default(), limit: 1000 }.into()),
        ("series", queries::Series { filter: Filter::default() }.into()),
        ("types", queries::Types.into()),
        ("header", queries::Header.into()),
        ("events by time", events(of(half), EventOrder::default())),
        ("events of a provider", events(of_provider, EventOrder::default())),
        ("events by thread", events(Filter::default(), order(EventColumn::Thread))),
        ("events by name", events(Filter::default(), order(EventColumn::Name))),
        ("events by level", events(Filter::default(), order(EventColumn::Level))),
        ("events by a field", events(Filter::default(), by_field())),
        (
            "the same from the middle",
            queries::Events { filter: Filter::default(), order: by_field(), first: u64::from(middle.0), count: 256 }
                .into(),
        ),
        (
            "position by a field",
            queries::EventPosition { filter: Filter::default(), order: by_field(), event: middle }.into(),
        ),
        ("events with a text", events(text("\"no such words\""), EventOrder::default())),
        ("events with a number", events(Filter { span: Some(half), ..text("4711") }, EventOrder::default())),
        ("flame graph", flame(full)),
        ("flame graph of half", flame(half)),
        ("functions", queries::Functions { query: tree(full), order: FunctionOrder::Inclusive, limit: 1000 }.into()),
        ("hot path", queries::HotPath { query: tree(full), max_depth: 256 }.into()),
        ("children", queries::Children { query: tree(full), path: Vec::new() }.into()),
        ("details", queries::EventDetail { event: middle }.into()),
        ("find", queries::FindEvent { at: full.start.0, os_thread: 1, provider: String::new(), event_id: 1 }.into()),
    ]
    .into_iter()
    .map(|(name, request)| (name.to_owned(), request))
    .collect::<Vec<_>>();
    let kinds = [
        TrackKind::Jit,
        TrackKind::Contention,
        TrackKind::IncomingRequests,
        TrackKind::OutgoingRequests,
        TrackKind::Network,
        TrackKind::Spans,
    ];
    questions.extend(kinds.map(|kind| (format!("intervals, {kind:?}"), intervals(kind))));
    questions
}
