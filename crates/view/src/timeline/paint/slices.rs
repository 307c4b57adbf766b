//! Stack of a thread over time: wide slices as boxes with names, narrow ones as density.

use super::strip::each_pixel;
use crate::draw::drawlist::{CharacterWidths, DrawList, Label};
use crate::draw::palette::{Fill, Token};
use crate::draw::text_fit::{MIN_LABEL_WIDTH, fit, short_name};
use crate::draw::units::{CssPx, Rect};
use crate::timeline::timescale::TimeScale;
use crate::timeline::tracks::lane_frame::{LaneFrame, SliceRow, slice_flag, touching};
use crate::timeline::tracks::thread_rows::StackRow;
use protocol::base::time::Span;
use protocol::tables::state;

/// Minimum width of a box; narrower slices become density.
const BOX_WIDTH: CssPx = 5.0;
/// Minimum width of a slice in the density.
const LEAST_WIDTH: CssPx = 0.05;
/// Minimum height of a row with labels and edges.
const LABEL_HEIGHT: CssPx = 12.0;

/// Draws the rows of a stack. `top` is the top of the track; slices of the function `selected` have an outline.
pub fn paint_stack(
    list: &mut DrawList,
    frame: &LaneFrame,
    rows: &[StackRow],
    scale: &TimeScale,
    top: CssPx,
    selected: Option<u32>,
    characters: CharacterWidths,
) {
    for row in rows {
        let Some(slices) = frame.depths.get(usize::from(row.depth)).filter(|_| list.shows(top + row.y, row.height))
        else {
            continue;
        };
        let mut density = Density::new(scale.width());
        for slice in touching(slices, scale.span()) {
            let (left, right) = (scale.x(slice.start).max(0.0), scale.x(slice.end).min(scale.width()));
            if right - left < BOX_WIDTH {
                density.add(slice, left, right);
                continue;
            }
            let x = left.round();
            let area = Rect::new(x, top + row.y, (right.round() - x - 1.0).max(2.0), row.height - 1.0);
            let kind = kind_of(frame, slice, scale.span());
            paint_box(list, kind, area);
            if selected == Some(slice.function) && row.height >= LABEL_HEIGHT {
                list.outlines.push((Token::Text, 2.0, area));
            }
            if row.height >= LABEL_HEIGHT && right - left >= MIN_LABEL_WIDTH {
                let room = area.width - 7.0;
                let text = fit(short_name(frame.names.get(slice.name as usize)), room, characters.small);
                if !text.is_empty() {
                    list.labels.push(Label::small(x + 6.0, area.y + row.height - 4.0, text, kind.ink()));
                }
            }
        }
        density.paint(list, top + row.y, row.height - 1.0);
    }
}

fn is_framework(slice: &SliceRow) -> bool {
    slice.flags & slice_flag::FRAMEWORK != 0
}

fn is_external(slice: &SliceRow) -> bool {
    slice.flags & slice_flag::EXTERNAL != 0
}

/// Style of a box.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Your code runs.
    Running,
    /// Framework code, or your code that mostly waits in callees.
    Pale,
    /// Framework code that waits or runs native code.
    Grey,
}

impl Kind {
    fn ink(self) -> Token {
        if self == Kind::Running { Token::ManagedOn } else { Token::Text }
    }
}

fn mostly_waits(frame: &LaneFrame, slice: &SliceRow, visible: Span) -> bool {
    let span = Span::new(slice.start, slice.end).intersect(visible);
    span.and_then(|span| managed_share(frame, span)).is_some_and(|share| share < 0.5)
}

fn kind_of(frame: &LaneFrame, slice: &SliceRow, visible: Span) -> Kind {
    match (is_framework(slice), is_external(slice)) {
        (true, true) => Kind::Grey,
        (true, false) | (false, true) => Kind::Pale,
        (false, false) if mostly_waits(frame, slice, visible) => Kind::Pale,
        (false, false) => Kind::Running,
    }
}

/// Returns the known share of a time range in managed code; `None` if nothing is known about it.
pub fn managed_share(frame: &LaneFrame, span: Span) -> Option<f64> {
    let mut known = 0.0;
    let mut managed = 0.0;
    for state in touching(&frame.states, span) {
        if state.state == state::NOT_SAMPLED {
            continue;
        }
        let part = Span::new(state.start, state.end).intersect(span).map_or(0, Span::duration) as f64;
        known += part;
        managed += part * f64::from(state.managed) / f64::from(u8::MAX);
    }
    (known > 0.0).then(|| managed / known)
}

/// Returns the nanoseconds of a slice without callees; `None` if its callees are unknown. The thread's stacks have at
/// most `levels` levels.
pub fn own_nanos(frame: &LaneFrame, slice: &SliceRow, depth: u16, levels: u16) -> Option<i64> {
    let span = Span::new(slice.start, slice.end);
    let is_asked = depth + 1 < frame.max_depth.max(1) || levels <= frame.max_depth;
    let is_known = is_asked && frame.span.start <= span.start && span.end <= frame.span.end;
    let called = frame.depths.get(usize::from(depth) + 1).map_or(&[][..], |slices| touching(slices, span));
    let inside = called.iter().map(|one| Span::new(one.start, one.end).intersect(span).map_or(0, Span::duration));
    is_known.then(|| span.duration() - inside.sum::<i64>())
}

