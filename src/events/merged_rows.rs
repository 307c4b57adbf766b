//! Rows of the events of all traces, by time. Those near the visible ones are cached.

use super::rows::row_text;
use crate::app::state::App;
use crate::traces::state::Traces;
use leptos::prelude::*;
use protocol::base::ids::EventId;
use protocol::events::columns::EventColumn;
use protocol::request::{EventFormat, EventOrder, Filter};
use protocol::tables::{EventFields, EventRows};
use protocol::{Failure, FailureCode, queries};
use std::collections::HashMap;
use std::sync::Arc;
use view::traces::{Next, RowSearch, Start, interleaved, merged};
use wasm_bindgen_futures::spawn_local;

/// Number of rows per page.
const PAGE: u64 = 128;
/// Maximum number of cached pages.
const KEPT: usize = 24;

/// What the table depends on, for each trace: its number, filter and revision, and what to add to its times.
pub type Of = Vec<(u32, Filter, u32, i64)>;

/// Returns what tables of all traces depend on.
pub fn of_all(traces: Traces) -> Memo<Of> {
    Memo::new(move |_| {
        let of = |app: App| (app.number, app.filter.get(), app.revision.get(), traces.offset(app).nanos);
        traces.all_open().into_iter().map(of).collect()
    })
}

/// Returns the traces that a table depends on.
///
/// # Errors
/// Fails if one was closed.
pub fn traces_of(traces: Traces, of: &Of) -> Result<Vec<App>, Failure> {
    let open = untrack(|| traces.all_open());
    let app = |number: u32| open.iter().find(|app| app.number == number).copied();
    let apps: Option<Vec<App>> = of.iter().map(|(number, ..)| app(*number)).collect();
    apps.ok_or_else(|| Failure::new(FailureCode::NotFound, "one of the traces was closed"))
}

/// Some rows of the table.
struct Page {
    /// Trace and row in its table.
    rows: Vec<(usize, usize)>,
    tables: Vec<EventRows>,
    /// Payload fields with columns, and their values in each trace.
    fields: Vec<String>,
    values: Vec<EventFields>,
}

/// Merged rows of all traces.
struct Part {
    tables: Vec<EventRows>,
    /// Trace and row in its table.
    rows: Vec<(usize, usize)>,
    /// Start of the rows after them.
    next: Start,
}

/// Numbers of events of the traces, and the times of the first and the last event of all.
#[derive(Clone, Default)]
struct Extent {
    totals: Vec<u64>,
    ends: (i64, i64),
}

/// All rows. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct MergedRows {
    traces: Traces,
    pub of: Memo<Of>,
    /// Payload fields with columns.
    fields: Memo<Vec<String>>,
    /// Numbers of events of the traces; empty before they are known.
    pub totals: RwSignal<Vec<u64>>,
    /// Whether the numbers and pages belong to `of`. Earlier ones stay until then.
    is_current: StoredValue<bool>,
    pages: RwSignal<HashMap<u64, Arc<Page>>>,
    pub failure: RwSignal<Option<Failure>>,
    extent: StoredValue<Extent>,
    /// Where pages start, as far as known.
    starts: StoredValue<HashMap<u64, Start>>,
    seen: StoredValue<(u64, u64)>,
    is_asking: StoredValue<bool>,
}

impl MergedRows {
    /// Follows the events of all traces with the columns of one.
    pub fn follow(app: App) -> Self {
        let rows = Self {
            traces: app.traces,
            of: of_all(app.traces),
            fields: Memo::new(move |_| app.events.columns.with(|columns| columns.fields())),
            totals: RwSignal::default(),
            is_current: StoredValue::new(false),
            pages: RwSignal::default(),
            failure: RwSignal::new(None),
            extent: StoredValue::default(),
            starts: StoredValue::default(),
            seen: StoredValue::default(),
            is_asking: StoredValue::new(false),
        };
        Effect::new(move |_| {
            rows.of.track();
            rows.is_current.set_value(false);
            rows.fetch();
        });
        Effect::new(move |before: Option<()>| {
            rows.fields.track();
            if before.is_some() {
                rows.pages.update(HashMap::clear);
                rows.fetch();
            }
        });
        rows
    }

