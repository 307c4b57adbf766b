//! State of the notes.

use super::subject::Subject;
use crate::app::state::page_state::page_state;
use leptos::prelude::*;
use view::draw::units::CssPx;
use view::notes::Note;
use view::url::notes::NotesView;

page_state! {
    /// Notes about the open trace.
    NotesState: NotesView {
        /// The notes, in the order in which they were added.
        notes: Vec<Note>,
    } {
        /// Open editor.
        draft: Option<Draft>,
    }
}

/// Open editor.
#[derive(Clone, PartialEq, Debug)]
pub struct Draft {
    pub subject: Subject,
    /// Position of the subject on the lanes.
    pub x: CssPx,
}
