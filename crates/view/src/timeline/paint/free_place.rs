//! Search for a place beside the data for a label.

use crate::draw::units::CssPx;

/// Heights that data covers, by pixel column.
pub struct Covered {
    /// Top and bottom of the covered range; the bottom is above the top where there is no data.
    columns: Vec<(CssPx, CssPx)>,
}

impl Covered {
    /// Creates columns without data over a width.
    pub fn new(width: CssPx) -> Self {
        Self { columns: vec![(CssPx::INFINITY, CssPx::NEG_INFINITY); width.max(0.0).ceil() as usize] }
    }

    /// Covers the columns from `left` to `right` between two heights.
    pub fn cover(&mut self, (left, right): (CssPx, CssPx), (top, bottom): (CssPx, CssPx)) {
        let column = |x: CssPx| x.clamp(0.0, self.columns.len() as CssPx) as usize;
        let (first, end) = (column(left.floor()), column(right.ceil()));
        for covered in self.columns.get_mut(first..end).unwrap_or_default() {
            *covered = (covered.0.min(top), covered.1.max(bottom));
        }
    }

    /// Returns the right end of the last place of a length without data between two heights.
    pub fn last_place(&self, length: CssPx, (top, bottom): (CssPx, CssPx)) -> Option<CssPx> {
        let mut free = 0.0;
        for (column, covered) in self.columns.iter().enumerate().rev() {
            free = if covered.1 > top && covered.0 < bottom { 0.0 } else { free + 1.0 };
            if free >= length {
                return Some(column as CssPx + free);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_free_place_is_found() {
        let mut covered = Covered::new(100.0);
        assert_eq!(covered.last_place(30.0, (0.0, 10.0)), Some(100.0));
        covered.cover((80.0, 90.0), (5.0, 20.0));
        assert_eq!(covered.last_place(30.0, (0.0, 10.0)), Some(80.0));
        assert_eq!(covered.last_place(30.0, (0.0, 5.0)), Some(100.0), "above the data");
        assert_eq!(covered.last_place(30.0, (20.0, 25.0)), Some(100.0), "below the data");
        covered.cover((-5.0, 60.5), (0.0, 3.0));
        assert_eq!(covered.last_place(30.0, (0.0, 10.0)), None);
        assert_eq!(covered.last_place(19.0, (0.0, 10.0)), Some(80.0));
        assert_eq!(Covered::new(-1.0).last_place(1.0, (0.0, 1.0)), None);
    }
}
