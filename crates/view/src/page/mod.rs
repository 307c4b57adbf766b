//! State and texts of the page that belong to no panel: tabs, scrolling, bundled traces, saved pages.

pub mod bundled_traces;
pub mod calendar;
pub mod fuzzy;
pub mod gradual;
pub mod saved_page;
pub mod tab;
pub mod vscroll;
