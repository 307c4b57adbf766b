//! A machine-wide trace of two programs: a shop that asks a stock for every order, as it would be recorded if each wrote
//! its events with the labels of the work they belong to. Made here, since no recorder does so yet.

use std::path::Path;
use traceglass::nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use traceglass::nettrace::{Field, FieldType, Header, LabelList, LabelValue, MetadataRecord, ThreadRow};

const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";
const SYSTEM: &str = "Universal.System";
/// The operating system's id of the shop.
pub const SHOP: u32 = 4127;
/// The operating system's id of the stock.
pub const STOCK: u32 = 4210;
/// Orders in the trace.
pub const ORDERS: u32 = 24;
/// Orders between two collections of the shop, and of the stock.
pub const ORDERS_A_COLLECTION: (u32, u32) = (4, 6);

const MICROSECOND: i64 = 1_000;
const MILLISECOND: i64 = 1_000_000;

/// Thread indexes of the file.
mod thread {
    pub const SHOP_MAIN: u64 = 1;
    pub const SHOP_WORKERS: [u64; 2] = [2, 3];
    pub const STOCK_MAIN: u64 = 4;
    pub const STOCK_WORKERS: [u64; 3] = [5, 6, 7];
    pub const OTHER: u64 = 8;
    /// Of the shop; it wrote nothing that arrived.
    pub const SILENT: u64 = 9;
    /// Not described.
    pub const UNDEFINED: u64 = 10;
}

/// Metadata ids.
mod kind {
    pub const PROCESS: u32 = 1;
    pub const MAPPING: u32 = 2;
    pub const SYMBOL: u32 = 3;
    pub const CPU: u32 = 4;
    pub const GC_START: u32 = 5;
    pub const GC_END: u32 = 6;
    pub const SUSPEND_BEGIN: u32 = 7;
    pub const SUSPEND_END: u32 = 8;
    pub const RESTART_END: u32 = 9;
    pub const HEAP: u32 = 10;
    pub const THROWN: u32 = 11;
    pub const LOCK_START: u32 = 12;
    pub const LOCK_STOP: u32 = 13;
    pub const SERVED_START: u32 = 14;
    pub const SERVED_STOP: u32 = 15;
    pub const SENT_START: u32 = 16;
    pub const SENT_STOP: u32 = 17;
    pub const RESERVE_START: u32 = 18;
    pub const RESERVE_STOP: u32 = 19;
    pub const RESERVED: u32 = 20;
}

fn record(metadata_id: u32, provider: &str, event_id: u32, version: u32, name: &str) -> MetadataRecord {
    let (provider, name) = (provider.to_owned(), name.to_owned());
    MetadataRecord { metadata_id, provider, event_id, version, name, level: 4, ..MetadataRecord::default() }
}

fn records() -> Vec<MetadataRecord> {
    const KESTREL: &str = "Microsoft-AspNetCore-Server-Kestrel";
    let texts =
        |names: &[&str]| -> Vec<Field> { names.iter().map(|name| Field::new(*name, FieldType::Utf16String)).collect() };
    let served = texts(&["connectionId", "requestId", "httpVersion", "path", "method"]);
    let with = |record: MetadataRecord, opcode, fields| MetadataRecord { opcode: Some(opcode), fields, ..record };
    vec![
        record(kind::PROCESS, SYSTEM, 0, 0, "ExistingProcess"),
        record(kind::MAPPING, SYSTEM, 3, 0, "ProcessMapping"),
        record(kind::SYMBOL, SYSTEM, 4, 0, "ProcessSymbol"),
        record(kind::CPU, "Universal.Events", 1, 0, "cpu"),
        record(kind::GC_START, RUNTIME, 1, 2, ""),
        record(kind::GC_END, RUNTIME, 2, 1, ""),
        record(kind::SUSPEND_BEGIN, RUNTIME, 9, 1, ""),
        record(kind::SUSPEND_END, RUNTIME, 8, 1, ""),
        record(kind::RESTART_END, RUNTIME, 3, 1, ""),
        record(kind::HEAP, RUNTIME, 4, 2, ""),
        record(kind::THROWN, RUNTIME, 80, 1, ""),
        record(kind::LOCK_START, RUNTIME, 81, 2, ""),
        record(kind::LOCK_STOP, RUNTIME, 91, 1, ""),
        with(record(kind::SERVED_START, KESTREL, 3, 0, "RequestStart"), 1, served.clone()),
        with(record(kind::SERVED_STOP, KESTREL, 4, 0, "RequestStop"), 2, served),
        with(record(kind::SENT_START, "System.Net.Http", 1, 0, "RequestStart"), 1, texts(&["host", "pathAndQuery"])),
        with(record(kind::SENT_STOP, "System.Net.Http", 2, 0, "RequestStop"), 2, Vec::new()),
        with(record(kind::RESERVE_START, "Stock", 1, 0, "ReserveStart"), 1, texts(&["sku"])),
        with(record(kind::RESERVE_STOP, "Stock", 2, 0, "ReserveStop"), 2, Vec::new()),
        MetadataRecord { fields: texts(&["sku"]), ..record(kind::RESERVED, "Stock", 3, 0, "Reserved") },
    ]
}

