//! A small trace made on the spot, to be read before there is a real one.
//!
//! WebAssembly engines run a function slowly until they have seen it run often. Reading some ten thousand events while
//! the user is still choosing a file halves the time of the first real trace.

const BLOCKS: u64 = 40;
const EVENTS_OF_A_BLOCK: u64 = 1000;
/// Events of one capture thread before those of the other.
const EVENTS_OF_A_RUN: u64 = 100;
const STACKS: u64 = 8;

/// How many events the trace has.
pub const EVENTS: u64 = BLOCKS * EVENTS_OF_A_BLOCK;

/// A trace in nettrace 4 (nettrace-v5.md) with samples and events of two threads that interleave.
pub fn trace() -> Vec<u8> {
    let mut file = b"Nettrace\x14\0\0\0!FastSerialization.1".to_vec();
    object(&mut file, "Trace", 4, |file| {
        // Year, month, day of week, day, hour, minute, second, millisecond.
        for part in [2026_u16, 1, 4, 1, 0, 0, 0, 0] {
            file.extend(part.to_le_bytes());
        }
        // The clock at that time, and its frequency.
        file.extend(0_u64.to_le_bytes());
        file.extend(1_000_000_000_u64.to_le_bytes());
        // Pointer size, process, processors, sampling interval.
        for number in [8_u32, 1, 2, 1_000_000] {
            file.extend(number.to_le_bytes());
        }
    });
    block(&mut file, "MetadataBlock", |content| {
        begin_events(content);
        metadata(content, 1, "Microsoft-DotNETCore-SampleProfiler", 0);
        metadata(content, 2, "Traceglass-WarmUp", 1);
    });
    let mut sequences = [0_u32; 2];
    for number in 0..BLOCKS {
        block(&mut file, "StackBlock", |content| {
            for value in [1, STACKS as u32] {
                content.extend(value.to_le_bytes());
            }
            for stack in 0..STACKS {
                content.extend(24_u32.to_le_bytes());
                for address in [stack + 0x3000, stack % 3 + 0x2000, 0x1000] {
                    content.extend(u64::to_le_bytes(address));
                }
            }
        });
        block(&mut file, "EventBlock", |content| events(content, number, &mut sequences));
        block(&mut file, "SPBlock", |content| {
            content.extend(((number + 1) * 2 * EVENTS_OF_A_BLOCK).to_le_bytes());
            content.extend(2_u32.to_le_bytes());
            for (thread, sequence) in (1_u64..).zip(sequences) {
                content.extend(thread.to_le_bytes());
                content.extend(sequence.to_le_bytes());
            }
        });
    }
    file.push(1);
    file
}

fn events(content: &mut Vec<u8>, block: u64, sequences: &mut [u32; 2]) {
    begin_events(content);
    let (mut ticks, mut sequence) = (0_u64, 0_u32);
    for number in 0..EVENTS_OF_A_BLOCK {
        let run = number / EVENTS_OF_A_RUN;
        let thread = run % 2;
        let Some(last) = sequences.get_mut(thread as usize) else { return };
        *last += 1;
        // Which parts follow: metadata id, stack and payload length; the threads too at the start of a run.
        let is_sample = number % 3 == 0;
        let begins_run = number % EVENTS_OF_A_RUN == 0;
        content.push(0b1000_1001 | if begins_run { 0b110 } else { 0 } | if is_sample { 0 } else { 0b1_0000 });
        varint(content, if is_sample { 1 } else { 2 });
        if begins_run {
            // The reader adds this and one more.
            varint(content, last.wrapping_sub(sequence).wrapping_sub(1).into());
            varint(content, thread + 1);
            varint(content, 0);
            varint(content, thread + 1);
        }
        sequence = *last;
        varint(content, number % STACKS + 1);
        // Two runs cover the same time, one between the events of the other.
        let pair = block * EVENTS_OF_A_BLOCK + run / 2 * 2 * EVENTS_OF_A_RUN;
        let now = 2 * (pair + number % EVENTS_OF_A_RUN) + thread;
        varint(content, now.wrapping_sub(ticks));
        ticks = now;
        if !is_sample {
            content.extend(u128::from(number % 50 + 1).to_le_bytes());
        }
        varint(content, 4);
        content.extend(2_u32.to_le_bytes());
    }
}

fn metadata(content: &mut Vec<u8>, id: u32, provider: &str, event_id: u32) {
    let mut record = id.to_le_bytes().to_vec();
    record.extend(provider.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
    record.extend(event_id.to_le_bytes());
    // An empty name, no keywords; version, level, number of fields.
    record.extend([0; 2 + 8 + 4]);
    record.extend(4_u32.to_le_bytes());
    record.extend(0_u32.to_le_bytes());
    // Only the payload's length differs from the event before; no time has passed.
    content.extend([0b1000_0000, 0]);
    varint(content, record.len() as u64);
    content.extend(record);
}

/// The header of a block of events: its size, compressed headers, no times.
fn begin_events(content: &mut Vec<u8>) {
    content.extend([20, 0, 1, 0]);
    content.extend([0; 16]);
}

fn block(file: &mut Vec<u8>, name: &str, write: impl FnOnce(&mut Vec<u8>)) {
    let mut content = Vec::new();
    write(&mut content);
    object(file, name, 2, |file| {
        file.extend((content.len() as u32).to_le_bytes());
        file.resize(file.len().next_multiple_of(4), 0);
        file.extend(content);
    });
}

fn object(file: &mut Vec<u8>, name: &str, version: u32, write: impl FnOnce(&mut Vec<u8>)) {
    file.extend([5, 5, 1]);
    for number in [version, version, name.len() as u32] {
        file.extend(number.to_le_bytes());
    }
    file.extend(name.as_bytes());
    file.push(6);
    write(file);
    file.push(6);
}

fn varint(content: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        content.push(value as u8 | 0x80);
        value >>= 7;
    }
    content.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Loader;

    #[test]
    fn is_a_trace_like_any_other() {
        let bytes = trace();
        let mut loader = Loader::new();
        loader.append(bytes.len(), |space| space.copy_from_slice(&bytes));
        let store = loader.finish().map_err(|failure| failure.message);
        let store = store.unwrap();
        assert_eq!((store.events().len() as u64, store.lost_events()), (EVENTS, Some(0)));
        assert_eq!(store.diagnostics().total(), 0);
        let stacks = store.stacks();
        let with_stack = store
            .events()
            .chunks()
            .iter()
            .all(|chunk| (0..chunk.len()).all(|row| stacks.leaf_to_root(chunk.stack(row)).count() == 3));
        assert!(with_stack);
        let ticks = |row| store.events().chunks()[0].ticks(row);
        assert_eq!([ticks(0), ticks(1), ticks(2)], [0, 1, 2], "the threads take turns");
    }
}
