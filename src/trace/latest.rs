//! Request queue of a view: one in flight and one waiting, the newest wins.

use super::client::Client;
use crate::app::browser::now_ms;
use protocol::{EncodedRequest, Failure, FailureCode, Query, Reply};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen_futures::spawn_local;

/// Time in milliseconds after which a request in flight is canceled by a newer one: its answer is no longer needed, and
/// shouldn't keep the worker busy.
const CANCEL_AFTER_MS: f64 = 150.0;

type Done = Box<dyn FnOnce(Result<Reply, Failure>)>;

#[derive(Default)]
struct State {
    in_flight: Option<(u32, f64)>,
    waiting: Option<(EncodedRequest, Done)>,
}

/// Request queue of a view. Clones share it.
#[derive(Clone)]
pub struct LatestRequest {
    client: Client,
    state: Rc<RefCell<State>>,
}

impl LatestRequest {
    /// Creates the queue of a view, with requests through `client`.
    pub fn new(client: Client) -> Self {
        Self { client, state: Rc::default() }
    }

    /// Sends a query after the one in flight is answered. Replaces a waiting query, which is never answered.
    pub fn ask<Q: Query>(&self, query: Q, done: impl FnOnce(Result<Q::Output, Failure>) + 'static) {
        self.send(EncodedRequest::new(&query), Box::new(|reply| done(reply.and_then(Q::output))));
    }

    fn send(&self, request: EncodedRequest, done: Done) {
        let overdue = {
            let mut state = self.state.borrow_mut();
            state.waiting = Some((request, done));
            state.in_flight.map(|(id, since)| (id, now_ms() - since > CANCEL_AFTER_MS))
        };
        match overdue {
            None => {
                let latest = self.clone();
                spawn_local(async move { latest.run().await });
            }
            Some((id, true)) => self.client.cancel(id),
            Some((_, false)) => {}
        }
    }

    async fn run(self) {
        loop {
            let id = self.client.next_id();
            let (request, done) = {
                let mut state = self.state.borrow_mut();
                if state.in_flight.is_some() {
                    return;
                }
                let Some(next) = state.waiting.take() else { return };
                state.in_flight = Some((id, now_ms()));
                next
            };
            let answer = self.client.ask_as(id, request).await;
            self.state.borrow_mut().in_flight = None;
            let is_canceled = matches!(&answer, Err(failure) if failure.code == FailureCode::Cancelled);
            if !is_canceled {
                done(answer);
            }
        }
    }
}
