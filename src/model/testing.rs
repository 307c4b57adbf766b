//! Stores of hand-written traces, for tests.

use super::{Ingest, Store};
use crate::nettrace::{Parser, Step};

/// The store of a trace.
pub fn read(bytes: &[u8]) -> Store {
    let (mut parser, mut ingest) = (Parser::new(), Ingest::new());
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
