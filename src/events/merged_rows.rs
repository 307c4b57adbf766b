//! Rows of the events of all traces, by time. Those near the visible ones are cached.

use super::rows::{RowFacts, row_text};
use crate::app::state::App;
use crate::trace::join::join;
use crate::trace::wanted::Wanted;
use crate::traces::state::Traces;
use leptos::prelude::*;
use protocol::events::columns::EventColumn;
use protocol::request::{EventFormat, EventOrder, Filter};
use protocol::tables::{EventFields, EventRows};
use protocol::{Failure, FailureCode, queries};
use std::collections::HashMap;
use std::sync::Arc;
use view::traces::{Next, RowSearch, Start, interleaved, merged};

/// Number of rows per page.
const PAGE: u64 = 128;
/// Maximum number of cached pages.
const KEPT: usize = 24;

/// What a table depends on in a trace: its number, filter and revision, and what to add to its times.
pub type OfTrace = (u32, Filter, u32, i64);
/// What a table of all traces depends on.
pub type Of = Vec<OfTrace>;
/// What the rows depend on: [`Of`], and the payload fields with columns.
type Key = (Of, Vec<String>);

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

/// Answer of the workers.
enum Found {
    Extent(Extent),
    /// Number of a page, the page, and the start of the next one.
    Page(u64, Page, Start),
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
    of: Of,
    totals: Vec<u64>,
    ends: (i64, i64),
}

/// All rows. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct MergedRows {
    traces: Traces,
    pub of: Memo<Of>,
    pub wanted: Wanted<Key>,
    /// Numbers of events of the traces; empty before they are known.
    pub totals: RwSignal<Vec<u64>>,
    pages: RwSignal<HashMap<u64, Arc<Page>>>,
    /// What the numbers and pages belong to. Earlier ones stay until the answer arrives.
    extent: StoredValue<Extent>,
    /// Where pages start, as far as known.
    starts: StoredValue<HashMap<u64, Start>>,
    seen: StoredValue<(u64, u64)>,
}

