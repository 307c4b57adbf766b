//! Drawing of the timeline at any zoom: rules for random traces, and pictures of recorded ones.

mod bundled_traces;
mod many_processes;
mod painted;
mod pictures;
mod processes;
mod properties;
mod random_threads;
mod recorded;
mod recorder;
mod threads;
mod two_runtimes;
mod two_services;
