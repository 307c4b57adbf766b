//! Prints the ten functions with the most CPU samples in themselves: `cargo run --example hot_functions app.nettrace`
use nettrace::{Symbols, TraceReader};
use std::{cmp::Reverse, collections::HashMap};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut reader = TraceReader::open(std::env::args().nth(1).ok_or("usage: hot_functions TRACE")?)?;
    let (mut symbols, mut leaves, mut functions) = (Symbols::new(), Vec::new(), HashMap::new());
    while let Some(event) = reader.next_event()? {
        symbols.add(&event);
        leaves.extend(event.stack().next().filter(|_| event.is_cpu_sample()).map(|leaf| (event.process_id(), leaf)));
    }
    for (process, leaf) in leaves {
        *functions.entry(symbols.name(process, leaf)).or_insert(0) += 1;
    }
    let mut functions: Vec<_> = functions.into_iter().collect();
    functions.sort_by_key(|(_, samples)| Reverse(*samples));
    functions.iter().take(10).for_each(|(name, samples)| println!("{samples:>8}  {name}"));
    Ok(())
}
