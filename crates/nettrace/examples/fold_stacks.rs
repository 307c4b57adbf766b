//! Writes the CPU samples of a trace as folded stacks, the input of flame graph tools:
//! `cargo run --example fold_stacks app.nettrace > app.folded`

use nettrace::{Symbols, TraceReader};
use std::collections::{BTreeMap, HashMap};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: fold_stacks TRACE")?;
    let mut reader = TraceReader::open(path)?;
    let mut symbols = Symbols::new();
    // The methods of a trace are recorded at its end, so stacks are counted by address first.
    let mut samples: HashMap<_, u64> = HashMap::new();
    while let Some(event) = reader.next_event()? {
        symbols.add(&event);
        if event.is_cpu_sample() {
            let root_first: Vec<u64> = event.stack().rev().collect();
            *samples.entry((event.process_id(), event.thread().id(), root_first)).or_default() += 1;
        }
    }
    let mut names: HashMap<_, String> = HashMap::new();
    let mut folded: BTreeMap<String, u64> = BTreeMap::new();
    for ((process, thread, addresses), count) in samples {
        let mut line = format!("thread {}", thread.unwrap_or(0));
        for address in addresses {
            let name = names.entry((process, address)).or_insert_with(|| symbols.name(process, address));
            line.push(';');
            line.push_str(&name.replace(';', ":"));
        }
        *folded.entry(line).or_default() += count;
    }
    for (stack, count) in folded {
        println!("{stack} {count}");
    }
    Ok(())
}
