//! Live queries: panels request data again whenever their query changes, and keep the old data until the answer
//! arrives.

use crate::app::state::{App, mismatch, packed};
use leptos::prelude::*;
use protocol::columns::ColumnError;
use protocol::{Failure, Packed, Reply, Request};
use std::sync::Arc;

/// Data of a panel.
pub struct LiveQuery<T: 'static> {
    /// Latest answer.
    pub value: RwSignal<Option<Arc<T>>>,
    /// Failure of the last request.
    pub failure: RwSignal<Option<Failure>>,
}

impl<T> Clone for LiveQuery<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for LiveQuery<T> {}

/// Sends `question` whenever its signals change, and again when more of the trace has been read; one at a time, the
/// newest wins. `None` sends no request. The same request isn't sent twice in a row.
pub fn follow<T: Send + Sync + 'static>(
    app: App,
    question: impl Fn() -> Option<Request> + 'static,
    read: impl Fn(Reply) -> Result<T, Failure> + Copy + 'static,
) -> LiveQuery<T> {
    let (value, failure) = (RwSignal::new(None), RwSignal::new(None));
    let latest = app.latest();
    let last = StoredValue::new_local(None::<(u32, Request)>);
    Effect::new(move |_| {
        let revision = app.revision.get();
        let Some(request) = question() else { return };
        let asked = Some((revision, request.clone()));
        if last.with_value(|last| *last == asked) {
            return;
        }
        last.set_value(asked);
        latest.ask(request, move |answer| match answer.and_then(read) {
            Ok(answer) => {
                value.set(Some(Arc::new(answer)));
                failure.set(None);
            }
            Err(problem) => failure.set(Some(problem)),
        });
    });
    LiveQuery { value, failure }
}

/// Calls a function whenever more of the trace has been read.
pub fn when_grown(app: App, act: impl Fn() + 'static) {
    Effect::new(move |before: Option<u32>| {
        let revision = app.revision.get();
        if before.is_some_and(|before| before != revision) {
            act();
        }
        revision
    });
}

/// Returns a function that unpacks a table from a reply.
pub fn table<T>(unpack: fn(&Packed) -> Result<T, ColumnError>) -> impl Fn(Reply) -> Result<T, Failure> + Copy {
    move |reply| unpack(&packed(reply)?).map_err(mismatch)
}

/// Line with the failure of a panel's last request.
#[component]
pub fn Trouble(
    /// Failure, if there is one.
    failure: RwSignal<Option<Failure>>,
) -> impl IntoView {
    move || {
        failure.get().map(|failure| {
            let detail = (!failure.detail.is_empty()).then(|| format!(" {}", failure.detail));
            view! { <p class="trouble" role="alert">{failure.to_string()} {detail}</p> }
        })
    }
}
