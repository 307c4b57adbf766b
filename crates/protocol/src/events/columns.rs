//! Columns of the event table.
//!
//! A column is a row of [`COLUMNS`]: the page, exports, the clipboard and the command line read it. A column of a
//! [`Property`] needs only its variant, its row, and the accessor in the engine.

use crate::filter::Name;
use crate::tables::EventRows;
use serde::{Deserialize, Serialize};

/// Column of the event table. Events are also sorted and grouped by columns.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum EventColumn {
    #[default]
    Time,
    /// Label of the thread.
    Thread,
    /// Name of the provider.
    Provider,
    /// Name of the event.
    Name,
    /// Level, most severe first.
    Level,
    /// Duration of the interval that an event starts or stops; other events come last.
    Duration,
    BelongsTo,
    Property(Property),
    /// Payload field of this name: numbers, then strings (case-insensitive), then events without it.
    Field(String),
    /// Payload in one line.
    Payload,
}

/// Property of events that isn't a separate column in [`EventRows`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Property {
    /// CPU that the writing thread ran on.
    Cpu,
    /// Thread that wrote the event, if it is about another thread.
    CaptureThread,
}

impl Property {
    /// All properties, in the order of their values in [`EventRows`].
    pub const ALL: [Self; 2] = [Self::Cpu, Self::CaptureThread];

    /// Returns the column.
    pub fn column(self) -> Option<&'static Column> {
        Column::of(&EventColumn::Property(self))
    }

    /// Returns the key of the column, which is also its key in filters.
    pub fn key(self) -> &'static str {
        self.column().map_or("", |column| column.key)
    }

    /// Returns the property with a key.
    pub fn with_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|property| property.key() == key)
    }

    /// Returns the value in a row of a page; empty if the event has none.
    pub fn value(self, page: &EventRows, row: usize) -> &str {
        let at = Self::ALL.iter().position(|property| *property == self);
        at.map_or("", |at| page.properties.get(row * Self::ALL.len() + at))
    }
}

/// Column of every event table, declared once.
#[derive(Clone, Debug)]
pub struct Column {
    pub column: EventColumn,
    /// Name in URLs, in style sheets and on the command line; for a property also in filters.
    pub key: &'static str,
    pub title: &'static str,
    /// Unit of exported numbers.
    pub unit: &'static str,
    /// Key in JSON.
    pub json: &'static str,
    /// Returns the value in a row of a page.
    pub cell: fn(&EventRows, usize) -> Cell<'_>,
    /// Whether events can be sorted by the column.
    pub sort: bool,
    /// Name in a filter condition that matches events with a value of this column.
    pub target: Option<Name>,
    /// Name of the group of events without a value.
    pub without: &'static str,
    /// Whether the column is visible by default.
    pub is_default: bool,
    /// Minimum width in CSS pixels.
    pub least_width: u16,
}

