//! Arrows of requests from one trace to another, over the tracks of all traces.

use crate::app::state::{App, Selection};
use crate::timeline::stage::Stage;
use crate::traces::state::Traces;
use crate::widgets::canvas::CanvasPainter;
use leptos::prelude::*;
use std::rc::Rc;
use view::draw::units::CssPx;
use view::timeline::timescale::TimeScale;
use view::traces::{Crossing, CrossingArrow, Side, paint_crossings};

/// Timeline of a trace in a frame. What the page must measure is the same for all arrows.
struct Ground<'s> {
    stage: &'s Stage,
    scale: TimeScale,
    scroll_top: CssPx,
}

/// Draws the arrows on the canvas of the first trace.
pub fn draw_crossings(traces: Traces, stages: &[Rc<Stage>]) {
    let Some(frame) = stages.iter().find_map(|stage| stage.elements()?.frame) else { return };
    let ground = |app: &App| {
        let stage = stages.iter().find(|stage| stage.app.number == app.number)?;
        let elements = stage.elements().filter(|elements| elements.section.offset_height() > 0)?;
        let scale = stage.state.borrow().viewport.scale();
        Some(Ground { stage, scale, scroll_top: elements.scroll_top() })
    };
    let has_crossings = traces.crossings.with_untracked(|found| !found.is_empty());
    let had_crossings = traces.has_drawn_crossings.try_update_value(|had| std::mem::replace(had, has_crossings));
    // The canvas is large: clearing it takes as long as drawing a timeline.
    if !has_crossings && had_crossings != Some(true) {
        return;
    }
    let grounds: Vec<Option<Ground>> = match has_crossings {
        true => untrack(|| traces.all()).iter().map(ground).collect(),
        false => Vec::new(),
    };
    let arrows: Vec<CrossingArrow> =
        traces.crossings.with_untracked(|found| found.iter().flat_map(|one| arrows_of(one, &grounds)).collect());
    let Some(first) = stages.first() else { return };
    let size = first.state.borrow().size;
    first.with_palette(|palette| {
        if let Some(mut painter) = CanvasPainter::new(&frame.over, size.0, size.1, palette) {
            paint_crossings(&mut painter, &arrows, size);
        }
    });
}

/// Returns the horizontal positions of both ends of a side, and its top and bottom in the visible part of all tracks.
fn place(side: &Side, grounds: &[Option<Ground>]) -> Option<((CssPx, CssPx), (CssPx, CssPx))> {
    let Ground { stage, scale, scroll_top } = grounds.get(side.trace)?.as_ref()?;
    let ends = (scale.x(side.start), scale.x(side.end));
    // Finding the row is the expensive part.
    if ends.1 < 0.0 || ends.0 > scale.width() {
        return None;
    }
    let (top, height) = stage.state.borrow().scene().place_of_event(side.event)?;
    let top = top - scroll_top;
    Some((ends, (top, top + height)))
}

/// Returns the arrow of a request, and that of its response if it is selected.
fn arrows_of(crossing: &Crossing, grounds: &[Option<Ground>]) -> Vec<CrossingArrow> {
    let (Some((client, client_y)), Some((server, server_y))) =
        (place(&crossing.client, grounds), place(&crossing.server, grounds))
    else {
        return Vec::new();
    };
    let is_down = client_y.0 < server_y.0;
    let (from, to) = if is_down { (client_y.1, server_y.0) } else { (client_y.0, server_y.1) };
    let sides = [Some(&crossing.client), Some(&crossing.server), crossing.caller.as_ref()];
    let is_selected = sides.into_iter().flatten().any(|side| {
        let ground = grounds.get(side.trace).and_then(Option::as_ref);
        ground.is_some_and(|ground| {
            let selection = ground.stage.app.selection.get_untracked();
            matches!(selection, Selection::Event(event) if event.0 == side.event)
        })
    });
    let request = CrossingArrow { from: (client.0, from), to: (server.0, to), is_selected };
    let response = CrossingArrow { from: (server.1, to), to: (client.1, from), is_selected };
    std::iter::once(request).chain(is_selected.then_some(response)).collect()
}
