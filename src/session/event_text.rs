//! The table of events as text for other programs.

use super::export::json::Json;
use super::export::payload::write_object;
use super::export::write_line;
use super::failures::unreadable_source;
use super::state::Session;
use crate::analysis::events_page::{event_fields, events_page};
use crate::model::ids::EventId;
use crate::nettrace::{Field, SourceError, Value, decode};
use crate::protocol::Failure;
use crate::protocol::event_text::EventFormat;
use crate::protocol::request::{EventOrder, Filter};
use crate::protocol::tables::{EventFields, EventRows, ExportedFile};

/// Columns before those of fields, and after them.
const COLUMNS: [&str; 7] = ["Time, s", "Thread", "Provider", "Event", "Level", "Duration, s", "Activity, labels"];
const PAYLOAD: &str = "Payload";

impl Session {
    /// Rows of the table of events as text, with the decoded payload as JSON.
    ///
    /// # Errors
    /// If the filter cannot be understood, or the file can no longer be read.
    pub(super) fn event_text(
        &mut self,
        (filter, order): (&Filter, &EventOrder),
        fields: &[String],
        (format, with_head): (EventFormat, bool),
        first: u64,
        count: u32,
    ) -> Result<ExportedFile, Failure> {
        let (rows, total) = self.page(filter, order, first, count)?;
        let lasting = self.durations()?;
        let page = events_page(&self.store, &self.source, &lasting, &rows, total);
        let page = page.map_err(|error| unreadable_source(&error))?;
        let text = self.write_rows(&rows, &page, fields, format, with_head);
        let text = text.map_err(|error| unreadable_source(&error))?;
        let (name, _) = self.file.name.rsplit_once('.').unwrap_or((&self.file.name, ""));
        let name = [format!("{name}.events{}", format.ending())].into_iter().collect();
        Ok(ExportedFile { name, bytes: text.into_bytes() })
    }

    fn write_rows(
        &self,
        rows: &[u32],
        page: &EventRows,
        fields: &[String],
        format: EventFormat,
        with_head: bool,
    ) -> Result<String, SourceError> {
        let separator = match format {
            EventFormat::Csv => ',',
            EventFormat::Tsv => '\t',
            EventFormat::JsonLines => return (0..rows.len()).map(|row| self.json_line(page, row)).collect(),
        };
        let values = event_fields(&self.store, &self.source, rows, fields, rows.len() as u64)?;
        let mut text = String::new();
        if with_head {
            let fields = fields.iter().map(String::as_str);
            let heads: Vec<&str> = COLUMNS.into_iter().chain(fields).chain([PAYLOAD]).collect();
            write_line(&mut text, separator, &heads);
        }
        for row in 0..rows.len() {
            let mut payload = Json::default();
            if let Some(named) = &self.payload(page, row)? {
                write_named(&mut payload, named);
            }
            let (time, level) = (seconds(page.time[row]), page.level[row].to_string());
            let mut cells = vec![time.as_str(), page.thread_label.get(row), page.provider.get(row), page.name.get(row)];
            let duration = lasts(page, row).map(seconds).unwrap_or_default();
            cells.extend([level.as_str(), duration.as_str(), page.belongs_to.get(row)]);
            cells.extend(cells_of(&values, row, fields.len()));
            cells.push(payload.as_str());
            write_line(&mut text, separator, &cells);
        }
        Ok(text)
    }

    fn json_line(&self, page: &EventRows, row: usize) -> Result<String, SourceError> {
        let mut json = Json::default();
        let payload = self.payload(page, row)?;
        json.object(|json| {
            json.key("timeNs").integer(page.time[row]);
            json.key("thread").string(page.thread_label.get(row));
            json.key("provider").string(page.provider.get(row));
            json.key("event").string(page.name.get(row));
            json.key("level").integer(page.level[row]);
            if let Some(nanos) = lasts(page, row) {
                json.key("durationNs").integer(nanos);
            }
            if !page.belongs_to.get(row).is_empty() {
                json.key("belongsTo").string(page.belongs_to.get(row));
            }
            if let Some(payload) = &payload {
                write_named(json.key("payload"), payload);
            }
        });
        json.line();
        Ok(json.as_str().to_owned())
    }

    /// The decoded payload of an event that has one.
    fn payload(&self, page: &EventRows, row: usize) -> Result<Option<Named<'_>>, SourceError> {
        let event = EventId(page.event[row]);
        let event_type = self.store.types().get(self.store.events().row(event).event_type);
        let Some(event_type) = event_type.filter(|event_type| !event_type.schema.fields.is_empty()) else {
            return Ok(None);
        };
        let fields = &event_type.schema.fields;
        let payload = self.store.payload(event, &self.source)?;
        Ok(Some((fields, decode(fields, &payload, self.store.header().pointer_size))))
    }
}

/// How long what an event begins or ends lasts, nanoseconds.
fn lasts(page: &EventRows, row: usize) -> Option<i64> {
    page.duration.get(row).copied().filter(|nanos| *nanos >= 0)
}

/// Fields with their values.
type Named<'s> = (&'s [Field], Vec<Value>);

fn write_named(json: &mut Json, (fields, values): &Named<'_>) {
    write_object(json, fields.iter().map(|field| field.name.as_str()).zip(values));
}

fn cells_of(values: &EventFields, row: usize, count: usize) -> impl Iterator<Item = &str> {
    (row * count..(row + 1) * count).map(|at| values.value.get(at))
}

/// Nanoseconds as seconds, all digits.
fn seconds(nanos: i64) -> String {
    let sign = if nanos < 0 { "-" } else { "" };
    let size = nanos.unsigned_abs();
    format!("{sign}{}.{:09}", size / 1_000_000_000, size % 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_all_digits() {
        assert_eq!([0, 1, -1_500_000_000].map(seconds), ["0.000000000", "0.000000001", "-1.500000000"]);
    }
}
