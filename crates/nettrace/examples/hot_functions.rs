//! Prints the ten functions with the most CPU samples in themselves: `cargo run --example hot_functions app.nettrace`

use nettrace::{Symbols, TraceReader};
use std::collections::HashMap;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: hot_functions TRACE")?;
    let mut reader = TraceReader::new(std::fs::File::open(path)?)?;
    let (mut symbols, mut samples) = (Symbols::new(), HashMap::new());
    while let Some(event) = reader.next_event()? {
        symbols.add(&event);
        if let Some(leaf) = event.stack().next().filter(|_| event.is_cpu_sample()) {
            *samples.entry((event.process_id(), leaf)).or_insert(0) += 1;
        }
    }
    let mut functions = HashMap::new();
    for ((process, leaf), count) in samples {
        *functions.entry(symbols.name(process, leaf)).or_insert(0) += count;
    }
    let mut functions: Vec<_> = functions.into_iter().collect();
    functions.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    functions.iter().take(10).for_each(|(name, count)| println!("{count:>8}  {name}"));
    Ok(())
}
