//! Rows of an event table, of one trace or of all, and their text for copies and exports.

use super::columns::field_text;
use super::merged_rows::{MergedRows, MergedText};
use super::rows::RowFacts;
use crate::app::state::App;
use crate::trace::pages::Pages;
use leptos::prelude::*;
use protocol::events::columns::EventColumn;
use protocol::request::{EventFormat, EventOrder, Filter};
use protocol::tables::{EventFields, EventRows};
use protocol::{Failure, queries};

/// Event table of a trace, or of all traces.
#[derive(Clone, Copy)]
#[allow(clippy::large_enum_variant)] // event handlers copy it a few times; in a box, it wouldn't be Copy
pub enum EventTable {
    /// Loaded rows and values of field columns.
    One(Pages<EventRows>, Pages<EventFields>),
    All(MergedRows),
}

enum Rows {
    One(Filter, EventOrder),
    All(MergedText),
}

/// Reader of the text of rows, as the table was when it was created.
pub struct TextReader {
    app: App,
    columns: Vec<EventColumn>,
    format: EventFormat,
    rows: Rows,
}

impl EventTable {
    /// Returns the facts about the event in a row, if it is loaded. `app` is the trace of the panel.
    pub fn facts_at(self, app: App, row: u64) -> Option<RowFacts> {
        match self {
            Self::One(pages, _) => pages.row_untracked(row, |page, row| RowFacts::new(app, page, row)).flatten(),
            Self::All(rows) => rows.facts_at(row),
        }
    }

    /// Returns the value of a field with a column in a row; empty until it is loaded.
    pub fn field_text(self, row: u64, field: &str) -> String {
        untrack(|| match self {
            Self::One(_, fields) => field_text(fields, Some(row), field),
            Self::All(rows) => rows.text(Some(row), &EventColumn::Field(field.to_owned())),
        })
    }

    /// Creates a reader of rows with the current columns.
    pub fn reader(self, app: App, format: EventFormat) -> TextReader {
        let columns = app.events.columns.with_untracked(|columns| columns.order());
        let rows = match self {
            Self::One(..) => Rows::One(app.filter.get_untracked(), app.events.order.get_untracked()),
            Self::All(rows) => Rows::All(rows.reader()),
        };
        TextReader { app, columns, format, rows }
    }
}

impl TextReader {
    /// Returns the text of some rows, with the titles of the columns if the format has them.
    ///
    /// # Errors
    /// Fails if a worker fails.
    pub async fn read(&mut self, with_head: bool, first: u64, count: u32) -> Result<Vec<u8>, Failure> {
        let (columns, format) = (&self.columns, self.format);
        match &mut self.rows {
            Rows::One(filter, order) => {
                let (filter, order, columns) = (filter.clone(), order.clone(), columns.clone());
                let request = queries::EventText { filter, order, columns, format, with_head, first, count, of: None };
                Ok(self.app.ask(request).await?.bytes)
            }
            Rows::All(text) => text.read(columns, format, with_head, (first, count)).await,
        }
    }
}
