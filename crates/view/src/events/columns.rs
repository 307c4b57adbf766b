//! Columns of the event table: selection, order and widths.

use protocol::events::columns::{COLUMNS, Column, EventColumn, fields_of};

/// Minimum width in CSS pixels. Users couldn't drag the edge of a narrower column.
const LEAST_WIDTH: u16 = 40;
/// Maximum width in CSS pixels, so that other columns stay visible.
const MAX_WIDTH: u16 = 1600;

/// Minimum width of a field's column in CSS pixels.
const LEAST_OF_FIELD: u16 = 70;

/// Returns the name of a column in style sheets, the same for all fields.
pub fn style_name(column: &EventColumn) -> &'static str {
    Column::of(column).map_or("field", |known| known.key)
}

fn least_width_of(column: &EventColumn) -> u16 {
    Column::of(column).map_or(LEAST_OF_FIELD, |known| known.least_width)
}

/// Returns the position of a column in the default order.
fn place_of(column: &EventColumn) -> Option<usize> {
    COLUMNS.iter().position(|known| known.column == *column)
}

/// Returns whether a column is neither a default column nor a field: users add it.
fn is_extra(column: &EventColumn) -> bool {
    Column::of(column).is_some_and(|known| !known.is_default)
}

/// Columns of the event table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventColumns {
    /// Visible columns: the default columns without hidden ones, and added columns and fields.
    order: Vec<EventColumn>,
    /// Chosen widths in CSS pixels.
    widths: Vec<(EventColumn, u16)>,
}

impl Default for EventColumns {
    fn default() -> Self {
        let default = COLUMNS.iter().filter(|known| known.is_default);
        Self { order: default.map(|known| known.column.clone()).collect(), widths: Vec::new() }
    }
}

impl EventColumns {
    /// Returns the columns, from left to right.
    pub fn order(&self) -> &[EventColumn] {
        &self.order
    }

    /// Returns the payload fields with columns, from left to right.
    pub fn fields(&self) -> Vec<String> {
        fields_of(&self.order)
    }

    /// Returns the hidden columns other than fields, in default order.
    pub fn hidden(&self) -> Vec<EventColumn> {
        COLUMNS.iter().map(|known| known.column.clone()).filter(|column| !self.order.contains(column)).collect()
    }

    /// Returns the added columns other than fields, in default order.
    fn extra(&self) -> Vec<EventColumn> {
        let extra = COLUMNS.iter().map(|known| &known.column).filter(|column| is_extra(column));
        extra.filter(|column| self.order.contains(column)).cloned().collect()
    }

    /// Returns whether a column can be hidden: one must stay.
    pub fn can_remove(&self) -> bool {
        self.order.len() > 1
    }

    /// Shows a hidden column, at the end or at its default position.
    pub fn show(&mut self, column: &EventColumn) {
        let Some(own) = place_of(column).filter(|_| !self.order.contains(column)) else { return };
        let behind = self.order.iter().position(|present| place_of(present).is_some_and(|other| other > own));
        self.order.insert(behind.unwrap_or(self.order.len()), column.clone());
    }

    /// Returns whether a payload field has a column.
    pub fn has_field(&self, name: &str) -> bool {
        self.order.iter().any(|column| matches!(column, EventColumn::Field(field) if field == name))
    }

    /// Adds a column for a payload field at the end, or before the payload if that is last.
    pub fn add_field(&mut self, name: &str) {
        if !self.has_field(name) {
            let at = self.order.len() - usize::from(self.order.last() == Some(&EventColumn::Payload));
            self.order.insert(at, EventColumn::Field(name.to_owned()));
        }
    }

    /// Removes a column, unless it is the last one.
    pub fn remove(&mut self, column: &EventColumn) {
        if self.can_remove() {
            self.order.retain(|present| present != column);
            self.widths.retain(|(present, _)| present != column);
        }
    }

    /// Moves a column to the position of another one.
    pub fn put_at(&mut self, column: &EventColumn, target: &EventColumn) {
        let place = |wanted: &EventColumn| self.order.iter().position(|present| present == wanted);
        if let (Some(from), Some(to)) = (place(column), place(target)) {
            let column = self.order.remove(from);
            self.order.insert(to, column);
        }
    }

