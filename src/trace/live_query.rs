//! Live queries: panels request data again whenever their query changes, and keep the old data until the answer
//! arrives.

use crate::app::state::App;
use leptos::prelude::*;
use protocol::{EncodedRequest, Failure, Query};
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
/// newest wins. `None` sends no query. The same query isn't sent twice in a row.
pub fn follow<Q: Query>(app: App, question: impl Fn() -> Option<Q> + 'static) -> LiveQuery<Q::Output>
where
    Q::Output: Send + Sync + 'static,
{
    follow_as(app, question, |output| output)
}

/// Calls [`follow`], and converts the outputs.
pub fn follow_as<Q: Query, T: Send + Sync + 'static>(
    app: App,
    question: impl Fn() -> Option<Q> + 'static,
    read: impl Fn(Q::Output) -> T + Copy + 'static,
) -> LiveQuery<T> {
    let (value, failure) = (RwSignal::new(None), RwSignal::new(None));
    let latest = app.latest();
    let last = StoredValue::new_local(None::<(u32, EncodedRequest)>);
    Effect::new(move |_| {
        let revision = app.revision.get();
        let Some(query) = question() else { return };
        let asked = Some((revision, EncodedRequest::new(&query)));
        if last.with_value(|last| *last == asked) {
            return;
        }
        last.set_value(asked);
        latest.ask(query, move |answer| match answer {
            Ok(answer) => {
                value.set(Some(Arc::new(read(answer))));
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
