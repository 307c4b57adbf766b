//! Draws boxes a pixel or two wide as lines: browsers draw many thin lines of one path several times as fast as boxes.
//!
//! This applies only to lines one device pixel wide. Wider lines are converted to outlines first, which is slower than
//! boxes.

use super::drawlist::Line;
use super::units::{CssPx, Rect};

/// Maximum thickness of a box that is drawn as lines.
const MAX_LINES: CssPx = 2.0;
/// Maximum length of a line. Browsers draw longer lines in pieces, with a pale pixel between two pieces.
const LONGEST_LINE: CssPx = 256.0;

/// Returns the lines that cover exactly the pixels of a box, along its longer side; `None` if the box isn't thin, or
/// its edges aren't pixel boundaries.
pub fn lines_of(area: Rect) -> Option<impl Iterator<Item = Line>> {
    let is_whole = [area.x, area.y, area.width, area.height].iter().all(|edge| edge.fract() == 0.0);
    let is_upright = area.width <= area.height;
    let (count, length) = if is_upright { (area.width, area.height) } else { (area.height, area.width) };
    (is_whole && (1.0..=MAX_LINES).contains(&count) && length <= LONGEST_LINE).then(|| {
        (0..count as u32).map(move |at| {
            let middle = CssPx::from(at) + 0.5;
            match is_upright {
                true => Line { x1: area.x + middle, y1: area.y, x2: area.x + middle, y2: area.bottom() },
                false => Line { x1: area.x, y1: area.y + middle, x2: area.right(), y2: area.y + middle },
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(x: CssPx, y: CssPx, width: CssPx, height: CssPx) -> Option<Vec<(CssPx, CssPx, CssPx, CssPx)>> {
        let lines = lines_of(Rect::new(x, y, width, height))?;
        Some(lines.map(|line| (line.x1, line.y1, line.x2, line.y2)).collect())
    }

    #[test]
    fn thin_boxes_become_lines_through_pixel_centers() {
        assert_eq!(lines(10.0, 4.0, 1.0, 14.0), Some(vec![(10.5, 4.0, 10.5, 18.0)]));
        assert_eq!(lines(10.0, 4.0, 2.0, 14.0), Some(vec![(10.5, 4.0, 10.5, 18.0), (11.5, 4.0, 11.5, 18.0)]));
        assert_eq!(lines(10.0, 4.0, 30.0, 1.0), Some(vec![(10.0, 4.5, 40.0, 4.5)]));
        assert_eq!(lines(10.0, 4.0, 1.0, 1.0), Some(vec![(10.5, 4.0, 10.5, 5.0)]));
    }

    #[test]
    fn other_boxes_are_unchanged() {
        assert_eq!(lines(10.0, 4.0, 3.0, 14.0), None);
        assert_eq!(lines(10.5, 4.0, 1.0, 14.0), None);
        assert_eq!(lines(10.0, 4.0, 1.0, 13.2), None);
        assert_eq!(lines(10.0, 4.0, 0.0, 14.0), None);
        assert_eq!(lines(10.0, 4.0, 1.0, 257.0), None);
        assert_eq!(lines(10.0, 4.0, -1.0, 14.0), None);
    }
}
