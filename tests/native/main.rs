//! Tests across crates: command-line tool and reference outputs, pictures of the timeline, mutations of traces.

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
mod workflows;
