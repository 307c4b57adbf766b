//! Stores of generated traces and test cases, for tests.

use super::{Ingest, Store};
use nettrace::{Parser, Step};

/// Returns the store and the bytes of a file in `tests/fixtures/cases`.
pub fn case(name: &str) -> (Store, Vec<u8>) {
    let path = format!("{}/../../tests/fixtures/cases/{name}.nettrace", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(path).expect("a fixture");
    (read(&bytes), bytes)
}

/// Returns the store of a trace.
pub fn read(bytes: &[u8]) -> Store {
    read_into(Ingest::new(), bytes)
}

/// Returns the store after reading a trace into `ingest`.
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