fn text(payload: PayloadWriter, text: &str) -> PayloadWriter {
    payload.u16(text.len() as u16).bytes(text.as_bytes())
}

/// Code of both programs: module, first address, methods.
const CODE: [(&str, u64, [&str; 3]); 2] = [
    ("Shop", 0x10_0000, ["Shop.Program::Main(string[])", "Shop.Checkout::Handle(Order)", "Shop.Prices::Sum(Order)"]),
    (
        "Stock",
        0x20_0000,
        ["Stock.Program::Main(string[])", "Stock.Shelf::Reserve(string)", "Stock.Shelf::Count(string)"],
    ),
];
const METHOD_BYTES: u64 = 0x100;

/// Writes events in any order; the file has them by time.
#[derive(Default)]
struct Recorder {
    events: Vec<Event>,
    lists: Vec<LabelList>,
}

impl Recorder {
    fn push(&mut self, timestamp: i64, thread: u64, metadata_id: u32, payload: PayloadWriter) -> &mut Event {
        let event =
            Event { timestamp, thread, metadata_id, payload: payload.finish(), is_sorted: true, ..Event::default() };
        self.events.push(event);
        self.events.last_mut().expect("the one that was put")
    }

    /// The number of a list of labels.
    fn labels(&mut self, list: LabelList) -> u32 {
        self.lists.push(list);
        self.lists.len() as u32
    }

    fn describe_machine(&mut self) {
        for (index, (module, start, methods)) in (0..).zip(CODE) {
            let thread = [thread::SHOP_MAIN, thread::STOCK_MAIN][index as usize];
            let process = text(text(PayloadWriter::new().var_u64(0), &module.to_lowercase()), "Unknown");
            self.push(0, thread, kind::PROCESS, process);
            let mapping = PayloadWriter::new().var_u64(index + 1).var_u64(start).var_u64(start + 0x1000).var_u64(0);
            self.push(0, thread, kind::MAPPING, text(mapping, "/memfd:doublemapper (deleted)").var_u64(0));
            for (at, method) in (0..).zip(methods) {
                let first = start + at * METHOD_BYTES;
                let symbol =
                    PayloadWriter::new().var_u64(0).var_u64(index + 1).var_u64(first).var_u64(first + METHOD_BYTES - 1);
                let name = format!("instance void [{module}] {method}[OptimizedTier1]");
                self.push(0, thread, kind::SYMBOL, text(symbol, &name));
            }
        }
        self.push(
            0,
            thread::OTHER,
            kind::PROCESS,
            text(text(PayloadWriter::new().var_u64(0), "containerd"), "Unknown"),
        );
    }

    /// Samples of a thread, one a millisecond.
    fn samples(&mut self, thread: u64, from: i64, until: i64, stack_id: u32) {
        for at in (from..until).step_by(MILLISECOND as usize) {
            self.push(at, thread, kind::CPU, PayloadWriter::new().u8(1)).stack_id = stack_id;
        }
    }

    fn collection(&mut self, thread: u64, at: i64, number: u32, generation: u32) {
        let length = [2, 5, 14][generation as usize] * MILLISECOND;
        let none = PayloadWriter::new;
        self.push(at, thread, kind::SUSPEND_BEGIN, none().u32(1).u32(number).u16(0));
        self.push(at + 200 * MICROSECOND, thread, kind::SUSPEND_END, none().u16(0));
        let start = none().u32(number).u32(generation).u32(0).u32(0).u16(0).u64(0);
        self.push(at + 250 * MICROSECOND, thread, kind::GC_START, start);
        self.push(at + length - 100 * MICROSECOND, thread, kind::GC_END, none().u32(number).u32(generation).u16(0));
        let size = u64::from(number % 4 + 2) << 20;
        let mut heap = none();
        for size in [size / 8, size / 4, size, size / 2] {
            heap = heap.u64(size).u64(0);
        }
        self.push(at + length - 50 * MICROSECOND, thread, kind::HEAP, heap.u64(0).u64(0).u32(0).u32(0).u32(0).u16(0));
        self.push(at + length, thread, kind::RESTART_END, none().u16(0));
    }

