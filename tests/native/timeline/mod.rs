//! What the timeline draws is true at every zoom: rules that hold for random traces, and pictures of recorded ones.

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
