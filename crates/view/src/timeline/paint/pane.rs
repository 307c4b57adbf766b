//! Picture of the timeline's main pane, layer by layer: grid, boxes, pause bands, labels, veil, selection, crosshair.

use super::arrows::{Arrow, Ground, paint_arrows};
use super::event_ticks::events_by_pixel;
use super::gc::paint_bands;
use super::notes::paint_notes;
use crate::draw::drawlist::{Batches, CharacterWidths, DrawList, Line, Painter, Seen, Stroke};
use crate::draw::palette::{Fill, Token};
use crate::draw::units::{CssPx, Rect, whole_pixels};
use crate::notes::placed::PlacedNote;
use crate::timeline::evidence::Evidence;
use crate::timeline::hit::{Scene, Target};
use crate::timeline::ticks::Ticks;
use crate::timeline::track_key::TrackKey;
use crate::timeline::track_layout::Track;
use crate::timeline::track_matches::TrackMatches;
use crate::timeline::tracks::track::{Chosen, Place};
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::tables::Gcs;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Content of the pane.
#[derive(Clone, Copy)]
pub struct Pane<'a> {
    /// Tracks and their data.
    pub scene: Scene<'a>,
    /// GCs by process; pauses cross all threads of the process.
    pub gcs: &'a BTreeMap<u32, Arc<Gcs>>,
    /// Time range that can have data; no data is missing beyond it.
    pub limits: Span,
    /// Scroll position of the tracks.
    pub scroll_top: CssPx,
    /// Top of the scrolled tracks, below the pinned ones.
    pub top: CssPx,
    /// Height of the pane.
    pub height: CssPx,
    /// Selected time range, or the one that is being dragged.
    pub range: Option<Span>,
    /// Threads of the filter; empty for all.
    pub threads: &'a [ThreadId],
    /// Parts of tracks that match the filter; `None` if all do.
    pub matches: Option<&'a TrackMatches>,
    /// Selection.
    pub chosen: Chosen,
    /// Links of the selected item.
    pub arrows: &'a [Arrow],
    /// Evidence of a finding.
    pub evidence: &'a Evidence,
    /// Notes.
    pub notes: &'a [PlacedNote],
    /// Item under the pointer.
    pub hovered: Target,
    /// Time under the pointer.
    pub crosshair: Option<i64>,
    pub characters: CharacterWidths,
    /// Nanoseconds to add to times for round ones at the grid lines, which are below the ticks of the ruler.
    pub grid_offset: i64,
}

/// Draws the pane.
pub fn paint_pane(painter: &mut impl Painter, pane: &Pane<'_>) {
    let scale = &pane.scene.scale;
    let tracks = pane.scene.layout.between(pane.scroll_top + pane.top, pane.scroll_top + pane.height);
    let ticks = Ticks::of_offset(scale, pane.grid_offset);
    paint_ground(painter, pane, tracks, &ticks);
    let mut list = DrawList::of(Seen { top: pane.top, bottom: pane.height });
    let most_events = most_events(pane, tracks);
    for track in tracks {
        let (top, chosen) = (track.top - pane.scroll_top, pane.chosen);
        let (height, characters) = (track.height, pane.characters);
        let place = Place { scale, top, height, limits: pane.limits, chosen, characters };
        pane.scene.content(track, most_events, |content| content.paint(&mut list, &place));
    }
    list.paint_shapes(painter);
    for (process, run) in runs_of_threads(tracks) {
        let Some(gcs) = pane.gcs.get(&process) else { continue };
        let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
        let (top, bottom) = (first.top - pane.scroll_top, last.top + last.height - pane.scroll_top);
        let (top, bottom) = (top.max(0.0), bottom.min(pane.height));
        let labels = paint_bands(painter, gcs, scale, (top, bottom), (label_baseline(run, pane), pane.characters));
        list.labels.extend(labels);
    }
    list.paint_labels(painter);
    paint_veils(painter, pane, tracks);
    list.paint_outlines(painter);
    let evidence = pane.evidence.outlines(tracks, scale, pane.scroll_top, pane.height);
    if !evidence.is_empty() {
        painter.outlines(Token::Accent, 2.0, &evidence);
    }
    let (layout, scroll_top, characters) = (pane.scene.layout, pane.scroll_top, pane.characters);
    paint_arrows(
        painter,
        &Ground { layout, scale, scroll_top, pane: (pane.top, pane.height), characters },
        pane.arrows,
    );
    paint_notes(painter, pane.notes, tracks, scale, (pane.scroll_top, pane.height));
    paint_hovered(painter, pane, tracks);
    if let Some(at) = pane.crosshair {
        painter.lines(Token::Text3, Stroke::Dashed, &[Line::vertical(scale.x(at), 0.0, pane.height)]);
    }
}

