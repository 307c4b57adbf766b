//! The selected rows of the table of events: their text and their time, also of rows that are not here.

use crate::app::state::{App, mismatch};
use crate::widgets::copy::copy_text;
use leptos::prelude::*;
use protocol::base::time::Span;
use protocol::request::{EventFormat, EventOrder, Filter};
use protocol::tables::EventRows;
use protocol::{Failure, Request, tables};
use view::events::row_selection::RowSelection;
use view::format;
use wasm_bindgen_futures::spawn_local;

/// Rows asked for at a time: between two parts other questions are answered.
const PART: u64 = 4096;
/// More rows than this are for a file.
const MAX_ROWS: u64 = 50_000;
/// A longer text is for a file, too.
const MAX_BYTES: usize = 64 << 20;

/// Why something cannot be done with the selected rows.
enum Refusal {
    TooMany(u64),
    TooLong,
    Failed(Failure),
}

impl Refusal {
    fn words(&self) -> String {
        match self {
            Self::TooMany(rows) => format!(
                "Too many events selected ({}; limit {}). Use Export… to write all matching events to a file.",
                format::count(*rows),
                format::count(MAX_ROWS)
            ),
            Self::TooLong => {
                format!(
                    "Too much text (limit {}). Use Export… to write all matching events to a file.",
                    format::bytes(MAX_BYTES as u64)
                )
            }
            Self::Failed(failure) => failure.to_string(),
        }
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// What rows are rows of.
#[derive(Clone)]
struct Table {
    filter: Filter,
    order: EventOrder,
}

/// The selected rows. Copies are handles to the same.
#[derive(Clone, Copy)]
pub struct SelectedRows {
    app: App,
    /// Which they are.
    pub rows: RwSignal<RowSelection>,
}

impl SelectedRows {
    /// None yet.
    pub fn new(app: App) -> Self {
        Self { app, rows: RwSignal::default() }
    }

    fn table(self) -> Table {
        Table { filter: self.app.filter.get_untracked(), order: self.app.order.get_untracked() }
    }

    /// Copies them, and says so.
    pub fn copy(self, format: EventFormat) {
        let (rows, table) = (self.rows.get_untracked(), self.table());
        if rows.count() == 0 {
            return;
        }
        let app = self.app;
        spawn_local(async move {
            match text(app, &rows, table, format).await {
                Ok(text) => {
                    let what = format!("{} as {}", format::counted(rows.count(), "event"), format.words());
                    copy_text(app.shell, text, what);
                }
                Err(refusal) => app.shell.say(refusal.words()),
            }
        });
    }

    /// Does something with the time from the first of them to the last.
    pub fn with_span(self, act: impl FnOnce(Span) + 'static) {
        let (rows, table, app) = (self.rows.get_untracked(), self.table(), self.app);
        spawn_local(async move {
            match span(app, &rows, table).await {
                Ok(Some(span)) => act(span),
                Ok(None) => {}
                Err(refusal) => app.shell.say(refusal.words()),
            }
        });
    }
}

/// Parts of ranges that are asked for one after the other: the first row and how many.
fn parts(ranges: &[(u64, u64)]) -> impl Iterator<Item = (u64, u32)> + '_ {
    ranges.iter().flat_map(|&(first, end)| {
        (first..end).step_by(PART as usize).map(move |part| (part, (end - part).min(PART) as u32))
    })
}

async fn text(app: App, rows: &RowSelection, table: Table, format: EventFormat) -> Result<String, Refusal> {
    if rows.count() > MAX_ROWS {
        return Err(Refusal::TooMany(rows.count()));
    }
    let columns = app.event_columns.with_untracked(|columns| columns.order().to_vec());
    let mut text = Vec::new();
    for (first, count) in parts(rows.ranges()) {
        let (Table { filter, order }, columns) = (table.clone(), columns.clone());
        let request = Request::EventText { filter, order, columns, format, with_head: text.is_empty(), first, count };
        let part = tables::ExportedFile::unpack(&app.ask_packed(request).await?).map_err(mismatch)?;
        text.extend_from_slice(&part.bytes);
        if text.len() > MAX_BYTES {
            return Err(Refusal::TooLong);
        }
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The time from the first of some rows to the last; none of no rows.
async fn span(app: App, rows: &RowSelection, table: Table) -> Result<Option<Span>, Refusal> {
    let ranges = rows.ranges();
    let (Some((first, _)), Some((_, end))) = (ranges.first(), ranges.last()) else { return Ok(None) };
    // In the order of time the outermost rows are enough.
    let asked: Vec<(u64, u32)> = match table.order.is_time() {
        true => vec![(*first, 1), (end - 1, 1)],
        false if rows.count() > MAX_ROWS => return Err(Refusal::TooMany(rows.count())),
        false => parts(ranges).collect(),
    };
    let mut span: Option<Span> = None;
    for (first, count) in asked {
        let Table { filter, order } = table.clone();
        let request = Request::Events { filter, order, first, count };
        let page = EventRows::unpack(&app.ask_packed(request).await?).map_err(mismatch)?;
        for &time in &*page.time {
            let (start, end) = span.map_or((time, time), |span| (span.start.0, span.end.0));
            span = Some(Span::new(start.min(time), end.max(time.saturating_add(1))));
        }
    }
    Ok(span)
}

/// How many are selected, where it is more than the one whose details are shown; opens their menu.
#[component]
pub fn SelectedCount(
    /// The selected rows.
    selected: SelectedRows,
    /// Opens their menu at a place in the window.
    menu: Callback<(f64, f64)>,
) -> impl IntoView {
    let count = Memo::new(move |_| selected.rows.with(RowSelection::count));
    let is_several = move || count.get() > 1;
    let open = move |event: web_sys::MouseEvent| menu.run(crate::widgets::menu::below_button(&event));
    view! {
        <span class="sr" role="status" data-testid="selected-announcement">
            {move || is_several().then(|| format!("{} selected.", format::counted(count.get(), "event")))}
        </span>
        <Show when=is_several>
            <button class="btn line selected-count" aria-haspopup="menu" title="Actions for selected events"
                data-testid="selected-count" on:click=open>
                {move || format!("{} selected", format::count(count.get()))}
            </button>
        </Show>
    }
}
