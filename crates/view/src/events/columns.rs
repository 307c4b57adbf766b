//! Columns of the event table: those of all events, and payload fields that users add.

use crate::draw::units::CssPx;
use crate::grid::{Arrangement, GridColumn, Shown};
use protocol::events::columns::{COLUMNS, Column, EventColumn, fields_of};

/// Prefix of the keys of payload fields.
const FIELD: &str = "field.";
/// Key of the payload, the last column by default.
const PAYLOAD: &str = "payload";

/// Minimum width of a field's column.
const LEAST_OF_FIELD: u16 = 80;

/// Returns the share of the remaining width that a column takes, and the width of the table from which it is visible.
fn room(column: &EventColumn) -> (f64, CssPx) {
    match column {
        EventColumn::Time | EventColumn::Thread => (0.0, 0.0),
        EventColumn::Provider => (1.25, 540.0),
        EventColumn::Name => (1.25, 0.0),
        EventColumn::Level => (0.0, 680.0),
        EventColumn::Duration => (0.0, 600.0),
        EventColumn::BelongsTo => (0.5, 1030.0),
        EventColumn::Payload => (2.2, 0.0),
        EventColumn::Property(_) | EventColumn::Field(_) => (0.8, 0.0),
    }
}

pub fn key_of(column: &EventColumn) -> String {
    match (column, Column::of(column)) {
        (EventColumn::Field(name), _) => format!("{FIELD}{name}"),
        (_, known) => known.map_or_else(String::new, |known| known.key.to_owned()),
    }
}

pub fn column_of(key: &str) -> Option<EventColumn> {
    match key.strip_prefix(FIELD) {
        Some(name) => Some(EventColumn::Field(name.to_owned())),
        None => Column::with_key(key).map(|known| known.more.column.clone()),
    }
}

/// Returns all columns, with those of payload fields before the payload. Columns that aren't default ones are added by
/// users.
pub fn event_columns(fields: &[String]) -> Vec<GridColumn> {
    let column = |column: &EventColumn, title: &str, testid, shown| {
        let least = Column::of(column).map_or(LEAST_OF_FIELD, |known| known.more.least_width);
        let (share, from) = room(column);
        GridColumn {
            is_number: *column == EventColumn::Duration,
            sort: Column::of(column).map_or(Some(false), |known| known.sort),
            shown,
            ..GridColumn::text(key_of(column), title, least.into(), share).with_testid(testid).from(from)
        }
    };
    let known = |known: &Column| {
        let testid = match known.more.column {
            EventColumn::Payload => "sort-field",
            _ => "",
        };
        column(
            &known.more.column,
            known.title,
            testid,
            if known.more.is_default { Shown::Always } else { Shown::Added },
        )
    };
    let field = |name: &String| column(&EventColumn::Field(name.clone()), name, "sort-column", Shown::Added);
    let mut all: Vec<GridColumn> = COLUMNS.iter().map(known).collect();
    let before = all.len().saturating_sub(1);
    all.splice(before..before, fields.iter().map(field));
    all
}

/// Columns of the event table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EventColumns {
    /// Arrangement, by key.
    pub arrangement: Arrangement,
}

impl EventColumns {
    /// Returns all columns, with the fields that have one.
    fn all(&self) -> Vec<GridColumn> {
        event_columns(&self.fields())
    }

    /// Returns the columns, from left to right.
    pub fn order(&self) -> Vec<EventColumn> {
        let shown = self.arrangement.shown.iter().filter_map(|key| column_of(key)).collect::<Vec<_>>();
        let default =
            || COLUMNS.iter().filter(|known| known.more.is_default).map(|known| known.more.column.clone()).collect();
        if shown.is_empty() { default() } else { shown }
    }

    /// Returns the payload fields with columns, from left to right.
    pub fn fields(&self) -> Vec<String> {
        fields_of(&self.order())
    }

    /// Returns whether a payload field has a column.
    pub fn has_field(&self, name: &str) -> bool {
        self.fields().iter().any(|field| field == name)
    }

    /// Adds a column for a payload field at the end, or before the payload if that is last.
    pub fn add_field(&mut self, name: &str) {
        if !self.has_field(name) {
            let mut keys: Vec<String> = self.order().iter().map(key_of).collect();
            let at = keys.len() - usize::from(keys.last().is_some_and(|last| last == PAYLOAD));
            keys.insert(at, format!("{FIELD}{name}"));
            self.arrangement.shown = keys;
        }
    }

    /// Returns these columns with the widths of others.
    pub fn with_widths_of(&self, other: &Self) -> Self {
        Self { arrangement: self.arrangement.with_widths_of(&other.arrangement) }
    }

