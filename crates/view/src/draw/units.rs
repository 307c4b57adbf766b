//! Lengths on screen.

/// A length or position on screen in CSS pixels; a canvas multiplies it by the device pixel ratio.
pub type CssPx = f64;

/// A box on screen.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Rect {
    /// Left edge.
    pub x: CssPx,
    /// Top edge.
    pub y: CssPx,
    /// Width.
    pub width: CssPx,
    /// Height.
    pub height: CssPx,
}

impl Rect {
    /// A box from its corner and size.
    pub const fn new(x: CssPx, y: CssPx, width: CssPx, height: CssPx) -> Self {
        Self { x, y, width, height }
    }

    /// Right edge, exclusive.
    pub fn right(self) -> CssPx {
        self.x + self.width
    }

    /// Bottom edge, exclusive.
    pub fn bottom(self) -> CssPx {
        self.y + self.height
    }

    /// Whether a point lies inside.
    pub fn contains(self, x: CssPx, y: CssPx) -> bool {
        x >= self.x && x < self.right() && y >= self.y && y < self.bottom()
    }
}

/// The whole pixels that stand for `left..right` inside a pane of `width`: first pixel and count, at least one pixel.
/// None if nothing of it is visible.
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
    fn a_box_covers_whole_pixels_and_never_vanishes() {
        assert_eq!(whole_pixels(10.4, 20.6, 100.0), Some((10.0, 11.0)));
        assert_eq!(whole_pixels(10.1, 10.2, 100.0), Some((10.0, 1.0)));
        assert_eq!(whole_pixels(-5.0, 500.0, 100.0), Some((0.0, 100.0)));
        assert_eq!(whole_pixels(99.8, 120.0, 100.0), Some((99.0, 1.0)));
        assert_eq!(whole_pixels(-5.0, 0.0, 100.0), None);
        assert_eq!(whole_pixels(100.0, 101.0, 100.0), None);
    }
}
