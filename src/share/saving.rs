//! State of the dialog that saves a page or a trace.

use super::private_text::random_key;
use crate::app::state::page_state::page_state;
use leptos::prelude::*;
use protocol::redaction::{Mask, TextKind};

/// Kind of file to save.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SaveAs {
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
        /// True if other traces, which are compared or on the timeline, aren't saved.
        is_alone: bool,
        /// True if private text is masked.
        is_masked: bool,
        /// Kinds of private text to keep.
        kept_text: Vec<TextKind>,
        /// How private text is masked.
        mask: Mask,
        /// Secret from which random words are made.
        key: u64,
    }
}

impl Saving {
    /// Opens the dialog for a kind of file.
    pub fn open(self, what: SaveAs) {
        self.what.set(what);
        self.is_part.set(what == SaveAs::Trace);
        self.key.set(random_key());
        self.is_open.set(true);
    }
}