    /// Moves a column by one position, right if `onward`, among the `shown` ones.
    pub fn step(&mut self, column: &EventColumn, onward: bool, shown: &[EventColumn]) {
        let Some(at) = shown.iter().position(|present| present == column) else { return };
        let next = if onward { Some(at + 1) } else { at.checked_sub(1) };
        if let Some(target) = next.and_then(|next| shown.get(next)) {
            self.put_at(column, target);
        }
    }

    /// Returns the chosen width of a column in CSS pixels.
    pub fn width(&self, column: &EventColumn) -> Option<u16> {
        self.widths.iter().find(|(present, _)| present == column).map(|(_, width)| *width)
    }

    /// Sets the width of a column in CSS pixels.
    pub fn set_width(&mut self, column: &EventColumn, width: f64) {
        if !self.order.contains(column) {
            return;
        }
        // In range after this; NaN becomes the minimum.
        let width = width.round().clamp(f64::from(LEAST_WIDTH), f64::from(MAX_WIDTH)) as u16;
        let width = width.max(LEAST_WIDTH);
        match self.widths.iter_mut().find(|(present, _)| present == column) {
            Some((_, present)) => *present = width,
            None => self.widths.push((column.clone(), width)),
        }
    }

    /// Restores the automatic width of a column.
    pub fn forget_width(&mut self, column: &EventColumn) {
        self.widths.retain(|(present, _)| present != column);
    }

    /// Returns these columns with the widths of others.
    pub fn with_widths_of(&self, other: &Self) -> Self {
        Self { order: self.order.clone(), widths: other.widths.clone() }
    }

    /// Returns whether the order or a width differs from the default, or a column is hidden.
    pub fn is_arranged(&self) -> bool {
        !self.widths.is_empty() || self.order != self.first_order()
    }

    /// Restores the default columns, order and widths. Added columns stay.
    pub fn reset(&mut self) {
        self.order = self.first_order();
        self.widths.clear();
    }

    /// Returns all default columns and the added ones, in default order.
    fn first_order(&self) -> Vec<EventColumn> {
        let mut first = Self::default();
        self.extra().iter().for_each(|column| first.show(column));
        self.fields().iter().for_each(|name| first.add_field(name));
        first.order
    }

    /// Returns the tracks of a CSS grid. The style sheet removes a column with an empty variable `--x-…`.
    pub fn grid_tracks(&self) -> String {
        let track = |column: &EventColumn| match (column, self.width(column)) {
            (EventColumn::Field(_), None) => "var(--w-field)".to_owned(),
            (EventColumn::Field(_), Some(width)) => format!("{width}px"),
            (known, None) if is_extra(known) => "var(--w-extra)".to_owned(),
            (known, Some(width)) if is_extra(known) => format!("{width}px"),
            (known, None) => format!("var(--x-{0}, var(--w-{0}))", style_name(known)),
            (known, Some(width)) => format!("var(--x-{}, {width}px)", style_name(known)),
        };
        self.order.iter().map(track).collect::<Vec<_>>().join(" ")
    }

    /// Returns the minimum width of the table if widths were chosen; a narrower table scrolls. The style sheet removes
    /// a column with an empty variable `--y-…`.
    pub fn least_width(&self) -> String {
        if self.widths.is_empty() {
            return "0px".to_owned();
        }
        let least = |column: &EventColumn| {
            let width = self.width(column).unwrap_or_else(|| least_width_of(column));
            match column {
                EventColumn::Field(_) => format!("{width}px"),
                known if is_extra(known) => format!("{width}px"),
                known => format!("var(--y-{}, {width}px)", style_name(known)),
            }
        };
        format!("calc({})", self.order.iter().map(least).collect::<Vec<_>>().join(" + "))
    }