    /// Returns the number of rows.
    pub fn total(self) -> u64 {
        self.totals.with(|totals| totals.iter().sum())
    }

    /// Sets the visible rows, and requests missing ones.
    pub fn show(self, seen: (u64, u64)) {
        self.seen.set_value(seen);
        self.fetch();
    }

    /// Returns the trace of a row; `None` until it is loaded.
    pub fn trace_of(self, row: u64) -> Option<App> {
        let trace = self.row(row, |_, trace, _| Some(trace))?;
        untrack(|| self.traces.all_open()).get(trace).copied()
    }

    /// Returns the event in a row with its trace, if it is loaded.
    pub fn event_at(self, row: u64) -> Option<(App, EventId)> {
        let event = untrack(|| self.row(row, |page, trace, row| page.tables.get(trace)?.event.get(row).copied()))?;
        Some((untrack(|| self.trace_of(row))?, EventId(event)))
    }

    /// Returns the text of a cell; empty until it is loaded. Times are those of the first trace.
    pub fn text(self, row: Option<u64>, column: &EventColumn) -> String {
        let field = |page: &Page, trace: usize, row: usize, name: &str| {
            let at = page.fields.iter().position(|field| field == name)?;
            Some(page.values.get(trace)?.value.get(row * page.fields.len() + at).to_owned())
        };
        let time = |trace: usize, nanos: i64| {
            let app = untrack(|| self.traces.all_open()).get(trace).copied().zip(self.traces.first());
            let text = app.map(|(app, first)| first.face().cell(nanos.saturating_add(self.traces.shift(app, first))));
            text.unwrap_or_default()
        };
        let text = |page: &Page, trace: usize, row: usize| match column {
            EventColumn::Field(name) => field(page, trace, row, name),
            column => Some(row_text(page.tables.get(trace)?, row, column, |nanos| time(trace, nanos))),
        };
        row.and_then(|row| self.row(row, text)).unwrap_or_default()
    }

