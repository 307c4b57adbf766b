//! Browser tests of saved pages, traces and pictures.

mod copied_view;
mod masked;
mod pictures;
mod saved_page;
mod saved_threads;
