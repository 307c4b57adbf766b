//! State of the tabs, the layout and the dialogs of an open trace.

use crate::app::state::page_state::{page_state, whole_state};
use crate::app::state::{App, Tab};
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
        /// Pixels by which the timeline is lower than its default height, so that it cuts no track.
        snapped: f64,
        /// True if the open tab takes the place of the timeline.
        is_maximized: bool,
    }
}

impl App {
    /// Returns the pixels by which the timeline is lower than its height beside the open tab; 0 for a chosen height.
    pub fn snapped(self) -> f64 {
        let is_chosen = self.workspace.heights.with(|heights| heights.is_chosen(self.tab.get()));
        if is_chosen { 0.0 } else { self.workspace.snapped.get() }
    }
}
