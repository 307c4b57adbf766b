//! Event table as text for other programs.

use super::Run;
use crate::analysis::events::page::{event_fields, events_page};
use crate::analysis::values::value_text::exact_seconds;
use crate::session::db::interrupt::Answered;
use crate::session::db::state::Session;
use crate::session::export::payload::write_object;
use nettrace::{Field, SourceError, Value, decode};
use protocol::base::ids::EventId;
use protocol::events::columns::{Column, EventColumn, fields_of};
use protocol::events::text::EventFormat;
use protocol::export::{Json, write_cells, write_line};
use protocol::queries::EventText;
use protocol::table::{Cell, CellKind, Unit};
use protocol::tables::{EventFields, EventRows, ExportedFile};
use std::borrow::Cow;
use std::rc::Rc;

impl Run for EventText {
    fn run(&self, session: &mut Session) -> Answered<ExportedFile> {
        let lasting = if self.count == 0 { Rc::default() } else { session.durations()? };
        let (rows, total) = session.page_with_payloads(&self.filter, &self.order, self.first, self.count)?;
        let mut page = events_page(&session.store, &session.source, &lasting, &rows, total)?;
        let shift = self.of.as_ref().map_or(0, |of| of.shift);
        page.time.iter_mut().for_each(|time| *time = time.saturating_add(shift));
        let trace = self.of.as_ref().map(|of| of.name.as_str());
        let text = session.write_rows(&rows, &page, self, trace)?;
        let name = [self.format.file_name(&session.file.name)].into_iter().collect();
        Ok(ExportedFile { name, bytes: text.into_bytes() })
    }
}

impl Session {
    fn write_rows(
        &self,
        rows: &[u32],
        page: &EventRows,
        EventText { columns, format, with_head, .. }: &EventText,
        trace: Option<&str>,
    ) -> Result<String, SourceError> {
        let fields = fields_of(columns);
        let values = event_fields(&self.store, &self.source, rows, &fields, rows.len() as u64)?;
        let separator = match format {
            EventFormat::Csv => ',',
            EventFormat::Tsv => '\t',
            EventFormat::JsonLines => {
                return (0..rows.len()).map(|row| self.json_line(page, columns, &values, row, trace)).collect();
            }
        };
        let mut text = String::new();
        if *with_head {
            let heads = trace.map(|_| "Trace".to_owned()).into_iter();
            let heads: Vec<String> = heads.chain(columns.iter().map(EventColumn::export_title)).collect();
            write_line(&mut text, separator, &heads);
        }
        for row in 0..rows.len() {
            let mut named = cells_of(&values, row, fields.len());
            let mut cells: Vec<Cow<'_, str>> = trace.map(Cow::from).into_iter().collect();
            for column in columns {
                cells.push(match column {
                    EventColumn::Field(_) => named.next().unwrap_or_default().into(),
                    EventColumn::Payload => self.payload_text(page, row)?.into(),
                    column => Column::of(column).map(|column| cell_text(column, page, row)).unwrap_or_default(),
                });
            }
            write_line(&mut text, separator, &cells);
        }
        Ok(text)
    }

    /// Returns the payload of an event as JSON; empty if the event has none.
    fn payload_text(&self, page: &EventRows, row: usize) -> Result<String, SourceError> {
        let mut payload = Json::default();
        if let Some(named) = &self.payload(page, row)? {
            write_named(&mut payload, named);
        }
        Ok(payload.as_str().to_owned())
    }

    /// Returns a JSON object with the values of the columns, in their order. Keys of payload fields begin with
    /// `payload.`, as in filters, so they differ from the keys of other columns.
    fn json_line(
        &self,
        page: &EventRows,
        columns: &[EventColumn],
        values: &EventFields,
        row: usize,
        trace: Option<&str>,
    ) -> Result<String, SourceError> {
        let payload = match columns.contains(&EventColumn::Payload) {
            true => self.payload(page, row)?,
            false => None,
        };
        let mut named = cells_of(values, row, fields_of(columns).len());
        let mut json = Json::default();
        json.object(|json| {
            trace.into_iter().for_each(|trace| json.key("trace").string(trace));
            for column in columns {
                match column {
                    EventColumn::Field(name) => {
                        let text = named.next().filter(|text| !text.is_empty());
                        text.into_iter().for_each(|text| json.key(&format!("payload.{name}")).string(text));
                    }
                    EventColumn::Payload => {
                        payload.iter().for_each(|payload| write_named(json.key("payload"), payload));
                    }
                    column => write_cells(json, Column::of(column), page, row),
                }
            }
        });
        json.line();
        Ok(json.as_str().to_owned())
    }

    /// Returns the decoded payload of an event; `None` if the event has none.
    fn payload(&self, page: &EventRows, row: usize) -> Result<Option<Named<'_>>, SourceError> {
        let event = EventId(page.event[row]);
        let event_type = self.store.types.get(self.store.events.row(event).event_type);
        let Some(event_type) = event_type.filter(|event_type| !event_type.schema.fields.is_empty()) else {
            return Ok(None);
        };
        let fields = &event_type.schema.fields;
        let payload = self.store.payload(event, &self.source)?;
        Ok(Some((fields, decode(fields, &payload, self.store.header.pointer_size))))
    }
}

/// Returns a cell in CSV, with times in seconds.
fn cell_text<'p>(column: &Column, page: &'p EventRows, row: usize) -> Cow<'p, str> {
    match ((column.cell)(page, row), column.kind) {
        (Cell::Integer(nanos), CellKind::Number(Unit::Moment | Unit::Duration)) => exact_seconds(nanos).into(),
        (cell, _) => cell.plain(),
    }
}

/// Fields with their values.
type Named<'s> = (&'s [Field], Vec<Value>);

fn write_named(json: &mut Json, (fields, values): &Named<'_>) {
    write_object(json, fields.iter().map(|field| field.name.as_str()).zip(values));
}

fn cells_of(values: &EventFields, row: usize, count: usize) -> impl Iterator<Item = &str> {
    (row * count..(row + 1) * count).map(|at| values.value.get(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_all_digits() {
        assert_eq!([0, 1, -1_500_000_000].map(exact_seconds), ["0.000000000", "0.000000001", "-1.500000000"]);
    }
}
