//! State strip of a thread; an activity graph where states are too dense for blocks.

use crate::draw::drawlist::{CharacterWidths, DrawList, Label};
use crate::draw::palette::{Fill, Token};
use crate::draw::units::{CssPx, Rect, whole_pixels};
use crate::format;
use crate::timeline::timescale::TimeScale;
use crate::timeline::tracks::lane_frame::{LaneFrame, StateRow, touching};
use protocol::tables::state;

/// Minimum width of a state drawn as a block with exact edges.
const BLOCK_WIDTH: CssPx = 6.0;
/// Height of the hatched line of a thread that sleeps or is idle.
const WAITING_HEIGHT: CssPx = 3.0;
/// Minimum height of lock waits in the graph.
const LOWEST_WAIT: CssPx = 2.0;
/// Opacity of a pause by the GC: paler than the pause in the GC track.
const SUSPENDED_SHADE: u8 = 2;
/// Opacity of a wait for a CPU: paler than running code.
const READY_SHADE: u8 = 2;
/// Minimum width and height of a wait with a label.
const LABELED: (CssPx, CssPx) = (90.0, 12.0);
/// Horizontal margin of a label.
const LABEL_MARGIN: CssPx = 6.0;
/// Height of the letters of a label.
const LETTER_HEIGHT: CssPx = 7.0;
/// Pixels at either side that smooth the activity graph.
pub const SMOOTHING: usize = 2;

/// Draws the strip into `top..top + height`.
pub fn paint_strip(
    list: &mut DrawList,
    frame: &LaneFrame,
    scale: &TimeScale,
    (top, height): (CssPx, CssPx),
    characters: CharacterWidths,
) {
    let mut activity = Activity::new(scale.width());
    for row in touching(&frame.states, scale.span()) {
        let (left, right) = (scale.x(row.start), scale.x(row.end));
        if right - left >= BLOCK_WIDTH && row.is_pure() {
            if let Some((x, width)) = whole_pixels(left, right, scale.width()) {
                paint_block(list, frame, row, Rect::new(x, top, width, height), characters);
            }
        } else {
            activity.add(row, left, right);
        }
    }
    activity.paint(list, top, height);
}

fn paint_block(list: &mut DrawList, frame: &LaneFrame, row: &StateRow, area: Rect, characters: CharacterWidths) {
    let (fill, height) = look_of(row.state, area.height);
    let fill = pattern_of(row.state).unwrap_or(fill);
    match label_of(frame, row, area, characters) {
        Some(label) => {
            list.boxes.push(fill, area);
            list.labels.push(label);
        }
        None => list.boxes.push(fill, Rect::new(area.x, area.bottom() - height, area.width, height)),
    }
}

/// Returns the pattern of a state in a block. In the activity graph, pixels are too narrow for patterns.
fn pattern_of(of: u8) -> Option<Fill> {
    match of {
        state::LOCK => Some(Fill::LockWait),
        state::BLOCKED => Some(Fill::Blocked),
        _ => None,
    }
}

/// Returns the label of a wait: the most informative text that fits; `None` if none fits.
fn label_of(frame: &LaneFrame, row: &StateRow, area: Rect, characters: CharacterWidths) -> Option<Label> {
    let ink = match row.state {
        state::LOCK => Token::LockOn,
        state::BLOCKED => Token::BlockedOn,
        state::IO => Token::IoOn,
        _ => return None,
    };
    if area.width < LABELED.0 || area.height < LABELED.1 {
        return None;
    }
    let text = |position: u32| frame.names.get(position as usize);
    let (name, wait) = row.label.map_or(("", ""), |label| (text(label.site), text(label.noun)));
    let duration = format::duration(row.label.map_or(row.end - row.start, |label| label.nanos));
    let joined = |parts: &[&str]| {
        let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
        parts.join(" · ")
    };
    let tries = [joined(&[name, wait, &duration]), joined(&[name, &duration]), name.to_owned(), duration.clone()];
    let room = area.width - 2.0 * LABEL_MARGIN;
    let fits = |text: &String| !text.is_empty() && text.chars().count() as CssPx * characters.small <= room;
    let text = tries.into_iter().find(fits)?;
    let baseline = area.bottom() - ((area.height - LETTER_HEIGHT) / 2.0).ceil();
    Some(Label::small(area.x + LABEL_MARGIN, baseline, text, ink))
}

