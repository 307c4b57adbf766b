//! The state strip of a thread; an activity graph where it is too dense for blocks.

use crate::draw::drawlist::DrawList;
use crate::draw::palette::{Fill, Token};
use crate::draw::units::{CssPx, Rect, whole_pixels};
use crate::timeline::timescale::TimeScale;
use crate::timeline::tracks::lane_frame::{LaneFrame, StateRow, touching};
use protocol::tables::state;

/// States from this width on are blocks with exact edges.
const BLOCK_WIDTH: CssPx = 6.0;
/// Height of the hatched line of a thread that sleeps or has nothing to do.
const WAITING_HEIGHT: CssPx = 3.0;
/// Least height of waits for locks in the graph.
const LOWEST_WAIT: CssPx = 2.0;
/// Opacity of being paused by the GC: paler than the pause in the GC track.
const SUSPENDED_SHADE: u8 = 2;
/// Pixels at either side that smooth the activity graph.
const SMOOTHING: usize = 2;

/// Draws the strip into `top..top + height`.
pub fn paint_strip(list: &mut DrawList, frame: &LaneFrame, scale: &TimeScale, top: CssPx, height: CssPx) {
    let mut activity = Activity::new(scale.width());
    for row in touching(&frame.states, scale.span()) {
        let (left, right) = (scale.x(row.start), scale.x(row.end));
        if right - left >= BLOCK_WIDTH && row.is_pure() {
            if let Some((x, width)) = whole_pixels(left, right, scale.width()) {
                paint_block(list, row, Rect::new(x, top, width, height));
            }
        } else {
            activity.add(row, left, right);
        }
    }
    activity.paint(list, top, height);
}

fn paint_block(list: &mut DrawList, row: &StateRow, area: Rect) {
    let (fill, height) = look_of(row.state, area.height);
    list.boxes.push(fill, Rect::new(area.x, area.bottom() - height, area.width, height));
}

/// How a state is filled, and how high: what runs is as high as the strip, what is blocked two thirds.
fn look_of(of: u8, height: CssPx) -> (Fill, CssPx) {
    let blocked = (height * 2.0 / 3.0).round();
    match of {
        state::MANAGED => (Fill::Solid(Token::Managed), height),
        state::NATIVE => (Fill::Solid(Token::External), height),
        state::JIT => (Fill::Solid(Token::Jit), height),
        state::LOCK => (Fill::Solid(Token::Lock), blocked),
        state::BLOCKED => (Fill::Solid(Token::Blocked), blocked),
        state::IO => (Fill::Solid(Token::Io), blocked),
        state::SLEEP | state::IDLE => (Fill::Waiting, WAITING_HEIGHT),
        state::GC => (Fill::Shade(Token::Gen1, SUSPENDED_SHADE), height),
        _ => (Fill::Unknown, height),
    }
}

/// How a state is shown beside its name.
pub fn swatch_of(state: u8) -> Fill {
    look_of(state, 0.0).0
}

/// Draws what a thread waited for over the strip, or into any other place of a track without one.
pub fn paint_waits(list: &mut DrawList, frame: &LaneFrame, scale: &TimeScale, top: CssPx, height: CssPx) {
    let mut covered = vec![0.0f32; scale.width().ceil() as usize];
    for row in touching(&frame.waits, scale.span()) {
        let (left, right) = (scale.x(row.start), scale.x(row.end));
        let is_lock = row.state == state::LOCK;
        // The strip shows them, unless the thread has nothing to do but to wait.
        if !is_lock && !frame.states.is_empty() {
            continue;
        }
        if right - left >= BLOCK_WIDTH && row.managed == u8::MAX {
            if let Some((x, width)) = whole_pixels(left, right, scale.width()) {
                let fill = if is_lock { Fill::Solid(Token::Lock) } else { Fill::Solid(Token::Blocked) };
                list.details.push(fill, Rect::new(x, top, width, height));
            }
        } else if is_lock {
            let share = f32::from(row.managed) / f32::from(u8::MAX);
            // The shortest waits still leave a trace, also if their share of the time is rounded to none.
            each_pixel(left, right.max(left + 0.05), covered.len(), |pixel, part| {
                covered[pixel] += part * share + f32::EPSILON;
            });
        }
    }
    for (pixel, &share) in covered.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        let filled = (f64::from(share) * height).round().clamp(LOWEST_WAIT, height);
        let area = Rect::new(pixel as CssPx, top + height - filled, 1.0, filled);
        list.details.push(Fill::Solid(Token::Lock), area);
    }
}

