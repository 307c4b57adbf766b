//! Browser tests of the timeline.

mod first_screen;
mod navigation;
mod processes;
mod request_links;
mod ruler;
mod tracks;
