//! Requests to several traces: one after the other, and only the answers that are still wanted are used.

use super::live_query::LiveQuery;
use leptos::prelude::*;
use protocol::{Failure, FailureCode};
use std::sync::Arc;
use wasm_bindgen_futures::spawn_local;

/// Key of requests: what their answers depend on.
pub trait Key: Clone + PartialEq + Send + Sync + 'static {}

impl<K: Clone + PartialEq + Send + Sync + 'static> Key for K {}

/// Requests for the data of a view. Copies are handles to the same state.
pub struct Wanted<K: Key> {
    /// What the data depends on; `None` while the view needs none.
    pub key: Memo<Option<K>>,
    /// Failure of the last request.
    pub failure: RwSignal<Option<Failure>>,
    is_asking: StoredValue<bool>,
}

impl<K: Key> Clone for Wanted<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: Key> Copy for Wanted<K> {}

impl<K: Key> Wanted<K> {
    /// Creates the requests of a view, whose data depends on `key`.
    pub fn new(key: Memo<Option<K>>) -> Self {
        Self { key, failure: RwSignal::new(None), is_asking: StoredValue::new(false) }
    }

    /// Sends requests until `next` returns none: nothing is missing for the key. Calls `take` with each answer, unless
    /// the key has changed meanwhile.
    pub fn fetch<T, F>(self, next: impl Fn(&K) -> Option<F> + 'static, take: impl Fn(K, T) + 'static)
    where
        F: Future<Output = Result<T, Failure>> + 'static,
    {
        if self.is_asking.get_value() {
            return;
        }
        self.is_asking.set_value(true);
        spawn_local(async move {
            // The view may be removed meanwhile.
            while let Some(Some(key)) = self.key.try_get_untracked() {
                let Some(request) = next(&key) else { break };
                let answer = request.await;
                if self.key.try_get_untracked().flatten().as_ref() != Some(&key) {
                    continue;
                }
                match answer {
                    Ok(answer) => {
                        self.failure.set(None);
                        take(key, answer);
                    }
                    Err(failure) if failure.code == FailureCode::Cancelled => break,
                    Err(failure) => {
                        self.failure.set(Some(failure));
                        break;
                    }
                }
            }
            _ = self.is_asking.try_set_value(false);
        });
    }
}

/// Sends the request of a key whenever that changes, and keeps the old data until the answer arrives.
pub fn follow_wanted<K: Key, T, F>(key: Memo<Option<K>>, request: impl Fn(&K) -> F + Copy + 'static) -> LiveQuery<T>
where
    T: Send + Sync + 'static,
    F: Future<Output = Result<T, Failure>> + 'static,
{
    let (wanted, value) = (Wanted::new(key), RwSignal::new(None));
    let answered = StoredValue::new(None::<K>);
    Effect::new(move |_| {
        if key.with(Option::is_none) {
            return answered.set_value(None);
        }
        let next = move |key: &K| {
            let is_answered = answered.with_value(|answered| answered.as_ref() == Some(key));
            (!is_answered).then(|| request(key))
        };
        wanted.fetch(next, move |key, answer| {
            answered.set_value(Some(key));
            value.set(Some(Arc::new(answer)));
        });
    });
    LiveQuery { value, failure: wanted.failure }
}
