//! Requests that wait for their turn, each for as long as it needs.

use protocol::RequestEnvelope;
use std::collections::VecDeque;

/// First turns in a row, after which one that is gone on with comes: somebody who drags the timeline asks without end.
const MAX_FIRST_TURNS: u32 = 8;

/// What is new comes first: most questions need less than a turn, and what a person looks at waits for them. What takes
/// longer is gone on with when nothing is new, one turn each.
#[derive(Default)]
pub struct Queue {
    new: VecDeque<RequestEnvelope>,
    begun: VecDeque<RequestEnvelope>,
    first_turns: u32,
}

impl Queue {
    /// Takes a new request in.
    pub fn push(&mut self, envelope: RequestEnvelope) {
        self.new.push_back(envelope);
    }

    /// Takes a request back whose turn was not enough.
    pub fn push_begun(&mut self, envelope: RequestEnvelope) {
        self.begun.push_back(envelope);
    }

    /// The next request.
    pub fn pop(&mut self) -> Option<RequestEnvelope> {
        let is_new = self.begun.is_empty() || self.first_turns < MAX_FIRST_TURNS;
        if let Some(envelope) = self.new.pop_front_if(|_| is_new) {
            self.first_turns += 1;
            return Some(envelope);
        }
        self.first_turns = 0;
        self.begun.pop_front()
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.new.len() + self.begun.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes the request with this id out, if it still waits.
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
    use protocol::{EncodedRequest, Request};

    fn request(id: u32) -> RequestEnvelope {
        RequestEnvelope { id, generation: 0, trace: TraceId(0), request: EncodedRequest::new(&Request::Memory) }
    }

    fn popped(queue: &mut Queue) -> Option<u32> {
        queue.pop().map(|envelope| envelope.id)
    }

    #[test]
    fn what_is_new_does_not_wait_for_what_takes_long() {
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
    fn what_takes_long_is_gone_on_with_while_new_ones_come_without_end() {
        let mut queue = Queue::default();
        queue.push_begun(request(0));
        for id in 1..=MAX_FIRST_TURNS + 1 {
            queue.push(request(id));
        }
        let order: Vec<u32> = std::iter::from_fn(|| popped(&mut queue)).collect();
        assert_eq!(order, [1, 2, 3, 4, 5, 6, 7, 8, 0, 9]);
    }

    #[test]
    fn a_request_is_taken_out_wherever_it_waits() {
        let mut queue = Queue::default();
        queue.push(request(1));
        queue.push_begun(request(2));
        assert_eq!([1, 2, 2].map(|id| queue.remove(id).is_some()), [true, true, false]);
        assert!(queue.is_empty());
    }
}
