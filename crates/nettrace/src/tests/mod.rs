//! Tests of whole traces: what is written comes back, however it is divided, cut or damaged.

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
