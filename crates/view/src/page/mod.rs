//! What belongs to no panel: tabs, scrolling, samples, saved pages.

pub mod calendar;
pub mod fuzzy;
pub mod samples;
pub mod saved_page;
pub mod tab;
pub mod vscroll;
