//! Text of the rows of an event table, for copies and exports.

use super::merged_rows::{MergedRows, MergedText};
use crate::app::state::App;
use leptos::prelude::*;
use protocol::events::columns::EventColumn;
use protocol::request::{EventFormat, EventOrder, Filter};
use protocol::{Failure, queries};

/// Event table of a trace, or of all traces.
#[derive(Clone, Copy)]
#[allow(clippy::large_enum_variant)] // event handlers copy it a few times; in a box, it wouldn't be Copy
pub enum EventTable {
    One,
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
    /// Creates a reader of rows with the current columns.
    pub fn reader(self, app: App, format: EventFormat) -> TextReader {
        let columns = app.events.columns.with_untracked(|columns| columns.order());
        let rows = match self {
            Self::One => Rows::One(app.filter.get_untracked(), app.events.order.get_untracked()),
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
