//! What the user chose about the timeline and the address keeps: tracks, clock, bookmarks.

use crate::view::bookmark::Bookmark;
use crate::view::clock::{Clock, ClockFace};
use crate::view::track_link::TrackChoice;
use leptos::prelude::*;

/// What the user chose about the timeline. Copies are handles to the same.
#[derive(Clone, Copy, Default)]
pub struct TimelineChoices {
    /// Which tracks are open, pinned, hidden, moved, and how threads are sorted.
    pub tracks: RwSignal<Vec<TrackChoice>>,
    /// How moments are written.
    pub clock: RwSignal<Clock>,
    /// Ranges that were kept.
    pub bookmarks: RwSignal<Vec<Bookmark>>,
}

impl TimelineChoices {
    /// Another trace is opened: its tracks and ranges are others.
    pub fn forget(self) {
        self.tracks.set(Vec::new());
        self.bookmarks.set(Vec::new());
    }

    /// The clock of a trace whose moment 0 is at `start_unix_ms`; follows the choice.
    pub fn face(self, start_unix_ms: f64) -> ClockFace {
        let date = js_sys::Date::new(&start_unix_ms.into());
        let local_ahead_minutes = -(date.get_timezone_offset() as i32);
        ClockFace { clock: self.clock.get(), start_unix_ms, local_ahead_minutes }
    }
}
