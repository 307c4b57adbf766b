//! Several traces on one timeline: heads of their groups, and the trace that the panels are about.

mod across;
mod group_head;
pub(crate) mod links;
mod named;
mod of_shown;
mod path;
mod requests;
pub(crate) mod saved;
pub(crate) mod state;

pub use across::AcrossServices;
pub use group_head::GroupHead;
pub use links::Awaited;
pub use of_shown::{OfDetailed, OfShown, TraceSwitch};
pub use path::PathOf;
pub use requests::follow_requests;