/// Per pixel: the share of time that is known, that is managed, and that is native code or the JIT compiler.
struct Activity {
    known: Vec<f32>,
    managed: Vec<f32>,
    native: Vec<f32>,
    used: bool,
    /// Whether anything of `native` is not 0.
    any_native: bool,
}

impl Activity {
    fn new(width: CssPx) -> Self {
        let pixels = width.ceil() as usize;
        let nothing = || vec![0.0; pixels];
        Self { known: nothing(), managed: nothing(), native: nothing(), used: false, any_native: false }
    }

    fn add(&mut self, row: &StateRow, left: CssPx, right: CssPx) {
        if row.state == state::NOT_SAMPLED {
            return;
        }
        self.used = true;
        self.any_native |= row.native > 0;
        let [managed, native] = [row.managed, row.native].map(|share| f32::from(share) / f32::from(u8::MAX));
        each_pixel(left, right, self.known.len(), |pixel, part| {
            self.known[pixel] += part;
            self.managed[pixel] += part * managed;
            self.native[pixel] += part * native;
        });
    }

    fn paint(&self, list: &mut DrawList, top: CssPx, height: CssPx) {
        if !self.used {
            return;
        }
        for pixel in 0..self.known.len() {
            if self.known[pixel] <= 0.0 {
                continue;
            }
            let window = pixel.saturating_sub(SMOOTHING)..(pixel + SMOOTHING + 1).min(self.known.len());
            let known: f32 = self.known[window.clone()].iter().sum();
            let managed: f32 = self.managed[window.clone()].iter().sum();
            let native: f32 = if self.any_native { self.native[window].iter().sum() } else { 0.0 };
            let pixels = |share: f32| (f64::from(share / known) * height).round().min(height);
            let (filled, running) = (pixels(managed), pixels(managed + native));
            let x = pixel as CssPx;
            if running > filled {
                list.boxes
                    .push(Fill::Solid(Token::External), Rect::new(x, top + height - running, 1.0, running - filled));
            }
            if running < WAITING_HEIGHT {
                list.boxes.push(Fill::Waiting, Rect::new(x, top + height - WAITING_HEIGHT, 1.0, WAITING_HEIGHT));
            }
            if filled > 0.0 {
                list.details.push(Fill::Solid(Token::Managed), Rect::new(x, top + height - filled, 1.0, filled));
            }
        }
    }
}

