//! Virtual scrolling for more rows than browsers can lay out.
//!
//! Browsers clamp the height of an element (Chromium at 16,777,200 px). Above a height that every
//! browser accepts, the scroll bar's travel is scaled to the rows; the position itself is stored in
//! rows, so wheel and keys stay exact.

use std::ops::Range;

/// Maximum height of the scrolled element, in CSS pixels.
pub const MAX_EXTENT_PX: f64 = 8_000_000.0;

/// Number of rows that are positioned relative to the same row.
const ANCHOR_ROWS: u64 = 4096;

/// Scroll position over rows of equal height.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct VirtualScroll {
    rows: u64,
    row_px: f64,
    viewport_px: f64,
    top_px: f64,
}

impl VirtualScroll {
    /// Creates a position at the top, for no rows of height `row_px`.
    pub fn new(row_px: f64) -> Self {
        Self { rows: 0, row_px: row_px.max(1.0), viewport_px: 0.0, top_px: 0.0 }
    }

    /// Returns the height of a row in CSS pixels.
    pub fn row_px(&self) -> f64 {
        self.row_px
    }

    /// Sets the height of a row in CSS pixels. The first visible row stays.
    pub fn set_row(&mut self, row_px: f64) {
        let row_px = row_px.max(1.0);
        let top = self.top_px / self.row_px * row_px;
        self.row_px = row_px;
        self.move_to(top);
    }

    /// Sets the number of rows. Keeps the position if possible.
    pub fn set_rows(&mut self, rows: u64) {
        self.rows = rows;
        self.move_to(self.top_px);
    }