    /// Writes the parts of a URL: `col=TypeName&morecol=cpu&nocol=level.labels&cols=event.0.time…&colw=event-220`. Fields
    /// are named by their index among the columns of fields.
    pub fn encode(&self, push: &mut impl FnMut(&str, &str)) {
        let fields = self.fields();
        fields.iter().for_each(|name| push("col", name));
        let name = |column: &EventColumn| match column {
            EventColumn::Field(name) => fields.iter().position(|field| field == name).unwrap_or(0).to_string(),
            known => style_name(known).to_owned(),
        };
        let extra = self.extra();
        if !extra.is_empty() {
            push("morecol", &extra.iter().map(name).collect::<Vec<_>>().join("."));
        }
        let mut hidden = self.hidden();
        hidden.retain(|column| !is_extra(column));
        if !hidden.is_empty() {
            push("nocol", &hidden.iter().map(name).collect::<Vec<_>>().join("."));
        }
        let mut first = self.first_order();
        first.retain(|column| !hidden.contains(column));
        if self.order != first {
            push("cols", &self.order.iter().map(name).collect::<Vec<_>>().join("."));
        }
        if !self.widths.is_empty() {
            let width = |(column, width): &(EventColumn, u16)| format!("{}-{width}", name(column));
            push("colw", &self.widths.iter().map(width).collect::<Vec<_>>().join("."));
        }
    }

    /// Reads a part of a URL, and returns whether it is about columns. Columns that it doesn't name keep their
    /// positions.
    pub fn decode(&mut self, key: &str, value: &str) -> bool {
        match key {
            "col" => self.add_field(value),
            "morecol" => {
                let extra = value.split('.').filter_map(|name| named(&[], name)).filter(is_extra);
                extra.for_each(|column| self.show(&column));
            }
            "nocol" => {
                let hidden: Vec<EventColumn> = value.split('.').filter_map(|name| named(&[], name)).collect();
                hidden.iter().for_each(|column| self.remove(column));
            }
            "cols" => {
                let fields = self.fields();
                let mut order: Vec<EventColumn> = Vec::new();
                for column in value.split('.').filter_map(|name| named(&fields, name)) {
                    if self.order.contains(&column) && !order.contains(&column) {
                        order.push(column);
                    }
                }
                let missing = self.order.iter().filter(|column| !order.contains(column)).cloned().collect::<Vec<_>>();
                order.extend(missing);
                self.order = order;
            }
            "colw" => {
                let fields = self.fields();
                for (name, width) in value.split('.').filter_map(|part| part.split_once('-')) {
                    if let (Some(column), Ok(width)) = (named(&fields, name), width.parse::<u16>()) {
                        self.set_width(&column, f64::from(width));
                    }
                }
            }
            _ => return false,
        }
        true
    }
}

/// Returns the column with a name in a URL.
fn named(fields: &[String], name: &str) -> Option<EventColumn> {
    let known = Column::with_key(name).map(|known| known.column.clone());
    known.or_else(|| fields.get(name.parse::<usize>().ok()?).cloned().map(EventColumn::Field))
}

#[cfg(test)]
mod tests {
    use super::*;
    use EventColumn as C;
    use protocol::events::columns::Property;

    fn survives(columns: &EventColumns) {
        let (mut parts, mut found) = (Vec::new(), EventColumns::default());
        columns.encode(&mut |key, value| parts.push((key.to_owned(), value.to_owned())));
        assert!(parts.iter().all(|(key, value)| found.decode(key, value)));
        assert_eq!(found, *columns);
    }

    fn extra() -> Vec<EventColumn> {
        Property::ALL.map(C::Property).to_vec()
    }

    fn field(name: &str) -> EventColumn {
        C::Field(name.to_owned())
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
        columns.put_at(&field("2"), &C::Time);
        columns.put_at(&C::Payload, &C::Thread);
        columns.set_width(&field("2"), 120.4);
        columns.set_width(&C::Payload, 1e9);
        columns.set_width(&C::Time, f64::NAN);
        assert_eq!(columns.fields(), ["2", "a.b"]);
        assert_eq!(
            [&field("2"), &C::Payload, &C::Time].map(|column| columns.width(column)),
            [Some(120), Some(MAX_WIDTH), Some(LEAST_WIDTH)]
        );
        survives(&columns);
        columns.reset();
        assert!(!columns.is_arranged());
        assert_eq!(columns.fields(), ["2", "a.b"]);
    }