/// Visits the pixels that `left..right` touches, with the share of each that it covers.
pub(crate) fn each_pixel(left: CssPx, right: CssPx, pixels: usize, mut visit: impl FnMut(usize, f32)) {
    let left = left.max(0.0);
    let right = right.min(pixels as CssPx);
    let mut pixel = left.floor() as usize;
    while (pixel as CssPx) < right && pixel < pixels {
        let part = right.min((pixel + 1) as CssPx) - left.max(pixel as CssPx);
        visit(pixel, part as f32);
        pixel += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::drawlist::RecordingPainter;
    use crate::timeline::tracks::lane_frame::samples::busy_thread;
    use protocol::base::time::Span;

    fn drawn(frame: &LaneFrame, duration: i64, width: CssPx) -> String {
        let mut list = DrawList::default();
        paint_strip(&mut list, frame, &TimeScale::new(Span::new(0, duration), width), 4.0, 14.0);
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        painter.text()
    }

    #[test]
    fn long_states_are_blocks_whose_height_says_the_kind() {
        assert_eq!(drawn(&busy_thread(), 1000, 100.0), "Managed: 0,4 40x14; 60,4 40x14\nWaiting: 40,15 20x3");
    }

    #[test]
    fn waits_for_locks_lie_over_the_strip_and_the_shortest_is_seen() {
        let mut frame = busy_thread();
        let wait = |start, end, managed| StateRow {
            start,
            end,
            state: state::LOCK,
            managed,
            native: 0,
            event: None,
            wait: None,
        };
        let handle = StateRow { state: state::BLOCKED, ..wait(700, 800, 255) };
        frame.waits.extend([wait(600, 601, 255), wait(610, 650, 128), handle, wait(900, 905, 0)]);
        let mut list = DrawList::default();
        paint_waits(&mut list, &frame, &TimeScale::new(Span::new(0, 1000), 100.0), 4.0, 14.0);
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        assert_eq!(painter.text(), "Lock: 42,4 10x14; 60,16 1x2; 61,11 4x7; 90,16 1x2");
        frame.states.clear();
        let mut list = DrawList::default();
        paint_waits(&mut list, &frame, &TimeScale::new(Span::new(0, 1000), 100.0), 4.0, 14.0);
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        assert!(painter.text().ends_with("Blocked: 70,4 10x14"), "{}", painter.text());
    }

    #[test]
    fn short_states_become_a_graph_of_the_managed_share() {
        let frame = LaneFrame {
            states: (0..100)
                .map(|index| StateRow {
                    start: index * 10,
                    end: index * 10 + 10,
                    state: if index % 2 == 0 { state::MANAGED } else { state::IDLE },
                    managed: if index % 2 == 0 { 255 } else { 0 },
                    native: 0,
                    event: None,
                    wait: None,
                })
                .collect(),
            ..LaneFrame::default()
        };
        assert_eq!(drawn(&frame, 1000, 10.0), "Managed: 0,11 10x7");
    }

    #[test]
    fn merged_states_keep_their_share_when_zoomed_in_before_the_new_answer_arrives() {
        let merged =
            StateRow { start: 0, end: 1000, state: state::MANAGED, managed: 64, native: 0, event: None, wait: None };
        let frame = LaneFrame { states: vec![merged], ..LaneFrame::default() };
        assert_eq!(drawn(&frame, 1000, 20.0), "Managed: 0,14 20x4");
    }

    #[test]
    fn what_is_not_known_is_hatched_and_nothing_is_drawn_without_states() {
        let gap = StateRow {
            start: 200,
            end: 900,
            state: state::NOT_SAMPLED,
            managed: 0,
            native: 0,
            event: None,
            wait: None,
        };
        let frame = LaneFrame { states: vec![gap], ..LaneFrame::default() };
        assert_eq!(drawn(&frame, 1000, 100.0), "Unknown: 20,4 70x14");
        assert_eq!(drawn(&LaneFrame::default(), 1000, 100.0), "");
    }

    #[test]
    fn each_state_has_its_color_and_height() {
        let row = |start, end, state, managed, native| StateRow {
            start,
            end,
            state,
            managed,
            native,
            event: None,
            wait: None,
        };
        let states = vec![
            row(0, 200, state::NATIVE, 0, 255),
            row(200, 300, state::IDLE, 0, 0),
            row(300, 400, state::JIT, 0, 255),
            row(400, 500, state::GC, 0, 0),
            row(500, 600, state::LOCK, 0, 0),
            row(600, 700, state::BLOCKED, 0, 0),
            row(700, 800, state::IO, 0, 0),
            row(900, 910, state::MANAGED, 128, 64),
        ];
        let frame = LaneFrame { states, ..LaneFrame::default() };
        assert_eq!(
            drawn(&frame, 1000, 100.0),
            "External: 0,4 20x14; 90,7 1x4\nWaiting: 20,15 10x3\nJit: 30,4 10x14\nGen1*2: 40,4 10x14\n\
             Lock: 50,9 10x9\nBlocked: 60,9 10x9\nIo: 70,9 10x9\nManaged: 90,11 1x7"
        );
    }
}
