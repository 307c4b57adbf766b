//! Generates a small trace with typical content: samples with stacks, interleaved events of two threads, GCs,
//! exceptions, and a rundown.

use nettrace::write_varint;

const BLOCKS: u64 = 40;
const EVENTS_OF_A_BLOCK: u64 = 1000;
/// Number of consecutive events of a capture thread.
const EVENTS_OF_A_RUN: u64 = 100;
const STACKS: u64 = 32;
/// Number of frames of a stack.
const DEPTH: u64 = 12;
const METHODS: u64 = 4000;
const CODE_START: u64 = 0x10_0000;
const CODE_BYTES: u64 = 0x100;

const SAMPLE: u32 = 1;
const OTHER: u32 = 2;
const METHOD: u32 = 3;
const EXCEPTION: u32 = 4;
/// Events of a GC with their IDs and payload sizes: suspension begins and ends, GC starts and ends, threads restart
/// (field names: `Reason`, `Count`, `Depth`, …).
const COLLECTION: [(u32, u32, usize); 5] = [(5, 9, 8), (6, 8, 0), (7, 1, 24), (8, 2, 8), (9, 3, 0)];

/// Returns a trace in nettrace 4 (NetTraceFormat_v5).
pub(crate) fn trace() -> Vec<u8> {
    let mut file = b"Nettrace\x14\0\0\0!FastSerialization.1".to_vec();
    object(&mut file, "Trace", 4, |file| {
        // Year, month, day of week, day, hour, minute, second, millisecond.
        for part in [2026_u16, 1, 4, 1, 0, 0, 0, 0] {
            file.extend(part.to_le_bytes());
        }
        // Ticks at the sync time, and frequency.
        file.extend(0_u64.to_le_bytes());
        file.extend(1_000_000_000_u64.to_le_bytes());
        // Pointer size, process, CPUs, sampling interval.
        for number in [8_u32, 1, 2, 1_000_000] {
            file.extend(number.to_le_bytes());
        }
    });
    block(&mut file, "MetadataBlock", |content| {
        begin_events(content);
        metadata(content, SAMPLE, "Microsoft-DotNETCore-SampleProfiler", 0);
        metadata(content, OTHER, "Traceglass-WarmUp", 1);
        metadata(content, METHOD, "Microsoft-Windows-DotNETRuntimeRundown", 144);
        metadata(content, EXCEPTION, "Microsoft-Windows-DotNETRuntime", 80);
        for (id, event_id, _) in COLLECTION {
            metadata(content, id, "Microsoft-Windows-DotNETRuntime", event_id);
        }
    });
    let mut sequences = [0_u32; 2];
    for number in 0..BLOCKS {
        block(&mut file, "StackBlock", |content| {
            for value in [1, STACKS as u32] {
                content.extend(value.to_le_bytes());
            }
            for stack in 0..STACKS {
                content.extend((8 * DEPTH as u32).to_le_bytes());
                for depth in (0..DEPTH).rev() {
                    // The outermost frames are the same in every stack.
                    let method = if depth < 4 { depth } else { (stack * 7 + depth * 13 + number * 31) % METHODS };
                    content.extend((CODE_START + method * CODE_BYTES + 8).to_le_bytes());
                }
            }
        });
        block(&mut file, "EventBlock", |content| events(content, number, &mut sequences));
        block(&mut file, "EventBlock", |content| gc(content, number, &mut sequences));
        block(&mut file, "SPBlock", |content| {
            content.extend(((number + 1) * 2 * EVENTS_OF_A_BLOCK).to_le_bytes());
            content.extend(2_u32.to_le_bytes());
            for (thread, sequence) in (1_u64..).zip(sequences) {
                content.extend(thread.to_le_bytes());
                content.extend(sequence.to_le_bytes());
            }
        });
    }
    block(&mut file, "EventBlock", |content| methods(content, &mut sequences));
    file.push(1);
    file
}

/// Writes the methods of the stacks, as in the rundown at the end.
fn methods(content: &mut Vec<u8>, sequences: &mut [u32; 2]) {
    begin_events(content);
    let mut now = Moment::at(2 * (BLOCKS + 1) * EVENTS_OF_A_BLOCK);
    for method in 0..METHODS {
        let mut payload = Vec::new();
        for number in [method + 1, 1, CODE_START + method * CODE_BYTES] {
            payload.extend(number.to_le_bytes());
        }
        // Size, token, flags: compiled at run time.
        for number in [CODE_BYTES as u32, 0x600_0000 + method as u32, 8] {
            payload.extend(number.to_le_bytes());
        }
        let group = method / 8;
        text(&mut payload, &format!("Shop.Area{group}.Service`1+<RunAsync>d__{group}[System.__Canon]"));
        text(&mut payload, if method % 2 == 0 { "MoveNext" } else { "Calculate" });
        text(&mut payload, "instance void  (class System.Collections.Generic.List`1<int32>,!!0&,value class Shop.Key)");
        payload.extend([0; 10]);
        now.event(content, METHOD, sequences, &payload);
    }
}

