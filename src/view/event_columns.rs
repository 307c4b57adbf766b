//! The columns of the table of events: which there are, in which order, how wide.

/// Narrower columns could not be taken hold of again, CSS pixels.
const LEAST_WIDTH: u16 = 40;
/// Wider ones would be all that is seen, CSS pixels.
const MOST_WIDTH: u16 = 1600;

/// A column of the table of events.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum EventColumn {
    /// When.
    Time,
    /// Thread's label.
    Thread,
    /// Provider.
    Provider,
    /// Event name.
    Name,
    /// Level.
    Level,
    /// How long what the event begins or ends lasts.
    Duration,
    /// Activity and labels.
    BelongsTo,
    /// The payload's field of this name.
    Field(String),
    /// Payload in a line.
    Payload,
}

/// The columns that there are without being asked for, as they stand at first, with their names in addresses and style
/// sheets, and the room that they need at least, CSS pixels.
const KNOWN: [(EventColumn, &str, u16); 8] = [
    (EventColumn::Time, "time", 96),
    (EventColumn::Thread, "thread", 88),
    (EventColumn::Provider, "provider", 80),
    (EventColumn::Name, "event", 90),
    (EventColumn::Level, "level", 60),
    (EventColumn::Duration, "duration", 70),
    (EventColumn::BelongsTo, "labels", 80),
    (EventColumn::Payload, "payload", 80),
];
/// Room that a field's column needs at least, CSS pixels.
const LEAST_OF_FIELD: u16 = 70;

impl EventColumn {
    /// Its name in style sheets; that of all fields is the same.
    pub fn style_name(&self) -> &'static str {
        KNOWN.into_iter().find(|(column, ..)| column == self).map_or("field", |(_, name, _)| name)
    }

    fn least(&self) -> u16 {
        KNOWN.into_iter().find(|(column, ..)| column == self).map_or(LEAST_OF_FIELD, |(.., least)| least)
    }
}

/// The columns of the table of events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventColumns {
    /// Each known one once, and fields that were asked for.
    order: Vec<EventColumn>,
    /// Widths that were chosen, CSS pixels.
    widths: Vec<(EventColumn, u16)>,
}

impl Default for EventColumns {
    fn default() -> Self {
        Self { order: KNOWN.into_iter().map(|(column, ..)| column).collect(), widths: Vec::new() }
    }
}

impl EventColumns {
    /// From left to right.
    pub fn order(&self) -> &[EventColumn] {
        &self.order
    }

    /// The fields of payloads that have columns, from left to right.
    pub fn fields(&self) -> Vec<String> {
        let name = |column: &EventColumn| match column {
            EventColumn::Field(name) => Some(name.clone()),
            _ => None,
        };
        self.order.iter().filter_map(name).collect()
    }

    /// Whether a field of payloads has a column.
    pub fn has_field(&self, name: &str) -> bool {
        self.order.iter().any(|column| matches!(column, EventColumn::Field(field) if field == name))
    }

    /// Gives a field of payloads a column: the last one, but for the payload where that stands at the end.
    pub fn add_field(&mut self, name: &str) {
        if !self.has_field(name) {
            let at = self.order.len() - usize::from(self.order.last() == Some(&EventColumn::Payload));
            self.order.insert(at, EventColumn::Field(name.to_owned()));
        }
    }

    /// Takes the column of a field away.
    pub fn remove_field(&mut self, name: &str) {
        let is_it = |column: &EventColumn| matches!(column, EventColumn::Field(field) if field == name);
        self.order.retain(|column| !is_it(column));
        self.widths.retain(|(column, _)| !is_it(column));
    }

    /// Puts a column where another one stands, which gives way.
    pub fn put_at(&mut self, column: &EventColumn, target: &EventColumn) {
        let place = |wanted: &EventColumn| self.order.iter().position(|present| present == wanted);
        if let (Some(from), Some(to)) = (place(column), place(target)) {
            let column = self.order.remove(from);
            self.order.insert(to, column);
        }
    }

    /// Puts a column one place on or back among those that are shown.
    pub fn step(&mut self, column: &EventColumn, onward: bool, shown: &[EventColumn]) {
        let Some(at) = shown.iter().position(|present| present == column) else { return };
        let next = if onward { Some(at + 1) } else { at.checked_sub(1) };
        if let Some(target) = next.and_then(|next| shown.get(next)) {
            self.put_at(column, target);
        }
    }

    /// The width that was chosen for a column, CSS pixels.
    pub fn width(&self, column: &EventColumn) -> Option<u16> {
        self.widths.iter().find(|(present, _)| present == column).map(|(_, width)| *width)
    }

    /// Chooses the width of a column, CSS pixels.
    pub fn set_width(&mut self, column: &EventColumn, width: f64) {
        if !self.order.contains(column) {
            return;
        }
        // In range after this; what is no number becomes the least.
        let width = width.round().clamp(f64::from(LEAST_WIDTH), f64::from(MOST_WIDTH)) as u16;
        let width = width.max(LEAST_WIDTH);
        match self.widths.iter_mut().find(|(present, _)| present == column) {
            Some((_, present)) => *present = width,
            None => self.widths.push((column.clone(), width)),
        }
    }

