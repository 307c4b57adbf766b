//! Text and time range of the selected rows of the event table, including rows that aren't loaded.

use super::merged_rows::MergedRows;
use super::table_text::{EventTable, TextReader};
use crate::app::state::App;
use crate::share::copy_view::{self, CopyAs};
use crate::trace::join::join;
use crate::widgets::copy::copy_text;
use leptos::prelude::*;
use protocol::base::time::Span;
use protocol::request::{EventFormat, EventOrder, Filter};
use protocol::{Failure, queries};
use view::events::row_selection::RowSelection;
use view::format;
use wasm_bindgen_futures::spawn_local;

/// Number of rows per request; other requests are answered in between.
const PART: u64 = 4096;
/// Maximum number of rows to copy.
const MAX_ROWS: u64 = 50_000;
/// Maximum length of the text to copy.
const MAX_BYTES: usize = 64 << 20;

/// Reason why a command can't run on the selected rows.
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

/// Selected rows. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct SelectedRows {
    app: App,
    /// Their table.
    pub table: EventTable,
    pub rows: RwSignal<RowSelection>,
}

impl SelectedRows {
    /// Creates an empty selection.
    pub fn new(app: App, table: EventTable) -> Self {
        Self { app, table, rows: RwSignal::default() }
    }

    /// Copies the rows, and shows a confirmation.
    pub fn copy(self, format: EventFormat) {
        let rows = self.rows.get_untracked();
        if rows.count() == 0 {
            return;
        }
        let app = self.app;
        let reader = self.table.reader(app, format);
        spawn_local(async move {
            match text(&rows, reader).await {
                Ok(text) => {
                    let what = format!("{} as {}", format::counted(rows.count(), "event"), format.words());
                    copy_text(app.shell, text, what);
                }
                Err(refusal) => app.shell.say(refusal.words()),
            }
        });
    }

    /// Calls a function with the time from the first to the last selected row, and the trace whose times these are.
    pub fn with_span(self, act: impl FnOnce(App, Span) + 'static) {
        let (rows, app) = (self.rows.get_untracked(), self.app);
        let order = (app.filter.get_untracked(), app.events.order.get_untracked());
        spawn_local(async move {
            let (of, span) = match self.table {
                EventTable::One(..) => (app, span(app, &rows, order).await),
                EventTable::All(table) => (app.traces.first().unwrap_or(app), span_of_all(table, &rows).await),
            };
            match span {
                Ok(Some(span)) => act(of, span),
                Ok(None) => {}
                Err(refusal) => app.shell.say(refusal.words()),
            }
        });
    }
}

/// Splits ranges into requests: first row and number of rows.
fn parts(ranges: &[(u64, u64)]) -> impl Iterator<Item = (u64, u32)> + '_ {
    ranges.iter().flat_map(|&(first, end)| {
        (first..end).step_by(PART as usize).map(move |part| (part, (end - part).min(PART) as u32))
    })
}

async fn text(rows: &RowSelection, mut reader: TextReader) -> Result<String, Refusal> {
    if rows.count() > MAX_ROWS {
        return Err(Refusal::TooMany(rows.count()));
    }
    let mut text = Vec::new();
    for (first, count) in parts(rows.ranges()) {
        let part = reader.read(text.is_empty(), first, count).await?;
        text.extend_from_slice(&part);
        if text.len() > MAX_BYTES {
            return Err(Refusal::TooLong);
        }
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Copies the first rows of the table, of which it has `total`.
pub fn copy_first(app: App, table: EventTable, format: CopyAs, total: u64) {
    let mut reader = table.reader(app, EventFormat::Tsv);
    spawn_local(async move {
        match reader.read(true, 0, copy_view::MAX_ROWS).await {
            Ok(text) => format.copy_table(app, String::from_utf8_lossy(&text).into_owned(), total),
            Err(failure) => app.shell.say(failure.to_string()),
        }
    });
}

/// Returns the time from the first to the last of some rows; `None` if there are none.
async fn span(app: App, rows: &RowSelection, (filter, order): (Filter, EventOrder)) -> Result<Option<Span>, Refusal> {
    let ranges = rows.ranges();
    let (Some((first, _)), Some((_, end))) = (ranges.first(), ranges.last()) else { return Ok(None) };
    // In order of time, the outermost rows are enough.
    let asked: Vec<(u64, u32)> = match order.is_time() {
        true => vec![(*first, 1), (end - 1, 1)],
        false if rows.count() > MAX_ROWS => return Err(Refusal::TooMany(rows.count())),
        false => parts(ranges).collect(),
    };
    let mut span: Option<Span> = None;
    for (first, count) in asked {
        let (filter, order) = (filter.clone(), order.clone());
        let request = queries::Events { filter, order, first, count };
        let page = app.ask(request).await?;
        for &time in &*page.time {
            let (start, end) = span.map_or((time, time), |span| (span.start.0, span.end.0));
            span = Some(Span::new(start.min(time), end.max(time.saturating_add(1))));
        }
    }
    Ok(span)
}

/// Returns the time from the first to the last of some rows of all traces, which are in order of time.
async fn span_of_all(table: MergedRows, rows: &RowSelection) -> Result<Option<Span>, Refusal> {
    let ranges = rows.ranges();
    let (Some((first, _)), Some((_, end))) = (ranges.first(), ranges.last()) else { return Ok(None) };
    let ends = join([*first, end - 1].map(|row| table.time_of(row))).await?;
    let mut ends = ends.into_iter().flatten();
    Ok(ends.next().zip(ends.next()).map(|(start, end)| Span::new(start, end.saturating_add(1))))
}

/// Number of selected rows, if there are several; opens their menu.
#[component]
pub fn SelectedCount(
    selected: SelectedRows,
    /// Opens their menu at a position in the window.
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
