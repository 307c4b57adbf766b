//! Reports of analyses: summary, metrics, charts, tables.
//!
//! The size of reports doesn't depend on the trace. Table rows are sent as packed pages ([`ReportRows`]).

use super::topic::Topic;
use crate::base::ids::{EventId, ThreadId};
use crate::columns::Strings;
use crate::named;
use crate::packed_table;
use crate::table::Cell;
pub use crate::table::{CellKind, Unit};
use crate::timeline::track::TrackKind;
use serde::{Deserialize, Serialize};

/// Order and filter of the rows of a report's table.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct RowOrder {
    /// Index of the table in the report.
    pub table: u8,
    /// Column to sort by; `None` for the default order.
    pub column: Option<u8>,
    /// True to sort in descending order.
    pub descending: bool,
    /// Text that one of the row's cells must contain; empty for all rows.
    pub find: String,
}

/// Metric of a report.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Figure {
    /// Machine-readable name: "pauseTotalNs".
    pub key: String,
    /// Display name: "Total pause".
    pub name: String,
    /// Value; not finite if there is none.
    pub value: f64,
    pub unit: Unit,
    /// Additional text; may be empty.
    pub note: String,
    /// True if the value is a lower bound, because events were lost.
    pub is_minimum: bool,
}

named! {
    /// Color by meaning, the same on all charts.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
    pub enum Hue {
        Generation0: "gc0";
        Generation1: "gc1";
        Generation2: "gc2";
        /// Large object heap.
        LargeObjects: "large";
        /// Pinned object heap.
        PinnedObjects: "pinned";
        /// Managed code.
        Managed: "managed";
        Compiling: "jit";
        Lock: "lock";
        /// Waits for a task or a handle.
        Blocked: "blocked";
        /// I/O and requests.
        Io: "io";
        /// Outgoing requests.
        Outgoing: "out";
        /// The app's own spans.
        Span: "span";
        Failure: "exc";
        /// Anything else.
        Neutral: "none";
    }
    /// Returns the name in style sheets.
    fn slug;
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ChartSeries {
    /// Display name.
    pub name: String,
    /// Color.
    pub hue: Hue,
    /// Values: one per bar, or one per time of [`ChartAxis::Moments`].
    pub values: Vec<f64>,
}

/// Horizontal axis of a chart.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum ChartAxis {
    /// Ranges of a quantity, as bars. Bar `i` covers bound `i` to bound `i + 1`.
    Ranges {
        /// Bounds, one more than bars.
        bounds: Vec<f64>,
        /// Unit of the bounds.
        unit: Unit,
    },
    /// Times in nanoseconds, ascending, as lines.
    Moments(Vec<i64>),
}

/// Chart with a few hundred values.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Chart {
    /// Title: "GCs by pause".
    pub title: String,
    pub axis: ChartAxis,
    /// Unit of the values.
    pub unit: Unit,
    /// True if the series are stacked.
    pub is_stacked: bool,
    /// Series, lowest first.
    pub series: Vec<ChartSeries>,
}

impl Chart {
    /// Returns whether its horizontal axis is the time.
    pub fn is_over_time(&self) -> bool {
        matches!(self.axis, ChartAxis::Moments(_))
    }
}

/// Column of a table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ColumnHead {
    /// Machine-readable name: "pauseNs".
    pub key: String,
    /// Display name: "Pause".
    pub name: String,
    pub kind: CellKind,
    /// Bar beside the numbers.
    pub bar: Bar,
}

/// Bar beside a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Bar {
    /// No bar.
    #[default]
    None,
    /// Share of the largest number.
    Share,
    /// Share of the largest number, in the color of the heap generation in the column at this index.
    ShareOfGeneration(u8),
    /// Position of the row's time range between [`ReportRows::within_start`] and [`ReportRows::within_end`].
    Place,
}

/// Table of a report, without its rows.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TableHead {
    /// Machine-readable name: "collections".
    pub key: String,
    /// Title: "GCs".
    pub title: String,
    pub rows: u64,
    pub columns: Vec<ColumnHead>,
}

