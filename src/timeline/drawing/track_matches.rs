//! Dimming of what the filter doesn't match, for the tracks in view.

use crate::app::state::App;
use crate::timeline::state::{Signals, State};
use crate::timeline::{Handle, with};
use leptos::prelude::*;
use protocol::queries;
use protocol::request::Filter;
use view::timeline::resolution::{request_span, visible_inside};
use view::timeline::track_key::TrackKey;
use view::timeline::track_matches::TrackMatches;
use view::timeline::tracks::table::{Content, TrackRow};
use view::timeline::turns::Due;

/// Requests the matches of the tracks in view when the filter, the visible range or the tracks change.
pub fn follow_track_matches(app: App, handle: Handle, signals: Signals) {
    let latest = app.latest();
    Effect::new(move |_| {
        app.revision.track();
        app.visible.track();
        signals.window.track();
        signals.layout.track();
        let filter = dimming(app.filter.get());
        let Some(stage) = handle.get() else { return };
        let is_of_another = |known: &(Filter, TrackMatches)| Some(&known.0) != filter.as_ref();
        if stage.state.borrow().track_matches.as_ref().is_some_and(is_of_another) {
            stage.state.borrow_mut().track_matches = None;
            stage.request_frame();
        }
        let Some(filter) = filter else { return };
        let Some((query, tracks)) = question(&stage.state.borrow(), &filter) else { return };
        latest.ask(query, move |answer| {
            // Without matches, nothing is dimmed; the other panels still show them.
            let Ok(table) = answer else { return };
            if untrack(|| dimming(app.filter.get())).as_ref() == Some(&filter) {
                with(handle, |stage| {
                    stage.state.borrow_mut().track_matches = Some((filter, TrackMatches::new(tracks, table)));
                    stage.request(Due::Lanes);
                });
            }
        });
    });
}

/// Returns the conditions whose matches aren't obvious: the range, threads and processes are veiled as a whole. `None`
/// without conditions.
fn dimming(filter: Filter) -> Option<Filter> {
    let filter = Filter { span: None, threads: Vec::new(), processes: Vec::new(), ..filter };
    (filter != Filter::default()).then_some(filter)
}

/// Returns the request for the tracks in view and a screen around them, unless they are known.
fn question(state: &State, filter: &Filter) -> Option<(queries::TrackMatches, Vec<TrackKey>)> {
    let (top, height) = (state.scroll_top, state.size.1);
    if height <= 0.0 {
        return None;
    }
    let has_matches = |key: TrackKey| match key {
        TrackKey::Thread(_) => true,
        // Values aren't of events.
        TrackKey::Kind(key) => !matches!(TrackRow::of(key.kind).content, Content::Values(_)),
        _ => false,
    };
    let seen = |top, height| state.layout.seen(top, height).map(|track| track.key).filter(move |key| has_matches(*key));
    let (scale, limits) = (state.viewport.scale(), state.viewport.limits());
    let visible = visible_inside(&scale, limits);
    let known = state.track_matches.as_ref().filter(|known| known.0 == *filter);
    if known.is_some_and(|(_, known)| known.serves(seen(top, height), visible, scale.nanos_per_px())) {
        return None;
    }
    let mut tracks: Vec<TrackKey> = seen(top - height, 3.0 * height).collect();
    // Rows of threads come first.
    tracks.sort_by_key(|key| matches!(key, TrackKey::Kind(_)));
    let thread = |key: &TrackKey| if let TrackKey::Thread(thread) = key { Some(*thread) } else { None };
    let kind = |key: &TrackKey| if let TrackKey::Kind(key) = key { Some((key.process, key.kind)) } else { None };
    let span = request_span(&scale, limits);
    let query = queries::TrackMatches {
        filter: filter.clone(),
        threads: tracks.iter().filter_map(thread).collect(),
        tracks: tracks.iter().filter_map(kind).collect(),
        span,
        buckets: (span.duration() as f64 / scale.nanos_per_px()).ceil() as u32,
    };
    (!tracks.is_empty()).then_some((query, tracks))
}
