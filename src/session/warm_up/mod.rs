//! Opening a trace and asking about it before there is one.
//!
//! WebAssembly engines run a function slowly until they have seen it run often. Reading some ten thousand events while
//! the user is still choosing a file halves the time of the first real trace, and its first questions find their code
//! compiled.

mod trace;

use trace::EVENTS;
pub(super) use trace::trace;

use super::{FileFacts, Loader, Session};
use crate::model::ids::{EventId, ThreadId};
use crate::model::time::{Nanos, Span};
use crate::protocol::Request;
use crate::protocol::request::{Filter, FunctionOrder, TreeQuery};

/// How often all of it is done: after the second time, little is left that the engine has not compiled well.
const ROUNDS: u32 = 2;

/// Bytes that are read in one step: about a millisecond's work.
const STEP_BYTES: usize = 32 << 10;

/// Opens a small trace and asks about it, step by step. What comes of it is dropped: it is only done to have been done.
pub struct Rehearsal {
    trace: Vec<u8>,
    read_bytes: usize,
    loader: Loader,
    session: Option<Session>,
    requests: std::vec::IntoIter<Request>,
    rounds_left: u32,
}

impl Default for Rehearsal {
    fn default() -> Self {
        Self::of(ROUNDS)
    }
}

impl Rehearsal {
    fn of(rounds: u32) -> Self {
        Self {
            trace: trace(),
            read_bytes: 0,
            loader: Loader::new(),
            session: None,
            requests: questions().into_iter(),
            rounds_left: rounds,
        }
    }

    /// Does a little. Returns whether there is more to do.
    pub fn step(&mut self) -> bool {
        if let Some(session) = &mut self.session {
            let Some(request) = self.requests.next() else {
                *self = Self::of(self.rounds_left - 1);
                return self.rounds_left > 0;
            };
            return session.answer(&request).is_ok();
        }
        let rest = self.trace.get(self.read_bytes..).unwrap_or_default();
        let piece = rest.get(..STEP_BYTES).unwrap_or(rest);
        if piece.is_empty() {
            let loader = std::mem::take(&mut self.loader);
            let trace = Box::new(std::mem::take(&mut self.trace));
            self.session = loader.finish().and_then(|store| Session::new(store, trace, FileFacts::default())).ok();
            return self.session.is_some();
        }
        self.loader.append(piece.len(), |space| space.copy_from_slice(piece));
        self.read_bytes += piece.len();
        self.loader.advance(STEP_BYTES).is_ok()
    }
}

/// What the page asks first, and when the user looks around.
fn questions() -> Vec<Request> {
    let span = Span { start: Nanos(0), end: Nanos(2 * EVENTS as i64) };
    let threads = (0..3).map(ThreadId).collect::<Vec<_>>();
    let lanes = |resolution| Request::Lanes { threads: threads.clone(), span, resolution, max_depth: 24 };
    let (filter, query) = (Filter::default(), TreeQuery::default());
    vec![
        Request::Summary,
        Request::Header,
        Request::Overview { span: None, buckets: 1024 },
        Request::Threads { filter: filter.clone() },
        lanes(1 << 6),
        lanes(1 << 3),
        Request::Collections { filter: filter.clone() },
        Request::Exceptions { filter: filter.clone(), limit: 100 },
        Request::HotPath { query: query.clone(), max_depth: 40 },
        Request::Functions { query: query.clone(), order: FunctionOrder::Exclusive, limit: 20 },
        Request::Flame { query, root: Default::default(), min_share: 0.001, max_depth: 40 },
        Request::Events { filter, order: Default::default(), first: 0, count: 100 },
        Request::EventDetail { event: EventId(0) },
        Request::Types,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rehearsal_comes_to_its_end_with_every_question_answered() {
        let mut rehearsal = Rehearsal::default();
        let mut steps = 0;
        while rehearsal.step() {
            steps += 1;
        }
        assert_eq!(rehearsal.rounds_left, 0, "a question failed");
        assert!(steps > 20, "{steps} steps are not little by little");
    }
}
