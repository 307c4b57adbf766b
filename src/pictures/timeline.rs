//! Picture of the visible part of the timeline: headers, ruler, tracks, legend.

use super::{Colors, sheet};
use crate::app::state::App;
use crate::timeline::drawing::{RULER_HEIGHT, narrowed_threads, paint_lanes, paint_ruler_of};
use crate::timeline::stage::Stage;
use crate::timeline::track_headers::text::{runtime_legend, threads_legend, words, work_legend};
use crate::widgets::canvas::Palette;
use leptos::prelude::*;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use std::rc::Rc;
use view::draw::drawlist::{CharacterWidths, Painter};
use view::draw::palette::{Fill, Token};
use view::draw::svg::heads::{Head, paint_heads};
use view::draw::svg::legend::{Entry, Swatch};
use view::draw::svg::sheet::{Picture, Sheet};
use view::draw::units::{CssPx, Rect};
use view::notes::placed::PlacedNote;
use view::timeline::hit::Target;
use view::timeline::track_key::TrackKey;
use view::timeline::track_layout::Track;
use view::timeline::tracks::table::{Group, TrackRow};
use view::traces::letter;

/// Width of the headers.
const HEADS: CssPx = 216.0;

/// Classes of colors, with their meanings.
type Legend = Vec<(&'static str, &'static str)>;

/// Draws the picture with the tracks of all traces; `None` before the timeline has a size.
pub fn draw(stage: &Rc<Stage>) -> Option<Picture> {
    let traces = stage.app.traces;
    let mut stages = vec![stage.clone()];
    if traces.are_several_now() {
        stages = traces.stages();
        sort_by_key(&mut stages, |stage| untrack(|| traces.position(stage.app)));
        stages.retain(|stage| !untrack(|| traces.is_collapsed(stage.app)));
    }
    let first = stages.first().unwrap_or(stage).clone();
    let (width, pane_height) = first.state.borrow().size;
    if width <= 0.0 || pane_height <= 0.0 {
        return None;
    }
    let colors = Colors::new();
    let characters = Palette::read().characters();
    let theme = colors.theme(characters);
    let (mut sheet, range) = {
        let state = first.state.borrow();
        let shown = state.viewport.scale().span();
        let shown = shown.intersect(state.viewport.limits()).unwrap_or(shown);
        let range = first.app.filter.with_untracked(|filter| filter.span);
        (sheet(first.app, &theme, HEADS + width, "Timeline", shown, &[]), range)
    };
    let top = sheet.bottom();
    sheet.part(HEADS, (width, RULER_HEIGHT), |painter| {
        paint_ruler_of(painter, &first, &first.state.borrow(), (range, None), characters);
    });
    sheet.end_row(RULER_HEIGHT);
    let (mut work, mut threads, mut noted) = (Vec::new(), Vec::new(), Vec::new());
    for stage in &stages {
        if stages.len() > 1 {
            sheet.heading(&untrack(|| heading(stage.app)));
        }
        // The picture has no pointer, and no place for tracks that are scrolled out of view.
        let before = {
            let mut state = stage.state.borrow_mut();
            let scroll_top = if state.is_out_of_view { 0.0 } else { state.scroll_top };
            (
                std::mem::replace(&mut state.hovered, Target::Nothing),
                std::mem::replace(&mut state.scroll_top, scroll_top),
            )
        };
        tracks(stage, &mut sheet, (width, pane_height), characters, (&mut work, &mut threads));
        let shown = stage.state.borrow().viewport.scale().span();
        noted.extend(notes(stage, shown));
        let mut state = stage.state.borrow_mut();
        (state.hovered, state.scroll_top) = before;
    }
    sheet.frame(top);
    for entries in [work, threads] {
        let entries: Vec<Entry> =
            entries.into_iter().map(|(class, words)| (Swatch::of_class(class), words.to_owned())).collect();
        sheet.legend(&entries);
    }
    sheet.notes(&noted);
    Some(sheet.finish())
}

/// Returns the heading of a trace's tracks: "B payments.nettrace · offset 1500.370 ms, from 10 requests".
fn heading(app: App) -> String {
    let name = app.trace_name();
    let offset = (app.number > 0).then(|| format!(" · offset {}", app.traces.offset(app).words()));
    format!("{} {name}{}", letter(app.traces.position(app)), offset.unwrap_or_default())
}

