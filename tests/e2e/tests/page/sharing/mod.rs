//! Browser tests of saved pages and traces.

mod saved_page;
mod saved_threads;
