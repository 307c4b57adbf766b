//! Columns of the event table.
//!
//! A column is a row of [`COLUMNS`]: the page, exports, the clipboard and the command line read it. A column of a
//! [`Property`] needs only its variant, its row, and the accessor in the engine.

use crate::filter::Name;
use crate::table::{Cell, CellKind, Unit, column_with_key};
use crate::tables::EventRows;
use serde::{Deserialize, Serialize};

/// Column of the event table. Events are also sorted and grouped by columns.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum EventColumn {
    #[default]
    Time,
    Thread,
    Provider,
    Name,
    /// Level, most severe first.
    Level,
    /// Duration of the interval that an event starts or stops; other events come last.
    Duration,
    BelongsTo,
    Property(Property),
    /// Payload field of this name: numbers, then strings (case-insensitive), then events without it.
    Field(String),
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

/// Facts about a column of the event table that other tables don't have.
#[derive(Clone, Debug)]
pub struct EventFacts {
    pub column: EventColumn,
    /// Name of the group of events without a value.
    pub without: &'static str,
    /// Whether the column is visible by default.
    pub is_default: bool,
    /// Minimum width in CSS pixels.
    pub least_width: u16,
}

/// Column of every event table, declared once.
pub type Column = crate::table::Column<EventRows, EventFacts>;

/// Column with default values.
const PLAIN: Column = Column {
    key: "",
    title: "",
    kind: CellKind::Text,
    json: "",
    cell: |_, _| Cell::Missing(""),
    sort: Some(false),
    target: None,
    more: SHOWN,
};

const SHOWN: EventFacts = EventFacts { column: EventColumn::Time, without: "", is_default: true, least_width: 80 };

/// All columns except payload fields, in default order.
pub static COLUMNS: [Column; 10] = [
    Column {
        key: "time",
        title: "Time",
        kind: CellKind::Number(Unit::Moment),
        json: "timeNs",
        cell: |page, row| page.time.get(row).copied().into(),
        more: EventFacts { least_width: 108, ..SHOWN },
        ..PLAIN
    },
    Column {
        key: "thread",
        title: "Thread",
        json: "thread",
        cell: |page, row| page.thread_label.get(row).into(),
        target: Some(Name::Thread),
        more: EventFacts { column: EventColumn::Thread, least_width: 112, ..SHOWN },
        ..PLAIN
    },
    Column {
        key: "provider",
        title: "Provider",
        json: "provider",
        cell: |page, row| page.provider.get(row).into(),
        target: Some(Name::Provider),
        more: EventFacts { column: EventColumn::Provider, least_width: 96, ..SHOWN },
        ..PLAIN
    },
    Column {
        key: "event",
        title: "Event",
        json: "event",
        cell: |page, row| page.name.get(row).into(),
        target: Some(Name::Event),
        more: EventFacts { column: EventColumn::Name, least_width: 90, ..SHOWN },
        ..PLAIN
    },
    Column {
        key: "level",
        title: "Level",
        kind: CellKind::Number(Unit::Identity),
        json: "level",
        cell: |page, row| page.level.get(row).map(|level| u32::from(*level)).into(),
        more: EventFacts { column: EventColumn::Level, ..SHOWN },
        ..PLAIN
    },
    Column {
        key: "duration",
        title: "Duration",
        kind: CellKind::Number(Unit::Duration),
        json: "durationNs",
        cell: |page, row| page.duration.get(row).copied().filter(|nanos| *nanos >= 0).into(),
        // Users look for the longest.
        sort: Some(true),
        more: EventFacts { column: EventColumn::Duration, least_width: 96, ..SHOWN },
        ..PLAIN
    },
    Column {
        key: "labels",
        title: "Activity, labels",
        json: "belongsTo",
        cell: |page, row| known(page.belongs_to.get(row)),
        sort: None,
        more: EventFacts { column: EventColumn::BelongsTo, least_width: 90, ..SHOWN },
        ..PLAIN
    },
    Column {
        key: "cpu",
        title: "CPU number",
        kind: CellKind::Number(Unit::Identity),
        json: "cpu",
        cell: |page, row| match Property::Cpu.value(page, row).parse() {
            Ok(cpu) => Cell::Integer(cpu),
            Err(_) => Cell::Missing("not recorded"),
        },
        target: Some(Name::Property(Property::Cpu)),
        more: EventFacts {
            column: EventColumn::Property(Property::Cpu),
            without: "not recorded",
            is_default: false,
            ..SHOWN
        },
        ..PLAIN
    },
    Column {
        key: "capture",
        title: "Capture thread",
        json: "captureThread",
        cell: |page, row| known(Property::CaptureThread.value(page, row)),
        target: Some(Name::Property(Property::CaptureThread)),
        more: EventFacts {
            column: EventColumn::Property(Property::CaptureThread),
            without: "same thread",
            is_default: false,
            ..SHOWN
        },
        ..PLAIN
    },
    Column {
        key: "payload",
        title: "Payload",
        json: "payload",
        cell: |page, row| page.payload.get(row).into(),
        sort: None,
        more: EventFacts { column: EventColumn::Payload, least_width: 110, ..SHOWN },
        ..PLAIN
    },
];

/// Returns the cell of a text; of none if it is empty.
fn known(text: &str) -> Cell<'_> {
    if text.is_empty() { Cell::Missing("") } else { text.into() }
}

impl Column {
    /// Returns the declaration of a column; `None` for a payload field.
    pub fn of(column: &EventColumn) -> Option<&'static Self> {
        COLUMNS.iter().find(|known| known.more.column == *column)
    }

    /// Returns the column with a key.
    pub fn with_key(key: &str) -> Option<&'static Self> {
        column_with_key(&COLUMNS, key)
    }

    /// Returns the title for use inside a sentence.
    pub fn phrase(&self) -> String {
        let is_acronym = self.title.chars().take(2).all(char::is_uppercase);
        if is_acronym { self.title.to_owned() } else { self.title.to_lowercase() }
    }

    /// Returns the columns that events can be grouped by. Excludes times and durations, which rarely repeat.
    pub fn groupable() -> impl Iterator<Item = &'static Self> {
        COLUMNS.iter().filter(|known| {
            known.sort.is_some() && !matches!(known.more.column, EventColumn::Time | EventColumn::Duration) //
        })
    }
}

impl EventColumn {
    /// Returns whether events can be sorted by the column.
    pub fn is_sortable(&self) -> bool {
        Column::of(self).is_none_or(|known| known.sort.is_some())
    }

    /// Returns the heading in exports.
    pub fn export_title(&self) -> String {
        match (Column::of(self), self) {
            (Some(known), _) => match known.kind {
                CellKind::Number(Unit::Moment | Unit::Duration) => format!("{}, s", known.title),
                _ => known.title.to_owned(),
            },
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
        let columns = COLUMNS.iter().filter(|column| matches!(column.more.column, EventColumn::Property(_)));
        assert_eq!(columns.count(), Property::ALL.len());
        assert_eq!(EventColumn::Duration.export_title(), "Duration, s");
    }
}
