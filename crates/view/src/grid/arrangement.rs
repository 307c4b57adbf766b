//! Which columns of a grid are visible, in which order, and how wide.

use super::column::{GridColumn, Shown};
use crate::draw::units::CssPx;

/// Minimum width in CSS pixels. Users couldn't drag the edge of a narrower column.
const LEAST_WIDTH: u16 = 40;
/// Maximum width in CSS pixels, so that other columns stay visible.
const MAX_WIDTH: u16 = 1600;
/// Width before the first column and after the last one.
const PADDING: CssPx = 20.0;

/// Visible columns and their widths, as far as users have changed them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Arrangement {
    /// Keys of the visible columns, from left to right; empty for the default ones.
    pub shown: Vec<String>,
    /// Chosen widths in CSS pixels, by key.
    pub widths: Vec<(String, u16)>,
}

fn find<'c>(all: &'c [GridColumn], key: &str) -> Option<&'c GridColumn> {
    all.iter().find(|column| column.key == key)
}

impl Arrangement {
    /// Returns the keys of the visible columns, from left to right. Columns of another table have no effect.
    pub fn order(&self, all: &[GridColumn]) -> Vec<String> {
        let known: Vec<String> = self.shown.iter().filter(|key| find(all, key).is_some()).cloned().collect();
        if known.is_empty() { Self::first_order(all) } else { known }
    }

    fn first_order(all: &[GridColumn]) -> Vec<String> {
        let shown = all.iter().filter(|column| column.shown == Shown::Always);
        shown.map(|column| column.key.clone()).collect()
    }

    /// Returns the keys of the columns that a grid of this width has room for; all that may have while the width is
    /// unknown. The first one always has.
    pub fn fitting(&self, all: &[GridColumn], width: CssPx) -> Vec<String> {
        let mut order = self.order(all);
        let mut is_first = true;
        order.retain(|key| {
            let width = if width > 0.0 { width } else { f64::MAX };
            let has_room = find(all, key).is_some_and(|column| column.from <= width);
            std::mem::take(&mut is_first) || has_room
        });
        order
    }

    /// Returns whether a column can be hidden: one must stay.
    pub fn can_hide(&self, all: &[GridColumn]) -> bool {
        self.order(all).len() > 1
    }

    /// Hides a column, unless it is the last one; or shows it, before the first one that is declared after it.
    pub fn turn(&mut self, all: &[GridColumn], key: &str) {
        let mut order = self.order(all);
        let place = |wanted: &str| all.iter().position(|column| column.key == wanted);
        let Some(own) = place(key) else { return };
        match order.iter().position(|present| present == key) {
            Some(at) if order.len() > 1 => {
                order.remove(at);
                self.forget_width(key);
            }
            Some(_) => {}
            None => {
                let behind = order.iter().position(|present| place(present).is_some_and(|other| other > own));
                order.insert(behind.unwrap_or(order.len()), key.to_owned());
            }
        }
        self.set_order(all, order);
    }

    /// Moves a column to the position of another one.
    pub fn put_at(&mut self, all: &[GridColumn], key: &str, target: &str) {
        let mut order = self.order(all);
        let place = |wanted: &str| order.iter().position(|present| present == wanted);
        if let (Some(from), Some(to)) = (place(key), place(target)) {
            let column = order.remove(from);
            order.insert(to, column);
            self.set_order(all, order);
        }
    }

    /// Moves a column by one position, right if `onward`, among the `fitting` ones.
    pub fn step(&mut self, all: &[GridColumn], key: &str, onward: bool, fitting: &[String]) {
        let Some(at) = fitting.iter().position(|present| present == key) else { return };
        let next = if onward { Some(at + 1) } else { at.checked_sub(1) };
        if let Some(target) = next.and_then(|next| fitting.get(next)) {
            self.put_at(all, key, target);
        }
    }

