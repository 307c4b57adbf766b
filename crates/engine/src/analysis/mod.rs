//! Functions from a [`crate::model::Store`] to the tables and answers of [`protocol`].
//!
//! Data that several queries need is built once and passed in by the caller, who caches it:
//!
//! | built once per store | for |
//! |---|---|
//! | [`samples::index::SampleIndex`] | threads, trees, lanes |
//! | [`samples::call_nodes::CallNodes`] | trees, lanes |
//! | [`intervals::gc::gcs_of`] | GCs, overview, summary |
//! | [`timeline::thread_states::ThreadStates`] | lanes |
//! | [`timeline::lanes::LaneIndex`] | lanes |
//! | [`intervals::tracks::TrackIndex`] | marks of the runtime's tracks |
//! | [`intervals::spans::index::SpanIndex`] | spans of threads, activities and requests; connections of an event |
//!
//! A filter becomes a [`scan::selection::Selection`], a source with its weight a [`samples::index::SampleIndex`], a shape the
//! [`stacks::shape::TransformedCallPaths`], a tree query a [`stacks::call_tree::CallTree`]. Each is worth caching by query.

pub mod compare;
pub mod events;
pub mod file;
pub mod filter;
pub mod intervals;
pub mod measures;
pub mod names;
pub mod redaction;
pub mod samples;
pub mod scan;
pub mod stacks;
#[cfg(test)]
pub(crate) mod tests;
pub mod timeline;
pub mod topics;
pub mod values;

#[cfg(test)]
pub(crate) mod testing;
