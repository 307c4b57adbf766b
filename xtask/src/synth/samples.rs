//! Generates a trace of thread samples, with any number of samples and any stack depth, which no available real trace
//! has. The format is nettrace 4 (nettrace-v5.md): metadata, stacks, samples of eight threads, and the rundown.

use super::framing::{self, Output, object_head, write_block};
use super::writing::{EventWriter, WRITER, block_header, push_metadata, push_utf16};
use crate::{Outcome, command::step};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Content of the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Samples {
    /// Number of samples.
    pub count: u64,
    /// Number of frames of each stack.
    pub depth: u64,
}

const THREADS: u64 = 8;
/// Sampling interval of each thread.
const INTERVAL_NANOS: u64 = 1_000_000;
const SAMPLES_OF_A_BLOCK: u64 = 2000;
/// Maximum number of distinct stacks, and number of stacks per block.
const STACKS: u64 = 1 << 14;
const STACKS_OF_A_BLOCK: u64 = 128;
const METHODS: u64 = 5000;
const METHODS_OF_A_BLOCK: u64 = 500;
const CODE_START: u64 = 0x10_0000;
const CODE_BYTES: u64 = 0x100;

const SAMPLE: u64 = 1;
const METHOD: u64 = 2;

/// Writes the trace to `to`.
///
/// # Errors
/// Fails if the file can't be written.
pub fn write(samples: Samples, to: &Path) -> Outcome {
    step(&format!("writing {}", to.display()), || {
        let failed = |error: std::io::Error| format!("{}: {error}", to.display());
        let mut file = BufWriter::new(File::create(to).map_err(failed)?);
        write_to(samples, &mut file)?;
        file.flush().map_err(failed)
    })
}

/// Writes the trace.
///
/// # Errors
/// Fails if `output` fails.
pub fn write_to(samples: Samples, output: &mut impl Write) -> Outcome {
    let mut output = Output::new(output);
    framing::write_start(&mut output, INTERVAL_NANOS as u32)?;
    let mut descriptions = block_header();
    push_metadata(&mut descriptions, SAMPLE, "Microsoft-DotNETCore-SampleProfiler", 0, 0);
    push_metadata(&mut descriptions, METHOD, "Microsoft-Windows-DotNETRuntimeRundown", 144, 0);
    write_block(&mut output, &object_head("MetadataBlock", 2), &descriptions)?;
    let stacks = STACKS.min(samples.count.max(1));
    for first in (0..stacks).step_by(STACKS_OF_A_BLOCK as usize) {
        let end = (first + STACKS_OF_A_BLOCK).min(stacks);
        write_block(&mut output, &object_head("StackBlock", 2), &stack_block(first, end, stacks, samples.depth))?;
    }
    let mut writer = EventWriter::default();
    for first in (0..samples.count).step_by(SAMPLES_OF_A_BLOCK as usize) {
        writer.begin();
        for number in first..(first + SAMPLES_OF_A_BLOCK).min(samples.count) {
            let ticks = number / THREADS * INTERVAL_NANOS + number % THREADS * 1000;
            // The next stack can't be predicted from the previous one.
            let stack = (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20) % stacks + 1;
            // State: managed code.
            writer.event(SAMPLE, number % THREADS + 1, stack, ticks, &2_u32.to_le_bytes());
        }
        write_block(&mut output, &object_head("EventBlock", 2), &writer.content)?;
    }
    let end = (samples.count / THREADS + 1) * INTERVAL_NANOS;
    for first in (0..METHODS).step_by(METHODS_OF_A_BLOCK as usize) {
        writer.begin();
        for method in first..first + METHODS_OF_A_BLOCK {
            writer.event(METHOD, WRITER, 0, end + method, &method_payload(method));
        }
        write_block(&mut output, &object_head("EventBlock", 2), &writer.content)?;
    }
    output.write(&[framing::NULL_REFERENCE])
}

/// Returns a block of stacks like those of a real app: the outermost frames are common to all, and inner ones branch.
fn stack_block(first: u64, end: u64, stacks: u64, depth: u64) -> Vec<u8> {
    let mut content = Vec::new();
    content.extend((first as u32 + 1).to_le_bytes());
    content.extend(((end - first) as u32).to_le_bytes());
    let bits = u64::from(stacks.next_power_of_two().trailing_zeros());
    for stack in first..end {
        content.extend((8 * depth as u32).to_le_bytes());
        for level in (0..depth).rev() {
            let way = stack >> (bits - bits * level / depth.max(1));
            let method = (level.wrapping_mul(7919) ^ way.wrapping_mul(104_729)) % METHODS;
            content.extend((CODE_START + method * CODE_BYTES + 8).to_le_bytes());
        }
    }
    content
}

/// Returns address, size, token, flags (compiled at run time) and names.
fn method_payload(method: u64) -> Vec<u8> {
    let mut payload = Vec::new();
    for number in [method + 1, 1, CODE_START + method * CODE_BYTES] {
        payload.extend(number.to_le_bytes());
    }
    for number in [CODE_BYTES as u32, 0x600_0000 + method as u32, 8] {
        payload.extend(number.to_le_bytes());
    }
    push_utf16(&mut payload, &format!("Shop.Area{}.Service{}", method / 100, method / 10));
    push_utf16(&mut payload, &format!("Calculate{method}"));
    push_utf16(&mut payload, "instance int32  (int32)");
    payload.extend([0; 10]);
    payload
}
