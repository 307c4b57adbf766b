//! The report on a topic, asked for again whenever the filter changes.

use crate::app::state::App;
use leptos::prelude::*;
use protocol::request::{Filter, TopicRequest};
use protocol::topics::report::ReportHead;
use protocol::topics::topic::Topic;
use protocol::{Failure, Reply, Request};
use std::sync::Arc;

/// A report, and what it is of: its tables are asked for with the same filter, so that their places are those that it names.
pub struct Report {
    /// Which events it is of.
    pub filter: Filter,
    /// What it says, without the rows of its tables.
    pub head: ReportHead,
}

/// The report on a topic that is shown. Copies are handles to the same.
#[derive(Clone, Copy)]
pub struct ShownReport {
    /// About what.
    pub topic: Topic,
    /// The latest report.
    pub latest: RwSignal<Option<Arc<Report>>>,
    /// Why the latest question could not be answered.
    pub failure: RwSignal<Option<Failure>>,
    app: App,
}

impl ShownReport {
    /// Asks for the report of what is shown while `open` holds; the last report stays until the answer is there.
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
            latest.ask(Request::Topic { of: TopicRequest::Report(topic), filter: filter.clone() }, move |answer| {
                match answer.and_then(Reply::decoded) {
                    Ok(head) => {
                        shown.latest.set(Some(Arc::new(Report { filter, head })));
                        shown.failure.set(None);
                    }
                    Err(failure) => shown.failure.set(Some(failure)),
                }
            });
        });
        shown
    }

    /// Looks at the latest report; none before there is one.
    pub fn with<V>(self, look: impl FnOnce(&ReportHead) -> V) -> Option<V> {
        self.latest.with(|latest| latest.as_ref().map(|report| look(&report.head)))
    }

    /// Whether there is no report yet.
    pub fn is_unknown(self) -> bool {
        self.latest.with(Option::is_none)
    }

    /// Whether the latest report is of another filter than the one that is set.
    pub fn is_behind(self) -> bool {
        let filter = self.app.filter.get();
        self.latest.with(|latest| latest.as_ref().is_none_or(|report| report.filter != filter))
    }
}