    /// Lets a column have the width that it has by itself.
    pub fn forget_width(&mut self, column: &EventColumn) {
        self.widths.retain(|(present, _)| present != column);
    }

    /// With the widths of others.
    pub fn with_widths_of(&self, other: &Self) -> Self {
        Self { order: self.order.clone(), widths: other.widths.clone() }
    }

    /// Whether columns stand or are wide as they are not at first.
    pub fn is_arranged(&self) -> bool {
        !self.widths.is_empty() || self.order != self.in_first_order()
    }

    /// Columns stand and are wide as at first; those of fields stay.
    pub fn reset(&mut self) {
        self.order = self.in_first_order();
        self.widths.clear();
    }

    fn in_first_order(&self) -> Vec<EventColumn> {
        let mut first = Self::default();
        self.fields().iter().for_each(|name| first.add_field(name));
        first.order
    }

    /// Tracks of a grid. The style sheet takes a column out of it by a variable `--x-…` that says nothing.
    pub fn grid_tracks(&self) -> String {
        let track = |column: &EventColumn| match (column, self.width(column)) {
            (EventColumn::Field(_), None) => "var(--w-field)".to_owned(),
            (EventColumn::Field(_), Some(width)) => format!("{width}px"),
            (known, None) => format!("var(--x-{0}, var(--w-{0}))", known.style_name()),
            (known, Some(width)) => format!("var(--x-{}, {width}px)", known.style_name()),
        };
        self.order.iter().map(track).collect::<Vec<_>>().join(" ")
    }

    /// The least width of the table, where widths were chosen: it scrolls in less. The style sheet takes a column out of it
    /// by a variable `--y-…`.
    pub fn least_width(&self) -> String {
        if self.widths.is_empty() {
            return "0px".to_owned();
        }
        let least = |column: &EventColumn| {
            let width = self.width(column).unwrap_or_else(|| column.least());
            match column {
                EventColumn::Field(_) => format!("{width}px"),
                known => format!("var(--y-{}, {width}px)", known.style_name()),
            }
        };
        format!("calc({})", self.order.iter().map(least).collect::<Vec<_>>().join(" + "))
    }

    /// Parts of an address: `col=TypeName&cols=event.0.time…&colw=event-220`; fields by their place among the columns
    /// of fields.
    pub fn encode(&self, push: &mut impl FnMut(&str, &str)) {
        let fields = self.fields();
        fields.iter().for_each(|name| push("col", name));
        let name = |column: &EventColumn| match column {
            EventColumn::Field(name) => fields.iter().position(|field| field == name).unwrap_or(0).to_string(),
            known => known.style_name().to_owned(),
        };
        if self.order != self.in_first_order() {
            push("cols", &self.order.iter().map(name).collect::<Vec<_>>().join("."));
        }
        if !self.widths.is_empty() {
            let width = |(column, width): &(EventColumn, u16)| format!("{}-{width}", name(column));
            push("colw", &self.widths.iter().map(width).collect::<Vec<_>>().join("."));
        }
    }

    /// Takes a part of an address, if it is one of columns. What is not named stands where it stood.
    pub fn decode(&mut self, key: &str, value: &str) -> bool {
        match key {
            "col" => self.add_field(value),
            "cols" => {
                let fields = self.fields();
                let mut order: Vec<EventColumn> = Vec::new();
                for column in value.split('.').filter_map(|name| named(&fields, name)) {
                    if !order.contains(&column) {
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

/// The column with a name in an address.
fn named(fields: &[String], name: &str) -> Option<EventColumn> {
    let known = KNOWN.into_iter().find(|(_, known, _)| *known == name).map(|(column, ..)| column);
    known.or_else(|| fields.get(name.parse::<usize>().ok()?).cloned().map(EventColumn::Field))
}

#[cfg(test)]
mod tests {
    use super::*;
    use EventColumn as C;

    fn survives(columns: &EventColumns) {
        let (mut parts, mut found) = (Vec::new(), EventColumns::default());
        columns.encode(&mut |key, value| parts.push((key.to_owned(), value.to_owned())));
        assert!(parts.iter().all(|(key, value)| found.decode(key, value)));
        assert_eq!(found, *columns);
    }

    fn field(name: &str) -> EventColumn {
        C::Field(name.to_owned())
    }

    #[test]
    fn columns_survive_the_address_wherever_they_stand() {
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
            [Some(120), Some(MOST_WIDTH), Some(LEAST_WIDTH)]
        );
        survives(&columns);
        columns.reset();
        assert!(!columns.is_arranged());
        assert_eq!(columns.fields(), ["2", "a.b"]);
    }

    #[test]
    fn an_address_that_names_columns_badly_loses_none() {
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
    fn a_step_goes_over_columns_that_are_not_shown() {
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
    fn tracks_of_the_grid_have_the_widths_that_were_chosen() {
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