    /// Sets the order of the visible columns.
    pub fn set_order(&mut self, all: &[GridColumn], order: Vec<String>) {
        self.shown = if order == Self::first_order(all) { Vec::new() } else { order };
    }

    /// Returns the chosen width of a column in CSS pixels.
    pub fn width(&self, key: &str) -> Option<u16> {
        self.widths.iter().find(|(present, _)| present == key).map(|(_, width)| *width)
    }

    /// Sets the width of a column in CSS pixels.
    pub fn set_width(&mut self, key: &str, width: CssPx) {
        // In range after this; NaN becomes the minimum.
        let width = width.round().clamp(f64::from(LEAST_WIDTH), f64::from(MAX_WIDTH)) as u16;
        let width = width.max(LEAST_WIDTH);
        match self.widths.iter_mut().find(|(present, _)| present == key) {
            Some((_, present)) => *present = width,
            None => self.widths.push((key.to_owned(), width)),
        }
    }

    /// Restores the automatic width of a column.
    pub fn forget_width(&mut self, key: &str) {
        self.widths.retain(|(present, _)| present != key);
    }

    /// Returns this arrangement with the widths of another one.
    pub fn with_widths_of(&self, other: &Self) -> Self {
        Self { shown: self.shown.clone(), widths: other.widths.clone() }
    }

    /// Returns whether resetting would change anything.
    pub fn is_changed(&self, all: &[GridColumn]) -> bool {
        let mut reset = self.clone();
        reset.reset(all);
        *self != reset
    }

    /// Restores the default columns, order and widths. Added columns stay, in declared order.
    pub fn reset(&mut self, all: &[GridColumn]) {
        let before = self.order(all);
        let stays = |column: &&GridColumn| match column.shown {
            Shown::Always => true,
            Shown::Chosen => false,
            Shown::Added => before.contains(&column.key),
        };
        let order = all.iter().filter(stays).map(|column| column.key.clone()).collect();
        self.widths.clear();
        self.set_order(all, order);
    }

    /// Returns the tracks of a CSS grid with these columns.
    pub fn tracks(&self, all: &[GridColumn], keys: &[String]) -> String {
        let track = |key: &String| match (self.width(key), find(all, key)) {
            (Some(width), _) => format!("{width}px"),
            (None, Some(column)) if column.share > 0.0 => {
                format!("minmax({:.0}px, {}fr)", column.least, column.share)
            }
            (None, column) => format!("{:.0}px", column.map_or(0.0, |column| column.least)),
        };
        keys.iter().map(track).collect::<Vec<_>>().join(" ")
    }

    /// Returns the minimum width of a grid with these columns; a narrower one scrolls.
    pub fn least_width(&self, all: &[GridColumn], keys: &[String]) -> CssPx {
        let least = |key: &String| match self.width(key) {
            Some(width) => CssPx::from(width),
            None => find(all, key).map_or(0.0, |column| column.least),
        };
        keys.iter().map(least).sum::<CssPx>() + PADDING
    }

    /// Returns the widths as part of a URL: `type-120.count-88`; empty if none was chosen.
    pub fn encode_widths(&self) -> String {
        let widths = self.widths.iter().map(|(key, width)| format!("{key}-{width}"));
        widths.collect::<Vec<_>>().join(".")
    }