    /// A request that is served: its start and its stop, which name it by its id.
    fn served(&mut self, threads: (u64, u64), times: (i64, i64), id: &str, path: &str, labels: u32) {
        let payload = || PayloadWriter::new().utf16("0HN1").utf16(id).utf16("HTTP/2").utf16(path).utf16("POST");
        self.push(times.0, threads.0, kind::SERVED_START, payload()).label_list = labels;
        self.push(times.1, threads.1, kind::SERVED_STOP, payload()).label_list = labels;
    }

    /// An order: served by the shop on one worker and ended on the other, which asks the stock meanwhile.
    fn order(&mut self, number: u32) {
        let at = 20 * MILLISECOND + i64::from(number) * 80 * MILLISECOND;
        let pick = |of: usize| number as usize % of;
        let (worker, other) = (thread::SHOP_WORKERS[pick(2)], thread::SHOP_WORKERS[1 - pick(2)]);
        let stock = thread::STOCK_WORKERS[pick(3)];
        let tenant = ["blue", "green", "red"][pick(3)];
        let named = |name: &str, value: &str| (name.to_owned(), LabelValue::Text(value.to_owned()));
        let mut labels = |span: u64| {
            let mut trace_id = [0x5a; 16];
            trace_id[12..].copy_from_slice(&number.to_be_bytes());
            let pairs = vec![named("tenant", tenant), named("region", "north")];
            let list = LabelList { trace_id: Some(trace_id), span_id: Some(span), pairs, ..LabelList::default() };
            self.labels(list)
        };
        let first_span = 0x1000 + u64::from(number) * 16;
        let (shop, stocked) = (labels(first_span), labels(first_span + 1));
        self.served((worker, other), (at, at + 60 * MILLISECOND), &format!("shop:{number}"), "/orders", shop);
        self.samples(worker, at + MILLISECOND, at + 12 * MILLISECOND, 1);
        let sent = PayloadWriter::new().utf16("stock.local").utf16(&format!("/reserve/{number}"));
        self.push(at + 12 * MILLISECOND, worker, kind::SENT_START, sent).label_list = shop;
        self.served(
            (stock, stock),
            (at + 15 * MILLISECOND, at + 44 * MILLISECOND),
            &format!("stock:{number}"),
            "/reserve",
            stocked,
        );
        let sku = || PayloadWriter::new().utf16(&format!("sku-{number}"));
        self.push(at + 17 * MILLISECOND, stock, kind::RESERVE_START, sku()).label_list = stocked;
        self.samples(stock, at + 17 * MILLISECOND, at + 40 * MILLISECOND, 3);
        self.push(at + 30 * MILLISECOND, stock, kind::RESERVED, sku()).label_list = stocked;
        self.push(at + 41 * MILLISECOND, stock, kind::RESERVE_STOP, PayloadWriter::new()).label_list = stocked;
        self.push(at + 46 * MILLISECOND, other, kind::SENT_STOP, PayloadWriter::new()).label_list = shop;
        self.samples(other, at + 48 * MILLISECOND, at + 59 * MILLISECOND, 2);
        if number % 5 == 4 {
            let thrown = PayloadWriter::new().utf16("Stock.OutOfStockException").utf16(&format!("sku-{number}"));
            self.push(at + 29 * MILLISECOND, stock, kind::THROWN, thrown.u64(0).u32(0).u16(0).u16(0)).label_list =
                stocked;
        }
        if number % 3 == 1 {
            let next = thread::STOCK_WORKERS[(number as usize + 1) % 3];
            let owner = 9000 + stock;
            let start = PayloadWriter::new().u8(0).u16(0).u64(7).u64(8).u64(owner);
            self.push(at + 20 * MILLISECOND, next, kind::LOCK_START, start);
            self.push(at + 27 * MILLISECOND, next, kind::LOCK_STOP, PayloadWriter::new().u8(0).u16(0).f64(7e6));
        }
        // Whether the shop is well is asked without labels.
        if number % 4 == 2 {
            let times = (at + 5 * MILLISECOND, at + 11 * MILLISECOND);
            self.served((other, other), times, &format!("health:{number}"), "/health", 0);
        }
    }

