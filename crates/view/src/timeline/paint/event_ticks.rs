//! Events of a thread: ticks below its strip, or a density graph if there are no samples for a strip, with triangles
//! for exceptions.

use crate::draw::drawlist::DrawList;
use crate::draw::palette::{Fill, Token};
use crate::draw::units::{CssPx, Rect};
use crate::timeline::timescale::TimeScale;
use crate::timeline::tracks::lane_frame::{LaneFrame, MarkerRow, touching};
use crate::timeline::tracks::thread_rows::ThreadRows;
use protocol::base::time::Span;

/// Height of a single event in the graph.
const LOWEST_BAR: CssPx = 2.0;
/// Minimum distance of triangles; closer ones are merged.
const MIN_DISTANCE: CssPx = 5.0;
/// Average distance below which exceptions are bars above the strip.
const DENSE: CssPx = 20.0;
/// Bar of dense exceptions: width, distance from the start of one bar to that of the next, height.
const BAR: (CssPx, CssPx, CssPx) = (4.0, 8.0, 3.0);

/// Returns the visible markers. A merged marker has the time of its first event, so the next bucket may also be partly
/// visible.
fn shown<'f>(frame: &'f LaneFrame, scale: &TimeScale) -> impl Iterator<Item = &'f MarkerRow> + use<'f> {
    let Span { start, end } = scale.span();
    let from = Span::new(start.0.saturating_sub(frame.resolution), end.0);
    touching(&frame.markers, from).iter().filter(move |marker| marker.time >= start.0 || marker.count > 1)
}

/// Returns the number of events per pixel.
pub fn events_by_pixel(frame: &LaneFrame, scale: &TimeScale) -> Vec<u32> {
    let mut counts = vec![0u32; scale.width().ceil() as usize];
    for marker in shown(frame, scale) {
        if let Some(count) = counts.get_mut(scale.x(marker.time).max(0.0) as usize) {
            *count = count.saturating_add(marker.count);
        }
    }
    counts
}

/// Draws the events of a thread. `most` is the number of events of a full bar, the same for all threads so that they
/// compare.
pub fn paint_markers(
    list: &mut DrawList,
    frame: &LaneFrame,
    rows: &ThreadRows,
    scale: &TimeScale,
    top: CssPx,
    most: u32,
    chosen: Option<u32>,
) {
    let (ticks_top, ticks_height) = (top + rows.ticks.0, rows.ticks.1);
    for (pixel, count) in events_by_pixel(frame, scale).into_iter().enumerate().filter(|(_, count)| *count > 0) {
        let x = pixel as CssPx;
        if rows.has_strip {
            list.boxes.push(Fill::Solid(Token::Text3), Rect::new(x, ticks_top, 1.0, ticks_height));
        } else {
            // Square roots, so that a burst doesn't flatten the rest.
            let share = (f64::from(count) / f64::from(most.max(1))).sqrt().min(1.0);
            let height = (LOWEST_BAR + share * (ticks_height - LOWEST_BAR)).round();
            list.boxes.push(Fill::Solid(Token::Neutral), Rect::new(x, ticks_top + ticks_height - height, 1.0, height));
        }
    }
    let mut last_triangle = f64::MIN;
    let exceptions = shown(frame, scale).filter(|marker| marker.exception).count();
    let is_dense = exceptions as CssPx * DENSE > scale.width();
    let pitch = ((BAR.1 * scale.nanos_per_px()) as i64).max(1);
    for marker in shown(frame, scale) {
        let x = scale.x(marker.time).max(0.0).floor();
        if marker.exception && is_dense {
            let x = scale.x(marker.time.div_euclid(pitch).saturating_mul(pitch)).round() + (BAR.1 - BAR.0) / 2.0;
            list.details.push(Fill::Solid(Token::Exception), Rect::new(x, top, BAR.0, BAR.2));
        } else if marker.exception && x - last_triangle >= MIN_DISTANCE {
            last_triangle = x;
            list.triangles.push((Token::Exception, Rect::new(x - 4.0, top + 1.0, 8.0, 7.0)));
        }
        if chosen == Some(marker.event) {
            let (from, to) = (top + rows.strip.0, ticks_top + ticks_height);
            list.outlines.push((Token::Text, 2.0, Rect::new(x - 3.0, from - 1.0, 7.0, to - from + 2.0)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::drawlist::RecordingPainter;
    use crate::timeline::tracks::lane_frame::samples::busy_thread;

    fn drawn(frame: &LaneFrame, has_strip: bool) -> String {
        let rows = ThreadRows { strip: (4.0, 14.0), stack: Vec::new(), spans: None, ticks: (4.0, 14.0), has_strip };
        let rows = if has_strip { ThreadRows { ticks: (19.0, 2.0), ..rows } } else { rows };
        let mut list = DrawList::default();
        paint_markers(&mut list, frame, &rows, &TimeScale::new(Span::new(0, 1000), 100.0), 0.0, 100, Some(11));
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        list.paint_outlines(&mut painter);
        painter.text()
    }

    #[test]
    fn events_are_ticks_and_exceptions_triangles() {
        assert_eq!(
            drawn(&busy_thread(), true),
            "Text3: 10,19 1x2; 50,19 1x2\ntriangles Exception: 46,1 8x7\noutline Text 2: 7,3 7x19"
        );
    }

    #[test]
    fn track_without_samples_shows_event_density() {
        let marker = |time, count| MarkerRow { time, count, event: 1, exception: false };
        let markers = vec![marker(100, 100), marker(103, 1), marker(200, 25), marker(300, 1)];
        let frame = LaneFrame { markers, ..LaneFrame::default() };
        assert_eq!(drawn(&frame, false), "Neutral: 10,4 1x14; 20,10 1x8; 30,15 1x3");
    }

    #[test]
    fn merged_marker_before_edge_is_visible() {
        let marker = |time, count| MarkerRow { time, count, event: 1, exception: false };
        let at_left = |count| {
            let frame = LaneFrame { markers: vec![marker(-4, count)], resolution: 8, ..LaneFrame::default() };
            drawn(&frame, true)
        };
        assert_eq!([at_left(2), at_left(1)], ["Text3: 0,19 1x2", ""]);
    }
}