/// Writes a GC and an exception, with payloads of zeros of the right length.
fn gc(content: &mut Vec<u8>, block: u64, sequences: &mut [u32; 2]) {
    begin_events(content);
    let mut now = Moment::at(2 * (block + 1) * EVENTS_OF_A_BLOCK - 10);
    for (id, _, payload_bytes) in COLLECTION {
        let mut payload = vec![0; payload_bytes];
        if let Some(count) = payload.first_chunk_mut::<4>().filter(|_| payload_bytes > 8) {
            *count = (block as u32 + 1).to_le_bytes();
        }
        payload.extend([0; 2]);
        now.event(content, id, sequences, &payload);
    }
    let mut payload = Vec::new();
    text(&mut payload, "System.InvalidOperationException");
    text(&mut payload, "The order was canceled.");
    payload.extend([0; 16]);
    now.event(content, EXCEPTION, sequences, &payload);
}

/// Time of the next event with a full header, on the first thread.
struct Moment {
    ticks: u64,
    sequence: u32,
    advance: u64,
}

impl Moment {
    fn at(ticks: u64) -> Self {
        Self { ticks: 0, sequence: 0, advance: ticks }
    }

    /// Writes an event one tick after the previous one.
    fn event(&mut self, content: &mut Vec<u8>, id: u32, sequences: &mut [u32; 2], payload: &[u8]) {
        let [last, _] = sequences;
        *last += 1;
        content.push(0b1000_0111);
        write_varint(content, id.into());
        write_varint(content, last.wrapping_sub(self.sequence).wrapping_sub(1).into());
        self.sequence = *last;
        // Capture thread, CPU, thread.
        content.extend([1, 0, 1]);
        self.ticks += self.advance;
        write_varint(content, self.advance);
        self.advance = 1;
        write_varint(content, payload.len() as u64);
        content.extend(payload);
    }
}

fn events(content: &mut Vec<u8>, block: u64, sequences: &mut [u32; 2]) {
    begin_events(content);
    let (mut ticks, mut sequence) = (0_u64, 0_u32);
    for number in 0..EVENTS_OF_A_BLOCK {
        let run = number / EVENTS_OF_A_RUN;
        let thread = run % 2;
        let Some(last) = sequences.get_mut(thread as usize) else { return };
        *last += 1;
        // Flags of the parts that follow: metadata ID, stack and payload length; the threads too at the start of a run.
        let is_sample = number % 3 == 0;
        let begins_run = number % EVENTS_OF_A_RUN == 0;
        content.push(0b1000_1001 | if begins_run { 0b110 } else { 0 } | if is_sample { 0 } else { 0b1_0000 });
        write_varint(content, if is_sample { SAMPLE } else { OTHER }.into());
        if begins_run {
            // The parser adds this number plus one.
            write_varint(content, last.wrapping_sub(sequence).wrapping_sub(1).into());
            write_varint(content, thread + 1);
            write_varint(content, 0);
            write_varint(content, thread + 1);
        }
        sequence = *last;
        write_varint(content, number % STACKS + 1);
        // Two runs cover the same time, with their events interleaved.
        let pair = block * EVENTS_OF_A_BLOCK + run / 2 * 2 * EVENTS_OF_A_RUN;
        let now = 2 * (pair + number % EVENTS_OF_A_RUN) + thread;
        write_varint(content, now.wrapping_sub(ticks));
        ticks = now;
        if !is_sample {
            content.extend(u128::from(number % 50 + 1).to_le_bytes());
        }
        write_varint(content, 4);
        content.extend(2_u32.to_le_bytes());
    }
}

fn metadata(content: &mut Vec<u8>, id: u32, provider: &str, event_id: u32) {
    let mut record = id.to_le_bytes().to_vec();
    text(&mut record, provider);
    record.extend(event_id.to_le_bytes());
    // Empty name, no keywords; version, level, number of fields.
    record.extend([0; 2 + 8 + 4]);
    record.extend(4_u32.to_le_bytes());
    record.extend(0_u32.to_le_bytes());
    // Only the payload length differs from the previous event; the time is the same.
    content.extend([0b1000_0000, 0]);
    write_varint(content, record.len() as u64);
    content.extend(record);
}

fn text(content: &mut Vec<u8>, text: &str) {
    content.extend(text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
}

/// Writes the header of an event block: size, compressed headers, no times.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Loader;

    /// Number of events of the trace.
    const EVENTS: u64 = BLOCKS * (EVENTS_OF_A_BLOCK + COLLECTION.len() as u64 + 1) + METHODS;

    #[test]
    fn generated_trace_is_valid() {
        let bytes = trace();
        let mut loader = Loader::new();
        loader.append(bytes.len(), |space| space.copy_from_slice(&bytes));
        let store = loader.finish().map_err(|failure| failure.message);
        let store = store.unwrap();
        assert_eq!((store.events.len() as u64, store.lost_events), (EVENTS, Some(0)));
        assert_eq!(store.diagnostics.total, 0);
        let stacks = &store.stacks;
        let chunk = &store.events.chunks()[0];
        assert_eq!(stacks.leaf_to_root(chunk.stack(0)).count() as u64, DEPTH);
        let ticks = |row| chunk.ticks(row);
        assert_eq!([ticks(0), ticks(1), ticks(2)], [0, 1, 2], "the threads take turns");
        let last = store.events.row(protocol::base::ids::EventId(EVENTS as u32 - 1));
        assert_eq!(last.ticks as u64, 2 * (BLOCKS + 1) * EVENTS_OF_A_BLOCK + METHODS - 1);
    }
}
