//! Subjects of notes: places, and time ranges, whose notes belong to saved ranges.

use crate::app::state::App;
use leptos::prelude::*;
use protocol::base::time::Span;
use view::notes::{MAX_NOTES, MAX_TEXT, Note, Place, clean};
use view::timeline::saved_range::{SavedRange, next_name};

/// Subject of a note.
#[derive(Clone, PartialEq, Debug)]
pub enum Subject {
    /// Place without a note.
    New(Place),
    /// Note, by its index.
    Existing(usize),
    /// Time range, which is saved with its note.
    Range(Span),
}

impl Subject {
    /// Returns the note about a place, or the place if there is none.
    pub fn at(app: App, place: Place) -> Self {
        let known = app.notes.notes.with_untracked(|notes| notes.iter().position(|note| note.place == place));
        known.map_or(Self::New(place), Self::Existing)
    }

    /// Returns the text of the note; empty if there is none.
    pub fn text(&self, app: App) -> String {
        match self {
            Self::New(_) => None,
            Self::Existing(index) => app.notes.notes.with_untracked(|notes| Some(notes.get(*index)?.text.clone())),
            Self::Range(span) => app.timeline.saved_ranges.with_untracked(|saved_ranges| {
                saved_ranges.iter().find(|range| range.span == *span).map(|range| range.note.clone())
            }),
        }
        .unwrap_or_default()
    }

    /// Returns what the note is about.
    pub fn about(&self, app: App) -> String {
        let face = untrack(|| app.face());
        match self {
            Self::New(place) => Some(place.words(&face)),
            Self::Existing(index) => {
                app.notes.notes.with_untracked(|notes| Some(notes.get(*index)?.place.words(&face)))
            }
            Self::Range(span) => Some(face.range(span.start.0, span.end.0)),
        }
        .unwrap_or_default()
    }

    /// Returns whether another note can be added for the subject.
    pub fn has_room(&self, app: App) -> bool {
        match self {
            Self::New(_) => app.notes.notes.with_untracked(Vec::len) < MAX_NOTES,
            Self::Existing(_) => true,
            Self::Range(span) => app.timeline.saved_ranges.with_untracked(|saved_ranges| {
                saved_ranges.len() < MAX_NOTES || saved_ranges.iter().any(|range| range.span == *span)
            }),
        }
    }

    /// Saves the text of the note. Without a text, the note is deleted.
    pub fn save(&self, app: App, text: &str) {
        match self {
            Self::New(place) => {
                if let Some(note) = Note::new(place.clone(), text) {
                    app.notes.notes.update(|notes| notes.push(note));
                }
            }
            Self::Existing(index) => {
                let known = app.notes.notes.with_untracked(|notes| notes.get(*index).cloned());
                let changed = known.map(|note| Note::new(note.place, text));
                app.notes.notes.update(|notes| match changed {
                    Some(Some(note)) => notes[*index] = note,
                    Some(None) => _ = notes.remove(*index),
                    None => {}
                });
            }
            Self::Range(span) => save_range(app, *span, clean(text, MAX_TEXT)),
        }
    }
}

fn save_range(app: App, span: Span, note: String) {
    app.timeline.saved_ranges.update(|saved_ranges| match saved_ranges.iter_mut().find(|range| range.span == span) {
        Some(range) => range.note = note,
        None if note.is_empty() => {}
        None => {
            let name = next_name(saved_ranges);
            saved_ranges.push(SavedRange { span, name, note });
        }
    });
}
