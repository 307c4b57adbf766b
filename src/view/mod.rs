//! Presentation without a browser: time scales, layouts, draw lists, formats, keys.

pub mod drawlist;
pub mod exceptions_paint;
pub mod flame_boxes;
pub mod format;
pub mod gc_paint;
pub mod hit;
pub mod keymap;
pub mod lane_frame;
pub mod minimap_paint;
pub mod motion;
pub mod palette;
pub mod pane_paint;
pub mod resolution;
pub mod ruler_paint;
pub mod schema_rows;
pub mod slice_paint;
pub mod strip_paint;
pub mod text_fit;
pub mod ticks;
pub mod timescale;
pub mod tooltip;
pub mod track_layout;
pub mod tree_rows;
pub mod units;
pub mod url_state;
pub mod vscroll;
