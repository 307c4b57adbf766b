//! Ticks of a ruler.

use super::clock::ClockFace;
use super::timescale::TimeScale;
use crate::draw::units::CssPx;
use crate::format;

/// Minimum distance of labeled ticks.
pub const MIN_LABEL_DISTANCE: CssPx = 120.0;

/// Tick of the ruler.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tick {
    /// Time in nanoseconds.
    pub at: i64,
    /// Position.
    pub x: CssPx,
    /// True if the tick has a label and a grid line.
    pub major: bool,
}

/// Ticks of a time range.
#[derive(Clone, PartialEq, Debug)]
pub struct Ticks {
    /// Nanoseconds between labeled ticks: 1, 2 or 5 times a power of ten.
    pub step: i64,
    /// Ticks, by time.
    pub ticks: Vec<Tick>,
}

impl Ticks {
    /// Returns the ticks of a scale.
    pub fn new(scale: &TimeScale) -> Self {
        Self::of_clock(scale, &ClockFace::default())
    }

    /// Returns the ticks of a scale, at times that are round on a clock.
    pub fn of_clock(scale: &TimeScale, face: &ClockFace) -> Self {
        Self::with_distance(scale, face, MIN_LABEL_DISTANCE)
    }

    /// Returns the ticks of a scale with a minimum distance of labels.
    pub fn with_distance(scale: &TimeScale, face: &ClockFace, distance: CssPx) -> Self {
        Self::rounded_after(scale, face.offset_nanos(), distance)
    }

    /// Returns the ticks of a scale at times that are round after adding nanoseconds, as on a clock.
    pub fn of_offset(scale: &TimeScale, offset: i64) -> Self {
        Self::rounded_after(scale, offset, MIN_LABEL_DISTANCE)
    }

    fn rounded_after(scale: &TimeScale, offset: i64, distance: CssPx) -> Self {
        let (step, parts) = step_for(scale.nanos_per_px() * distance);
        let minor = (step / parts).max(1);
        let span = scale.span();
        let mut ticks = Vec::new();
        let mut index = span.start.0.saturating_add(offset).div_euclid(minor);
        while let Some(on_clock) = index.checked_mul(minor) {
            let at = on_clock.saturating_sub(offset);
            if at > span.end.0 {
                break;
            }
            let x = scale.x(at);
            if x > -1.0 && x <= scale.width() {
                let x = x.max(0.0);
                ticks.push(Tick { at, x, major: on_clock.rem_euclid(step) == 0 });
            }
            index += 1;
        }
        Self { step, ticks }
    }

    /// Returns the label of a tick.
    pub fn label(&self, tick: &Tick, face: &ClockFace) -> String {
        face.moment(tick.at, format::decimals_for(self.step))
    }
}

/// Returns the smallest step of the 1-2-5 series that is at least `nanos`, and the number of parts into which minor
/// ticks divide it.
fn step_for(nanos: f64) -> (i64, i64) {
    let mut power: i64 = 1;
    loop {
        for (digit, parts) in [(1, 5), (2, 4), (5, 5)] {
            let step = power.saturating_mul(digit);
            if step as f64 >= nanos || step == i64::MAX {
                return (step, parts);
            }
        }
        power = power.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::base::time::Span;

    fn labels(start: i64, end: i64) -> Vec<String> {
        let ticks = Ticks::new(&TimeScale::new(Span::new(start, end), 1200.0));
        ticks.ticks.iter().filter(|tick| tick.major).map(|tick| ticks.label(tick, &ClockFace::default())).collect()
    }

    #[test]
    fn labels_are_at_round_times() {
        assert_eq!(labels(1_900_000_000, 3_100_000_000), ["2.0 s", "2.2 s", "2.4 s", "2.6 s", "2.8 s", "3.0 s"]);
        assert_eq!(
            labels(-1_500, 1_200),
            ["−0.0000015 s", "−0.0000010 s", "−0.0000005 s", "0.0000000 s", "0.0000005 s", "0.0000010 s"]
        );
    }

    #[test]
    fn labeled_ticks_keep_distance_at_every_zoom() {
        let mut duration = 10;
        while duration < 100_000_000_000_000 {
            let ticks = Ticks::new(&TimeScale::new(Span::new(7, 7 + duration), 1200.0));
            let majors: Vec<f64> = ticks.ticks.iter().filter(|tick| tick.major).map(|tick| tick.x).collect();
            assert!(majors.windows(2).all(|pair| pair[1] - pair[0] >= MIN_LABEL_DISTANCE - 0.01), "{duration}");
            assert!(!majors.is_empty() && ticks.ticks.len() < 80, "{duration}");
            duration = duration * 7 / 4 + 1;
        }
    }
}