/// Returns each run of a process's threads and their groups, which pauses cross.
fn runs_of_threads(tracks: &[Track]) -> impl Iterator<Item = (u32, &[Track])> {
    let process_of = |track: &Track| track.key.is_of_threads().then_some(track.process);
    let runs = tracks.chunk_by(move |one, other| process_of(one) == process_of(other));
    runs.filter_map(move |run| Some((process_of(run.first()?)?, run)))
}

/// Returns the baseline of labels in the strip of the first thread that is fully visible.
fn label_baseline(run: &[Track], pane: &Pane<'_>) -> CssPx {
    let strips = run.iter().filter_map(|track| Some((track.top - pane.scroll_top, track.parts.as_ref()?.strip)));
    let visible = strips.filter(|(top, _)| *top >= pane.top).map(|(top, strip)| top + strip.0 + strip.1 / 2.0);
    visible.map(|middle| middle + 4.0).next().unwrap_or(f64::NEG_INFINITY)
}

fn paint_ground(painter: &mut impl Painter, pane: &Pane<'_>, tracks: &[Track], ticks: &Ticks) {
    let width = pane.scene.scale.width();
    painter.rects(Fill::Solid(Token::Panel), &[Rect::new(0.0, 0.0, width, pane.height)]);
    let grid: Vec<Line> =
        ticks.ticks.iter().filter(|tick| tick.major).map(|tick| Line::vertical(tick.x, 0.0, pane.height)).collect();
    painter.lines(Token::LineFaint, Stroke::Continuous, &grid);
    let mut headings = Vec::new();
    let mut separators = Vec::new();
    for track in tracks {
        let top = track.top - pane.scroll_top;
        if track.key.is_heading() {
            headings.push(Rect::new(0.0, top, width, track.height));
        }
        separators.push(Rect::new(0.0, top + track.height - 1.0, width, 1.0));
    }
    if !headings.is_empty() {
        painter.rects(Fill::Solid(Token::App), &headings);
    }
    painter.rects(Fill::Solid(Token::LineFaint), &separators);
}

/// Returns the maximum number of events per pixel of visible threads without strips: the value of a full bar.
fn most_events(pane: &Pane<'_>, tracks: &[Track]) -> u32 {
    let without_strip = |track: &&Track| track.parts.as_ref().is_some_and(|parts| !parts.has_strip);
    let frames = tracks.iter().filter(without_strip).filter_map(|track| match track.key {
        TrackKey::Thread(thread) => pane.scene.frames.get(&thread),
        _ => None,
    });
    frames.flat_map(|frame| events_by_pixel(frame, &pane.scene.scale)).max().unwrap_or(0)
}