    #[test]
    fn malformed_url_keeps_all_columns() {
        let mut columns = EventColumns::default();
        for (key, value) in [("col", "x"), ("cols", "payload.7.nonsense.time.time"), ("colw", "9-10.time-x.level")] {
            assert!(columns.decode(key, value));
        }
        assert_eq!(columns.order().len(), 9);
        assert_eq!(columns.order()[..3], [C::Payload, C::Time, C::Thread]);
        assert_eq!(columns.order().last(), Some(&field("x")));
        assert_eq!(columns.width(&C::Time), None);
        assert!(!columns.decode("colour", "1"));
    }

    #[test]
    fn hidden_columns_return_to_their_position() {
        let mut columns = EventColumns::default();
        columns.add_field("n");
        columns.set_width(&C::Level, 60.0);
        [C::Level, C::Time, C::Payload].iter().for_each(|column| columns.remove(column));
        assert_eq!(columns.hidden(), [vec![C::Time, C::Level], extra(), vec![C::Payload]].concat());
        assert_eq!(columns.width(&C::Level), None);
        survives(&columns);
        columns.put_at(&C::BelongsTo, &C::Thread);
        survives(&columns);
        columns.put_at(&C::BelongsTo, &C::Duration);
        columns.show(&C::Level);
        columns.show(&C::Payload);
        columns.show(&C::Payload);
        columns.show(&field("none"));
        let order = [C::Thread, C::Provider, C::Name, C::Level, C::Duration, C::BelongsTo, field("n"), C::Payload];
        assert_eq!(columns.order(), order);
        assert!(columns.is_arranged());
        columns.reset();
        assert!(columns.hidden() == extra() && !columns.is_arranged());
    }

    #[test]
    fn added_columns_are_part_of_the_default_order() {
        let mut columns = EventColumns::default();
        let cpu = C::Property(Property::Cpu);
        assert!(!columns.order().contains(&cpu));
        columns.show(&cpu);
        assert_eq!(columns.order()[6..], [C::BelongsTo, cpu.clone(), C::Payload]);
        assert!(!columns.is_arranged());
        survives(&columns);
        columns.put_at(&cpu, &C::Time);
        columns.set_width(&cpu, 50.0);
        columns.remove(&C::Level);
        survives(&columns);
        columns.reset();
        assert_eq!(columns.order()[7], cpu);
        columns.remove(&cpu);
        assert_eq!(columns, EventColumns::default());
        assert!(columns.decode("morecol", "time.nonsense") && columns == EventColumns::default());
    }

    #[test]
    fn last_column_is_not_removed() {
        let mut columns = EventColumns::default();
        assert!(columns.decode("nocol", "time.thread.provider.event.level.duration.labels.payload.payload.nonsense"));
        assert_eq!(columns.order(), [C::Payload]);
        assert!(!columns.can_remove());
        survives(&columns);
    }

    #[test]
    fn step_skips_invisible_columns() {
        let mut columns = EventColumns::default();
        let shown = [C::Time, C::Thread, C::Name, C::Payload];
        columns.step(&C::Thread, true, &shown);
        assert_eq!(columns.order()[..4], [C::Time, C::Provider, C::Name, C::Thread]);
        columns.step(&C::Payload, true, &shown);
        assert_eq!(columns.order().last(), Some(&C::Payload), "it is the last one");
        columns.step(&C::Time, false, &shown);
        assert_eq!(columns.order().first(), Some(&C::Time));
        columns.step(&C::Payload, false, &[C::Time, C::Name, C::Thread, C::Payload]);
        assert_eq!(columns.order()[3..5], [C::Payload, C::Thread]);
    }

    #[test]
    fn grid_tracks_have_chosen_widths() {
        let mut columns = EventColumns::default();
        columns.add_field("n");
        assert_eq!(columns.least_width(), "0px");
        columns.set_width(&C::Level, 50.0);
        let tracks = columns.grid_tracks();
        assert!(tracks.starts_with("var(--x-time, var(--w-time)) var(--x-thread, var(--w-thread)) "), "{tracks}");
        assert!(tracks.ends_with(" var(--w-field) var(--x-payload, var(--w-payload))"), "{tracks}");
        assert!(tracks.contains(" var(--x-level, 50px) "), "{tracks}");
        let least = columns.least_width();
        assert!(
            least.contains(" + var(--y-level, 50px) + var(--y-duration, 70px) + var(--y-labels, 80px) + 70px + "),
            "{least}"
        );
    }
}
