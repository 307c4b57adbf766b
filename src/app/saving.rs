//! State of the dialog that saves a page or a trace.

use leptos::prelude::*;

/// What is saved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SaveAs {
    /// A page with the trace in it.
    #[default]
    Page,
    /// A trace.
    Trace,
}

/// What is chosen in the dialog. Copies are handles to the same state.
#[derive(Clone, Copy, Default)]
pub struct Saving {
    /// Whether the dialog is open.
    pub is_open: RwSignal<bool>,
    /// What is saved.
    pub what: RwSignal<SaveAs>,
    /// Whether only what the filters show is saved.
    pub is_part: RwSignal<bool>,
}

impl Saving {
    /// Opens the dialog for one of them.
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
