use std::time::Instant;
use traceglass::nettrace::*;
fn main() {
    let chunk: usize = std::env::var("CHUNK").ok().and_then(|c| c.parse().ok()).unwrap_or(usize::MAX);
    for path in std::env::args().skip(1) {
        let data = std::fs::read(&path).unwrap();
        let t = Instant::now();
        let mut parser = Parser::new();
        let (mut events, mut meta, mut stacks, mut sp, mut other, mut threads, mut labels) =
            (0u64, 0, 0u64, 0, 0, 0, 0);
        let mut notes = vec![];
        let mut sum = 0u64;
        let mut len = chunk.min(data.len());
        let mut bytes = 0u64;
        loop {
            let at = parser.offset() as usize;
            let end = data.len().min(at.saturating_add(len));
            match parser.parse(&data[at..end], end == data.len()) {
                Err(e) => {
                    notes.push(format!("ERR {e}"));
                    break;
                }
                Ok(Step::End) => break,
                Ok(Step::NeedMoreData { wanted }) => {
                    assert!(wanted > end - at);
                    len = wanted.max(chunk);
                }
                Ok(Step::Parsed { consumed, item }) => {
                    bytes += consumed as u64;
                    match item {
                        Item::Header(h) => {
                            if notes.is_empty() {
                                notes.push(format!(
                                    "v{} ptr{} pid{} {}ms pairs {}",
                                    h.version,
                                    h.pointer_size,
                                    h.process_id,
                                    h.sync_time_utc.unix_ms(),
                                    h.pairs.len()
                                ));
                            }
                        }
                        Item::Events(b) => {
                            let mut e = b.events();
                            while let Some(r) = e.next() {
                                match r {
                                    Ok(h) => {
                                        events += 1;
                                        sum = sum.wrapping_add(h.timestamp as u64 ^ h.payload_offset);
                                    }
                                    Err(x) => notes.push(format!("EV {x}")),
                                }
                            }
                        }
                        Item::Metadata(b) => {
                            for r in b.records() {
                                match r {
                                    Ok(r) => {
                                        meta += 1;
                                        if let Some(p) = &r.partial {
                                            notes.push(format!("PARTIAL {} {}: {p}", r.provider, r.name));
                                        }
                                    }
                                    Err(x) => notes.push(format!("ME {x}")),
                                }
                            }
                        }
                        Item::Stacks(b) => {
                            for s in b.stacks() {
                                match s {
                                    Ok(_) => stacks += 1,
                                    Err(x) => notes.push(format!("ST {x}")),
                                }
                            }
                        }
                        Item::SequencePoint(_) => sp += 1,
                        Item::Damage(d) => {
                            notes.push(format!("DAMAGE at {} bytes {} {} {}", d.offset, d.bytes, d.error, d.continued))
                        }
                        Item::EndOfStream(_) => notes.push("EOS".into()),
                        #[allow(unreachable_patterns)]
                        _ => other += 1,
                    }
                }
            }
        }
        let _ = (&mut threads, &mut labels);
        let dt = t.elapsed();
        println!(
            "{}: events {events} meta {meta} stacks {stacks} sp {sp} other {other} bytes {bytes}/{} {:?} {:.2} GB/s {sum:x}",
            path.rsplit('/').next().unwrap(),
            data.len(),
            dt,
            data.len() as f64 / dt.as_secs_f64() / 1e9
        );
        for n in notes.iter().take(8) {
            println!("    {n}");
        }
    }
}
