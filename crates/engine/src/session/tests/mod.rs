//! Tests of a session, with requests like those of the page.

mod agreement;
mod case_files;
mod cpu_findings;
mod every_request;
mod file_structure;
mod finding_order;
mod flood_findings;
mod hottest;
mod known_change;
mod machine_findings;
mod message_round_trip;
mod partly_indexed;
mod previews;
mod routes;
mod sampling_findings;
mod schemas;
mod series;
mod span_times;
mod state_totals;
mod tab_counts;

use super::{FileFacts, Session};
use crate::analysis::tests::reference::recording;

/// Returns a session with a recording, if available.
fn recorded(name: &str) -> Option<Session> {
    let recording = recording(name)?;
    let facts = FileFacts { bytes: recording.bytes.len() as u64, ..FileFacts::default() };
    Some(Session::new(recording.store, Box::new(recording.bytes), facts).expect("a session"))
}