    /// Calls a function with the page, the trace and the row in its table of a row.
    fn row<V>(self, row: u64, look: impl FnOnce(&Page, usize, usize) -> Option<V>) -> Option<V> {
        self.pages.with(|pages| {
            let page = pages.get(&(row / PAGE))?;
            let (trace, row) = *page.rows.get((row % PAGE) as usize)?;
            look(page, trace, row)
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
        let apps = traces_of(self.traces, of)?;
        let is_current = || self.of.try_get_untracked().as_ref() == Some(of);
        if !self.is_current.get_value() {
            let extent = extent(&apps, of).await?;
            if is_current() {
                self.starts.set_value(HashMap::new());
                self.is_current.set_value(true);
                self.failure.set(None);
                self.pages.update(HashMap::clear);
                self.totals.set(extent.totals.clone());
                self.extent.set_value(extent);
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
            None => search(number * PAGE, &apps, of, self.extent.get_value()).await?,
        };
        let fields = self.fields.get_untracked();
        let mut values = Vec::new();
        if !fields.is_empty() {
            for ((app, (_, filter, ..)), first) in apps.iter().zip(of).zip(&start.rows) {
                let (filter, order, count) = (filter.clone(), EventOrder::default(), (PAGE + start.skip) as u32);
                let fields = fields.clone();
                values.push(app.ask(queries::EventFields { filter, order, fields, first: *first, count }).await?);
            }
        }
        let Part { tables, rows, next } = part(&apps, of, start, PAGE).await?;
        if is_current() && self.fields.with_untracked(|now| *now == fields) {
            self.starts.update_value(|starts| _ = starts.insert(number + 1, next));
            self.pages.update(|pages| {
                pages.insert(number, Arc::new(Page { rows, tables, fields, values }));
                while pages.len() > KEPT {
                    let farthest = pages.keys().copied().max_by_key(|page| page.abs_diff(number)).unwrap_or(0);
                    pages.remove(&farthest);
                }
            });
        }
        Ok(true)
    }

    /// Returns a reader of the rows' text, which stays the same while the filter changes.
    pub fn reader(self) -> MergedText {
        MergedText { traces: self.traces, of: self.of.get_untracked(), extent: self.extent.get_value(), next: None }
    }
}

/// Reader of the text of all rows.
pub struct MergedText {
    traces: Traces,
    of: Of,
    extent: Extent,
    /// Row after the last one that was read, and where it starts.
    next: Option<(u64, Start)>,
}

impl MergedText {
    /// Returns the text of some rows, each with the name of its trace.
    ///
    /// # Errors
    /// Fails if a trace was closed, or its worker fails.
    pub async fn read(
        &mut self,
        columns: &[EventColumn],
        format: EventFormat,
        with_head: bool,
        (first, count): (u64, u32),
    ) -> Result<Vec<u8>, Failure> {
        let apps = traces_of(self.traces, &self.of)?;
        let text_of = |trace: usize, with_head: bool, first: u64, count: u32| {
            let (app, (_, filter, _, shift)) = (apps[trace], self.of[trace].clone());
            let name = untrack(|| app.trace_name());
            let (order, columns) = (EventOrder::default(), columns.to_vec());
            let of = Some(queries::TextOfTrace { name, shift });
            app.ask(queries::EventText { filter, order, columns, format, with_head, first, count, of })
        };
        let start = match self.next.take() {
            Some((row, start)) if row == first => start,
            _ => search(first, &apps, &self.of, self.extent.clone()).await?,
        };
        let starts = start.rows.clone();
        let Part { rows, next, .. } = part(&apps, &self.of, start, count.into()).await?;
        let mut text = Vec::new();
        if with_head && !apps.is_empty() {
            text = text_of(0, true, 0, 0).await?.bytes;
        }
        let mut texts = Vec::new();
        for (trace, start) in starts.into_iter().enumerate() {
            let mut own = rows.iter().filter(|row| row.0 == trace).map(|row| row.1 as u64);
            // They follow one another.
            texts.push(match own.next() {
                Some(row) => {
                    let bytes = text_of(trace, false, start + row, 1 + own.count() as u32).await?.bytes;
                    String::from_utf8_lossy(&bytes).into_owned()
                }
                None => String::new(),
            });
        }
        text.extend_from_slice(interleaved(&rows, &texts).as_bytes());
        self.next = Some((first + rows.len() as u64, next));
        Ok(text)
    }
}

/// Requests the numbers of events and their times.
async fn extent(apps: &[App], of: &Of) -> Result<Extent, Failure> {
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
    Ok(Extent { totals, ends })
}

/// Finds where a row starts.
async fn search(row: u64, apps: &[App], of: &Of, extent: Extent) -> Result<Start, Failure> {
    let mut search = RowSearch::new(row, extent.ends, extent.totals, PAGE);
    loop {
        match search.next() {
            Next::Found(start) => return Ok(start),
            Next::Count(at) => {
                let mut before = Vec::new();
                for (app, (_, filter, _, nanos)) in apps.iter().zip(of) {
                    let at = at.saturating_sub(*nanos);
                    before
                        .push(app.ask(queries::TimePosition { filter: filter.clone(), at, descending: false }).await?);
                }
                search.put(at, before);
            }
        }
    }
}

/// Requests the events of all traces from a start on, and merges them.
async fn part(apps: &[App], of: &Of, start: Start, count: u64) -> Result<Part, Failure> {
    let asked = count + start.skip;
    let (mut tables, mut times) = (Vec::new(), Vec::new());
    for ((app, (_, filter, _, nanos)), row) in apps.iter().zip(of).zip(&start.rows) {
        let table = app.events_in_order(filter.clone(), *row, asked as u32).await?;
        times.push(table.time.iter().map(|time| time.saturating_add(*nanos)).collect::<Vec<_>>());
        tables.push(table);
    }
    let rows = merged(&times, asked as usize);
    let mut next = start.rows;
    rows.iter().for_each(|(trace, _)| next[*trace] += 1);
    let rows = rows.into_iter().skip(start.skip as usize).collect();
    Ok(Part { tables, rows, next: Start { rows: next, skip: 0 } })
}
