//! Requests that wait for their turn, each for as long as it needs.

use crate::protocol::RequestEnvelope;
use std::collections::VecDeque;

/// First come, first served; what takes longer than a turn comes again after the others.
#[derive(Default)]
pub(super) struct Queue(VecDeque<RequestEnvelope>);

impl Queue {
    /// Puts a request at the end.
    pub(super) fn push(&mut self, envelope: RequestEnvelope) {
        self.0.push_back(envelope);
    }

    /// The next request.
    pub(super) fn pop(&mut self) -> Option<RequestEnvelope> {
        self.0.pop_front()
    }

    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Takes the request with this id out, if it still waits.
    pub(super) fn remove(&mut self, id: u32) -> Option<RequestEnvelope> {
        let at = self.0.iter().position(|envelope| envelope.id == id)?;
        self.0.remove(at)
    }
}
