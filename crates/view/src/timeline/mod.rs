//! The timeline: scale, layout of tracks, hit testing.

pub mod clock;
pub mod evidence;
pub mod hit;
pub mod motion;
pub mod paint;
pub mod resolution;
pub mod saved_range;
pub mod ticks;
pub mod timescale;
pub mod touch;
pub mod track_choices;
pub mod track_key;
pub mod track_layout;
pub mod track_matches;
pub mod track_priorities;
pub mod track_tree;
pub mod tracks;
pub mod turns;
