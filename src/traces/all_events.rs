//! Events of all traces on the timeline in one table, by time.

use super::state::Traces;
use crate::app::state::{App, Selection, Tab};
use crate::compare::TraceLetter;
use crate::trace::live_query::Trouble;
use crate::widgets::grid::{Grid, GridModel, Layout, cell};
use leptos::prelude::*;
use protocol::base::ids::EventId;
use protocol::events::columns::{Column, EventColumn};
use protocol::events::payload::plain;
use protocol::request::Filter;
use protocol::table::Cell;
use protocol::tables::EventRows;
use protocol::{Failure, FailureCode, queries};
use std::collections::HashMap;
use std::sync::Arc;
use view::events::columns::event_columns;
use view::events::level::level_name;
use view::format;
use view::grid::{GridColumn, Shown};
use view::traces::{Next, RowSearch, Start, letter, merged};
use wasm_bindgen_futures::spawn_local;

/// Number of rows per page.
const PAGE: u64 = 128;
/// Maximum number of cached pages.
const KEPT: usize = 24;
/// Width of times of day in CSS pixels.
const TIME_WIDTH: f64 = 150.0;
/// Key of the column with the trace.
const TRACE: &str = "trace";

/// What the table depends on, for each trace: its number, filter and revision, and what to add to its times.
type Of = Vec<(u32, Filter, u32, i64)>;

/// Some rows of the table.
struct Page {
    /// Trace and row in its table.
    rows: Vec<(usize, usize)>,
    tables: Vec<EventRows>,
}

/// All rows, of which those near the visible ones are cached. Copies are handles to the same state.
#[derive(Clone, Copy)]
struct Rows {
    traces: Traces,
    of: Memo<Of>,
    /// Numbers of events of the traces; empty before they are known.
    totals: RwSignal<Vec<u64>>,
    /// Whether the numbers and pages belong to `of`. Earlier ones stay until then.
    is_current: StoredValue<bool>,
    pages: RwSignal<HashMap<u64, Arc<Page>>>,
    failure: RwSignal<Option<Failure>>,
    /// Times of the first and the last event of all traces.
    ends: StoredValue<(i64, i64)>,
    /// Where pages start, as far as known.
    starts: StoredValue<HashMap<u64, Start>>,
    seen: StoredValue<(u64, u64)>,
    is_asking: StoredValue<bool>,
}

impl Rows {
    fn follow(traces: Traces) -> Self {
        let of = Memo::new(move |_| {
            let of = |app: App| (app.number, app.filter.get(), app.revision.get(), traces.offset(app).nanos);
            traces.all_open().into_iter().map(of).collect::<Of>()
        });
        let rows = Self {
            traces,
            of,
            totals: RwSignal::default(),
            is_current: StoredValue::new(false),
            pages: RwSignal::default(),
            failure: RwSignal::new(None),
            ends: StoredValue::default(),
            starts: StoredValue::default(),
            seen: StoredValue::default(),
            is_asking: StoredValue::new(false),
        };
        Effect::new(move |_| {
            of.track();
            rows.is_current.set_value(false);
            rows.fetch();
        });
        rows
    }

    fn total(self) -> u64 {
        self.totals.with(|totals| totals.iter().sum())
    }

    fn show(self, seen: (u64, u64)) {
        self.seen.set_value(seen);
        self.fetch();
    }

    /// Calls a function with the table and the row of an event, and the number of its trace among all.
    fn row<V>(self, row: u64, look: impl FnOnce(&EventRows, usize, usize) -> V) -> Option<V> {
        self.pages.with(|pages| {
            let page = pages.get(&(row / PAGE))?;
            let (trace, row) = *page.rows.get((row % PAGE) as usize)?;
            Some(look(page.tables.get(trace)?, row, trace))
        })
    }