/// Value of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell<'t> {
    /// Time in nanoseconds.
    Time(i64),
    /// Duration in nanoseconds.
    Duration(i64),
    Level(u8),
    Number(u64),
    Text(&'t str),
    /// No value, with the reason if it isn't obvious. Exports omit it.
    Missing(&'static str),
}

/// Column with default values.
const PLAIN: Column = Column {
    column: EventColumn::Time,
    key: "",
    title: "",
    unit: "",
    json: "",
    cell: |_, _| Cell::Missing(""),
    sort: true,
    target: None,
    without: "",
    is_default: true,
    least_width: 80,
};

/// All columns except payload fields, in default order.
pub static COLUMNS: [Column; 10] = [
    Column {
        column: EventColumn::Time,
        key: "time",
        title: "Time",
        unit: "s",
        json: "timeNs",
        cell: |page, row| page.time.get(row).map_or(Cell::Missing(""), |nanos| Cell::Time(*nanos)),
        least_width: 108,
        ..PLAIN
    },
    Column {
        column: EventColumn::Thread,
        key: "thread",
        title: "Thread",
        json: "thread",
        cell: |page, row| Cell::Text(page.thread_label.get(row)),
        target: Some(Name::Thread),
        least_width: 112,
        ..PLAIN
    },
    Column {
        column: EventColumn::Provider,
        key: "provider",
        title: "Provider",
        json: "provider",
        cell: |page, row| Cell::Text(page.provider.get(row)),
        target: Some(Name::Provider),
        least_width: 96,
        ..PLAIN
    },
    Column {
        column: EventColumn::Name,
        key: "event",
        title: "Event",
        json: "event",
        cell: |page, row| Cell::Text(page.name.get(row)),
        target: Some(Name::Event),
        least_width: 90,
        ..PLAIN
    },
    Column {
        column: EventColumn::Level,
        key: "level",
        title: "Level",
        json: "level",
        cell: |page, row| page.level.get(row).map_or(Cell::Missing(""), |level| Cell::Level(*level)),
        least_width: 80,
        ..PLAIN
    },
    Column {
        column: EventColumn::Duration,
        key: "duration",
        title: "Duration",
        unit: "s",
        json: "durationNs",
        cell: |page, row| match page.duration.get(row) {
            Some(&nanos) if nanos >= 0 => Cell::Duration(nanos),
            _ => Cell::Missing(""),
        },
        least_width: 96,
        ..PLAIN
    },
    Column {
        column: EventColumn::BelongsTo,
        key: "labels",
        title: "Activity, labels",
        json: "belongsTo",
        cell: |page, row| Cell::Text(page.belongs_to.get(row)),
        sort: false,
        least_width: 90,
        ..PLAIN
    },
    Column {
        column: EventColumn::Property(Property::Cpu),
        key: "cpu",
        title: "CPU number",
        json: "cpu",
        cell: |page, row| match Property::Cpu.value(page, row).parse() {
            Ok(cpu) => Cell::Number(cpu),
            Err(_) => Cell::Missing("not recorded"),
        },
        target: Some(Name::Property(Property::Cpu)),
        without: "not recorded",
        is_default: false,
        ..PLAIN
    },
    Column {
        column: EventColumn::Property(Property::CaptureThread),
        key: "capture",
        title: "Capture thread",
        json: "captureThread",
        cell: |page, row| match Property::CaptureThread.value(page, row) {
            "" => Cell::Missing(""),
            thread => Cell::Text(thread),
        },
        target: Some(Name::Property(Property::CaptureThread)),
        without: "same thread",
        is_default: false,
        ..PLAIN
    },
    Column {
        column: EventColumn::Payload,
        key: "payload",
        title: "Payload",
        json: "payload",
        cell: |page, row| Cell::Text(page.payload.get(row)),
        sort: false,
        least_width: 110,
        ..PLAIN
    },
];

impl Column {
    /// Returns the declaration of a column; `None` for a payload field.
    pub fn of(column: &EventColumn) -> Option<&'static Self> {
        COLUMNS.iter().find(|known| known.column == *column)
    }

    /// Returns the column with a key.
    pub fn with_key(key: &str) -> Option<&'static Self> {
        COLUMNS.iter().find(|known| known.key == key)
    }

    /// Returns the title for use inside a sentence.
    pub fn phrase(&self) -> String {
        let is_acronym = self.title.chars().take(2).all(char::is_uppercase);
        if is_acronym { self.title.to_owned() } else { self.title.to_lowercase() }
    }

    /// Returns the columns that events can be grouped by. Excludes times and durations, which rarely repeat.
    pub fn groupable() -> impl Iterator<Item = &'static Self> {
        COLUMNS.iter().filter(|known| {
            known.sort && !matches!(known.column, EventColumn::Time | EventColumn::Duration) //
        })
    }
}

impl EventColumn {
    /// Returns whether events can be sorted by the column.
    pub fn is_sortable(&self) -> bool {
        Column::of(self).is_none_or(|known| known.sort)
    }

    /// Returns the heading in exports.
    pub fn export_title(&self) -> String {
        match (Column::of(self), self) {
            (Some(known), _) if known.unit.is_empty() => known.title.to_owned(),
            (Some(known), _) => format!("{}, {}", known.title, known.unit),
            (None, Self::Field(name)) => name.clone(),
            (None, _) => String::new(),
        }
    }
}

/// Returns the payload fields among columns, in order.
pub fn fields_of(columns: &[EventColumn]) -> Vec<String> {
    let name = |column: &EventColumn| match column {
        EventColumn::Field(name) => Some(name.clone()),
        _ => None,
    };
    columns.iter().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_differ_in_all_names() {
        let names: [fn(&Column) -> &str; 3] = [|column| column.key, |column| column.title, |column| column.json];
        for name in names {
            let mut all: Vec<&str> = COLUMNS.iter().map(name).collect();
            all.sort_unstable();
            all.dedup();
            assert!(all.len() == COLUMNS.len() && all.iter().all(|name| !name.is_empty()), "{all:?}");
        }
        // URLs contain lists of keys.
        assert!(COLUMNS.iter().all(|column| column.key.bytes().all(|byte| byte.is_ascii_lowercase())));
    }

    #[test]
    fn every_property_has_a_column() {
        for property in Property::ALL {
            assert_eq!(Property::with_key(property.key()), Some(property));
        }
        let columns = COLUMNS.iter().filter(|column| matches!(column.column, EventColumn::Property(_)));
        assert_eq!(columns.count(), Property::ALL.len());
        assert_eq!(EventColumn::Duration.export_title(), "Duration, s");
    }
}
