//! Tests of the store with generated traces: order, threads, code over time, time ranges, losses.

mod code;
mod losses;
mod machine_wide;
mod order;
mod reread_header;
mod spans;
mod threads;
mod window;

use super::Store;
use super::testing::{read, read_into};
use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use nettrace::{Header, MetadataRecord};
use protocol::base::ids::{EventId, StackId};

const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";
const RUNDOWN: &str = "Microsoft-Windows-DotNETRuntimeRundown";
const SAMPLER: &str = "Microsoft-DotNETCore-SampleProfiler";

/// Returns a trace whose ticks are nanoseconds since its sync point.
fn trace(format: Format) -> TraceBuilder {
    TraceBuilder::with_header(format, &Header { sync_ticks: 0, tick_frequency: 1_000_000_000, ..format.header() })
}

fn record(metadata_id: u32, provider: &str, event_id: u32, version: u32) -> MetadataRecord {
    MetadataRecord { metadata_id, provider: provider.to_owned(), event_id, version, ..MetadataRecord::default() }
}

/// Returns all rows of a store.
fn rows(store: &Store) -> Vec<super::EventRow> {
    (0..store.events.len() as u32).map(|row| store.events.row(EventId(row))).collect()
}

/// Returns the raw names of a stack's frames, root first.
fn raw_names(store: &Store, stack: StackId) -> Vec<&str> {
    let functions = store.stacks.leaf_to_root(stack).filter_map(|frame| store.function_of(frame));
    let mut names: Vec<_> = functions.map(|function| store.strings.get(function.raw_name)).collect();
    names.reverse();
    names
}
