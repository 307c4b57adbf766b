//! The pages of rows that are near what is seen.

use super::event_in;
use crate::model::ids::EventId;
use crate::protocol::request::{EventOrder, Filter};
use crate::protocol::tables::EventRows;
use crate::protocol::{Failure, Request};
use crate::ui::latest::Latest;
use crate::ui::state::{App, mismatch, packed};
use crate::view::level::level_name;
use leptos::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// Rows asked for at once.
const PAGE: u64 = 256;
/// Pages kept; what is farthest from the view goes first.
const KEPT: usize = 24;

/// Which events, in which order, of how much of the trace.
type Question = (Filter, EventOrder, u32);

/// A column of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// Seconds with microseconds.
    Time,
    /// Thread's label.
    Thread,
    /// Provider.
    Provider,
    /// Event name.
    Name,
    /// Level.
    Level,
    /// Activity and labels.
    BelongsTo,
    /// Payload in a line.
    Payload,
}

/// The pages of rows that are near what is seen.
#[derive(Clone, Copy)]
pub struct Pages {
    /// How many events match.
    pub total: RwSignal<u64>,
    /// Why the rows could not be had.
    pub failure: RwSignal<Option<Failure>>,
    app: App,
    /// What `pages` and `total` are of.
    question: RwSignal<Option<Question>>,
    pages: RwSignal<HashMap<u64, Arc<EventRows>>>,
    seen: StoredValue<(u64, u64)>,
    latest: StoredValue<Latest, LocalStorage>,
}

impl Pages {
    /// Pages that follow the filter while `open`.
    pub fn new(app: App, open: Memo<bool>) -> Self {
        let pages = Self {
            total: RwSignal::default(),
            failure: RwSignal::default(),
            app,
            question: RwSignal::default(),
            pages: RwSignal::default(),
            seen: StoredValue::new((0, 0)),
            latest: StoredValue::new_local(app.latest()),
        };
        Effect::new(move |_| {
            let question = (app.filter.get(), app.order.get(), app.revision.get());
            if open.get() && pages.question.with_untracked(|shown| shown.as_ref() != Some(&question)) {
                let (first, _) = pages.seen.get_value();
                pages.ask(question, first / PAGE);
            }
        });
        pages
    }

    /// Whether any answer has come yet.
    pub fn is_known(self) -> bool {
        self.question.with(Option::is_some)
    }

    /// These rows are seen now: asks for what is missing of them.
    pub fn show(self, first: u64, end: u64) {
        self.seen.set_value((first, end));
        self.fetch_missing();
    }

    /// Whether what is here is of this filter in this order.
    pub fn are_of(self, filter: &Filter, order: &EventOrder) -> bool {
        let revision = self.app.revision.get_untracked();
        let is_of = |shown: &Question| (&shown.0, &shown.1, shown.2) == (filter, order, revision);
        self.question.with_untracked(|shown| shown.as_ref().is_some_and(is_of))
    }

    /// The event in a row, if its page is here.
    pub fn event_at(self, row: u64) -> Option<EventId> {
        self.pages.with_untracked(|pages| event_in(pages.get(&(row / PAGE))?, (row % PAGE) as usize))
    }

    /// What a cell says; empty until its page is here.
    pub fn text(self, row: Option<u64>, cell: Cell) -> String {
        let Some(row) = row else { return String::new() };
        self.pages.with(|pages| {
            let Some(page) = pages.get(&(row / PAGE)) else { return String::new() };
            let row = (row % PAGE) as usize;
            match cell {
                Cell::Time => page.time.get(row).map(|time| self.app.face().cell(*time)).unwrap_or_default(),
                Cell::Thread => page.thread_label.get(row).to_owned(),
                Cell::Provider => page.provider.get(row).to_owned(),
                Cell::Name => page.name.get(row).to_owned(),
                Cell::Level => page.level.get(row).map(|level| level_name(*level).to_owned()).unwrap_or_default(),
                Cell::BelongsTo => page.belongs_to.get(row).to_owned(),
                Cell::Payload => page.payload.get(row).to_owned(),
            }
        })
    }

    fn fetch_missing(self) {
        let Some(question) = self.question.get_untracked() else { return };
        let (first, end) = self.seen.get_value();
        let missing = (first / PAGE..=end.saturating_sub(1) / PAGE).find(|page| {
            page * PAGE < self.total.get_untracked() && self.pages.with_untracked(|pages| !pages.contains_key(page))
        });
        if let Some(page) = missing {
            self.ask(question, page);
        }
    }

    fn ask(self, question: Question, page: u64) {
        let (filter, order, _) = question.clone();
        let request = Request::Events { filter, order, first: page * PAGE, count: PAGE as u32 };
        let asked = move |answer: Result<crate::protocol::Reply, Failure>| {
            let rows = answer.and_then(packed).and_then(|packed| EventRows::unpack(&packed).map_err(mismatch));
            match rows {
                Ok(rows) => self.take(question, page, rows),
                Err(failure) => self.failure.set(Some(failure)),
            }
        };
        self.latest.with_value(|latest| latest.ask(request, asked));
    }

    fn take(self, question: Question, page: u64, rows: EventRows) {
        let app = self.app;
        if (app.filter.get_untracked(), app.order.get_untracked(), app.revision.get_untracked()) != question {
            return;
        }
        let total = rows.total.first().copied().unwrap_or(0);
        let other = self.question.with_untracked(|shown| shown.as_ref() != Some(&question));
        let middle = self.seen.get_value().0 / PAGE;
        self.pages.update(|pages| {
            if other {
                pages.clear();
            }
            pages.insert(page, Arc::new(rows));
            while pages.len() > KEPT {
                let farthest = pages.keys().copied().max_by_key(|page| page.abs_diff(middle)).unwrap_or(0);
                pages.remove(&farthest);
            }
        });
        if other {
            self.question.set(Some(question));
        }
        if self.total.get_untracked() != total {
            self.total.set(total);
        }
        self.failure.set(None);
        self.fetch_missing();
    }
}
