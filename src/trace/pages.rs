//! Cache of the pages of rows near the visible ones.

use super::latest::LatestRequest;
use crate::app::signals::SetChanged;
use crate::app::state::App;
use leptos::prelude::*;
use protocol::{Failure, Query};
use std::collections::HashMap;
use std::sync::Arc;

/// Number of rows per page.
const PAGE: u64 = 256;
/// Number of rows per request of all rows; other requests are answered in between.
const PART: u32 = 4096;
/// Maximum number of cached pages; those farthest from the view are removed first.
const KEPT: usize = 24;

/// Table that is requested page by page.
pub trait Paged: Sized + Send + Sync + 'static {
    /// Inputs of the query, apart from the rows.
    type Of: Clone + PartialEq + Send + Sync + 'static;
    /// Query for some rows.
    type Query: Query<Output = Self>;

    /// Returns the query for some rows.
    fn query(of: Self::Of, first: u64, count: u32) -> Self::Query;
    /// Returns the number of rows of all pages.
    fn total(&self) -> u64;
}

/// Implements [`Paged`] for a table: its query, and the column with the number of rows of all pages.
macro_rules! paged {
    ($table:ident, $query:ident { $($field:ident: $type:ty),* }, $total:ident) => {
        impl $crate::trace::pages::Paged for $table {
            type Of = ($($type,)*);
            type Query = protocol::queries::$query;

            fn query(($($field,)*): Self::Of, first: u64, count: u32) -> Self::Query {
                protocol::queries::$query { $($field,)* first, count }
            }

            fn total(&self) -> u64 {
                self.$total.first().copied().unwrap_or(0)
            }
        }
    };
}
pub(crate) use paged;

/// Query, and revision of the trace.
type PageQuery<T> = (<T as Paged>::Of, u32);

/// Pages of rows near the visible ones.
pub struct Pages<T: Paged> {
    /// Number of rows.
    pub total: RwSignal<u64>,
    /// Failure of the last request.
    pub failure: RwSignal<Option<Failure>>,
    wanted: Memo<Option<PageQuery<T>>>,
    /// Query of `pages` and `total`.
    question: RwSignal<Option<PageQuery<T>>>,
    pages: RwSignal<HashMap<u64, Arc<T>>>,
    seen: StoredValue<(u64, u64)>,
    latest: StoredValue<LatestRequest, LocalStorage>,
}

impl<T: Paged> Clone for Pages<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Paged> Copy for Pages<T> {}

impl<T: Paged> Pages<T> {
    /// Creates the cache for the query of `of`; while it returns `None`, the cached rows stay.
    pub fn new(app: App, of: impl Fn() -> Option<T::Of> + Send + Sync + 'static) -> Self {
        let pages = Self {
            total: RwSignal::default(),
            failure: RwSignal::default(),
            wanted: Memo::new(move |_| of().map(|of| (of, app.revision.get()))),
            question: RwSignal::default(),
            pages: RwSignal::default(),
            seen: StoredValue::new((0, 0)),
            latest: StoredValue::new_local(app.latest()),
        };
        Effect::new(move |_| {
            let Some(wanted) = pages.wanted.get() else { return };
            if pages.question.with_untracked(|shown| shown.as_ref() != Some(&wanted)) {
                let (first, _) = pages.seen.get_value();
                pages.ask(wanted, first / PAGE);
            } else {
                // The query or the scroll position has changed, and the rows weren't requested.
                pages.fetch_missing();
            }
        });
        pages
    }

    /// Returns whether the first response has arrived.
    pub fn is_known(self) -> bool {
        self.question.with(Option::is_some)
    }

    /// Sets the visible rows, and requests missing ones.
    pub fn show(self, first: u64, end: u64) {
        self.seen.set_value((first, end));
        self.fetch_missing();
    }

    /// Calls a function with the query of the cached rows; `None` before the first response.
    pub fn shown<V>(self, look: impl FnOnce(&T::Of) -> V) -> Option<V> {
        self.question.with(|question| question.as_ref().map(|(of, _)| look(of)))
    }

    /// Returns whether the cached rows belong to the current query.
    pub fn are_current(self) -> bool {
        let wanted = self.wanted.get_untracked();
        self.question.with_untracked(|shown| shown.is_some() && *shown == wanted)
    }

    /// Returns whether the cached rows belong to an earlier query; they stay until the answer arrives.
    pub fn are_behind(self) -> bool {
        let wanted = self.wanted.get();
        wanted.is_some() && self.question.with(|shown| *shown != wanted)
    }

    /// Requests all rows; `rows` returns the number of rows of a page.
    ///
    /// # Errors
    /// Fails if a request fails.
    pub async fn all(self, app: App, rows: fn(&T) -> usize) -> Result<Vec<T>, Failure> {
        let Some((of, _)) = self.question.get_untracked() else { return Ok(Vec::new()) };
        let (mut pages, mut first) = (Vec::new(), 0);
        loop {
            let page = app.ask(T::query(of.clone(), first, PART)).await?;
            first += rows(&page) as u64;
            let is_last = rows(&page) == 0 || first >= page.total();
            pages.push(page);
            if is_last {
                return Ok(pages);
            }
        }
    }

    /// Calls a function with the page of a row and the row's index in it; `None` until it is loaded.
    pub fn row<V>(self, row: u64, look: impl FnOnce(&T, usize) -> V) -> Option<V> {
        self.pages.with(|pages| Some(look(pages.get(&(row / PAGE))?, (row % PAGE) as usize)))
    }

    /// Calls a function with the page of a row, without tracking.
    pub fn row_untracked<V>(self, row: u64, look: impl FnOnce(&T, usize) -> V) -> Option<V> {
        self.pages.with_untracked(|pages| Some(look(pages.get(&(row / PAGE))?, (row % PAGE) as usize)))
    }

    fn fetch_missing(self) {
        // During a change of the query, a request for visible rows of the earlier one would replace it.
        let Some(question) = self.question.get_untracked().filter(|_| self.are_current()) else { return };
        let (first, end) = self.seen.get_value();
        let missing = (first / PAGE..=end.saturating_sub(1) / PAGE).find(|page| {
            page * PAGE < self.total.get_untracked() && self.pages.with_untracked(|pages| !pages.contains_key(page))
        });
        if let Some(page) = missing {
            self.ask(question, page);
        }
    }

    fn ask(self, question: PageQuery<T>, page: u64) {
        let query = T::query(question.0.clone(), page * PAGE, PAGE as u32);
        let asked = move |answer: Result<T, Failure>| match answer {
            Ok(rows) => self.take(question, page, rows),
            Err(failure) => self.failure.set(Some(failure)),
        };
        self.latest.with_value(|latest| latest.ask(query, asked));
    }

    fn take(self, question: PageQuery<T>, page: u64, rows: T) {
        // The table may have been removed.
        if self.wanted.try_get_untracked().flatten().as_ref() != Some(&question) {
            return;
        }
        let total = rows.total();
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
        self.total.set_changed(total);
        self.failure.set(None);
        self.fetch_missing();
    }
}
