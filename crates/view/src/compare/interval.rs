//! Picture of a confidence interval: a line from its lower to its upper bound, on a scale of ratios.

use protocol::compare::{Change, ChangeKind};

/// Ratio at the right end of the scale, whose left end is its inverse.
const MOST: f64 = 4.0;

/// Interval as shares of the width. 0.5 means no change.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// Measured change.
    pub at: f64,
}

/// Returns the picture of a change; `None` if the interval is unknown.
pub fn interval(change: &Change) -> Option<Interval> {
    let (low, high) = change.ratio.filter(|_| !matches!(change.kind, ChangeKind::Gone | ChangeKind::New))?;
    let place = |ratio: f64| ((ratio.max(1e-9).ln() / MOST.ln() + 1.0) / 2.0).clamp(0.0, 1.0);
    Some(Interval { low: place(low), high: place(high), at: place(1.0 + change.relative()?) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::compare::Subject;

    #[test]
    fn ratios_are_symmetrical_around_the_middle() {
        let change = |old: f64, new: f64, ratio| Change {
            subject: Subject::Gcs,
            name: String::new(),
            percentile: None,
            kind: ChangeKind::Grew,
            old,
            new,
            ratio,
            probability: 0.0,
            weight: 0.0,
            sentence: String::new(),
        };
        let found = interval(&change(1.0, 2.0, Some((1.0, 4.0)))).expect("an interval");
        assert_eq!((found.low, found.high, found.at), (0.5, 1.0, 0.75));
        let found = interval(&change(2.0, 1.0, Some((0.0, 1.0)))).expect("an interval");
        assert_eq!((found.low, found.high, found.at), (0.0, 0.5, 0.25));
        assert_eq!(interval(&change(1.0, 2.0, None)), None);
    }
}
