//! Arrows of requests from one trace to another, over the tracks of all traces.

use super::stage::Stage;
use crate::app::state::Selection;
use crate::traces::state::Traces;
use crate::widgets::canvas::{CanvasPainter, Palette};
use leptos::prelude::*;
use std::rc::Rc;
use view::draw::units::CssPx;
use view::traces::{Crossing, CrossingArrow, Side, paint_crossings};

/// Draws the arrows on the canvas of the first trace.
pub fn draw_crossings(traces: Traces, palette: &Palette) {
    if !traces.are_several_now() {
        return;
    }
    let (all, stages) = (untrack(|| traces.all()), traces.stages());
    let by_position: Vec<Option<&Rc<Stage>>> =
        all.iter().map(|app| stages.iter().find(|stage| stage.app.number == app.number)).collect();
    let Some(frame) = by_position.first().copied().flatten().and_then(|stage| stage.elements()?.frame) else { return };
    let Some(size) = stages.first().map(|stage| stage.state.borrow().size) else { return };
    let Some(mut painter) = CanvasPainter::new(&frame.over, size.0, size.1, palette) else { return };
    let arrows: Vec<CrossingArrow> =
        traces.crossings.with_untracked(|found| found.iter().flat_map(|one| arrows_of(one, &by_position)).collect());
    paint_crossings(&mut painter, &arrows, size);
}

/// Returns the horizontal positions of both ends of a side, and its top and bottom in the visible part of all tracks.
fn place(side: &Side, stages: &[Option<&Rc<Stage>>]) -> Option<((CssPx, CssPx), (CssPx, CssPx))> {
    let stage = stages.get(side.trace).copied().flatten()?;
    let elements = stage.elements()?;
    let state = stage.state.borrow();
    let scale = state.viewport.scale();
    let ends = (scale.x(side.start), scale.x(side.end));
    // Finding the row is the expensive part.
    if ends.1 < 0.0 || ends.0 > scale.width() || elements.section.offset_height() == 0 {
        return None;
    }
    let (top, height) = state.scene().place_of_event(side.event)?;
    let top = top - elements.scroll_top();
    Some((ends, (top, top + height)))
}

/// Returns the arrow of a request, and that of its response if it is selected.
fn arrows_of(crossing: &Crossing, stages: &[Option<&Rc<Stage>>]) -> Vec<CrossingArrow> {
    let (Some((client, client_y)), Some((server, server_y))) =
        (place(&crossing.client, stages), place(&crossing.server, stages))
    else {
        return Vec::new();
    };
    let is_down = client_y.0 < server_y.0;
    let (from, to) = if is_down { (client_y.1, server_y.0) } else { (client_y.0, server_y.1) };
    let sides = [Some(&crossing.client), Some(&crossing.server), crossing.caller.as_ref()];
    let is_selected = sides.into_iter().flatten().any(|side| {
        let stage = stages.get(side.trace).copied().flatten();
        stage.is_some_and(|stage| {
            stage
                .app
                .selection
                .with_untracked(|selection| matches!(selection, Selection::Event(event) if event.0 == side.event))
        })
    });
    let request = CrossingArrow { from: (client.0, from), to: (server.0, to), is_selected };
    let response = CrossingArrow { from: (server.1, to), to: (client.1, from), is_selected };
    std::iter::once(request).chain(is_selected.then_some(response)).collect()
}
