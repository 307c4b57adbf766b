//! Dragging of track headers to other positions among their siblings.

use crate::timeline::Handle;
use crate::timeline::state::Signals;
use crate::widgets::{CLICK_REACH, capture};
use leptos::prelude::*;
use view::timeline::track_key::TrackKey;
use view::timeline::track_layout::TrackLayout;
use web_sys::PointerEvent;

/// Pressed header, and the vertical position of the press in the window.
pub type HeadDrag = StoredValue<Option<(TrackKey, f64)>>;

/// Handles a press on a header.
pub fn down(event: &PointerEvent, key: TrackKey, drag: HeadDrag) {
    if event.button() == 0 && event.pointer_type() == "mouse" {
        drag.set_value(Some((key, f64::from(event.client_y()))));
    }
}

pub fn moved(handle: Handle, signals: Signals, event: &PointerEvent, drag: HeadDrag) {
    let (Some((key, from_y)), Some(stage)) = (drag.get_value(), handle.get()) else { return };
    let y = f64::from(event.client_y());
    if signals.dragged_head.with_untracked(Option::is_none) {
        if (y - from_y).abs() < CLICK_REACH {
            return;
        }
        capture(event);
    }
    let Some(elements) = stage.elements() else { return };
    let y = y - elements.lanes.get_bounding_client_rect().top();
    let target = {
        let state = stage.state.borrow();
        sibling_at(&state.layout, key, state.below_top(y)).unwrap_or(key)
    };
    if signals.dragged_head.get_untracked() != Some((key, target)) {
        signals.dragged_head.set(Some((key, target)));
    }
}

/// Handles a release: the track moves to the position of the one under the pointer. The following click ends the drag.
pub fn up(handle: Handle, signals: Signals, drag: HeadDrag) {
    drag.set_value(None);
    let (Some((key, target)), Some(stage)) = (signals.dragged_head.get_untracked(), handle.get()) else { return };
    let place = signals.layout.with_untracked(|layout| layout.find(target).map(|track| track.position - 1));
    if let Some(place) = place.filter(|_| key != target) {
        stage.choose_tracks(|choices| choices.place(key, place));
    }
    // If no click follows, the next frame ends the drag.
    request_animation_frame(move || signals.dragged_head.set(None));
}

pub fn cancel(signals: Signals, drag: HeadDrag) {
    drag.set_value(None);
    signals.dragged_head.set(None);
}

/// Returns the sibling of a track at a height: the track there, or the sibling whose group contains it.
fn sibling_at(layout: &TrackLayout, key: TrackKey, y: f64) -> Option<TrackKey> {
    let index_of = |key| layout.tracks.iter().position(|track| track.key == key);
    let (own, under) = (index_of(key)?, index_of(layout.at(y)?.key)?);
    let level = layout.tracks[own].level;
    if (own < layout.pinned) != (under < layout.pinned) {
        return None;
    }
    let found = layout.tracks[..=under].iter().rposition(|track| track.level <= level)?;
    let parent = |index: usize| layout.tracks[..index].iter().rposition(|track| track.level < level);
    (layout.tracks[found].level == level && parent(found) == parent(own)).then(|| layout.tracks[found].key)
}
