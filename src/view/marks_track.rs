//! Tracks of things that begin and end: methods while they are compiled, waits for locks, requests.

use super::drawlist::{DrawList, Label};
use super::format;
use super::hit::{REACH, Target};
use super::palette::{Fill, Token};
use super::strip_paint::each_pixel;
use super::text_fit::{MIN_LABEL_WIDTH, fit};
use super::timescale::TimeScale;
use super::tooltip::{DECIMALS, Tooltip, shorten, thread_name};
use super::track::{HeadWords, Place, RuntimeTrack, Subject, TrackContent};
use super::track_layout::TRACK_HEIGHT;
use super::units::{CssPx, Rect};
use crate::model::ids::ThreadId;
use crate::model::time::Span;
use crate::protocol::tables::{Marks, Threads, mark_flag, shade};
use crate::protocol::track::TrackKind;

/// Marks from this width on are boxes with an edge; narrower ones become density.
const BOX_WIDTH: CssPx = 3.0;
/// Above the first and below the last row.
const MARGIN: CssPx = 4.0;
/// All rows together, if there are many.
const MOST_ROWS_HEIGHT: CssPx = 168.0;
/// With more rows than this a track shows only how many there are at once, until it is expanded.
const ROWS_SHOWN_ALWAYS: usize = 3;
/// Narrow marks are shaded as if they covered at least this share of a pixel, so that they are seen.
const LEAST_SHADE: f64 = 0.6;
/// A single mark in the graph of a collapsed track.
const LOWEST_BAR: CssPx = 2.0;
/// Rows from this height on have labels.
const LABEL_HEIGHT: CssPx = 12.0;

/// How a kind of marks looks and what it is called.
struct Look {
    /// Name of the track.
    name: &'static str,
    /// One of them.
    noun: &'static str,
    /// Colours by shade: full and pale.
    colors: [(Token, Token); 2],
    /// Height of a row, if all fit.
    row_height: CssPx,
    /// What the note of a mark tells.
    note: &'static str,
}

fn look(kind: TrackKind) -> Look {
    let (io, span) = ((Token::Io, Token::IoSoft), (Token::Span, Token::SpanSoft));
    let (jit, lock) = ((Token::Jit, Token::JitSoft), (Token::Lock, Token::LockSoft));
    match kind {
        TrackKind::Compilations => {
            Look { name: "JIT", noun: "method", colors: [jit; 2], row_height: 7.0, note: "Tier" }
        }
        TrackKind::Contentions => {
            Look { name: "Lock waits", noun: "wait", colors: [lock; 2], row_height: 4.0, note: "Held by" }
        }
        TrackKind::RequestsServed => {
            Look { name: "Requests served", noun: "request", colors: [io; 2], row_height: 14.0, note: "Told by" }
        }
        TrackKind::RequestsSent => {
            Look { name: "Requests sent", noun: "request", colors: [io; 2], row_height: 14.0, note: "Told by" }
        }
        TrackKind::Network => {
            Look { name: "Network", noun: "operation", colors: [io; 2], row_height: 7.0, note: "Told by" }
        }
        TrackKind::Spans => Look { name: "Spans", noun: "span", colors: [span; 2], row_height: 14.0, note: "Told by" },
        TrackKind::Collections | TrackKind::Exceptions | TrackKind::Series(_) => {
            Look { name: "", noun: "", colors: [(Token::Neutral, Token::Neutral); 2], row_height: 14.0, note: "" }
        }
    }
}

/// A track of marks as known for a range at a resolution.
pub struct MarksTrack {
    kind: TrackKind,
    marks: Marks,
    span: Span,
    resolution: i64,
}

impl MarksTrack {
    /// A track that shows `marks`, which were asked for `span` at `resolution`.
    pub fn new(kind: TrackKind, marks: Marks, span: Span, resolution: i64) -> Self {
        Self { kind, marks, span, resolution }
    }

    fn row(&self, target: &Target) -> Option<usize> {
        match *target {
            Target::Item { kind, item } if kind == self.kind && item < self.marks.start.len() => Some(item),
            _ => None,
        }
    }

    fn target(&self, item: usize) -> Target {
        Target::Item { kind: self.kind, item }
    }

    fn rows(&self) -> usize {
        self.marks.rows.first().map_or(1, |rows| usize::from((*rows).max(1)))
    }

    fn row_height(&self) -> CssPx {
        look(self.kind).row_height.min((MOST_ROWS_HEIGHT / self.rows() as CssPx).floor()).max(2.0)
    }

    /// Top of a row, from the track's top: few rows stand in the middle.
    fn row_top(&self, row: u16) -> CssPx {
        let used = self.row_height() * self.rows() as CssPx;
        (((used + 2.0 * MARGIN).max(TRACK_HEIGHT) - used) / 2.0).floor() + self.row_height() * CssPx::from(row)
    }

