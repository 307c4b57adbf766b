//! Counts the events of a trace by type: `cargo run --example count_events app.nettrace`

use nettrace::TraceReader;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: count_events TRACE")?;
    let mut reader = TraceReader::open(path)?;
    let mut counts = Vec::new();
    while let Some(event) = reader.next_event()? {
        let index = event.type_index();
        if counts.len() <= index {
            counts.resize(index + 1, 0_u64);
        }
        counts[index] += 1;
    }
    // Each version of an event is a separate type with the same name.
    let mut by_name: BTreeMap<String, u64> = BTreeMap::new();
    for (count, event_type) in counts.iter().zip(reader.event_types()) {
        *by_name.entry(event_type.to_string()).or_default() += count;
    }
    let mut rows: Vec<_> = by_name.into_iter().filter(|(_, count)| *count > 0).collect();
    rows.sort_by_key(|(_, count)| Reverse(*count));
    for (name, count) in rows {
        println!("{count:>10}  {name}");
    }
    println!("{:>10}  events", counts.iter().sum::<u64>());
    if let Some(lost @ 1..) = reader.lost_events() {
        println!("{lost:>10}  lost events");
    }
    for issue in reader.issues() {
        eprintln!("{issue}");
    }
    Ok(())
}
