//! Lengths and boxes on the screen.

/// Length or position on the screen in CSS pixels; a canvas multiplies it by the device pixel ratio.
pub type CssPx = f64;

/// Box on the screen.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Rect {
    /// Left edge.
    pub x: CssPx,
    /// Top edge.
    pub y: CssPx,
    pub width: CssPx,
    pub height: CssPx,
}

impl Rect {
    /// Returns a box from its corner and size.
    pub const fn new(x: CssPx, y: CssPx, width: CssPx, height: CssPx) -> Self {
        Self { x, y, width, height }
    }

    /// Returns the right edge, exclusive.
    pub fn right(self) -> CssPx {
        self.x + self.width
    }

    /// Returns the bottom edge, exclusive.
    pub fn bottom(self) -> CssPx {
        self.y + self.height
    }

    /// Returns the box, larger by a width on every side.
    pub fn grown(self, by: CssPx) -> Self {
        Self::new(self.x - by, self.y - by, self.width + 2.0 * by, self.height + 2.0 * by)
    }

    /// Returns whether a point is inside.
    pub fn contains(self, x: CssPx, y: CssPx) -> bool {
        x >= self.x && x < self.right() && y >= self.y && y < self.bottom()
    }
}

/// Returns the first pixel and the number of whole pixels that represent `left..right` in a pane of `width`, at least
/// one; `None` if no part is visible.
pub fn whole_pixels(left: CssPx, right: CssPx, width: CssPx) -> Option<(CssPx, CssPx)> {
    if right <= 0.0 || left >= width {
        return None;
    }
    let first = left.max(0.0).round().min(width - 1.0);
    let end = right.min(width).round();
    Some((first, (end - first).max(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn box_covers_at_least_one_whole_pixel() {
        assert_eq!(whole_pixels(10.4, 20.6, 100.0), Some((10.0, 11.0)));
        assert_eq!(whole_pixels(10.1, 10.2, 100.0), Some((10.0, 1.0)));
        assert_eq!(whole_pixels(-5.0, 500.0, 100.0), Some((0.0, 100.0)));
        assert_eq!(whole_pixels(99.8, 120.0, 100.0), Some((99.0, 1.0)));
        assert_eq!(whole_pixels(-5.0, 0.0, 100.0), None);
        assert_eq!(whole_pixels(100.0, 101.0, 100.0), None);
    }
}