    /// Requests what is missing, one page after the other.
    fn fetch(self) {
        if self.is_asking.get_value() {
            return;
        }
        self.is_asking.set_value(true);
        spawn_local(async move {
            // The table may be removed meanwhile.
            while let Some(of) = self.of.try_get_untracked() {
                let answer = self.fetch_next(&of).await;
                if self.of.try_get_untracked().as_ref() != Some(&of) {
                    continue;
                }
                match answer {
                    Ok(true) => continue,
                    Ok(false) => {}
                    Err(failure) if failure.code == FailureCode::Cancelled => {}
                    Err(failure) => self.failure.set(Some(failure)),
                }
                break;
            }
            _ = self.is_asking.try_set_value(false);
        });
    }

    /// Requests the numbers of events, or a page. Returns whether something was missing.
    async fn fetch_next(self, of: &Of) -> Result<bool, Failure> {
        let apps = untrack(|| self.traces.all_open());
        let is_current = || self.of.try_get_untracked().as_ref() == Some(of) && apps.len() == of.len();
        if !self.is_current.get_value() {
            let (mut totals, mut ends) = (Vec::new(), (i64::MAX, i64::MIN));
            for (app, (_, filter, _, nanos)) in apps.iter().zip(of) {
                let first = app.events_in_order(filter.clone(), 0, 1).await?;
                let total = first.total.first().copied().unwrap_or(0);
                let last = app.events_in_order(filter.clone(), total.saturating_sub(1), 1).await?;
                for time in first.time.first().into_iter().chain(last.time.first()) {
                    let time = time.saturating_add(*nanos);
                    ends = (ends.0.min(time), ends.1.max(time));
                }
                totals.push(total);
            }
            if is_current() {
                self.ends.set_value(ends);
                self.starts.set_value(HashMap::new());
                self.is_current.set_value(true);
                self.failure.set(None);
                self.pages.update(HashMap::clear);
                self.totals.set(totals);
            }
            return Ok(true);
        }
        let (first, end) = self.seen.get_value();
        let total: u64 = self.totals.with_untracked(|totals| totals.iter().sum());
        let is_missing =
            |page: &u64| page * PAGE < total && self.pages.with_untracked(|pages| !pages.contains_key(page));
        let Some(number) = (first / PAGE..=end.saturating_sub(1) / PAGE).find(is_missing) else { return Ok(false) };
        let start = match self.starts.with_value(|starts| starts.get(&number).cloned()) {
            Some(start) => start,
            None => self.search(number * PAGE, &apps, of).await?,
        };
        let count = PAGE + start.skip;
        let (mut tables, mut times) = (Vec::new(), Vec::new());
        for ((app, (_, filter, _, nanos)), row) in apps.iter().zip(of).zip(&start.rows) {
            let table = app.events_in_order(filter.clone(), *row, count as u32).await?;
            times.push(table.time.iter().map(|time| time.saturating_add(*nanos)).collect::<Vec<_>>());
            tables.push(table);
        }
        let rows = merged(&times, count as usize);
        if is_current() {
            let mut next = start.rows;
            rows.iter().for_each(|(trace, _)| next[*trace] += 1);
            self.starts.update_value(|starts| _ = starts.insert(number + 1, Start { rows: next, skip: 0 }));
            let rows = rows.into_iter().skip(start.skip as usize).collect();
            self.pages.update(|pages| {
                pages.insert(number, Arc::new(Page { rows, tables }));
                while pages.len() > KEPT {
                    let farthest = pages.keys().copied().max_by_key(|page| page.abs_diff(number)).unwrap_or(0);
                    pages.remove(&farthest);
                }
            });
        }
        Ok(true)
    }

    /// Finds where a page starts.
    async fn search(self, row: u64, apps: &[App], of: &Of) -> Result<Start, Failure> {
        let mut search = RowSearch::new(row, self.ends.get_value(), self.totals.get_untracked(), PAGE);
        loop {
            match search.next() {
                Next::Found(start) => return Ok(start),
                Next::Count(at) => {
                    let mut before = Vec::new();
                    for (app, (_, filter, _, nanos)) in apps.iter().zip(of) {
                        let at = at.saturating_sub(*nanos);
                        before.push(
                            app.ask(queries::TimePosition { filter: filter.clone(), at, descending: false }).await?,
                        );
                    }
                    search.put(at, before);
                }
            }
        }
    }
}