fn paint_box(list: &mut DrawList, kind: Kind, area: Rect) {
    let fill = match kind {
        Kind::Running => Token::Managed,
        Kind::Pale => Token::ManagedSoft,
        Kind::Grey => Token::ExternalSoft,
    };
    list.boxes.push_apart(Fill::Solid(fill), area);
    if kind == Kind::Pale && area.height > 6.0 {
        list.details.push_apart(Fill::Solid(Token::Managed), Rect { width: 2.0, ..area });
    }
}

/// By pixel: share that narrow slices cover, and the share of your code in that.
struct Density {
    covered: Vec<f32>,
    user: Vec<f32>,
    used: bool,
}

impl Density {
    fn new(width: CssPx) -> Self {
        Self { covered: vec![0.0; width.ceil() as usize], user: vec![0.0; width.ceil() as usize], used: false }
    }

    fn add(&mut self, slice: &SliceRow, left: CssPx, right: CssPx) {
        self.used = true;
        let user = if is_framework(slice) || is_external(slice) { 0.0 } else { 1.0 };
        // Even the shortest slice remains visible.
        each_pixel(left, right.max(left + LEAST_WIDTH), self.covered.len(), |pixel, part| {
            self.covered[pixel] += part;
            self.user[pixel] += part * user;
        });
    }

    fn paint(&self, list: &mut DrawList, top: CssPx, height: CssPx) {
        if !self.used {
            return;
        }
        for pixel in 0..self.covered.len() {
            let window = pixel.saturating_sub(1)..(pixel + 2).min(self.covered.len());
            let share = self.covered[window.clone()].iter().sum::<f32>() / window.len() as f32;
            let mostly_user = self.user[pixel] * 2.0 >= self.covered[pixel];
            let color = if mostly_user { Token::Managed } else { Token::ManagedSoft };
            let least = (self.covered[pixel] > 0.0).then_some(Fill::Shade(color, 1));
            if let Some(fill) = Fill::density(color, f64::from(share)).or(least) {
                list.boxes.push(fill, Rect::new(pixel as CssPx, top, 1.0, height));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::drawlist::RecordingPainter;
    use crate::timeline::tracks::lane_frame::samples::busy_thread;

    #[test]
    fn self_time_excludes_callees() {
        let mut frame = busy_thread();
        let main = frame.depths[0][0];
        assert_eq!(own_nanos(&frame, &main, 0, 2), Some(0));
        frame.depths[1].remove(1);
        assert_eq!(own_nanos(&frame, &main, 0, 2), Some(200));
        let leaf = frame.depths[1][0];
        assert_eq!(own_nanos(&frame, &leaf, 1, 2), Some(400));
        // Its callees are deeper than the requested levels, or outside the requested range.
        frame.max_depth = 2;
        assert_eq!(own_nanos(&frame, &leaf, 1, 3), None);
        assert_eq!(own_nanos(&frame, &leaf, 1, 2), Some(400));
        frame.span = Span::new(0, 999);
        assert_eq!(own_nanos(&frame, &main, 0, 2), None);
    }

    fn drawn(frame: &LaneFrame, width: CssPx, selected: Option<u32>) -> String {
        let rows = [StackRow { depth: 0, y: 13.0, height: 14.0 }, StackRow { depth: 1, y: 27.0, height: 14.0 }];
        let scale = TimeScale::new(Span::new(0, 1000), width);
        let mut list = DrawList::default();
        paint_stack(&mut list, frame, &rows, &scale, 100.0, selected, CharacterWidths { small: 5.0, normal: 6.0 });
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        list.paint_labels(&mut painter);
        list.paint_outlines(&mut painter);
        painter.text()
    }

    #[test]
    fn boxes_have_gaps_and_names() {
        assert_eq!(
            drawn(&busy_thread(), 300.0, Some(9)),
            "Managed: 0,113 299x13; 0,127 119x13; 180,127 119x13\n\
             ExternalSoft: 120,127 59x13\n\
             text ManagedOn 6,123: Program.Main\n\
             text ManagedOn 6,137: Cache.Get\n\
             text Text 126,137: Monitor.E…\n\
             text ManagedOn 186,137: Cache.Get\n\
             outline Text 2: 0,127 119x13; 180,127 119x13"
        );
    }

    #[test]
    fn waiting_user_code_is_pale() {
        let mut frame = busy_thread();
        frame.states[0].managed = 0;
        assert!(mostly_waits(&frame, &frame.depths[0][0], Span::new(0, 1000)));
        assert!(!mostly_waits(&frame, &frame.depths[0][0], Span::new(700, 1000)));
    }

    #[test]
    fn narrow_slices_are_drawn_as_density() {
        let slice = |index: i64| SliceRow { start: index * 10, end: index * 10 + 5, function: 1, name: 0, flags: 0 };
        let frame = LaneFrame { depths: vec![(0..100).map(slice).collect()], ..LaneFrame::default() };
        assert_eq!(drawn(&frame, 100.0, None), "Managed*2: 0,113 100x13");
    }
}
