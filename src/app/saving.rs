//! State of the dialog that saves a page or a trace.

use leptos::prelude::*;

/// Kind of file to save.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SaveAs {
    /// Page with the trace.
    #[default]
    Page,
    /// Trace.
    Trace,
}

/// State of the dialog. Copies are handles to the same state.
#[derive(Clone, Copy, Default)]
pub struct Saving {
    /// True if the dialog is open.
    pub is_open: RwSignal<bool>,
    /// Kind of file.
    pub what: RwSignal<SaveAs>,
    /// True if only the filtered events are saved.
    pub is_part: RwSignal<bool>,
}

impl Saving {
    /// Opens the dialog for a kind of file.
    pub fn open(self, what: SaveAs) {
        self.what.set(what);
        self.is_part.set(what == SaveAs::Trace);
        self.is_open.set(true);
    }

    /// Closes the dialog.
    pub fn close(self) {
        self.is_open.set(false);
    }
}
