//! Prints the exceptions of a trace: `cargo run --example print_exceptions app.nettrace`

use nettrace::{TraceReader, clr};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: print_exceptions TRACE")?;
    let mut reader = TraceReader::open(path)?.sorted();
    let mut count = 0;
    while let Some(event) = reader.next_event()? {
        if event.provider() == clr::RUNTIME && event.name() == "ExceptionThrown" {
            let seconds = event.nanos() as f64 / 1e9;
            let (thrown, message) = (event.field("ExceptionType"), event.field("ExceptionMessage"));
            println!("{seconds:>10.4} s  thread {}  {thrown}: {message}", event.thread().id().unwrap_or(0));
            count += 1;
        }
    }
    println!("{count} exceptions");
    Ok(())
}