    /// Writes the parts of a URL: `col=TypeName&morecol=cpu&nocol=level.labels&cols=event.0.time…&colw=event-220`. Fields
    /// are named by their index among the columns of fields.
    pub fn encode(&self, push: &mut impl FnMut(&str, &str)) {
        let (all, fields) = (self.all(), self.fields());
        let order: Vec<String> = self.order().iter().map(key_of).collect();
        fields.iter().for_each(|name| push("col", name));
        let name = |key: &String| match key.strip_prefix(FIELD) {
            Some(name) => fields.iter().position(|field| field == name).unwrap_or(0).to_string(),
            None => key.clone(),
        };
        let names = |keys: &[String]| keys.iter().map(name).collect::<Vec<_>>().join(".");
        let known = |shown: Shown, is_there: bool| -> Vec<String> {
            let known = all.iter().filter(|column| column.shown == shown && !column.key.starts_with(FIELD));
            known.map(|column| column.key.clone()).filter(|key| order.contains(key) == is_there).collect()
        };
        let (extra, hidden) = (known(Shown::Added, true), known(Shown::Always, false));
        if !extra.is_empty() {
            push("morecol", &names(&extra));
        }
        if !hidden.is_empty() {
            push("nocol", &names(&hidden));
        }
        let mut first = self.arrangement.clone();
        first.reset(&all);
        let mut first = first.order(&all);
        first.retain(|key| !hidden.contains(key));
        if order != first {
            push("cols", &names(&order));
        }
        if !self.arrangement.widths.is_empty() {
            let width = |(key, width): &(String, u16)| format!("{}-{width}", name(key));
            push("colw", &self.arrangement.widths.iter().map(width).collect::<Vec<_>>().join("."));
        }
    }

    /// Reads a part of a URL, and returns whether it is about columns. Columns that it doesn't name keep their
    /// positions.
    pub fn decode(&mut self, key: &str, value: &str) -> bool {
        let (all, fields) = (self.all(), self.fields());
        let mut order: Vec<String> = self.order().iter().map(key_of).collect();
        let named = |name: &str| match Column::with_key(name) {
            Some(known) => Some(known.key.to_owned()),
            None => fields.get(name.parse::<usize>().ok()?).map(|field| format!("{FIELD}{field}")),
        };
        let named = |value: &str| value.split('.').filter_map(named).collect::<Vec<_>>();
        match key {
            "col" => self.add_field(value),
            "morecol" | "nocol" => {
                let is_hidden = key == "nocol";
                for key in named(value) {
                    if self.arrangement.order(&all).contains(&key) == is_hidden {
                        self.arrangement.turn(&all, &key);
                    }
                }
            }
            "cols" => {
                let mut wanted = named(value);
                wanted.retain(|key| order.contains(key));
                let mut first: Vec<String> = Vec::new();
                for key in wanted.into_iter().chain(std::mem::take(&mut order)) {
                    if !first.contains(&key) {
                        first.push(key);
                    }
                }
                self.arrangement.set_order(&all, first);
            }
            "colw" => {
                for (name, width) in value.split('.').filter_map(|part| part.split_once('-')) {
                    if let (Some(key), Ok(width)) = (named(name).pop(), width.parse::<u16>()) {
                        self.arrangement.set_width(&key, width.into());
                    }
                }
            }
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survives(columns: &EventColumns) {
        let (mut parts, mut found) = (Vec::new(), EventColumns::default());
        columns.encode(&mut |key, value| parts.push((key.to_owned(), value.to_owned())));
        assert!(parts.iter().all(|(key, value)| found.decode(key, value)));
        assert_eq!(found, *columns, "{parts:?}");
    }

    fn keys(columns: &EventColumns) -> String {
        columns.order().iter().map(key_of).collect::<Vec<_>>().join(" ")
    }

    /// Changes the arrangement as a grid does.
    fn change(columns: &mut EventColumns, change: impl FnOnce(&mut Arrangement, &[GridColumn])) {
        let all = columns.all();
        change(&mut columns.arrangement, &all);
    }

    #[test]
    fn columns_round_trip_through_url_in_any_order() {
        let mut columns = EventColumns::default();
        survives(&columns);
        columns.add_field("a.b");
        columns.add_field("2");
        columns.add_field("2");
        assert_eq!(columns.fields(), ["a.b", "2"]);
        survives(&columns);
        change(&mut columns, |at, all| at.put_at(all, "field.2", "time"));
        change(&mut columns, |at, all| at.put_at(all, "payload", "thread"));
        columns.arrangement.set_width("field.2", 120.4);
        columns.arrangement.set_width("time", 90.0);
        assert_eq!(columns.fields(), ["2", "a.b"]);
        survives(&columns);
        change(&mut columns, |at, all| at.reset(all));
        assert_eq!(keys(&columns), "time thread provider event level duration labels field.2 field.a.b payload");
        survives(&columns);
    }

    #[test]
    fn columns_that_are_not_default_ones_are_added() {
        let mut columns = EventColumns::default();
        assert!(columns.decode("morecol", "time.cpu.nonsense"));
        assert_eq!(keys(&columns), "time thread provider event level duration labels cpu payload");
        survives(&columns);
        change(&mut columns, |at, all| at.put_at(all, "cpu", "time"));
        change(&mut columns, |at, all| at.turn(all, "level"));
        survives(&columns);
        change(&mut columns, |at, all| at.turn(all, "cpu"));
        change(&mut columns, |at, all| at.turn(all, "level"));
        assert_eq!(columns, EventColumns::default());
    }

    #[test]
    fn malformed_url_keeps_all_columns() {
        let mut columns = EventColumns::default();
        for (key, value) in [("col", "x"), ("cols", "payload.7.nonsense.time.time"), ("colw", "9-10.time-x.level")] {
            assert!(columns.decode(key, value));
        }
        assert_eq!(keys(&columns), "payload time thread provider event level duration labels field.x");
        assert!(columns.arrangement.widths.is_empty());
        assert!(!columns.decode("colour", "1"));
        let mut columns = EventColumns::default();
        assert!(columns.decode("nocol", "time.thread.provider.event.level.duration.labels.payload.payload.nonsense"));
        assert_eq!(keys(&columns), "payload", "the last one stays");
        survives(&columns);
    }
}