impl MergedRows {
    /// Follows the events of all traces with the columns of one.
    pub fn follow(app: App) -> Self {
        let of = of_all(app.traces);
        let fields = Memo::new(move |_| app.events.columns.with(|columns| columns.fields()));
        let rows = Self {
            traces: app.traces,
            of,
            wanted: Wanted::new(Memo::new(move |_| Some((of.get(), fields.get())))),
            totals: RwSignal::default(),
            pages: RwSignal::default(),
            extent: StoredValue::default(),
            starts: StoredValue::default(),
            seen: StoredValue::default(),
        };
        Effect::new(move |_| {
            rows.wanted.key.track();
            rows.fetch();
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

    /// Returns the facts about the event in a row, if it is loaded.
    pub fn facts_at(self, row: u64) -> Option<RowFacts> {
        untrack(|| {
            let app = self.trace_of(row)?;
            self.row(row, |page, trace, row| RowFacts::new(app, page.tables.get(trace)?, row))
        })
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
        self.wanted.fetch(move |key| self.missing(key), move |_, found| self.take(found));
    }

    /// Returns the request for the numbers of events, or for a visible page; `None` if both are known.
    fn missing(self, (of, fields): &Key) -> Option<impl Future<Output = Result<Found, Failure>> + use<>> {
        let (of, fields) = (of.clone(), fields.clone());
        let is_known = self.extent.with_value(|extent| extent.of == of);
        let page = match is_known {
            true => Some(self.missing_page(&fields)?),
            false => None,
        };
        Some(async move {
            let apps = traces_of(self.traces, &of)?;
            match page {
                Some(number) => self.page(number, &apps, &of, fields).await,
                None => Ok(Found::Extent(extent(&apps, of).await?)),
            }
        })
    }

    /// Returns the number of the first visible page that isn't loaded.
    fn missing_page(self, fields: &[String]) -> Option<u64> {
        let (first, end) = self.seen.get_value();
        let total: u64 = self.totals.with_untracked(|totals| totals.iter().sum());
        let is_loaded = |number: &u64| {
            self.pages.with_untracked(|pages| pages.get(number).is_some_and(|page| page.fields == fields))
        };
        let mut seen = first / PAGE..=end.saturating_sub(1) / PAGE;
        seen.find(|number| number * PAGE < total && !is_loaded(number))
    }

    async fn page(self, number: u64, apps: &[App], of: &Of, fields: Vec<String>) -> Result<Found, Failure> {
        let start = match self.starts.with_value(|starts| starts.get(&number).cloned()) {
            Some(start) => start,
            None => search(number * PAGE, apps, self.extent.get_value()).await?,
        };
        let count = (PAGE + start.skip) as u32;
        let of_trace = |((app, (_, filter, ..)), first): ((&App, &OfTrace), &u64)| {
            let (filter, order, fields) = (filter.clone(), EventOrder::default(), fields.clone());
            app.ask(queries::EventFields { filter, order, fields, first: *first, count })
        };
        let values = match fields.is_empty() {
            true => Vec::new(),
            false => join(apps.iter().zip(of).zip(&start.rows).map(of_trace)).await?,
        };
        let Part { tables, rows, next } = part(apps, of, start, PAGE).await?;
        Ok(Found::Page(number, Page { rows, tables, fields, values }, next))
    }

    fn take(self, found: Found) {
        match found {
            Found::Extent(extent) => {
                self.starts.set_value(HashMap::new());
                self.pages.update(HashMap::clear);
                self.totals.set(extent.totals.clone());
                self.extent.set_value(extent);
            }
            Found::Page(number, page, next) => {
                self.starts.update_value(|starts| _ = starts.insert(number + 1, next));
                self.pages.update(|pages| {
                    pages.insert(number, Arc::new(page));
                    while pages.len() > KEPT {
                        let farthest = pages.keys().copied().max_by_key(|page| page.abs_diff(number)).unwrap_or(0);
                        pages.remove(&farthest);
                    }
                });
            }
        }
    }

    /// Returns the time of a row, in the times of the first trace; `None` without such a row.
    ///
    /// # Errors
    /// Fails if a trace was closed, or its worker fails.
    pub async fn time_of(self, row: u64) -> Result<Option<i64>, Failure> {
        let extent = self.extent.get_value();
        let of = extent.of.clone();
        let apps = traces_of(self.traces, &of)?;
        let start = search(row, &apps, extent).await?;
        let Part { tables, rows, .. } = part(&apps, &of, start, 1).await?;
        let time = |&(trace, row): &(usize, usize)| {
            let nanos = tables.get(trace)?.time.get(row)?;
            Some(nanos.saturating_add(of.get(trace)?.3))
        };
        Ok(rows.first().and_then(time))
    }

    /// Returns a reader of the rows' text, which stays the same while the filter changes.
    pub fn reader(self) -> MergedText {
        MergedText { traces: self.traces, extent: self.extent.get_value(), next: None }
    }
}

/// Reader of the text of all rows.
pub struct MergedText {
    traces: Traces,
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
        let start = self.next.take();
        let of = &self.extent.of;
        let apps = traces_of(self.traces, of)?;
        let text_of = |trace: usize, with_head: bool, first: u64, count: u32| {
            let (app, (_, filter, _, shift)) = (apps[trace], of[trace].clone());
            let name = untrack(|| app.trace_name());
            let (order, columns) = (EventOrder::default(), columns.to_vec());
            let of = Some(queries::TextOfTrace { name, shift });
            app.ask(queries::EventText { filter, order, columns, format, with_head, first, count, of })
        };
        let start = match start {
            Some((row, start)) if row == first => start,
            _ => search(first, &apps, self.extent.clone()).await?,
        };
        let starts = start.rows.clone();
        let Part { rows, next, .. } = part(&apps, of, start, count.into()).await?;
        let mut text = Vec::new();
        if with_head && !apps.is_empty() {
            text = text_of(0, true, 0, 0).await?.bytes;
        }
        let lines_of = async |(trace, start): (usize, u64)| {
            let mut own = rows.iter().filter(|row| row.0 == trace).map(|row| row.1 as u64);
            // They follow one another.
            let Some(row) = own.next() else { return Ok(String::new()) };
            let bytes = text_of(trace, false, start + row, 1 + own.count() as u32).await?.bytes;
            Ok::<_, Failure>(String::from_utf8_lossy(&bytes).into_owned())
        };
        let texts = join(starts.into_iter().enumerate().map(lines_of)).await?;
        text.extend_from_slice(interleaved(&rows, &texts).as_bytes());
        self.next = Some((first + rows.len() as u64, next));
        Ok(text)
    }
}

/// Requests the numbers of events and their times.
async fn extent(apps: &[App], of: Of) -> Result<Extent, Failure> {
    let of_trace = async |(app, (_, filter, _, nanos)): (&App, &OfTrace)| {
        let first = app.events_in_order(filter.clone(), 0, 1).await?;
        let total = first.total.first().copied().unwrap_or(0);
        let last = app.events_in_order(filter.clone(), total.saturating_sub(1), 1).await?;
        let times = first.time.first().into_iter().chain(last.time.first());
        Ok::<_, Failure>((total, times.map(|time| time.saturating_add(*nanos)).collect::<Vec<_>>()))
    };
    let (totals, times): (Vec<u64>, Vec<_>) = join(apps.iter().zip(&of).map(of_trace)).await?.into_iter().unzip();
    let ends =
        times.into_iter().flatten().fold((i64::MAX, i64::MIN), |ends, time| (ends.0.min(time), ends.1.max(time)));
    Ok(Extent { of, totals, ends })
}

/// Finds where a row starts.
async fn search(row: u64, apps: &[App], Extent { of, totals, ends }: Extent) -> Result<Start, Failure> {
    let mut search = RowSearch::new(row, ends, totals, PAGE);
    loop {
        match search.next() {
            Next::Found(start) => return Ok(start),
            Next::Count(at) => {
                let of_trace = |(app, (_, filter, _, nanos)): (&App, &OfTrace)| {
                    let (filter, at) = (filter.clone(), at.saturating_sub(*nanos));
                    app.ask(queries::TimePosition { filter, at, descending: false })
                };
                search.put(at, join(apps.iter().zip(&of).map(of_trace)).await?);
            }
        }
    }
}

/// Requests the events of all traces from a start on, and merges them.
async fn part(apps: &[App], of: &Of, start: Start, count: u64) -> Result<Part, Failure> {
    let asked = count + start.skip;
    let of_trace = |((app, (_, filter, ..)), row): ((&App, &OfTrace), &u64)| {
        app.events_in_order(filter.clone(), *row, asked as u32)
    };
    let tables = join(apps.iter().zip(of).zip(&start.rows).map(of_trace)).await?;
    let times_of = |(table, (.., nanos)): (&EventRows, &OfTrace)| {
        table.time.iter().map(|time| time.saturating_add(*nanos)).collect::<Vec<_>>()
    };
    let times: Vec<_> = tables.iter().zip(of).map(times_of).collect();
    let rows = merged(&times, asked as usize);
    let mut next = start.rows;
    rows.iter().for_each(|(trace, _)| next[*trace] += 1);
    let rows = rows.into_iter().skip(start.skip as usize).collect();
    Ok(Part { tables, rows, next: Start { rows: next, skip: 0 } })
}
