//! Columns of tables of changes.

use super::{Change, ChangeKind, Per};
use crate::table::{Column, Unit};

/// Columns of the table of a subject, in default order.
pub const CHANGE_COLUMNS: [Column<Change>; 5] = [
    Column::text("name", "Name", |change, _| change.name.as_str().into()),
    Column::number("old", "A", Unit::Weight, |change, _| change.old.into()),
    Column::number("new", "B", Unit::Weight, |change, _| change.new.into()),
    // Whatever is new grew more than anything else.
    Column::number("size", "Change", Unit::Share, |change: &Change, _| match change.kind {
        ChangeKind::New => f64::INFINITY.into(),
        _ => change.relative().into(),
    })
    .json(""),
    Column::number("interval", "95% CI", Unit::Share, |change: &Change, _| change.ratio.map(|(low, _)| low).into())
        .json(""),
];

/// Further columns of JSON.
pub const CHANGE_FACTS: [Column<Change>; 7] = [
    Column::text("subject", "", |change, _| change.subject.slug().into()),
    Column::number("percentile", "", Unit::Identity, |change, _| change.percentile.map(u32::from).into()),
    Column::text("change", "", |change, _| change.kind.name().into()),
    Column::number("low", "", Unit::Share, |change, _| change.ratio.map(|(low, _)| low).into()),
    Column::number("high", "", Unit::Share, |change, _| change.ratio.map(|(_, high)| high).into()),
    Column::number("probability", "", Unit::Share, |change, _| change.probability.into()),
    Column::text("sentence", "", |change, _| change.sentence.as_str().into()),
];

impl Change {
    /// Returns the text of a cell of [`CHANGE_COLUMNS`].
    pub fn cell_words(&self, column: &Column<Self>, per: Per) -> String {
        let value = |value: f64| if value == 0.0 { "–".to_owned() } else { self.value_words(value, per) };
        match column.key {
            "old" => value(self.old),
            "new" => value(self.new),
            "size" => self.size_words(),
            "interval" => self.interval_words(),
            _ if self.name.is_empty() => "Whole trace".to_owned(),
            _ => self.name.clone(),
        }
    }
}
