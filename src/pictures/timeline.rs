//! Picture of the visible part of the timeline: headers, ruler, tracks, legend.

use super::{Colors, sheet};
use crate::timeline::draw::{RULER_HEIGHT, narrowed_threads, paint_lanes, paint_ruler_of};
use crate::timeline::stage::Stage;
use crate::timeline::track_headers::text::{runtime_legend, threads_legend, words, work_legend};
use crate::widgets::canvas::Palette;
use leptos::prelude::*;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use std::rc::Rc;
use view::draw::drawlist::Painter;
use view::draw::palette::{Fill, Token};
use view::draw::svg::heads::{Head, paint_heads};
use view::draw::svg::legend::{Entry, Swatch};
use view::draw::svg::sheet::Picture;
use view::draw::units::{CssPx, Rect};
use view::notes::placed::PlacedNote;
use view::timeline::hit::Target;
use view::timeline::track_key::TrackKey;
use view::timeline::track_layout::Track;
use view::timeline::tracks::table::{Group, TrackRow};

/// Width of the headers.
const HEADS: CssPx = 216.0;

/// Draws the picture; `None` before the timeline has a size.
pub fn draw(stage: &Rc<Stage>) -> Option<Picture> {
    let app = stage.app;
    let (width, pane_height) = stage.state.borrow().size;
    if width <= 0.0 || pane_height <= 0.0 {
        return None;
    }
    // The picture has no pointer.
    let hovered = std::mem::replace(&mut stage.state.borrow_mut().hovered, Target::Nothing);
    let picture = {
        let state = stage.state.borrow();
        let colors = Colors::new();
        let characters = Palette::read().characters();
        let theme = colors.theme(characters);
        let shown = state.viewport.scale().span();
        let shown = shown.intersect(state.viewport.limits()).unwrap_or(shown);
        let (range, threads) = app.filter.with_untracked(|filter| (filter.span, narrowed_threads(&state, filter)));
        let pinned = state.layout.pinned_height(pane_height);
        let below = state.layout.between(state.scroll_top + pinned, state.scroll_top + pane_height);
        let on_top = state.layout.between(0.0, pinned);
        let end = |track: &Track, scroll: CssPx| track.top - scroll + track.height;
        // Half a track at the bottom would look like a mistake.
        let mut ends = below.iter().rev().map(|track| end(track, state.scroll_top));
        let height = ends.find(|end| *end <= pane_height).unwrap_or(pane_height).max(pinned);
        let mut heads: Vec<Head> = below.iter().map(|track| head(stage, track, state.scroll_top)).collect();
        heads.extend(on_top.iter().map(|track| head(stage, track, 0.0)));
        let mut sheet = sheet(app, &theme, HEADS + width, "Timeline", shown, &[]);
        let top = sheet.bottom();
        sheet.part(HEADS, (width, RULER_HEIGHT), |painter| {
            paint_ruler_of(painter, stage, &state, (range, None), characters);
        });
        sheet.end_row(RULER_HEIGHT);
        sheet.part(0.0, (HEADS, height), |painter| {
            paint_heads(painter, &heads, HEADS, characters);
            painter.rects(Fill::Solid(Token::Line), &[Rect::new(0.0, 0.0, HEADS, 1.0)]);
        });
        sheet.part(HEADS, (width, height), |painter| {
            paint_lanes(painter, stage, &state, (range, None), &threads, characters);
        });
        sheet.end_row(height);
        sheet.frame(top);
        let tracks = || on_top.iter().chain(below);
        sheet.legend(&legend(stage, tracks().filter(|track| !matches!(track.key, TrackKey::Thread(_)))));
        sheet.legend(&legend(stage, tracks().filter(|track| matches!(track.key, TrackKey::Thread(_)))));
        sheet.notes(&notes(stage, shown));
        sheet.finish()
    };
    stage.state.borrow_mut().hovered = hovered;
    Some(picture)
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

/// Returns the legend of some tracks.
fn legend<'a>(stage: &Stage, tracks: impl Iterator<Item = &'a Track>) -> Vec<Entry> {
    let (app, signals) = (stage.app, stage.signals);
    let mut entries: Vec<(&'static str, &'static str)> = Vec::new();
    for track in tracks {
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
            if !entries.contains(&entry) {
                entries.push(entry);
            }
        }
    }
    entries.into_iter().map(|(class, words)| (Swatch::of_class(class), words.to_owned())).collect()
}
