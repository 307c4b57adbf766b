//! Stores of hand-written traces, for tests.

use super::{Ingest, Store};
use nettrace::{Parser, Step};

/// The store of a trace.
pub fn read(bytes: &[u8]) -> Store {
    read_into(Ingest::new(), bytes)
}

/// The store that comes of reading a trace into `ingest`.
pub fn read_into(mut ingest: Ingest, bytes: &[u8]) -> Store {
    let mut parser = Parser::new();
    let mut position = 0;
    loop {
        match parser.parse(&bytes[position..], true).expect("a trace") {
            Step::NeedMoreData { wanted } => panic!("{wanted} bytes wanted at the end of the file"),
            Step::Parsed { consumed, item } => {
                position += consumed;
                ingest.item(item).expect("memory");
            }
            Step::End => return ingest.finish().expect("memory"),
        }
    }
}
