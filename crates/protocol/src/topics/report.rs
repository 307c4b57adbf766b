//! What analyses tell: a verdict, figures, charts, tables.
//!
//! Everything here is small whatever the trace; the rows of the tables travel as packed pages ([`ReportRows`]).

use super::topic::Topic;
use crate::columns::Strings;
use crate::format;
use crate::packed_table;
use serde::{Deserialize, Serialize};

/// Which rows of a report's table.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct RowOrder {
    /// Which table of the report.
    pub table: u8,
    /// The column that it is sorted by; the order in which the report has its rows if none.
    pub column: Option<u8>,
    /// Largest first, names from Z on.
    pub descending: bool,
    /// Words that each row has in one of its cells; all rows if there are none.
    pub find: String,
}

/// What a number counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Unit {
    /// Things.
    Count,
    /// How long: nanoseconds.
    Duration,
    /// When: nanoseconds since the trace's sync point.
    Moment,
    /// Bytes.
    Bytes,
    /// A share of one.
    Share,
    /// Things a second.
    PerSecond,
    /// Bytes a second.
    BytesPerSecond,
    /// A number that has no unit, or whose unit stands beside it.
    Plain,
    /// A number that identifies: no separators between its digits.
    Identity,
}

impl Unit {
    /// A number as people read it; "–" for none.
    pub fn words(self, value: f64) -> String {
        if !value.is_finite() {
            return "–".to_owned();
        }
        match self {
            Self::Count => format::count(value.max(0.0).round() as u64),
            Self::Duration => format::duration(value as i64),
            Self::Moment => format::seconds(value as i64, 6),
            Self::Bytes if value < 0.0 => format!("−{}", format::bytes(-value as u64)),
            Self::Bytes => format::bytes(value as u64),
            Self::Share => format::percent(value, 1.0),
            Self::PerSecond => format!("{}/s", format::quantity(value)),
            Self::BytesPerSecond => format!("{}/s", format::bytes(value.max(0.0) as u64)),
            Self::Plain => format::quantity(value),
            Self::Identity => format!("{value:.0}"),
        }
    }
}

/// A number that sums a trace up.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Figure {
    /// Its name for programs: "pauseTotalNs".
    pub key: String,
    /// What people read: "Paused".
    pub name: String,
    /// Its value; not finite if there is none.
    pub value: f64,
    /// What it counts.
    pub unit: Unit,
    /// What else is said about it; may be empty.
    pub note: String,
}

/// What a colour means; the same everywhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Hue {
    /// Generation 0.
    Generation0,
    /// Generation 1.
    Generation1,
    /// Generation 2.
    Generation2,
    /// Large objects.
    LargeObjects,
    /// Pinned objects.
    PinnedObjects,
    /// Managed code.
    Managed,
    /// Code that is compiled.
    Compiling,
    /// A lock that is waited for.
    Lock,
    /// Input and output, requests.
    Io,
    /// The program's own spans.
    Span,
    /// Failures.
    Failure,
    /// What has no colour of its own.
    Neutral,
}

/// A series of a chart.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ChartSeries {
    /// What people read.
    pub name: String,
    /// Its colour.
    pub hue: Hue,
    /// Its values: of bars one a bar; of lines one a moment of [`ChartAxis::Moments`].
    pub values: Vec<f64>,
}

/// What the values of a chart stand beside each other by.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum ChartAxis {
    /// Ranges of a quantity: bar `i` goes from bound `i` to bound `i + 1`.
    Ranges {
        /// The bounds, one more than there are bars.
        bounds: Vec<f64>,
        /// What they count.
        unit: Unit,
    },
    /// Moments, nanoseconds, in order: lines.
    Moments(Vec<i64>),
}

/// A picture of a few hundred values.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Chart {
    /// What it shows: "Collections by pause".
    pub title: String,
    /// What stands beside each other.
    pub axis: ChartAxis,
    /// What the values count.
    pub unit: Unit,
    /// Whether series lie on top of each other rather than over each other.
    pub is_stacked: bool,
    /// The series, the lowest first.
    pub series: Vec<ChartSeries>,
}

/// What is in a column.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum CellKind {
    /// Words.
    Text,
    /// Numbers.
    Number(Unit),
}

