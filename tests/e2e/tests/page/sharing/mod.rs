mod saved_page;
mod saved_threads;
