//! Machine-wide trace of two apps: a shop that queries a stock for every order, with labels of the work in all events.
//! Generated, because no recorder writes such labels yet.

use super::recorder::{MILLISECOND, Recorder, check_committed, kind, row, text};
use nettrace::testing::PayloadWriter;
use nettrace::{LabelList, LabelValue};

/// OS process ID of the shop.
pub const SHOP: u32 = 4127;
/// OS process ID of the stock.
pub const STOCK: u32 = 4210;
/// Number of orders.
pub const ORDERS: u32 = 24;
/// Number of orders between GCs of the shop and of the stock.
pub const ORDERS_A_COLLECTION: (u32, u32) = (4, 6);

/// Thread indices.
mod thread {
    pub const SHOP_MAIN: u64 = 1;
    pub const SHOP_WORKERS: [u64; 2] = [2, 3];
    pub const STOCK_MAIN: u64 = 4;
    pub const STOCK_WORKERS: [u64; 3] = [5, 6, 7];
    pub const OTHER: u64 = 8;
    /// Thread of the shop, all of whose events were lost.
    pub const LOSSY: u64 = 9;
    /// Undeclared thread.
    pub const UNDEFINED: u64 = 10;
}

/// Code of both apps: module, first address, methods.
const CODE: [(&str, u64, [&str; 3]); 2] = [
    ("Shop", 0x10_0000, ["Shop.Program::Main(string[])", "Shop.Checkout::Handle(Order)", "Shop.Prices::Sum(Order)"]),
    (
        "Stock",
        0x20_0000,
        ["Stock.Program::Main(string[])", "Stock.Shelf::Reserve(string)", "Stock.Shelf::Count(string)"],
    ),
];
const METHOD_BYTES: u64 = 0x100;

impl Recorder {
    fn describe_machine(&mut self) {
        for (index, (module, start, methods)) in (0..).zip(CODE) {
            let thread = [thread::SHOP_MAIN, thread::STOCK_MAIN][index as usize];
            self.process(thread, &module.to_lowercase());
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
        self.process(thread::OTHER, "containerd");
    }

    /// Adds a served request: start and stop, with its ID.
    fn served(&mut self, threads: (u64, u64), times: (i64, i64), id: &str, path: &str, labels: u32) {
        let payload = || PayloadWriter::new().utf16("0HN1").utf16(id).utf16("HTTP/2").utf16(path).utf16("POST");
        self.push(times.0, threads.0, kind::SERVED_START, payload()).label_list = labels;
        self.push(times.1, threads.1, kind::SERVED_STOP, payload()).label_list = labels;
    }

    /// Adds an order: served by one worker of the shop, which queries the stock, and completed by another one.
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
            let message = format!("sku-{number}");
            self.thrown(at + 29 * MILLISECOND, stock, "Stock.OutOfStockException", &message).label_list = stocked;
        }
        if number % 3 == 1 {
            let next = thread::STOCK_WORKERS[(number as usize + 1) % 3];
            let owner = 9000 + stock;
            let start = PayloadWriter::new().u8(0).u16(0).u64(7).u64(8).u64(owner);
            self.push(at + 20 * MILLISECOND, next, kind::LOCK_START, start);
            self.push(at + 27 * MILLISECOND, next, kind::LOCK_STOP, PayloadWriter::new().u8(0).u16(0).f64(7e6));
        }
        // Health checks of the shop have no labels.
        if number % 4 == 2 {
            let times = (at + 5 * MILLISECOND, at + 11 * MILLISECOND);
            self.served((other, other), times, &format!("health:{number}"), "/health", 0);
        }
    }
}

/// Returns a trace of two seconds.
pub fn trace() -> Vec<u8> {
    finished(&[])
}

/// Returns the trace with losses of two threads without other events: a thread of the shop, and an undeclared one.
pub fn trace_with_losses(of_shop: u32, of_nobody: u32) -> Vec<u8> {
    finished(&[(thread::LOSSY, of_shop), (thread::UNDEFINED, of_nobody)])
}

/// Returns the file; a sequence point at the end contains the number of events that these threads tried to write.
fn finished(attempts: &[(u64, u32)]) -> Vec<u8> {
    let mut rows = vec![row(thread::SHOP_MAIN, SHOP, ""), row(thread::STOCK_MAIN, STOCK, "")];
    rows.extend(thread::SHOP_WORKERS.map(|index| row(index, SHOP, ".NET TP Worker")));
    rows.extend(thread::STOCK_WORKERS.map(|index| row(index, STOCK, ".NET TP Worker")));
    rows.push(row(thread::OTHER, 812, ""));
    if !attempts.is_empty() {
        rows.push(row(thread::LOSSY, SHOP, "silent"));
    }
    let stack = |code: usize, depth: u64| -> Vec<u64> {
        (0..depth).rev().map(|method| CODE[code].1 + method * METHOD_BYTES + 4).collect()
    };
    recorded().finish(&rows, &[stack(0, 3), stack(0, 2), stack(1, 3), stack(1, 1)], attempts)
}

fn recorded() -> Recorder {
    let mut recorder = Recorder::default();
    recorder.describe_machine();
    (0..ORDERS).for_each(|number| recorder.order(number));
    for number in 0..ORDERS / ORDERS_A_COLLECTION.0 {
        let at = 70 * MILLISECOND + i64::from(number * ORDERS_A_COLLECTION.0) * 80 * MILLISECOND;
        recorder.gc(thread::SHOP_WORKERS[0], at, number + 1, number % 2);
    }
    for number in 0..ORDERS / ORDERS_A_COLLECTION.1 {
        let at = 145 * MILLISECOND + i64::from(number * ORDERS_A_COLLECTION.1) * 80 * MILLISECOND;
        recorder.gc(thread::STOCK_WORKERS[1], at, number + 1, 2 - number % 2);
    }
    recorder.samples(thread::STOCK_MAIN, 5 * MILLISECOND, 20 * MILLISECOND, 4);
    recorder.samples(thread::OTHER, 900 * MILLISECOND, 903 * MILLISECOND, 0);
    recorder
}

/// The committed file for browser tests is identical to the trace.
#[test]
fn committed_trace_matches_generator() {
    check_committed("two-runtimes", &trace());
}