/// Returns the fill and the height of a state: running is as high as the strip, blocked two thirds of it.
fn look_of(of: u8, height: CssPx) -> (Fill, CssPx) {
    let blocked = (height * 2.0 / 3.0).round();
    match of {
        state::MANAGED => (Fill::Solid(Token::Managed), height),
        state::NATIVE => (Fill::Solid(Token::External), height),
        state::JIT => (Fill::Solid(Token::Jit), height),
        state::READY => (Fill::Shade(Token::Managed, READY_SHADE), height),
        state::LOCK => (Fill::Solid(Token::Lock), blocked),
        state::BLOCKED => (Fill::Solid(Token::Blocked), blocked),
        state::IO => (Fill::Solid(Token::Io), blocked),
        state::SLEEP | state::IDLE => (Fill::Waiting, WAITING_HEIGHT),
        state::GC => (Fill::Shade(Token::Gen1, SUSPENDED_SHADE), height),
        _ => (Fill::Unknown, height),
    }
}

/// Returns the fill of a swatch beside a state's name.
pub fn swatch_of(state: u8) -> Fill {
    pattern_of(state).unwrap_or_else(|| look_of(state, 0.0).0)
}

/// Draws waits over the strip, or at another place in a track without a strip.
pub fn paint_waits(list: &mut DrawList, frame: &LaneFrame, scale: &TimeScale, top: CssPx, height: CssPx) {
    let mut covered = vec![0.0f32; scale.width().ceil() as usize];
    for row in touching(&frame.waits, scale.span()) {
        let (left, right) = (scale.x(row.start), scale.x(row.end));
        let is_lock = row.state == state::LOCK;
        // The strip already shows other waits, unless the thread is idle.
        if !is_lock && !frame.states.is_empty() {
            continue;
        }
        if right - left >= BLOCK_WIDTH && row.managed == u8::MAX {
            if let Some((x, width)) = whole_pixels(left, right, scale.width()) {
                let (fill, filled) = look_of(row.state, height);
                let fill = pattern_of(row.state).unwrap_or(fill);
                list.details.push(fill, Rect::new(x, top + height - filled, width, filled));
            }
        } else if is_lock {
            let share = f32::from(row.managed) / f32::from(u8::MAX);
            // Even the shortest wait remains visible, also if its share of the time rounds to zero.
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

/// Share of a row's time.
type Share = fn(&StateRow) -> f64;

/// Bands of the activity graph from the bottom up: share of a row's time, and state for the look.
const BANDS: [(Share, u8); 7] = [
    (|row| f64::from(row.managed) / f64::from(u8::MAX), state::MANAGED),
    (|row| f64::from(row.native) / f64::from(u8::MAX), state::NATIVE),
    (|row| row.waits.of(state::READY), state::READY),
    (|row| row.waits.of(state::GC), state::GC),
    (|row| row.waits.of(state::LOCK), state::LOCK),
    (|row| row.waits.of(state::BLOCKED), state::BLOCKED),
    (|row| row.waits.of(state::IO), state::IO),
];

/// Shares of time per pixel: known time, and each band.
struct Activity {
    known: Vec<f32>,
    /// Shares of each band; empty for unused bands.
    bands: [Vec<f32>; BANDS.len()],
    used: bool,
}

impl Activity {
    fn new(width: CssPx) -> Self {
        Self { known: vec![0.0; width.ceil() as usize], bands: Default::default(), used: false }
    }

    fn add(&mut self, row: &StateRow, left: CssPx, right: CssPx) {
        if row.state == state::NOT_SAMPLED {
            return;
        }
        self.used = true;
        let pixels = self.known.len();
        each_pixel(left, right, pixels, |pixel, part| self.known[pixel] += part);
        for (band, (share_of, _)) in self.bands.iter_mut().zip(BANDS) {
            let share = share_of(row) as f32;
            if share > 0.0 {
                band.resize(pixels, 0.0);
                each_pixel(left, right, pixels, |pixel, part| band[pixel] += part * share);
            }
        }
    }

    /// Draws the bands. The height of a band is its share of the height of its state's blocks.
    fn paint(&self, list: &mut DrawList, top: CssPx, height: CssPx) {
        if !self.used {
            return;
        }
        for pixel in (0..self.known.len()).filter(|pixel| self.known[*pixel] > 0.0) {
            let window = pixel.saturating_sub(SMOOTHING)..(pixel + SMOOTHING + 1).min(self.known.len());
            let sum = |of: &[f32]| of.get(window.clone()).unwrap_or_default().iter().sum::<f32>();
            let known = sum(&self.known);
            let x = pixel as CssPx;
            let (mut filled, mut exact) = (0.0f64, 0.0f64);
            for (band, (_, of)) in self.bands.iter().zip(BANDS).filter(|(band, _)| !band.is_empty()) {
                let (fill, highest) = look_of(of, height);
                exact += f64::from(sum(band) / known) * highest;
                let end = exact.round().min(height);
                let area = Rect::new(x, top + height - end, 1.0, end - filled);
                if end > filled {
                    let layer = if of == state::MANAGED { &mut list.details } else { &mut list.boxes };
                    layer.push(fill, area);
                }
                filled = filled.max(end);
            }
            if filled < WAITING_HEIGHT {
                list.boxes.push(Fill::Waiting, Rect::new(x, top + height - WAITING_HEIGHT, 1.0, WAITING_HEIGHT));
            }
        }
    }
}

/// Visits the pixels of `left..right` with the covered share of each.
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
    use crate::timeline::tracks::lane_frame::WaitLabel;
    use crate::timeline::tracks::lane_frame::samples::busy_thread;
    use protocol::base::time::Span;
    use protocol::timeline::wait_shares::WaitShares;

    fn drawn(frame: &LaneFrame, duration: i64, width: CssPx) -> String {
        let mut list = DrawList::default();
        let scale = TimeScale::new(Span::new(0, duration), width);
        paint_strip(&mut list, frame, &scale, (4.0, 14.0), CharacterWidths::default());
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        painter.text()
    }

    /// A state without waits.
    fn row(start: i64, end: i64, state: u8) -> StateRow {
        let waits = WaitShares::default();
        StateRow { start, end, state, managed: 0, native: 0, waits, event: None, wait: None, label: None }
    }

    #[test]
    fn long_states_are_blocks_with_heights() {
        assert_eq!(drawn(&busy_thread(), 1000, 100.0), "Managed: 0,4 40x14; 60,4 40x14\nWaiting: 40,15 20x3");
    }

    #[test]
    fn long_wait_is_labeled_with_what_fits() {
        let of = |width: CssPx, height: CssPx, texts: [&str; 2]| {
            let waits = WaitShares::new(|of| f64::from(of == state::BLOCKED));
            let label = Some(WaitLabel { site: 0, noun: 1, nanos: 1_957_000_000 });
            let row = StateRow { waits, label, ..row(0, 1_965_000_000, state::BLOCKED) };
            let names = std::sync::Arc::new(texts.into_iter().collect());
            let frame = LaneFrame { states: vec![row], names, ..LaneFrame::default() };
            let (mut list, scale) = (DrawList::default(), TimeScale::new(Span::new(0, 1_965_000_000), width));
            paint_strip(&mut list, &frame, &scale, (3.0, height), CharacterWidths::default());
            let mut painter = RecordingPainter::default();
            list.paint_shapes(&mut painter);
            list.paint_labels(&mut painter);
            painter.text()
        };
        let charge = ["Payments.Charge", "task wait"];
        assert_eq!(
            of(300.0, 14.0, charge),
            "Blocked: 0,3 300x14\ntext BlockedOn 6,13: Payments.Charge · task wait · 1.96 s"
        );
        assert_eq!(of(180.0, 14.0, charge), "Blocked: 0,3 180x14\ntext BlockedOn 6,13: Payments.Charge · 1.96 s");
        assert_eq!(of(100.0, 14.0, charge), "Blocked: 0,3 100x14\ntext BlockedOn 6,13: Payments.Charge");
        assert_eq!(of(90.0, 14.0, charge), "Blocked: 0,3 90x14\ntext BlockedOn 6,13: 1.96 s");
        assert_eq!(of(89.0, 14.0, charge), "Blocked: 0,8 89x9", "too narrow");
        assert_eq!(of(300.0, 8.0, charge), "Blocked: 0,6 300x5", "too low");
        assert_eq!(of(150.0, 14.0, ["", "task wait"]), "Blocked: 0,3 150x14\ntext BlockedOn 6,13: task wait · 1.96 s");
    }

    #[test]
    fn lock_waits_are_over_strip_and_shortest_is_visible() {
        let mut frame = busy_thread();
        let wait = |start, end, managed| StateRow { managed, ..row(start, end, state::LOCK) };
        let handle = StateRow { state: state::BLOCKED, ..wait(700, 800, 255) };
        frame.waits.extend([wait(600, 601, 255), wait(610, 650, 128), handle, wait(900, 905, 0)]);
        let mut list = DrawList::default();
        paint_waits(&mut list, &frame, &TimeScale::new(Span::new(0, 1000), 100.0), 4.0, 14.0);
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        assert_eq!(painter.text(), "LockWait: 42,9 10x9\nLock: 60,16 1x2; 61,11 4x7; 90,16 1x2");
        frame.states.clear();
        let mut list = DrawList::default();
        paint_waits(&mut list, &frame, &TimeScale::new(Span::new(0, 1000), 100.0), 4.0, 14.0);
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        assert!(painter.text().contains("Blocked: 70,9 10x9"), "{}", painter.text());
    }

    #[test]
    fn short_states_are_drawn_as_managed_share() {
        let frame = LaneFrame {
            states: (0..100)
                .map(|index| {
                    let (state, managed) = if index % 2 == 0 { (state::MANAGED, 255) } else { (state::IDLE, 0) };
                    StateRow { managed, ..row(index * 10, index * 10 + 10, state) }
                })
                .collect(),
            ..LaneFrame::default()
        };
        assert_eq!(drawn(&frame, 1000, 10.0), "Managed: 0,11 10x7");
    }

    #[test]
    fn waits_in_graph_have_color_and_proportional_height() {
        let waits = WaitShares::new(|of| match of {
            state::GC => 0.2,
            state::LOCK | state::BLOCKED => 0.4,
            _ => 0.0,
        });
        let merged = StateRow { waits, ..row(0, 1000, state::LOCK) };
        let drawn_with = |state: StateRow| {
            let frame = LaneFrame { states: vec![state], ..LaneFrame::default() };
            drawn(&frame, 1000, 20.0)
        };
        // Of 14 pixels: 2.8, then 0.4 of 9 each.
        assert_eq!(drawn_with(merged), "Gen1*2: 0,15 20x3\nLock: 0,12 20x3\nBlocked: 0,8 20x4");
        let runs = StateRow {
            managed: 128,
            native: 64,
            waits: WaitShares::new(|of| f64::from(of == state::IO) / 5.0),
            ..merged
        };
        assert_eq!(drawn_with(runs), "External: 0,7 20x4\nIo: 0,6 20x1\nManaged: 0,11 20x7");
    }

    #[test]
    fn merged_states_keep_share_when_zoomed_before_answer() {
        let merged = StateRow { managed: 64, ..row(0, 1000, state::MANAGED) };
        let frame = LaneFrame { states: vec![merged], ..LaneFrame::default() };
        assert_eq!(drawn(&frame, 1000, 20.0), "Managed: 0,14 20x4");
    }

    #[test]
    fn unknown_state_is_hatched_and_missing_states_are_not_drawn() {
        let gap = row(200, 900, state::NOT_SAMPLED);
        let frame = LaneFrame { states: vec![gap], ..LaneFrame::default() };
        assert_eq!(drawn(&frame, 1000, 100.0), "Unknown: 20,4 70x14");
        assert_eq!(drawn(&LaneFrame::default(), 1000, 100.0), "");
    }

    #[test]
    fn each_state_has_its_color_and_height() {
        let row = |start, end, state, managed, native| {
            let waits = WaitShares::new(|of| f64::from(of == state));
            StateRow { managed, native, waits, ..row(start, end, state) }
        };
        let states = vec![
            row(0, 200, state::NATIVE, 0, 255),
            row(200, 300, state::IDLE, 0, 0),
            row(300, 400, state::JIT, 0, 255),
            row(400, 500, state::GC, 0, 0),
            row(500, 600, state::LOCK, 0, 0),
            row(600, 700, state::BLOCKED, 0, 0),
            row(700, 800, state::IO, 0, 0),
            row(800, 900, state::READY, 0, 0),
            row(900, 910, state::MANAGED, 128, 64),
        ];
        let frame = LaneFrame { states, ..LaneFrame::default() };
        assert_eq!(
            drawn(&frame, 1000, 100.0),
            "External: 0,4 20x14; 90,7 1x4\nWaiting: 20,15 10x3\nJit: 30,4 10x14\nGen1*2: 40,4 10x14\n\
             LockWait: 50,9 10x9\nBlocked: 60,9 10x9\nIo: 70,9 10x9\nManaged*2: 80,4 10x14\nManaged: 90,11 1x7"
        );
    }
}
