//! Drawing of the timeline: minimap, ruler, lanes.

mod crossings;
pub(super) mod frames;
pub(super) mod matches;
pub(super) mod track_matches;

use crate::app::state::{App, Selection};
use crate::timeline::minimap::backdrop::draw_backdrop;
use crate::timeline::stage::Stage;
use crate::timeline::state::{Elements, State};
use crate::widgets::canvas::{CanvasPainter, Palette};
use leptos::prelude::*;
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::events::connections::{Link, Moment};
use protocol::request::Filter;
use std::rc::Rc;
use view::draw::drawlist::{CharacterWidths, Painter};
use view::draw::palette::{Fill, Token};
use view::draw::units::{CssPx, Rect};
use view::timeline::clock::ClockFace;
use view::timeline::paint::arrows::{Arrow, Ground, arrow_at};
use view::timeline::paint::flags::flags;
use view::timeline::paint::minimap::{MinimapMarks, paint_marks};
use view::timeline::paint::pane::{Pane, paint_pane};
use view::timeline::paint::ruler::{RulerMarks, paint_ruler};
use view::timeline::ticks::Ticks;
use view::timeline::timescale::TimeScale;
use view::timeline::tracks::track::Chosen;
use view::timeline::turns::Due;

pub const MINIMAP_HEIGHT: CssPx = 36.0;
/// Height of the ruler, below its border.
pub const RULER_HEIGHT: CssPx = 21.0;

pub fn draw(stage: &Rc<Stage>, elements: &Elements, palette: &Palette, due: Due) {
    let state = stage.state.borrow();
    let (width, height) = state.size;
    if width <= 0.0 || height <= 0.0 {
        return;
    }
    let (range, threads) = stage.app.filter.with_untracked(|filter| (filter.span, narrowed_threads(&state, filter)));
    let range = state.dragged.or(range);
    place(stage, elements, &state);
    let (characters, hover) = (palette.characters(), crosshair(stage.app, &state));
    if due >= Due::Lanes
        && !state.is_out_of_view
        && let Some(mut painter) = CanvasPainter::new(&elements.pane, width, height, palette)
    {
        paint_lanes(&mut painter, stage, &state, (range, hover), &threads, characters);
    }
    let Some(frame) = &elements.frame else { return };
    draw_backdrop(&frame.backdrop, &mut stage.backdrop.borrow_mut(), (&state, stage.other_overviews()), palette);
    if due < Due::All {
        return;
    }
    if let Some(mut painter) = CanvasPainter::new(&frame.ruler, width, RULER_HEIGHT, palette) {
        paint_ruler_of(&mut painter, stage, &state, (range, hover), characters);
    }
    if let Some(mut painter) = CanvasPainter::new(&frame.minimap, width, MINIMAP_HEIGHT, palette) {
        let marks = MinimapMarks { visible: state.viewport.scale().span(), range };
        paint_marks(&mut painter, &minimap_scale(&state), marks, MINIMAP_HEIGHT);
    }
}

/// Returns the threads of the filter; empty for all.
pub fn narrowed_threads(state: &State, filter: &Filter) -> Vec<ThreadId> {
    if filter.processes.is_empty() {
        return filter.threads.clone();
    }
    let threads = state.threads.thread.iter().zip(&state.threads.os_process);
    let of_processes = threads.filter(|(_, process)| filter.processes.contains(process));
    let of_processes = of_processes.map(|(thread, _)| ThreadId(*thread));
    of_processes.filter(|thread| filter.threads.is_empty() || filter.threads.contains(thread)).collect()
}

/// Returns the links of the selected event, which are drawn as arrows.
fn links(app: App) -> Vec<Link> {
    let selection = app.selection.get_untracked();
    app.details.connections.with_untracked(|known| {
        let known = known.as_ref().filter(|known| selection == Selection::Event(known.event));
        known.map_or_else(Vec::new, |known| known.links.clone())
    })
}

/// Returns the arrow of a link.
fn arrow(link: &Link, face: &ClockFace) -> Arrow {
    let end = |moment: &Moment| (moment.thread, moment.time);
    let other = link.other();
    Arrow {
        from: end(&link.from),
        to: end(&link.to),
        is_outgoing: link.outgoing,
        label: format!("{} · {}", link.words(), other.thread_label),
        moment: face.moment(other.time, 3),
    }
}