    /// Sets the height of the viewport in CSS pixels.
    pub fn set_viewport(&mut self, height_px: f64) {
        self.viewport_px = height_px.max(0.0);
        self.move_to(self.top_px);
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns the number of rows that fit entirely, at least one.
    pub fn rows_per_page(&self) -> u64 {
        ((self.viewport_px / self.row_px) as u64).max(1)
    }

    /// Returns the height of the scrolled element in CSS pixels.
    pub fn extent_px(&self) -> f64 {
        self.content_px().min(MAX_EXTENT_PX)
    }

    /// Returns whether the scroll bar's travel is scaled. [`Self::scroll_by`] must then handle the wheel.
    pub fn is_scaled(&self) -> bool {
        self.content_px() > MAX_EXTENT_PX
    }

    /// Returns the position of the scroll bar in CSS pixels.
    pub fn scroll_top(&self) -> f64 {
        if self.is_scaled() { self.top_px * self.bar_travel() / self.travel() } else { self.top_px }
    }

    /// Sets the position after the user moved the scroll bar. Returns whether the position changed; an echo of
    /// [`Self::scroll_top`], which browsers round, isn't a change.
    pub fn scrolled_to(&mut self, scroll_top: f64) -> bool {
        if (scroll_top - self.scroll_top()).abs() <= 1.0 && self.is_scaled() {
            return false;
        }
        let before = self.top_px;
        let top = if self.is_scaled() { scroll_top / self.bar_travel() * self.travel() } else { scroll_top };
        self.move_to(top);
        self.top_px != before
    }

    /// Scrolls by an exact distance in CSS pixels of the rows.
    pub fn scroll_by(&mut self, delta_px: f64) {
        self.move_to(self.top_px + delta_px);
    }

    /// Scrolls as little as possible to show a row entirely.
    pub fn reveal(&mut self, row: u64) {
        let top = row.min(self.rows.saturating_sub(1)) as f64 * self.row_px;
        if top < self.top_px {
            self.move_to(top);
        } else if top + self.row_px > self.top_px + self.viewport_px {
            self.move_to(top + self.row_px - self.viewport_px);
        }
    }

    /// Scrolls a row to the middle, unless it is visible.
    pub fn center(&mut self, row: u64) {
        let top = row as f64 * self.row_px;
        if top < self.top_px || top + self.row_px > self.top_px + self.viewport_px {
            self.move_to(top - (self.viewport_px - self.row_px) / 2.0);
        }
    }

    /// Scrolls a row to the top, as far as there are rows below it.
    pub fn lead(&mut self, row: u64) {
        self.move_to(row as f64 * self.row_px);
    }

    /// Returns the rows that are at least partly visible.
    pub fn visible(&self) -> Range<u64> {
        let first = (self.top_px / self.row_px) as u64;
        let end = ((self.top_px + self.viewport_px) / self.row_px).ceil() as u64;
        first.min(self.rows)..end.min(self.rows)
    }

    /// Returns the row that visible rows are positioned relative to. It changes rarely, and is never far from them.
    pub fn anchor(&self) -> u64 {
        let first = self.visible().start;
        first - first % ANCHOR_ROWS
    }

    /// Returns the position of a row below the top of the viewport, in CSS pixels.
    pub fn offset_px(&self, row: u64) -> f64 {
        row as f64 * self.row_px - self.top_px
    }

    fn content_px(&self) -> f64 {
        self.rows as f64 * self.row_px
    }

    fn travel(&self) -> f64 {
        (self.content_px() - self.viewport_px).max(0.0)
    }

    fn bar_travel(&self) -> f64 {
        (self.extent_px() - self.viewport_px).max(1.0)
    }

    fn move_to(&mut self, top_px: f64) {
        self.top_px = top_px.clamp(0.0, self.travel());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scroll(rows: u64) -> VirtualScroll {
        let mut scroll = VirtualScroll::new(24.0);
        scroll.set_viewport(600.0);
        scroll.set_rows(rows);
        scroll
    }

    #[test]
    fn short_table_scrolls_like_browser() {
        let mut scroll = scroll(1_000);
        assert!(!scroll.is_scaled());
        assert_eq!(scroll.extent_px(), 24_000.0);
        assert!(scroll.scrolled_to(240.0));
        assert_eq!(scroll.visible(), 10..35);
        assert_eq!(scroll.offset_px(10), 0.0);
        assert_eq!(scroll.anchor(), 0);
    }

    #[test]
    fn scroll_bar_reaches_last_of_a_hundred_million_rows() {
        let mut scroll = scroll(100_000_000);
        assert_eq!(scroll.extent_px(), MAX_EXTENT_PX);
        scroll.scrolled_to(MAX_EXTENT_PX - 600.0);
        assert_eq!(scroll.visible().end, 100_000_000);
        assert_eq!(scroll.offset_px(99_999_999), 576.0);
        assert_eq!(scroll.anchor(), 99_999_744);
    }

    #[test]
    fn wheel_is_exact_in_scaled_table() {
        let mut scroll = scroll(100_000_000);
        scroll.scrolled_to(4_000_000.0);
        let first = scroll.visible().start;
        scroll.scroll_by(24.0);
        assert_eq!(scroll.visible().start, first + 1);
        let echo = scroll.scroll_top().round();
        assert!(!scroll.scrolled_to(echo), "the browser's echo must not move it");
        assert_eq!(scroll.visible().start, first + 1);
    }

    #[test]
    fn fewer_rows_limit_position() {
        let mut scroll = scroll(1_000);
        scroll.scrolled_to(20_000.0);
        scroll.set_rows(10);
        assert_eq!(scroll.visible(), 0..10);
    }

    #[test]
    fn first_row_stays_when_rows_become_lower() {
        let mut scroll = scroll(1_000);
        scroll.scrolled_to(240.0);
        scroll.set_row(20.0);
        assert_eq!((scroll.row_px(), scroll.extent_px()), (20.0, 20_000.0));
        assert_eq!(scroll.visible(), 10..40);
        assert_eq!(scroll.offset_px(10), 0.0);
    }

    proptest! {
        #[test]
        fn any_row_can_be_revealed(rows in 1u64..500_000_000, share in 0.0f64..1.0) {
            let mut scroll = scroll(rows);
            let row = ((rows - 1) as f64 * share) as u64;
            scroll.reveal(row);
            prop_assert!(scroll.visible().contains(&row));
            prop_assert!(scroll.offset_px(row) > -0.001 && scroll.offset_px(row) < 576.001);
            prop_assert!(scroll.scroll_top() <= MAX_EXTENT_PX);
        }
    }
}