/// Draws the headers and lanes of a trace, and collects the legends of its activities and of its threads.
fn tracks(
    stage: &Rc<Stage>,
    sheet: &mut Sheet<'_>,
    (width, pane_height): (CssPx, CssPx),
    characters: CharacterWidths,
    legends: (&mut Legend, &mut Legend),
) {
    let state = stage.state.borrow();
    let (range, threads) = stage.app.filter.with_untracked(|filter| (filter.span, narrowed_threads(&state, filter)));
    let pinned = state.layout.pinned_height(pane_height);
    let below = state.layout.between(state.scroll_top + pinned, state.scroll_top + pane_height);
    let on_top = state.layout.between(0.0, pinned);
    let end = |track: &Track, scroll: CssPx| track.top - scroll + track.height;
    // Half a track at the bottom would look like a mistake.
    let mut ends = below.iter().rev().map(|track| end(track, state.scroll_top));
    let height = ends.find(|end| *end <= pane_height).unwrap_or(pane_height).max(pinned);
    let mut heads: Vec<Head> = below.iter().map(|track| head(stage, track, state.scroll_top)).collect();
    heads.extend(on_top.iter().map(|track| head(stage, track, 0.0)));
    sheet.part(0.0, (HEADS, height), |painter| {
        paint_heads(painter, &heads, HEADS, characters);
        painter.rects(Fill::Solid(Token::Line), &[Rect::new(0.0, 0.0, HEADS, 1.0)]);
    });
    sheet.part(HEADS, (width, height), |painter| {
        paint_lanes(painter, stage, &state, (range, None), &threads, characters);
    });
    sheet.end_row(height);
    for track in on_top.iter().chain(below) {
        let is_thread = matches!(track.key, TrackKey::Thread(_));
        explain(stage, track, if is_thread { &mut *legends.1 } else { &mut *legends.0 });
    }
}

fn head(stage: &Stage, track: &Track, scroll_top: CssPx) -> Head {
    let signals = stage.signals;
    let said = untrack(|| signals.threads.with(|threads| words(signals, threads, track.key, track.row)));
    Head {
        top: track.top - scroll_top,
        height: track.height,
        level: track.level,
        is_heading: track.key.is_heading(),
        name: said.name,
        id: said.id,
        figures: said.right,
        has_note: signals.notes.with_untracked(|notes| PlacedNote::of_track(notes, track.key).is_some()),
    }
}

/// Returns the notes about the visible time range and about tracks, with what they are about.
fn notes(stage: &Stage, shown: Span) -> Vec<String> {
    let (app, face) = (stage.app, stage.face());
    let is_shown = |time: Span| time.start <= shown.end && time.end >= shown.start;
    let mut notes: Vec<(Option<Span>, String)> = app.notes.notes.with_untracked(|notes| {
        let shown = notes.iter().filter(|note| note.place.time().is_none_or(is_shown));
        shown.map(|note| (note.place.time(), format!("{}: {}", note.place.words(&face), note.text))).collect()
    });
    app.timeline.saved_ranges.with_untracked(|saved_ranges| {
        let noted = saved_ranges.iter().filter(|range| !range.note.is_empty() && is_shown(range.span));
        let words = |span: Span| face.range(span.start.0, span.end.0);
        notes.extend(noted.map(|range| (Some(range.span), format!("{}: {}", words(range.span), range.note))));
    });
    // Notes about tracks come first.
    sort_by_key(&mut notes, |(time, _)| time.map(|time| time.start.0));
    notes.into_iter().map(|(_, line)| line).collect()
}

/// Adds what explains the colors of a track.
fn explain(stage: &Stage, track: &Track, legend: &mut Legend) {
    let (app, signals) = (stage.app, stage.signals);
    let more = untrack(|| match track.key {
        TrackKey::Thread(_) => threads_legend(app, signals),
        TrackKey::Kind(key) => match TrackRow::of(key.kind).group {
            Group::Runtime => runtime_legend(signals, key.process),
            Group::Activities => work_legend(signals, key.process),
            Group::Counters => Vec::new(),
        },
        _ => Vec::new(),
    });
    for entry in more {
        if !legend.contains(&entry) {
            legend.push(entry);
        }
    }
}