/// A column of a table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ColumnHead {
    /// Its name for programs: "pauseNs".
    pub key: String,
    /// What people read: "Pause".
    pub name: String,
    /// What its cells are.
    pub kind: CellKind,
    /// What is drawn beside its numbers.
    pub bar: Bar,
}

/// What a bar beside a number shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Bar {
    /// There is none.
    #[default]
    None,
    /// The number's share of the largest.
    Share,
    /// The same, in the colour of the generation of the heap that stands in the column at this position.
    ShareOfGeneration(u8),
    /// Where the row's time lies within [`ReportRows::within_start`] and [`ReportRows::within_end`].
    Place,
}

/// A table, without its rows.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TableHead {
    /// Its name for programs: "collections".
    pub key: String,
    /// What people read: "Collections".
    pub title: String,
    /// How many rows.
    pub rows: u64,
    /// Its columns.
    pub columns: Vec<ColumnHead>,
}

/// Why there is nothing to tell, and what would have recorded it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NotRecorded {
    /// A sentence: which provider, keyword and level record it.
    pub words: String,
    /// A command that does.
    pub command: String,
}

/// An event source of stacks that a report leads to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StacksOf {
    /// What people read: "Who allocates".
    pub words: String,
    /// The provider of the events.
    pub provider: String,
    /// The event's name.
    pub event: String,
}

/// What an analysis tells, without the rows of its tables.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ReportHead {
    /// About what.
    pub topic: Topic,
    /// The most important thing in a sentence, with numbers.
    pub verdict: String,
    /// One or two sentences more; may be empty.
    pub explanation: String,
    /// Numbers that sum it up.
    pub figures: Vec<Figure>,
    /// Pictures.
    pub charts: Vec<Chart>,
    /// Tables, the most important first.
    pub tables: Vec<TableHead>,
    /// Stacks of its events.
    pub stacks: Vec<StacksOf>,
    /// Set if the trace does not have its events: there is nothing else then.
    pub not_recorded: Option<NotRecorded>,
}

/// Which topics a trace has something about; counted by types, without looking at events.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TopicPresence {
    /// The topic.
    pub topic: Topic,
    /// What would have recorded it; none if any of its events is there.
    pub missing: Option<NotRecorded>,
    /// How many things there are of what it is about, where events tell, in the whole trace; none if only a part of it
    /// has rows.
    pub count: Option<u64>,
}

/// A row without an event, of [`ReportRows::event`].
pub const NO_ROW_EVENT: u32 = u32::MAX;

packed_table!(
    /// Some rows of a report's table.
    ReportRows {
        /// How many there are in all: one value.
        total: Vec<u64>,
        /// The largest number of each column: one value a column, 0 where there are no numbers.
        largest: Vec<f64>,
        /// Row-major: a number, not finite where there is none; of a column of words the position in `texts`.
        cells: Vec<f64>,
        /// Words, each once.
        texts: Strings,
        /// One a row: the event that the row is about ([`crate::base::ids::EventId`]), or [`NO_ROW_EVENT`].
        event: Vec<u32>,
        /// One a row: when it begins, nanoseconds; not before its end if it has no time.
        start: Vec<i64>,
        /// One a row: when it ends.
        end: Vec<i64>,
        /// One a row: when what it is a part of begins; none at all in a table without [`Bar::Place`].
        within_start: Vec<i64>,
        /// One a row: when that ends.
        within_end: Vec<i64>,
        /// One a row: what to add to the filter to see nothing but this, in the language of filters; may be empty.
        condition: Strings,
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_their_units() {
        let cases = [
            (Unit::Count, 1234.0, "1,234"),
            (Unit::Duration, 84_600_000.0, "84.6 ms"),
            (Unit::Moment, 1_500_000_999.0, "1.500001 s"),
            (Unit::Bytes, -89_300_000.0, "−89.3 MB"),
            (Unit::Share, 0.043, "4.3 %"),
            (Unit::PerSecond, 12.5, "12.5/s"),
            (Unit::Identity, 4321.0, "4321"),
            (Unit::Plain, f64::NAN, "–"),
        ];
        for (unit, value, words) in cases {
            assert_eq!(unit.words(value), words);
        }
    }
}
