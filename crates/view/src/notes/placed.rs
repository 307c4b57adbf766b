//! Notes with their places in the open trace, for drawing.

use super::Note;
use crate::timeline::track_key::TrackKey;
use crate::url::state::ThreadLink;
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;

/// Note with its place in the open trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlacedNote {
    /// Track; `None` for a moment, or if the trace doesn't have it.
    pub track: Option<TrackKey>,
    /// Time, without a duration for a moment; `None` for a track.
    pub time: Option<Span>,
    pub text: String,
}

impl PlacedNote {
    /// Returns the notes with their places; `find` finds threads.
    pub fn of(notes: &[Note], find: impl Fn(ThreadLink) -> Option<ThreadId>) -> Vec<Self> {
        let place = |note: &Note| Self {
            track: note.place.track().and_then(|track| track.key(&find)),
            time: note.place.time(),
            text: note.text.clone(),
        };
        notes.iter().map(place).collect()
    }

    /// Returns the texts of the notes about a whole track; `None` without any.
    pub fn of_track(notes: &[Self], key: TrackKey) -> Option<String> {
        let about = notes.iter().filter(|note| note.time.is_none() && note.track == Some(key));
        let texts: Vec<&str> = about.map(|note| note.text.as_str()).collect();
        (!texts.is_empty()).then(|| texts.join(" · "))
    }
}
