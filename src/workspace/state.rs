//! State of the tabs, the layout and the dialogs of an open trace.

use crate::app::state::Tab;
use crate::app::state::page_state::{page_state, whole_state};
use leptos::prelude::*;
use view::page::tab::TimelineHeights;

whole_state!(Tab);

page_state! {
    /// State of the layout and of the dialogs.
    WorkspaceState {
        /// True if the command palette is open.
        palette: bool,
        /// Keys of the palette's lines that were used last, the last one first.
        used_lines: Vec<String> => kept,
        /// True if the filter syntax is open.
        syntax_help: bool,
        heights: TimelineHeights => kept,
        /// True if the open tab takes the place of the timeline.
        is_maximized: bool,
    }
}