    /// The file; in the end, sequence points tell how many events these threads tried to write.
    fn finish(mut self, attempts: &[(u64, u32)]) -> Vec<u8> {
        let header =
            Header { sync_ticks: 0, tick_frequency: 1_000_000_000, process_id: 0, ..Format::Nettrace6.header() };
        let mut trace = TraceBuilder::with_header(Format::Nettrace6, &header);
        trace.metadata(&records());
        let row = |index: u64, process: u32, name: &str| ThreadRow {
            index,
            name: (!name.is_empty()).then(|| name.to_owned()),
            process_id: Some(process.into()),
            thread_id: Some(if name.is_empty() { process.into() } else { 9000 + index }),
            ..ThreadRow::default()
        };
        let mut rows = vec![row(thread::SHOP_MAIN, SHOP, ""), row(thread::STOCK_MAIN, STOCK, "")];
        rows.extend(thread::SHOP_WORKERS.map(|index| row(index, SHOP, ".NET TP Worker")));
        rows.extend(thread::STOCK_WORKERS.map(|index| row(index, STOCK, ".NET TP Worker")));
        rows.push(row(thread::OTHER, 812, ""));
        if !attempts.is_empty() {
            rows.push(row(thread::SILENT, SHOP, "silent"));
        }
        trace.threads(&rows);
        let stack = |code: usize, depth: u64| -> Vec<u64> {
            (0..depth).rev().map(|method| CODE[code].1 + method * METHOD_BYTES + 4).collect()
        };
        let stacks = [stack(0, 3), stack(0, 2), stack(1, 3), stack(1, 1)];
        trace.stacks(1, &stacks.each_ref().map(Vec::as_slice));
        trace.labels(1, &self.lists);
        self.events.sort_by_key(|event| event.timestamp);
        let mut sequences = [0; 16];
        for event in &mut self.events {
            let sequence = &mut sequences[event.thread as usize];
            *sequence += 1;
            (event.sequence, event.capture_thread) = (*sequence, event.thread);
        }
        self.events.chunks(500).for_each(|events| {
            trace.events(events);
        });
        if !attempts.is_empty() {
            trace.sequence_point(2_000 * MILLISECOND, 0, attempts);
        }
        trace.finish()
    }
}

/// The trace: two seconds.
pub fn trace() -> Vec<u8> {
    recorded().finish(&[])
}

/// The trace, and what it tells of two threads of which nothing else is in it: that one of the shop lost so many events,
/// and one that no part of the file describes so many.
pub fn trace_with_losses(of_shop: u32, of_nobody: u32) -> Vec<u8> {
    recorded().finish(&[(thread::SILENT, of_shop), (thread::UNDEFINED, of_nobody)])
}

fn recorded() -> Recorder {
    let mut recorder = Recorder::default();
    recorder.describe_machine();
    (0..ORDERS).for_each(|number| recorder.order(number));
    for number in 0..ORDERS / ORDERS_A_COLLECTION.0 {
        let at = 70 * MILLISECOND + i64::from(number * ORDERS_A_COLLECTION.0) * 80 * MILLISECOND;
        recorder.collection(thread::SHOP_WORKERS[0], at, number + 1, number % 2);
    }
    for number in 0..ORDERS / ORDERS_A_COLLECTION.1 {
        let at = 145 * MILLISECOND + i64::from(number * ORDERS_A_COLLECTION.1) * 80 * MILLISECOND;
        recorder.collection(thread::STOCK_WORKERS[1], at, number + 1, 2 - number % 2);
    }
    recorder.samples(thread::STOCK_MAIN, 5 * MILLISECOND, 20 * MILLISECOND, 4);
    recorder.samples(thread::OTHER, 900 * MILLISECOND, 903 * MILLISECOND, 0);
    recorder
}

/// The file that the page is tested with holds what is written above.
#[test]
fn the_committed_trace_is_the_one_that_is_made_here() {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/two-runtimes.nettrace.gz");
    let bytes = trace();
    let committed = crate::recorded::unpacked("tests/fixtures/two-runtimes.nettrace.gz");
    if committed.as_deref() != Some(bytes.as_slice()) {
        let new = Path::new(env!("CARGO_TARGET_TMPDIR")).join("two-runtimes.nettrace");
        std::fs::write(&new, bytes).expect("room for a trace");
        panic!("put {}, compressed with gzip -9n, in the place of {}", new.display(), place.display());
    }
}
