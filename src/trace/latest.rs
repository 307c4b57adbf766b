//! One question in flight and one waiting, per view: the newest wins.

use super::client::Client;
use crate::app::browser::now_ms;
use protocol::{Failure, FailureCode, Reply, Request};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen_futures::spawn_local;

/// A question in flight for longer than this is cancelled when a newer one comes: what it would answer
/// is no longer looked at, and the worker should not be kept busy with it.
const CANCEL_AFTER_MS: f64 = 150.0;

type Done = Box<dyn FnOnce(Result<Reply, Failure>)>;

#[derive(Default)]
struct State {
    in_flight: Option<(u32, f64)>,
    waiting: Option<(Request, Done)>,
}

/// The questions of one view. Clones share them.
#[derive(Clone)]
pub struct LatestRequest {
    client: Client,
    state: Rc<RefCell<State>>,
}

impl LatestRequest {
    /// The questions of one view, asked through `client`.
    pub fn new(client: Client) -> Self {
        Self { client, state: Rc::default() }
    }

    /// Asks, after the question in flight is answered. A question that still waits is dropped unanswered.
    pub fn ask(&self, request: Request, done: impl FnOnce(Result<Reply, Failure>) + 'static) {
        let overdue = {
            let mut state = self.state.borrow_mut();
            state.waiting = Some((request, Box::new(done)));
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
            let given_up = matches!(&answer, Err(failure) if failure.code == FailureCode::Cancelled);
            if !given_up {
                done(answer);
            }
        }
    }
}