/// Events of all traces, instead of those of one.
#[component]
pub fn AllEvents() -> impl IntoView {
    let app = expect_context::<App>();
    let traces = app.traces;
    let is_open = Memo::new(move |_| app.tab.get() == Tab::Events && traces.are_all());
    move || is_open.get().then(|| view! { <Table traces/> })
}

#[component]
fn Table(traces: Traces) -> impl IntoView {
    let rows = Rows::follow(traces);
    let app_of = move |trace: usize| untrack(|| traces.all_open()).get(trace).copied();
    let choose = move |row: u64| {
        let found = untrack(|| rows.row(row, |table, row, trace| Some((table.event.get(row).copied()?, trace))));
        if let Some((event, trace)) = found.flatten()
            && let Some(app) = app_of(trace)
        {
            app.select(Selection::Event(EventId(event)));
        }
    };
    let mut model = GridModel::new(Signal::derive(move || rows.total()), Callback::new(choose));
    model.on_window = Some(Callback::new(move |seen| rows.show(seen)));
    let layout = Layout::new(move || {
        let trace = GridColumn { sort: None, ..GridColumn::text(TRACE, "Trace", 90.0, 0.6) };
        let others = event_columns(&[]).into_iter().filter(|column| column.shown == Shown::Always);
        let mut columns: Vec<_> = std::iter::once(trace).chain(others).collect();
        for column in &mut columns {
            column.sort = None;
            if column.key == "time" {
                column.least = TIME_WIDTH;
            }
        }
        columns
    });
    let name = move |trace: usize| app_of(trace).map(|app| app.trace_name());
    let cell = move |key: &str, row: Memo<Option<u64>>| {
        let testid = format!("all-event-{key}");
        if key == TRACE {
            let trace = Memo::new(move |_| rows.row(row.get()?, |_, _, trace| trace));
            let position = move || trace.get().and_then(app_of).map(|app| traces.position(app));
            return view! {
                <span role="gridcell" data-testid=testid>
                    {move || position().map(|position| view! { <TraceLetter position/> })} " " {move || trace.get().and_then(name)}
                </span>
            }
            .into_any();
        }
        let Some(known) = Column::with_key(key) else { return ().into_any() };
        let text = move || {
            let of_row =
                |table: &EventRows, row: usize, trace: usize| match ((known.cell)(table, row), &known.more.column) {
                    (Cell::Integer(nanos), EventColumn::Time) => {
                        let (app, first) = (app_of(trace)?, traces.first()?);
                        Some(first.face().cell(nanos.saturating_add(traces.shift(app, first))))
                    }
                    (Cell::Integer(level), EventColumn::Level) => Some(level_name(level as u8).to_owned()),
                    (cell, EventColumn::Payload) => Some(plain(&cell.words(known.kind))),
                    (cell, _) => Some(cell.words(known.kind)),
                };
            rows.row(row.get()?, of_row).flatten()
        };
        let is_number = matches!(known.more.column, EventColumn::Time | EventColumn::Duration);
        cell(if is_number { "num" } else { "" }, testid, text)
    };
    let counts = move || {
        let of = |(trace, total): (usize, u64)| format!("{} {}", letter(trace), format::count(total));
        rows.totals.with(|totals| totals.iter().copied().enumerate().map(of).collect::<Vec<_>>().join(" · "))
    };
    view! {
        <div class="vtable events" data-testid="all-events">
            <div class="tools">
                <span class="total" role="status">
                    <b data-testid="all-events-total">{move || rows.totals.with(|totals| !totals.is_empty()).then(|| format::count(rows.total()))}</b>
                    " events of all traces match, by time: " <b data-testid="all-events-counts">{counts}</b>
                </span>
            </div>
            <Trouble failure=rows.failure/>
            <div class="single"><Grid model label="Events of all traces" testid="all-events" layout cell/></div>
        </div>
    }
}
