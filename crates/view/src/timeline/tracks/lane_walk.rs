//! Keyboard navigation between the slices of a thread's stack.

use super::lane_frame::{LaneFrame, SliceRow, touching};
use protocol::base::time::Span;

/// Direction of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaneStep {
    /// To the caller.
    Outward,
    /// To the longest callee.
    Inward,
    /// To the previous slice of the level.
    Earlier,
    /// To the next slice of the level.
    Later,
}

/// Returns the slice one step from the one at a level and start, with its level.
pub fn lane_step(frame: &LaneFrame, (depth, start): (u16, i64), step: LaneStep) -> Option<(u16, SliceRow)> {
    let level = |depth: u16| frame.depths.get(usize::from(depth)).map(Vec::as_slice);
    let rows = level(depth)?;
    let at = rows.partition_point(|row| row.start < start);
    let from = *rows.get(at)?;
    let inside = |depth: u16| Some(touching(level(depth)?, Span::new(from.start, from.end)));
    Some(match step {
        LaneStep::Outward => {
            let above = depth.checked_sub(1)?;
            (above, *inside(above)?.first()?)
        }
        LaneStep::Inward => {
            let below = depth.checked_add(1)?;
            (below, *inside(below)?.iter().max_by_key(|row| row.end - row.start)?)
        }
        LaneStep::Earlier => (depth, *rows.get(at.checked_sub(1)?)?),
        LaneStep::Later => (depth, *rows.get(at + 1)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::tracks::lane_frame::samples::busy_thread;

    #[test]
    fn steps_lead_to_callers_callees_and_neighbors() {
        let frame = busy_thread();
        let (main, calls) = (frame.depths[0][0], &frame.depths[1]);
        let step = |from, step| lane_step(&frame, from, step);
        let longest = calls.iter().max_by_key(|row| row.end - row.start).copied().expect("a call");
        assert_eq!(step((0, main.start), LaneStep::Inward), Some((1, longest)));
        assert_eq!(step((1, calls[1].start), LaneStep::Outward), Some((0, main)));
        assert_eq!(step((1, calls[1].start), LaneStep::Earlier), Some((1, calls[0])));
        assert_eq!(step((1, calls[0].start), LaneStep::Later), Some((1, calls[1])));
        for (from, way) in [((0, main.start), LaneStep::Outward), ((1, calls[0].start), LaneStep::Inward)] {
            assert_eq!(step(from, way), None);
        }
        assert_eq!(step((9, 0), LaneStep::Later), None);
    }
}
