//! Vertical positions of the levels of a flame graph, with the root at the top or the bottom.

/// Positions of levels in a scrolled picture.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FlameLevels {
    /// Height of a level in CSS pixels.
    pub level_px: f64,
    /// Number of hidden levels, nearest to the root.
    pub hidden: usize,
    /// Number of levels, including hidden ones.
    pub count: usize,
    /// Visible height in CSS pixels.
    pub seen_px: f64,
    /// True if the root is at the bottom.
    pub upwards: bool,
}

/// Minimum height of a level in CSS pixels.
const MIN_LEVEL_PX: f64 = 18.0;
/// Height of a level, if all levels fit.
const MAX_LEVEL_PX: f64 = 22.0;

/// Returns the height of levels: lower if that makes more of them visible.
pub fn level_px(levels: usize, seen_px: f64) -> f64 {
    (seen_px / levels.max(1) as f64).floor().clamp(MIN_LEVEL_PX, MAX_LEVEL_PX)
}

impl FlameLevels {
    /// Returns the total height in CSS pixels.
    pub fn extent_px(&self) -> f64 {
        (self.count.saturating_sub(self.hidden) as f64 * self.level_px).max(self.seen_px)
    }

    /// Returns the top edge of a level.
    pub fn top(&self, level: usize) -> f64 {
        let from_root = (level as f64 - self.hidden as f64) * self.level_px;
        if self.upwards { self.extent_px() - from_root - self.level_px } else { from_root }
    }

    /// Returns the level at a distance below the top.
    pub fn at(&self, below_top: f64) -> Option<usize> {
        let from_root = if self.upwards { self.extent_px() - below_top } else { below_top };
        let level = (from_root / self.level_px).floor() + self.hidden as f64;
        (level >= self.hidden as f64 && level < self.count as f64).then_some(level as usize)
    }

    /// Returns the visible levels at a scroll position.
    pub fn seen(&self, scroll: f64) -> std::ops::Range<usize> {
        let is_seen = |level: &usize| {
            let top = self.top(*level) - scroll;
            top < self.seen_px && top + self.level_px > 0.0
        };
        let first = (self.hidden..self.count).find(is_seen).unwrap_or(self.count);
        let end = (first..self.count).find(|level| !is_seen(level)).unwrap_or(self.count);
        first..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_hit_in_both_directions() {
        for upwards in [false, true] {
            let levels = FlameLevels { level_px: 20.0, hidden: 1, count: 10, seen_px: 100.0, upwards };
            assert_eq!(levels.extent_px(), 180.0);
            for level in 1..10 {
                assert_eq!(levels.at(levels.top(level) + 10.0), Some(level));
            }
            assert_eq!((levels.at(-1.0), levels.at(181.0)), (None, None));
            assert_eq!(levels.seen(if upwards { 80.0 } else { 0.0 }), 1..6, "the levels nearest to the root");
        }
    }

    #[test]
    fn levels_are_lower_if_there_are_many() {
        assert_eq!([0, 3, 10, 11, 50].map(|levels| level_px(levels, 210.0)), [22.0, 22.0, 21.0, 19.0, 18.0]);
        assert_eq!(level_px(5, 0.0), 18.0);
    }

    #[test]
    fn few_levels_are_aligned_with_root() {
        let levels = FlameLevels { level_px: 20.0, hidden: 2, count: 3, seen_px: 100.0, upwards: true };
        assert_eq!((levels.extent_px(), levels.top(2), levels.at(85.0), levels.at(50.0)), (100.0, 80.0, Some(2), None));
    }
}