/// Returns the link whose arrow is at a point of the pane.
pub fn link_at(stage: &Stage, x: CssPx, y: CssPx) -> Option<Link> {
    let mut links = links(stage.app);
    let characters = stage.characters();
    let state = stage.state.borrow();
    let pane = (state.layout.pinned_height(state.size.1), state.size.1);
    let arrows: Vec<Arrow> = links.iter().map(|link| arrow(link, &stage.face())).collect();
    let (layout, scale, scroll_top) = (&*state.layout, &state.viewport.scale(), state.scroll_top);
    let found = arrow_at(&Ground { layout, scale, scroll_top, pane, characters }, &arrows, x, y);
    found.filter(|_| y >= pane.0).map(|at| links.swap_remove(at))
}

/// Returns the scale of the minimap, which covers the limits.
pub fn minimap_scale(state: &State) -> TimeScale {
    TimeScale::new(state.viewport.limits(), state.size.0)
}

/// Moves the pane over the visible part of the tracks.
fn place(stage: &Stage, elements: &Elements, state: &State) {
    let wanted = (state.scroll_top, state.size.0, state.size.1);
    if stage.placed.replace(Some(wanted)) == Some(wanted) {
        return;
    }
    let style = elements.lanes.style();
    // Setting a valid property of an own element can't fail.
    let _ = style.set_property("transform", &format!("translateY({}px)", state.scroll_top));
    let _ = style.set_property("width", &format!("{}px", state.size.0));
    let _ = style.set_property("height", &format!("{}px", state.size.1));
}

pub fn paint_lanes(
    painter: &mut impl Painter,
    stage: &Stage,
    state: &State,
    (range, hover): (Option<Span>, Option<i64>),
    threads: &[ThreadId],
    characters: CharacterWidths,
) {
    let (app, face, notes) = (stage.app, stage.face(), stage.signals.notes.get_untracked());
    let (chosen, evidence) = (chosen(app), app.timeline.evidence.get_untracked());
    let arrows: Vec<Arrow> = links(app).iter().map(|link| arrow(link, &face)).collect();
    let pinned = state.layout.pinned_height(state.size.1);
    let pane = Pane {
        scene: state.scene(),
        gcs: &state.gcs,
        limits: stage.own_span(state),
        scroll_top: state.scroll_top,
        top: pinned,
        height: state.size.1,
        range,
        threads,
        matches: state.track_matches.as_ref().map(|(_, matches)| matches),
        chosen,
        arrows: &arrows,
        evidence: &evidence,
        notes: &notes,
        hovered: state.hovered,
        crosshair: hover,
        characters,
        grid_offset: stage.grid_offset(),
    };
    paint_pane(painter, &pane);
    if pinned > 0.0 {
        // Covers other tracks that extend below the pinned ones.
        paint_pane(painter, &Pane { scroll_top: 0.0, top: 0.0, height: pinned, arrows: &[], ..pane });
        painter.rects(Fill::Solid(Token::LineStrong), &[Rect::new(0.0, pinned - 1.0, state.size.0, 1.0)]);
    }
}

pub fn paint_ruler_of(
    painter: &mut impl Painter,
    stage: &Stage,
    state: &State,
    (range, hover): (Option<Span>, Option<i64>),
    characters: CharacterWidths,
) {
    let (scale, face) = (state.viewport.scale(), stage.face());
    let matches = state.matches.as_ref().map(|(_, table)| table);
    let (saved_ranges, notes) = (stage.app.timeline.saved_ranges.get_untracked(), stage.signals.notes.get_untracked());
    let flags = flags(&saved_ranges, &notes);
    let marks = RulerMarks { range, hover, flags: &flags, matches, face };
    paint_ruler(painter, &scale, &Ticks::of_clock(&scale, &face), marks, RULER_HEIGHT, characters);
}

/// Returns the time under the pointer, which may be on a chart.
fn crosshair(app: App, state: &State) -> Option<i64> {
    let own = state.pointer.map(|(x, _)| state.viewport.scale().time(x).0);
    own.or_else(|| app.timeline.crosshair.get_untracked())
}

fn chosen(app: App) -> Chosen {
    match app.selection.get_untracked() {
        Selection::Function(function) => Chosen { function: Some(function.0), ..Chosen::default() },
        Selection::Gc(gc) => Chosen { gc: Some(gc), ..Chosen::default() },
        Selection::Event(event) => Chosen { event: Some(event.0), ..Chosen::default() },
        _ => Chosen::default(),
    }
}
