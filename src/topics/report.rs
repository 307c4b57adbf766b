//! Report of an analysis, requested again whenever the filter changes.

use crate::app::state::App;
use leptos::prelude::*;
use protocol::request::Filter;
use protocol::topics::report::ReportHead;
use protocol::topics::topic::Topic;
use protocol::{Failure, queries};
use std::sync::Arc;

/// Report with its filter, with which its tables are requested, too, so that indices match.
pub struct Report {
    pub filter: Filter,
    /// Content without the rows of tables.
    pub head: ReportHead,
}

/// Visible report. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct ShownReport {
    pub topic: Topic,
    pub latest: RwSignal<Option<Arc<Report>>>,
    /// Failure of the last request.
    pub failure: RwSignal<Option<Failure>>,
    app: App,
}

impl ShownReport {
    /// Requests the report while `open` is set; the last report stays until the answer arrives.
    pub fn follow(app: App, topic: Topic, open: Memo<bool>) -> Self {
        let shown = Self { topic, latest: RwSignal::new(None), failure: RwSignal::new(None), app };
        let latest = app.latest();
        let last = StoredValue::new(None::<(u32, Filter)>);
        Effect::new(move |_| {
            let revision = app.revision.get();
            if !open.get() {
                return;
            }
            let filter = app.filter.get();
            let asked = Some((revision, filter.clone()));
            if last.with_value(|last| *last == asked) {
                return;
            }
            last.set_value(asked);
            latest.ask(queries::Report { topic, filter: filter.clone() }, move |answer| match answer {
                Ok(head) => {
                    shown.latest.set(Some(Arc::new(Report { filter, head })));
                    shown.failure.set(None);
                }
                Err(failure) => shown.failure.set(Some(failure)),
            });
        });
        shown
    }

    /// Calls a function with the latest report; `None` before the first one.
    pub fn with<V>(self, look: impl FnOnce(&ReportHead) -> V) -> Option<V> {
        self.latest.with(|latest| latest.as_ref().map(|report| look(&report.head)))
    }

    /// Returns whether there is no report yet.
    pub fn is_unknown(self) -> bool {
        self.latest.with(Option::is_none)
    }

    /// Returns whether the latest report belongs to another filter than the current one.
    pub fn is_behind(self) -> bool {
        let filter = self.app.filter.get();
        self.latest.with(|latest| latest.as_ref().is_none_or(|report| report.filter != filter))
    }
}
