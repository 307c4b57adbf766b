//! Time range: snapping, the note at its end, and saving.

use crate::app::signals::SetChanged;
use crate::notes::subject::Subject;
use crate::timeline::stage::Stage;
use crate::timeline::state::{Drag, State};
use leptos::prelude::*;
use protocol::base::time::{Nanos, Span};
use protocol::request::Filter;
use protocol::tables::Gcs;
use std::rc::Rc;
use view::draw::units::CssPx;
use view::format;
use view::timeline::saved_range::{SavedRange, next_name};
use wasm_bindgen_futures::spawn_local;

/// Maximum distance for snapping to an edge.
const SNAP_REACH: CssPx = 8.0;
/// Reciprocal of the step by which a key moves the end of the range, as a share of the visible range.
const KEY_STEP: i64 = 50;

/// Returns the time at a position in the pane, or a nearby edge of an item on the track there.
pub fn snapped(state: &State, x: CssPx, y: Option<CssPx>) -> Nanos {
    let scale = state.viewport.scale();
    let Some(y) = y else { return scale.time(x) };
    let scene = state.scene();
    let hits = [x, x - SNAP_REACH, x + SNAP_REACH].map(|x| scene.hit(x, state.below_top(y)));
    let bounds = hits.iter().filter_map(|hit| scene.content_of(hit, |content| content.bounds(hit)).flatten());
    let edges = bounds.flat_map(|(start, end)| [start, end]);
    let distance = |edge: &i64| (scale.x(*edge) - x).abs();
    let nearest = edges.min_by(|one, other| distance(one).total_cmp(&distance(other)));
    nearest.filter(|edge| distance(edge) <= SNAP_REACH).map_or_else(|| scale.time(x), Nanos)
}

/// Extends or shortens the range at its end. Without a range, it begins at the selection or the center.
pub fn change_length(stage: &Rc<Stage>, longer: bool) {
    let range = stage.app.filter.with_untracked(|filter| filter.span);
    let (limits, step, middle) = {
        let state = stage.state.borrow();
        let shown = state.viewport.scale().span();
        (state.viewport.limits(), (shown.duration() / KEY_STEP).max(1), shown.start.0 + shown.duration() / 2)
    };
    let range = range.or_else(|| super::navigation::span_of_selection(stage)).unwrap_or(Span::new(middle, middle));
    let end = if longer { range.end.0.saturating_add(step) } else { range.end.0.saturating_sub(step) };
    let span = Span::new(range.start.0, end.min(limits.end.0));
    stage.app.choose_range((span.duration() > 0).then_some(span));
}

/// Saves the range with a name, and opens the list of saved ranges.
pub fn keep(stage: &Rc<Stage>, span: Span) {
    let saved_ranges = stage.app.timeline.saved_ranges;
    let is_kept = saved_ranges.with_untracked(|kept| kept.iter().any(|saved_range| saved_range.span == span));
    if !is_kept && Subject::Range(span).has_room(stage.app) {
        saved_ranges.update(|kept| {
            let name = next_name(kept);
            kept.push(SavedRange { span, name, note: String::new() });
        });
    }
    stage.signals.saved_ranges.set(true);
}

impl Stage {
    /// Updates the note at the end of the range.
    pub fn show_range_note(self: &Rc<Self>) {
        let range = self.app.filter.with_untracked(|filter| filter.span);
        let (note, unknown) = {
            let state = self.state.borrow();
            let matches = self.app.filtering.matches.get_untracked();
            let counted = |span: Span| state.counted.filter(|counted| counted.0 == span).map(|counted| counted.1);
            let found = match (state.dragged, state.drag) {
                (Some(span), Drag::Range { .. }) => Some((span, counted(span).or(state.counted.map(|known| known.1)))),
                _ => range.map(|span| (span, matches)),
            };
            let unknown = state.dragged.filter(|span| counted(*span).is_none());
            (found.and_then(|(span, events)| Some((self.end_of(&state, span)?, words(&state, span, events)))), unknown)
        };
        self.signals.note.set_changed(note);
        if let Some(span) = unknown.filter(|span| span.duration() > 0) {
            self.count(span);
        }
    }

    fn end_of(&self, state: &State, span: Span) -> Option<CssPx> {
        let scale = state.viewport.scale();
        let (start, end) = (scale.x(span.start.0), scale.x(span.end.0));
        (start < scale.width() && end > 0.0).then(|| end.min(scale.width()))
    }

    /// Requests the number of events in a dragged range, one request at a time.
    fn count(self: &Rc<Self>, span: Span) {
        if self.counting.replace(true) {
            return;
        }
        let filter = Filter { span: Some(span), ..self.app.filter.get_untracked() };
        let stage = Rc::downgrade(self);
        let app = self.app;
        spawn_local(async move {
            let table = app.events_in_order(filter, 0, 0).await.ok();
            let Some(stage) = stage.upgrade() else { return };
            stage.counting.set(false);
            // Without an answer, only the duration is shown; the next movement tries again.
            if let Some(total) = table.and_then(|table| table.total.first().copied()) {
                stage.state.borrow_mut().counted = Some((span, total));
                stage.request_frame();
            }
        });
    }
}

fn words(state: &State, span: Span, events: Option<u64>) -> String {
    // The ruler above shows the duration.
    let Some(events) = events else { return "Counting…".to_owned() };
    let rate = events as f64 / (span.duration().max(1) as f64 / 1e9);
    let mut text = format!("{} · {}", format::counted(events, "event"), format::rate(rate));
    let in_range = |table: &Gcs| {
        let touches = |row: &usize| table.start[*row] < span.end.0 && table.end[*row] > span.start.0;
        (0..table.start.len()).filter(touches).count()
    };
    let gcs: usize = state.gcs.values().map(|table| in_range(table)).sum();
    if gcs > 0 {
        text.push_str(&format!(" · {}", format::counted(gcs as u64, "GC")));
    }
    text
}
