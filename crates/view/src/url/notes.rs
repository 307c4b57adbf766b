//! Notes in a URL.

use super::part::UrlPart;
use crate::notes::{MAX_NOTES, Note};
use protocol::base::time::Span;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NotesView {
    pub notes: Vec<Note>,
}

impl UrlPart for NotesView {
    fn encode(&self, push: &mut impl FnMut(&str, &str)) {
        self.notes.iter().for_each(|note| push("note", &note.encode()));
    }

    fn decode(&mut self, key: &str, value: &str) -> bool {
        if key == "note" && self.notes.len() < MAX_NOTES {
            self.notes.extend(Note::decode(value));
        }
        key == "note"
    }

    fn fit(&mut self, whole: Span) {
        let is_inside = |time: Span| time.start >= whole.start && time.end <= whole.end;
        self.notes.retain(|note| note.place.time().is_none_or(is_inside));
    }
}