    /// Whether a track so high shows only how many there are at once.
    fn is_collapsed(&self, height: CssPx) -> bool {
        self.expanded_height().is_some_and(|expanded| height < expanded)
    }

    /// Draws how many there are at once, in every pixel on average.
    fn paint_collapsed(&self, list: &mut DrawList, place: &Place<'_>) {
        let (scale, marks) = (place.scale, &self.marks);
        let mut at_once = vec![0.0f32; scale.width().ceil() as usize];
        for item in 0..marks.start.len() {
            let (left, right) = (scale.x(marks.start[item]), scale.x(marks.end[item]));
            let share = marks.covered[item] as f32 / (marks.end[item] - marks.start[item]).max(1) as f32;
            // Whatever is there leaves a trace, however short it is.
            each_pixel(left, right.max(left + 0.05), at_once.len(), |pixel, part| {
                at_once[pixel] += part * share + 1e-6
            });
        }
        let most = at_once.iter().copied().fold(1.0, f32::max);
        let (color, _) = look(self.kind).colors[0];
        let (base, room) = (place.top + place.height - 2.0, place.height - 5.0);
        for (pixel, &count) in at_once.iter().enumerate().filter(|(_, count)| **count > 0.0) {
            let height = (f64::from(count / most) * room).round().max(LOWEST_BAR);
            list.boxes.push(Fill::Solid(color), Rect::new(pixel as CssPx, base - height, 1.0, height));
        }
    }

    fn text(&self, position: u32) -> &str {
        self.marks.texts.get(position as usize)
    }
}

/// Per pixel of a row and shade: the share that narrow marks cover, and whether there is any.
struct Density {
    covered: Vec<f32>,
    color: Token,
}

impl TrackContent for MarksTrack {
    fn paint(&self, list: &mut DrawList, place: &Place<'_>) {
        if self.is_collapsed(place.height) {
            return self.paint_collapsed(list, place);
        }
        let (scale, marks, look) = (place.scale, &self.marks, look(self.kind));
        let height = self.row_height();
        let mut density: Vec<Option<Density>> = (0..self.rows() * 2).map(|_| None).collect();
        for item in 0..marks.start.len() {
            let (left, right) = (scale.x(marks.start[item]), scale.x(marks.end[item]));
            if right < 0.0 || left >= scale.width() {
                continue;
            }
            let shade = usize::from(marks.shade[item]).min(1);
            let (full, pale) = look.colors[shade];
            let y = place.top + self.row_top(marks.row[item]);
            if right - left < BOX_WIDTH || marks.count[item] > 1 {
                let at = usize::from(marks.row[item]) * 2 + shade;
                let Some(slot) = density.get_mut(at) else { continue };
                let pixels = scale.width().ceil() as usize;
                let slot = slot.get_or_insert_with(|| Density { covered: vec![0.0; pixels], color: full });
                let share = marks.covered[item] as f32 / (marks.end[item] - marks.start[item]).max(1) as f32;
                // Whatever is there leaves a trace, however short it is.
                each_pixel(left, right.max(left + 0.05), pixels, |pixel, part| {
                    slot.covered[pixel] += part * share + 1e-6
                });
                continue;
            }
            let x = left.max(0.0).round();
            let area = Rect::new(x, y, (right.min(scale.width()).round() - x - 1.0).max(2.0), height - 1.0);
            if height >= LABEL_HEIGHT {
                list.boxes.push_apart(Fill::Solid(pale), area);
                list.details.push_apart(Fill::Solid(full), Rect { width: 2.0, ..area });
                if area.width >= MIN_LABEL_WIDTH {
                    let text = fit(self.text(marks.name[item]), area.width - 7.0, place.characters.small);
                    list.labels.push(Label::small(x + 6.0, area.y + height - 4.0, text, Token::Text));
                }
            } else {
                list.boxes.push_apart(Fill::Solid(full), area);
            }
        }
        for (at, density) in density.iter().enumerate() {
            let Some(density) = density else { continue };
            let y = place.top + self.row_top((at / 2) as u16);
            for (pixel, &share) in density.covered.iter().enumerate().filter(|(_, share)| **share > 0.0) {
                let fill = Fill::density(density.color, f64::from(share).max(LEAST_SHADE))
                    .unwrap_or(Fill::Solid(density.color));
                list.boxes.push(fill, Rect::new(pixel as CssPx, y, 1.0, height - 1.0));
            }
        }
        if let Some(item) = place.chosen.event.and_then(|event| marks.event.iter().position(|one| *one == event)) {
            let (left, right) = (scale.x(marks.start[item]).floor(), scale.x(marks.end[item]).ceil());
            let y = place.top + self.row_top(marks.row[item]);
            let area = Rect::new(left - 2.0, y - 2.0, (right - left).max(1.0) + 4.0, height + 3.0);
            list.outlines.push((Token::Text, 2.0, area));
        }
    }

