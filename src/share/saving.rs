//! State of the dialog that saves a page or a trace.

use crate::app::state::page_state::page_state;
use leptos::prelude::*;

/// Kind of file to save.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SaveAs {
    /// Page with the trace.
    #[default]
    Page,
    Trace,
}

page_state! {
    /// State of the dialog.
    Saving {
        /// True if the dialog is open.
        is_open: bool,
        /// Kind of file.
        what: SaveAs,
        /// True if only the filtered events are saved.
        is_part: bool,
    }
}

impl Saving {
    /// Opens the dialog for a kind of file.
    pub fn open(self, what: SaveAs) {
        self.what.set(what);
        self.is_part.set(what == SaveAs::Trace);
        self.is_open.set(true);
    }
}
