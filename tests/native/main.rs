//! Tests that span crates: the command line against reference outputs, the timeline's pictures, mutations of traces.

mod architecture;
mod cli;
mod common;
mod conformance;
mod documents;
mod exports;
mod format;
mod fuzz;
mod reference;
mod synth;
mod timeline;
mod words;
