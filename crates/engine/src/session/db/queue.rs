//! Queue of requests that may need several time slices.

use protocol::RequestEnvelope;
use std::collections::VecDeque;

/// Maximum number of new requests to serve before an earlier one continues. Dragging the timeline sends new requests
/// constantly.
const MAX_FIRST_TURNS: u32 = 8;

/// Queue of requests. New requests come first, because most need less than one time slice. Longer ones then take turns.
#[derive(Default)]
pub struct Queue {
    new: VecDeque<RequestEnvelope>,
    begun: VecDeque<RequestEnvelope>,
    first_turns: u32,
}

impl Queue {
    /// Adds a new request.
    pub fn push(&mut self, envelope: RequestEnvelope) {
        self.new.push_back(envelope);
    }

    /// Puts back a request that needs more time.
    pub fn push_begun(&mut self, envelope: RequestEnvelope) {
        self.begun.push_back(envelope);
    }

    /// Returns the next request.
    pub fn pop(&mut self) -> Option<RequestEnvelope> {
        let is_new = self.begun.is_empty() || self.first_turns < MAX_FIRST_TURNS;
        if let Some(envelope) = self.new.pop_front_if(|_| is_new) {
            self.first_turns += 1;
            return Some(envelope);
        }
        self.first_turns = 0;
        self.begun.pop_front()
    }

    pub fn len(&self) -> usize {
        self.new.len() + self.begun.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes and returns the waiting request with an ID.
    pub fn remove(&mut self, id: u32) -> Option<RequestEnvelope> {
        [&mut self.new, &mut self.begun].into_iter().find_map(|requests| {
            let at = requests.iter().position(|envelope| envelope.id == id)?;
            requests.remove(at)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::base::ids::TraceId;
    use protocol::{EncodedRequest, queries};

    fn request(id: u32) -> RequestEnvelope {
        RequestEnvelope { id, generation: 0, trace: TraceId(0), request: EncodedRequest::new(&queries::Memory) }
    }

    fn popped(queue: &mut Queue) -> Option<u32> {
        queue.pop().map(|envelope| envelope.id)
    }

    #[test]
    fn new_request_precedes_long_one() {
        let mut queue = Queue::default();
        queue.push_begun(request(1));
        queue.push_begun(request(2));
        queue.push(request(3));
        assert_eq!((queue.len(), popped(&mut queue)), (3, Some(3)));
        assert_eq!(popped(&mut queue), Some(1));
        queue.push_begun(request(1));
        assert_eq!([popped(&mut queue), popped(&mut queue), popped(&mut queue)], [Some(2), Some(1), None]);
    }

    #[test]
    fn long_request_continues_among_endless_new_ones() {
        let mut queue = Queue::default();
        queue.push_begun(request(0));
        for id in 1..=MAX_FIRST_TURNS + 1 {
            queue.push(request(id));
        }
        let order: Vec<u32> = std::iter::from_fn(|| popped(&mut queue)).collect();
        assert_eq!(order, [1, 2, 3, 4, 5, 6, 7, 8, 0, 9]);
    }

    #[test]
    fn waiting_request_is_removed() {
        let mut queue = Queue::default();
        queue.push(request(1));
        queue.push_begun(request(2));
        assert_eq!([1, 2, 2].map(|id| queue.remove(id).is_some()), [true, true, false]);
        assert!(queue.is_empty());
    }
}