    fn hit(&self, scale: &TimeScale, height: CssPx, x: CssPx, y: CssPx) -> Option<Target> {
        let marks = &self.marks;
        let (row_height, is_collapsed) = (self.row_height(), self.is_collapsed(height));
        let distance = |item: usize| {
            let (left, right) = (scale.x(marks.start[item]), scale.x(marks.end[item]));
            let top = self.row_top(marks.row[item]);
            // Low rows are hard to meet: the nearest one counts. Without rows the longest does.
            let down = if is_collapsed { 0.0 } else { (top - y).max(y - top - row_height).max(0.0) };
            ((left - x).max(x - right).max(0.0), down)
        };
        let found = (0..marks.start.len())
            .map(|item| (distance(item), item))
            .filter(|((across, down), _)| *across <= REACH && *down <= REACH)
            .min_by(|((across, down), one), ((other_across, other_down), other)| {
                let order = (across + down).total_cmp(&(other_across + other_down));
                order.then(marks.covered[*other].cmp(&marks.covered[*one]))
            });
        found.map(|(_, item)| self.target(item))
    }

    fn tooltip(&self, target: &Target, threads: &Threads) -> Option<Tooltip> {
        let (marks, item, look) = (&self.marks, self.row(target)?, look(self.kind));
        let (name, note) = (self.text(marks.name[item]), self.text(marks.note[item]));
        let count = marks.count[item];
        let flags = marks.flags[item];
        let what = match (name.is_empty(), self.kind) {
            (false, TrackKind::Contentions) => format!("Waiting for lock {name}"),
            (true, TrackKind::Contentions) => "Waiting for a lock".to_owned(),
            _ => shorten(name),
        };
        let mut lines = Vec::new();
        if count > 1 {
            lines.push(("Longest", what.clone()));
        }
        lines.push((look.note, self.note_words(note, threads)));
        if self.kind == TrackKind::Compilations {
            let is_background = marks.shade[item] == shade::JIT_BACKGROUND;
            lines.push((
                "Why",
                if is_background { "better code, in the background" } else { "about to run" }.to_owned(),
            ));
        }
        lines.push(("Starts", format::seconds(marks.start[item], DECIMALS)));
        lines.push(("Thread", thread_name(threads, ThreadId(marks.thread[item]))));
        if flags & mark_flag::OPEN_START != 0 {
            lines.push(("Began", "before the trace, or its start is missing".to_owned()));
        }
        if flags & mark_flag::OPEN_END != 0 {
            lines.push(("Ended", "after the trace, or its end is missing".to_owned()));
        }
        lines.retain(|(_, value)| !value.is_empty());
        Some(Tooltip {
            swatch: Fill::Solid(look.colors[usize::from(marks.shade[item]).min(1)].0),
            title: if count > 1 { format::counted(count.into(), look.noun) } else { what },
            value: format::duration(marks.covered[item]),
            lines,
        })
    }

    fn bounds(&self, target: &Target) -> Option<(i64, i64)> {
        let item = self.row(target)?;
        Some((self.marks.start[item], self.marks.end[item]))
    }

    fn subject(&self, target: &Target) -> Option<Subject> {
        Some(Subject::Event(self.marks.event[self.row(target)?]))
    }
}

impl MarksTrack {
    /// A note for people: that of a wait for a lock is the operating system's id of the thread that held it.
    fn note_words(&self, note: &str, threads: &Threads) -> String {
        let is_owner = self.kind == TrackKind::Contentions;
        let owner = note.parse().ok().filter(|_| is_owner);
        let row = owner.and_then(|owner: u64| threads.os_thread.iter().position(|present| *present == owner));
        row.map_or_else(|| note.to_owned(), |row| thread_name(threads, ThreadId(threads.thread[row])))
    }
}

impl RuntimeTrack for MarksTrack {
    fn kind(&self) -> TrackKind {
        self.kind
    }

    fn height(&self) -> CssPx {
        TRACK_HEIGHT
    }

    fn expanded_height(&self) -> Option<CssPx> {
        let height = self.row_height() * self.rows() as CssPx + 2.0 * MARGIN;
        (self.rows() > ROWS_SHOWN_ALWAYS && height > TRACK_HEIGHT).then_some(height)
    }

    fn words(&self, _whole: Span) -> HeadWords {
        let total = self.marks.total.first().copied().unwrap_or_default();
        let nanos = self.marks.total_nanos.first().copied().unwrap_or_default();
        let figures = format!("{} · {}", format::count(total), format::duration(nanos));
        HeadWords { name: look(self.kind).name.to_owned(), figures }
    }

    fn find(&self, subject: Subject) -> Option<Target> {
        let Subject::Event(event) = subject else { return None };
        self.marks.event.iter().position(|present| *present == event).map(|item| self.target(item))
    }