/// Veils the time outside the selected range, threads outside the filter, and what the filter doesn't match.
fn paint_veils(painter: &mut impl Painter, pane: &Pane<'_>, tracks: &[Track]) {
    let scale = &pane.scene.scale;
    let mut veils = Vec::new();
    if !pane.threads.is_empty() {
        for track in tracks {
            if let TrackKey::Thread(thread) = track.key
                && !pane.threads.contains(&thread)
            {
                veils.push(Rect::new(0.0, track.top - pane.scroll_top, scale.width(), track.height));
            }
        }
    }
    let mut edges = Vec::new();
    let mut inside = (0.0, scale.width());
    if let Some(range) = pane.range {
        let (start, end) = (scale.x(range.start.0).floor(), scale.x(range.end.0).floor());
        let (left, right) = (start.clamp(0.0, scale.width()), end.clamp(0.0, scale.width()));
        inside = (left, right);
        for (x, width) in [(0.0, left), (right, scale.width() - right)] {
            if width > 0.0 {
                veils.push(Rect::new(x, 0.0, width, pane.height));
            }
        }
        let visible = [start, end].into_iter().filter(|x| (0.0..scale.width()).contains(x));
        edges.extend(visible.map(|x| Line::vertical(x, 0.0, pane.height)));
    }
    if !veils.is_empty() {
        painter.rects(Fill::Solid(Token::Veil), &veils);
    }
    if let Some(matches) = pane.matches {
        let mut dimmed = Batches::default();
        let is_veiled = |track: &Track| match track.key {
            TrackKey::Thread(thread) => !pane.threads.is_empty() && !pane.threads.contains(&thread),
            _ => false,
        };
        for track in tracks.iter().filter(|track| !is_veiled(track)) {
            matches.dim(&mut dimmed, track, scale, track.top - pane.scroll_top, inside);
        }
        dimmed.paint(painter);
    }
    if !edges.is_empty() {
        painter.lines(Token::AccentLine, Stroke::Continuous, &edges);
    }
}

