//! Browser tests of the timeline.

mod navigation;
mod processes;
mod request_links;
mod ruler;
mod tracks;