    fn neighbour(&self, _from: i64, _later: bool) -> Option<Target> {
        None
    }

    fn wants(&self, visible: Span, resolution: i64) -> bool {
        self.resolution != resolution || self.span.start > visible.start || self.span.end < visible.end
    }
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;

    /// Marks `(start, end, row, count)` with names, of thread 1, events numbered from 20.
    pub fn marks(rows: &[(i64, i64, u16, u32)]) -> Marks {
        let count = rows.len();
        Marks {
            total: vec![rows.iter().map(|row| u64::from(row.3)).sum()],
            total_nanos: vec![rows.iter().map(|row| row.1 - row.0).sum()],
            open_total: vec![0],
            rows: vec![rows.iter().map(|row| row.2 + 1).max().unwrap_or(0)],
            row: rows.iter().map(|row| row.2).collect(),
            shade: vec![0; count],
            start: rows.iter().map(|row| row.0).collect(),
            end: rows.iter().map(|row| row.1).collect(),
            count: rows.iter().map(|row| row.3).collect(),
            covered: rows.iter().map(|row| row.1 - row.0).collect(),
            thread: vec![1; count],
            event: (20..20 + count as u32).collect(),
            flags: vec![0; count],
            name: vec![0; count],
            note: vec![1; count],
            texts: ["0x7f28", "4001"].into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawlist::{CharacterWidths, RecordingPainter};
    use super::super::hit::samples::small;
    use super::super::track::Chosen;
    use super::*;

    fn track() -> MarksTrack {
        let marks = samples::marks(&[(100, 300, 0, 1), (150, 152, 1, 1), (400, 402, 0, 3), (600, 1000, 0, 1)]);
        MarksTrack::new(TrackKind::Contentions, marks, Span::new(0, 1000), 1)
    }

    #[test]
    fn long_marks_are_boxes_and_the_shortest_is_still_seen() {
        let mut list = DrawList::default();
        let scale = TimeScale::new(Span::new(0, 1000), 500.0);
        let chosen = Chosen { event: Some(21), ..Chosen::default() };
        let characters = CharacterWidths::default();
        let height = TRACK_HEIGHT;
        track().paint(&mut list, &Place { scale: &scale, top: 10.0, height, limits: scale.span(), chosen, characters });
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        list.paint_outlines(&mut painter);
        assert_eq!(
            painter.text(),
            "Lock: 50,17 99x3; 300,17 199x3\nLock*4: 200,17 1x3; 75,21 1x3\noutline Text 2: 73,19 5x7"
        );
    }

    #[test]
    fn a_collapsed_track_shows_how_many_there_are_at_once() {
        let marks =
            samples::marks(&[(0, 400, 0, 1), (200, 400, 1, 1), (300, 400, 2, 1), (300, 400, 3, 1), (800, 801, 0, 1)]);
        let track = MarksTrack::new(TrackKind::Spans, marks, Span::new(0, 1000), 1);
        assert_eq!((track.height(), track.expanded_height()), (22.0, Some(64.0)));
        let mut list = DrawList::default();
        let scale = TimeScale::new(Span::new(0, 1000), 100.0);
        let (chosen, characters) = (Chosen::default(), CharacterWidths::default());
        let place = Place { scale: &scale, top: 0.0, height: 22.0, limits: scale.span(), chosen, characters };
        track.paint(&mut list, &place);
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        assert_eq!(painter.text(), "Span: 0,16 20x4; 20,11 10x9; 30,3 10x17; 80,18 1x2");
        assert_eq!(track.hit(&scale, 22.0, 35.0, 3.0), Some(track.target(0)), "the longest");
    }

    #[test]
    fn a_wait_for_a_lock_is_found_and_told_with_its_owner() {
        let small = small();
        let track = track();
        let scale = TimeScale::new(Span::new(0, 1000), 500.0);
        let found =
            track.hit(&scale, TRACK_HEIGHT, 100.0, 8.0).and_then(|target| track.tooltip(&target, &small.threads));
        assert_eq!(
            found.map(|tooltip| tooltip.sentence()).as_deref(),
            Some("Waiting for lock 0x7f28, 200 ns; Held by Thread 1 (4001); Starts 0.000000 s; Thread Thread 1 (4001)")
        );
        assert_eq!(track.hit(&scale, TRACK_HEIGHT, 250.0, 8.0), None);
        let several =
            track.hit(&scale, TRACK_HEIGHT, 200.0, 8.0).and_then(|target| track.tooltip(&target, &small.threads));
        assert_eq!(several.map(|tooltip| tooltip.title).as_deref(), Some("3 waits"));
        assert!(track.wants(Span::new(0, 1000), 2) && !track.wants(Span::new(5, 900), 1));
    }
}