    /// Reads the widths from part of a URL. Ignores malformed ones.
    pub fn decode_widths(&mut self, text: &str) {
        for (key, width) in text.split('.').filter_map(|part| part.rsplit_once('-')) {
            if let Ok(width) = width.parse::<u16>() {
                self.set_width(key, width.into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<GridColumn> {
        let mut all = vec![
            GridColumn::text("name", "Name", 140.0, 3.0),
            GridColumn::text("module", "Module", 90.0, 1.0).from(480.0),
            GridColumn::number("count", "Count", 72.0),
            GridColumn::text("field", "Field", 70.0, 1.0),
            GridColumn::number("last", "Last", 72.0),
            GridColumn::number("more", "More", 72.0),
        ];
        all[3].shown = Shown::Added;
        all[5].shown = Shown::Chosen;
        all
    }

    fn after(change: impl FnOnce(&mut Arrangement)) -> (String, Arrangement) {
        let mut arrangement = Arrangement::default();
        change(&mut arrangement);
        (arrangement.order(&all()).join(" "), arrangement)
    }

    #[test]
    fn columns_are_hidden_and_return_to_their_position() {
        assert_eq!(after(|_| {}).0, "name module count last");
        assert_eq!(after(|at| at.turn(&all(), "module")).0, "name count last");
        let twice =
            |at: &mut Arrangement| ["module", "name", "module", "name"].iter().for_each(|key| at.turn(&all(), key));
        assert_eq!(after(twice).1, Arrangement::default());
        assert_eq!(after(|at| at.turn(&all(), "field")).0, "name module count field last");
        let (only, mut arrangement) =
            after(|at| ["name", "module", "count", "last"].iter().for_each(|key| at.turn(&all(), key)));
        assert_eq!(only, "last", "the last one stays");
        assert!(!arrangement.can_hide(&all()));
        arrangement.reset(&all());
        assert_eq!(arrangement, Arrangement::default());
    }

    #[test]
    fn columns_move_among_visible_ones() {
        let (moved, _) = after(|at| at.put_at(&all(), "last", "name"));
        assert_eq!(moved, "last name module count");
        let narrow = Arrangement::default().fitting(&all(), 400.0);
        assert_eq!(narrow, ["name", "count", "last"]);
        assert_eq!(after(|at| at.step(&all(), "name", true, &narrow)).0, "module count name last");
        assert_eq!(after(|at| at.step(&all(), "last", true, &narrow)).1, Arrangement::default());
        assert_eq!(after(|at| at.step(&all(), "gone", true, &narrow)).1, Arrangement::default());
    }

    #[test]
    fn added_columns_stay_after_reset() {
        let (_, mut arrangement) = after(|at| ["field", "more", "name"].iter().for_each(|key| at.turn(&all(), key)));
        arrangement.set_width("field", 99.0);
        assert!(arrangement.is_changed(&all()));
        arrangement.reset(&all());
        assert_eq!(arrangement.order(&all()).join(" "), "name module count field last");
        assert!(!arrangement.is_changed(&all()));
    }

    #[test]
    fn widths_are_limited_and_round_trip() {
        let mut arrangement = Arrangement::default();
        arrangement.set_width("name", 1e9);
        arrangement.set_width("a-b", f64::NAN);
        arrangement.set_width("count", 120.4);
        assert_eq!(
            ["name", "a-b", "count", "last"].map(|key| arrangement.width(key)),
            [Some(1600), Some(40), Some(120), None]
        );
        let mut read = Arrangement::default();
        read.decode_widths(&format!("nonsense.last-x.{}", arrangement.encode_widths()));
        assert_eq!(read, arrangement);
    }

    #[test]
    fn text_takes_remaining_width() {
        let mut arrangement = Arrangement::default();
        let keys = arrangement.order(&all());
        assert_eq!(arrangement.tracks(&all(), &keys), "minmax(140px, 3fr) minmax(90px, 1fr) 72px 72px");
        assert_eq!(arrangement.least_width(&all(), &keys), 394.0);
        arrangement.set_width("name", 50.0);
        assert_eq!(arrangement.tracks(&all(), &keys), "50px minmax(90px, 1fr) 72px 72px");
        assert_eq!(arrangement.least_width(&all(), &keys), 304.0);
    }

    #[test]
    fn columns_of_another_table_have_no_effect() {
        let other = Arrangement { shown: vec!["gone".to_owned()], ..Arrangement::default() };
        assert_eq!(other.order(&all()), Arrangement::default().order(&all()));
        assert_eq!(other.fitting(&all(), 10.0), ["name", "count", "last"]);
    }
}