fn paint_hovered(painter: &mut impl Painter, pane: &Pane<'_>, tracks: &[Track]) {
    let Target::Slice { thread, depth, slice } = pane.hovered else { return };
    let Some(track) = tracks.iter().find(|track| track.key == TrackKey::Thread(thread)) else { return };
    let row = track.parts.as_ref().and_then(|parts| parts.stack.iter().find(|row| row.depth == depth));
    let scale = &pane.scene.scale;
    let pixels = whole_pixels(scale.x(slice.start), scale.x(slice.end), scale.width());
    if let (Some(row), Some((x, width))) = (row, pixels) {
        let area = Rect::new(x, track.top - pane.scroll_top + row.y, (width - 1.0).max(2.0), row.height - 1.0);
        painter.outlines(Token::Text2, 1.0, &[area]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::drawlist::RecordingPainter;
    use crate::timeline::hit::samples::small;
    use crate::timeline::tracks::lane_frame::{MarkerRow, SliceRow, StateRow};

    #[test]
    fn layers_are_painted_from_grid_to_crosshair() {
        let small = small();
        let scene = small.scene(500.0);
        let gcs = BTreeMap::from([(0, small.gcs.clone())]);
        let note = |track, start, end| PlacedNote { track, time: Some(Span::new(start, end)), text: "n".to_owned() };
        let busy = Some(TrackKey::Thread(ThreadId(1)));
        let notes = [note(None, 600, 600), note(busy, 300, 500), note(busy, 5_000, 6_000)];
        let pane = Pane {
            scene,
            gcs: &gcs,
            limits: Span::new(0, 1000),
            scroll_top: 72.0,
            top: 0.0,
            height: 100.0,
            range: Some(Span::new(200, 800)),
            threads: &[ThreadId(1)],
            matches: None,
            chosen: Chosen::default(),
            arrows: &[],
            evidence: &Evidence::default(),
            notes: &notes,
            hovered: scene.hit(250.0, 122.0),
            crosshair: Some(500),
            characters: CharacterWidths::default(),
            grid_offset: 0,
        };
        let mut painter = RecordingPainter::default();
        paint_pane(&mut painter, &pane);
        assert_eq!(
            painter.text(),
            "Panel: 0,0 500x100\n\
             Continuous LineFaint: 0.5,0→0.5,100; 250.5,0→250.5,100; 500.5,0→500.5,100\n\
             App: 0,0 500x20\n\
             LineFaint: 0,19 500x1; 0,68 500x1; 0,88 500x1\n\
             Managed: 0,23 200x8; 300,23 200x8; 0,33 499x13; 0,47 199x13; 300,47 199x13\n\
             Waiting: 200,28 100x3\n\
             ExternalSoft: 200,47 99x13\n\
             Text3: 50,63 1x4; 250,63 1x4\n\
             Unknown: 0,72 500x14\n\
             LockWait: 210,26 50x5\n\
             triangles Exception: 246,21 8x7\n\
             PauseBand: 50,20 5x69; 200,20 100x69; 350,20 2x69; 450,20 3x69\n\
             Dashed Gen1: 200.5,20→200.5,89; 299.5,20→299.5,89\n\
             text ManagedOn 6,43: Program.Main\n\
             text ManagedOn 6,57: Cache.Get\n\
             text Text 206,57: Monitor.Enter\n\
             text ManagedOn 306,57: Cache.Get\n\
             Veil: 0,69 500x20; 0,0 100x100; 400,0 100x100\n\
             Continuous AccentLine: 100.5,0→100.5,100; 400.5,0→400.5,100\n\
             Dashed Text2: 300.5,0→300.5,100\n\
             Text: 150,20 100x2; 150,20 7x7\n\
             outline Text2 1: 200,47 99x13\n\
             Dashed Text3: 250.5,0→250.5,100"
        );
    }

    /// Counts shapes drawn on a canvas.
    #[derive(Default)]
    struct Counter {
        calls: usize,
        shapes: usize,
    }

    impl Counter {
        fn count(&mut self, shapes: usize) {
            self.calls += 1;
            self.shapes += shapes;
        }
    }

    impl Painter for Counter {
        fn rects(&mut self, _: Fill, rects: &[Rect]) {
            self.count(rects.len());
        }
        fn outlines(&mut self, _: Token, _: CssPx, rects: &[Rect]) {
            self.count(rects.len());
        }
        fn lines(&mut self, _: Token, _: Stroke, lines: &[Line]) {
            self.count(lines.len());
        }
        fn triangles(&mut self, _: Token, boxes: &[Rect]) {
            self.count(boxes.len());
        }
        fn area(&mut self, _: Fill, _: CssPx, points: &[(CssPx, CssPx)]) {
            self.count(points.len());
        }
        fn text(&mut self, _: &crate::draw::drawlist::Label) {
            self.count(1);
        }
    }

    #[test]
    fn frame_cost_depends_on_visible_data() {
        const WIDTH: CssPx = 500.0;
        let mut small = small();
        let frame = small.frames.get_mut(&ThreadId(1)).expect("the busy thread");
        // A hundred times as many states, slices and markers as pixels, over a hundred times the visible time.
        let (state, slice, marker) = (frame.states[0], frame.depths[1][0], frame.markers[0]);
        let times = || (0..50_000_i64).map(|at| at * 2);
        frame.span = Span::new(0, 100_000);
        frame.states = times().map(|start| StateRow { start, end: start + 1, ..state }).collect();
        frame.depths[1] = times().map(|start| SliceRow { start, end: start + 1, ..slice }).collect();
        frame.markers = times().map(|time| MarkerRow { time, ..marker }).collect();
        let gcs = BTreeMap::from([(0, small.gcs.clone())]);
        let pane = Pane {
            scene: small.scene(WIDTH),
            gcs: &gcs,
            limits: Span::new(0, 100_000),
            scroll_top: 0.0,
            top: 0.0,
            height: 600.0,
            range: None,
            threads: &[],
            matches: None,
            chosen: Chosen::default(),
            arrows: &[],
            evidence: &Evidence::default(),
            notes: &[],
            hovered: Target::Nothing,
            crosshair: None,
            characters: CharacterWidths::default(),
            grid_offset: 0,
        };
        let mut painter = Counter::default();
        paint_pane(&mut painter, &pane);
        // Strip, two levels of the stack, markers: at most two shapes per pixel each.
        assert!(painter.shapes <= 6 * WIDTH as usize, "{} shapes", painter.shapes);
        assert!(painter.calls <= 40, "{} calls: colors are no longer gathered", painter.calls);
    }
}
