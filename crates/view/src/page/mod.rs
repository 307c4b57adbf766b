//! What belongs to no panel: tabs, scrolling, samples, saved pages.

pub mod bundled_traces;
pub mod calendar;
pub mod fuzzy;
pub mod saved_page;
pub mod tab;
pub mod vscroll;
