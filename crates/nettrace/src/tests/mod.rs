//! Tests of whole traces: written data is read back, also from divided, truncated and damaged traces.

mod chunking;
mod conformance;
mod damage;
mod excerpt;
mod payloads;
mod reader;
mod reading;
mod round_trip;
mod sample;
mod structure;
mod truncation;