/// Reason why an analysis has no data, and the command that records it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NotRecorded {
    /// One sentence: the provider, keyword and level to record.
    pub words: String,
    /// Command that records the data.
    pub command: String,
}

/// Link from a report to the stacks of an event type.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StacksOf {
    /// Text: "Allocating call sites".
    pub words: String,
    pub provider: String,
    pub event: String,
}

/// Report of an analysis, without the rows of its tables.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ReportHead {
    pub topic: Topic,
    /// Summary in one sentence, with numbers.
    pub verdict: String,
    /// One or two further sentences; may be empty.
    pub explanation: String,
    /// Metrics.
    pub figures: Vec<Figure>,
    pub charts: Vec<Chart>,
    /// Tables, most important first.
    pub tables: Vec<TableHead>,
    pub stacks: Vec<StacksOf>,
    /// Set if the trace doesn't contain the events; the report is empty then.
    pub not_recorded: Option<NotRecorded>,
}

/// Number of an analysis's items among the matching events.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TopicCount {
    pub topic: Topic,
    pub count: u64,
}

/// Number of a runtime track's items among the matching events.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TrackCount {
    pub track: TrackKind,
    /// OS process ID; 0 if the trace has one process.
    pub process: u32,
    pub count: u64,
}

/// Numbers of items among the matching events; empty if there are too many events to count.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ItemCounts {
    pub topics: Vec<TopicCount>,
    /// Tracks whose items are counted by event type, of the processes with events.
    pub tracks: Vec<TrackCount>,
}

/// Presence of an analysis in a trace, from counts by event type.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TopicPresence {
    pub topic: Topic,
    /// How to record the events; `None` if the trace contains any of them.
    pub missing: Option<NotRecorded>,
    /// Number of items in the whole trace; `None` if event counts don't tell, or the trace is partially indexed.
    pub count: Option<u64>,
}

/// What triggered a GC.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GcTrigger {
    /// Start event of the GC.
    pub gc: EventId,
    /// Call site, for display; may be empty.
    pub site: String,
    /// The thread that triggered the GC. The GC itself may run on another one.
    pub thread: ThreadId,
    /// The event with the stack.
    pub event: EventId,
}

/// Value of [`ReportRows::event`] for rows without an event.
pub const NO_ROW_EVENT: u32 = u32::MAX;

packed_table!(
    /// Page of rows of a report's table.
    ReportRows {
        /// Number of rows in the table: one value.
        total: Vec<u64>,
        /// Maximum of each column; 0 for columns without numbers.
        largest: Vec<f64>,
        /// Row-major cells: a number, not finite if there is none, or an index into `texts`.
        cells: Vec<f64>,
        /// Distinct texts.
        texts: Strings,
        /// By row: event of the row ([`crate::base::ids::EventId`]), or [`NO_ROW_EVENT`].
        event: Vec<u32>,
        /// By row: start in nanoseconds. Rows without a time start at or after their end.
        start: Vec<i64>,
        /// By row: end.
        end: Vec<i64>,
        /// By row: start of the enclosing interval; empty for a table without [`Bar::Place`].
        within_start: Vec<i64>,
        /// By row: end of the enclosing interval.
        within_end: Vec<i64>,
        /// By row: condition that filters to the row, in the filter syntax; may be empty.
        condition: Strings,
    }
);

impl ReportRows {
    pub fn cell(&self, row: usize, column: usize, kind: CellKind) -> Cell<'_> {
        // Cells are row-major, and `largest` has one value per column.
        let columns = self.largest.len();
        let value = self.cells.get(row * columns + column).filter(|value| column < columns && value.is_finite());
        match (value, kind) {
            (None, _) => Cell::Missing(""),
            (Some(position), CellKind::Text) => self.texts.get(*position as usize).into(),
            (Some(value), CellKind::Number(_)) => Cell::Number(*value),
        }
    }
}
