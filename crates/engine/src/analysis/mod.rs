//! Questions to the store.
//!
//! Pure functions from a [`crate::model::Store`] to the tables and answers of [`protocol`]. What several
//! questions share is built once and handed back in by the caller, who caches it:
//!
//! | built once a store | for |
//! |---|---|
//! | [`samples::SampleIndex`] | threads, trees, lanes |
//! | [`call_nodes::CallNodes`] | trees, lanes |
//! | [`gc::garbage_collections`] | collections, overview, summary |
//! | [`thread_states::KnownStates`] | lanes |
//! | [`lanes::LaneIndex`] | lanes |
//! | [`tracks::TrackIndex`] | marks of the runtime's tracks |
//! | [`span_index::SpanIndex`] | spans of threads, activities and requests; what belongs to an event |
//!
//! A filter becomes a [`selection::Selection`], a source with its weight a [`samples::SampleIndex`], a shape the
//! [`stack_shape::ShapedNodes`], a tree query a [`call_tree::CallTree`]; all are worth caching by query.

mod activity_lanes;
pub mod activity_path;
pub mod allocation_rate;
mod await_chains;
pub mod blocked_workers;
pub mod call_nodes;
pub mod call_tree;
pub mod code_places;
pub mod connections;
pub mod contention;
pub mod convoys;
pub mod counters;
mod decimal;
pub mod detail;
pub mod event_detail;
pub mod event_facts;
pub mod event_groups;
pub mod event_order;
pub mod events_page;
pub mod exceptions;
pub mod excerpt;
pub mod field_costs;
pub mod field_values;
pub mod fields;
pub mod file_pieces;
pub mod file_structure;
pub mod filter;
pub mod flame_layout;
pub mod frames;
pub mod function_detail;
pub mod function_weights;
pub mod gc;
pub mod gc_timeline;
pub mod handlers;
pub mod header_detail;
pub mod intervals;
pub mod inverted_tree;
pub mod jit;
pub mod labels;
pub mod lanes;
pub mod level_index;
pub mod loads;
pub mod lock_waits;
mod log_details;
pub mod logs;
pub mod lost;
pub mod markers;
pub mod marks;
pub mod message;
pub mod metadata;
pub mod nameless;
pub mod overview;
pub mod pairs;
pub mod payload_pieces;
pub mod payload_text;
pub mod payload_walk;
pub mod piece_runs;
pub mod pool;
pub mod query;
pub mod rank_order;
mod read_ahead;
mod recording;
pub mod role_times;
pub mod rows;
pub mod runs;
pub mod sample_choice;
pub mod samples;
pub mod schema_table;
pub mod selection;
pub mod series;
mod shared_labels;
mod slice_levels;
pub mod sort_value;
pub mod span_index;
mod span_names;
mod span_roles;
pub mod span_search;
#[cfg(test)]
mod span_search_tests;
pub mod stack_difference;
mod stack_filter;
mod stack_folding;
pub mod stack_occurrences;
mod stack_patterns;
pub mod stack_roots;
pub mod stack_search;
pub mod stack_shape;
pub mod stack_source;
pub mod stack_sources;
pub mod stack_spans;
pub mod stack_times;
pub mod stack_tree;
pub mod stacks_folded;
pub mod starvation;
mod stitched_folding;
pub mod task_index;
pub mod task_waits;
pub mod text_match;
pub mod thread_samples;
pub mod thread_states;
pub mod threads;
pub mod tiers;
pub mod told;
pub mod topics;
pub mod trace_facts;
pub mod tracks;
pub mod tree_query;
pub mod tree_tables;
pub mod value_order;
pub mod value_text;
pub mod waits;
pub mod window;
pub mod wire_type;

#[cfg(test)]
mod file_structure_reference_tests;
#[cfg(test)]
mod recording_reference_tests;
#[cfg(test)]
mod reference_tests;
#[cfg(test)]
mod series_reference_tests;
#[cfg(test)]
mod span_reference_tests;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod track_reference_tests;
#[cfg(test)]
mod truth_reference_tests;
