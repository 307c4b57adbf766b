//! Notes on the timeline: what a new one is about, and where one is.

use super::interaction::navigation::selected_item;
use super::stage::Stage;
use crate::app::state::Selection;
use crate::notes::state::Draft;
use crate::notes::subject::Subject;
use crate::timeline::track_headers::text::words;
use leptos::prelude::*;
use protocol::base::time::Span;
use std::rc::Rc;
use view::format;
use view::notes::placed::PlacedNote;
use view::notes::{MAX_NAME, MAX_NOTES, Place, clean};
use view::timeline::hit::Target;
use view::timeline::track_key::TrackKey;
use view::url::names::{link_of_thread, thread_of};
use view::url::tracks::TrackLink;

/// Returns the notes with their places in the open trace; tracks notes and threads.
pub fn placed(stage: &Stage) -> Vec<PlacedNote> {
    let app = stage.app;
    app.notes.notes.with(|notes| {
        if notes.is_empty() {
            return Vec::new();
        }
        app.with_names(|names| PlacedNote::of(notes, |thread| thread_of(names.threads, thread)))
    })
}

/// Returns what a new note is about: the selected item, the time range, the selected thread, or the time under the
/// pointer.
pub fn subject_now(stage: &Stage) -> Subject {
    let range = stage.app.filter.with_untracked(|filter| filter.span);
    let item = selected_item(stage).and_then(|target| place_of_item(stage, &target));
    match (item, range, stage.app.selection.get_untracked()) {
        (Some(item), ..) => Subject::at(stage.app, item),
        (None, Some(range), _) => Subject::Range(range),
        (None, None, Selection::Thread(thread)) => subject_of_track(stage, TrackKey::Thread(thread)),
        _ => {
            let state = stage.state.borrow();
            let scale = state.viewport.scale();
            let x = state.pointer.map_or(scale.width() / 2.0, |(x, _)| x);
            Subject::at(stage.app, Place::Moment(scale.time(x).0))
        }
    }
}

/// Returns the place of an item; `None` if it isn't on the timeline.
pub fn place_of_item(stage: &Stage, target: &Target) -> Option<Place> {
    let state = stage.state.borrow();
    let (start, end) = state.scene().content_of(target, |content| content.bounds(target)).flatten()?;
    let (key, title) = (target.track()?, stage.about(target, &state)?.title);
    let name = match key {
        TrackKey::Thread(_) => format!("{title} · {}", name_of(stage, key)),
        _ => title,
    };
    Some(Place::Item { track: link_of(stage, key)?, span: Span::new(start, end), name: clean(&name, MAX_NAME) })
}

/// Returns the subject of a note about a whole track.
pub fn subject_of_track(stage: &Stage, key: TrackKey) -> Subject {
    match link_of(stage, key) {
        Some(track) => Subject::at(stage.app, Place::Track { track, name: clean(&name_of(stage, key), MAX_NAME) }),
        None => subject_now(stage),
    }
}

/// Returns the name of a track with its ID.
fn name_of(stage: &Stage, key: TrackKey) -> String {
    let row = stage.state.borrow().row_of(key);
    let words = untrack(|| stage.signals.threads.with(|threads| words(stage.signals, threads, key, row)));
    format!("{} {}", words.name, words.id).trim_end().to_owned()
}

fn link_of(stage: &Stage, key: TrackKey) -> Option<TrackLink> {
    untrack(|| stage.app.with_names(|names| TrackLink::of(key, &|thread| link_of_thread(names.threads, thread))))
}

/// Opens the editor beside the subject.
pub fn edit(stage: &Rc<Stage>, subject: Subject) {
    if !subject.has_room(stage.app) {
        let most = format::counted(MAX_NOTES as u64, "note");
        return stage.app.shell.say(format!("A view has at most {most}. Delete one first."));
    }
    let start = match &subject {
        Subject::New(place) => place.time(),
        Subject::Existing(index) => {
            stage.app.notes.notes.with_untracked(|notes| notes.get(*index).and_then(|note| note.place.time()))
        }
        Subject::Range(span) => Some(*span),
    };
    let scale = {
        let mut state = stage.state.borrow_mut();
        // The editor replaces the tooltip.
        state.pointer = state.pointer.map(|(x, _)| (x, None));
        state.viewport.scale()
    };
    stage.request_frame();
    let x = start.map_or(0.0, |time| scale.x(time.start.0)).clamp(0.0, scale.width());
    stage.app.notes.draft.set(Some(Draft { subject, x }));
}

/// Shows the place of a note.
pub fn show(stage: &Rc<Stage>, index: usize) {
    let note = stage.signals.notes.with_untracked(|notes| notes.get(index).cloned());
    let Some(PlacedNote { track, time, .. }) = note else { return };
    if let Some(key) = track {
        let above = stage.all_tracks().into_iter().find(|(known, ..)| *known == key).map(|(_, above, _)| above);
        stage.go_to_track(key, &above.unwrap_or_default());
    }
    match time {
        Some(time) if time.duration() > 0 => stage.show_around(time),
        Some(time) => {
            stage.state.borrow_mut().viewport.reveal(time.start);
            stage.request_frame();
        }
        None => {}
    }
}
