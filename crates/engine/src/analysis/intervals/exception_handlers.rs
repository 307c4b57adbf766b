//! Handlers of exceptions: joins the events of handlers and exceptions by thread.
//!
//! A handler that rethrows (`throw;`) writes another exception event until .NET 8, and none from .NET 9 on: there
//! another handler begins before the first has ended.

use protocol::base::hash::FastMap;
use protocol::base::ids::ThreadId;

/// Maximum number of a thread's exceptions whose handlers haven't ended. A handler left by a throw never ends.
const MAX_OPEN: usize = 64;

/// Handler that an exception reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Handled {
    /// Name of the method that caught it, the last one if rethrown, as a position of the caller's texts.
    pub method: Option<u32>,
    /// Time of the first catch in nanoseconds.
    pub time: i64,
    /// Number of rethrows without an event.
    pub rethrows: u32,
}

/// The reported exceptions of a thread.
#[derive(Clone, Debug, Default)]
struct OnThread {
    /// Positions of exceptions, the latest last, and whether a handler of each has begun.
    open: Vec<(u32, bool)>,
    /// For each open filter, the number of exceptions that were open when it began.
    filters: Vec<usize>,
}

/// Results of handling all exceptions, in the order of their events.
#[derive(Clone, Debug, Default)]
pub struct Handlers {
    handled: Vec<Handled>,
    threads: FastMap<ThreadId, OnThread>,
}

impl Handlers {
    /// Adds a thrown exception, or with `is_again` one thrown out of its handler. Returns its position.
    pub fn thrown(&mut self, thread: ThreadId, is_again: bool) -> u32 {
        let position = self.handled.len() as u32;
        self.handled.push(Handled::default());
        let on_thread = self.threads.entry(thread).or_default();
        // Another event for the same exception.
        if is_again && on_thread.open.last().is_some_and(|(_, is_caught)| *is_caught) {
            on_thread.open.pop();
        }
        if on_thread.open.len() >= MAX_OPEN {
            on_thread.open.remove(0);
        }
        on_thread.open.push((position, false));
        position
    }

    /// Records that a handler begins.
    pub fn caught(&mut self, thread: ThreadId, time: i64, method: u32) {
        let on_thread = self.threads.entry(thread).or_default();
        let Some((position, is_caught)) = on_thread.open.last_mut() else { return };
        let Some(handled) = self.handled.get_mut(*position as usize) else { return };
        if *is_caught {
            handled.rethrows += 1;
        } else {
            handled.time = time;
        }
        (handled.method, *is_caught) = (Some(method), true);
    }

    /// Records that a handler ended.
    pub fn catch_ended(&mut self, thread: ThreadId) {
        let open = &mut self.threads.entry(thread).or_default().open;
        if open.last().is_some_and(|(_, is_caught)| *is_caught) {
            open.pop();
        }
    }

    /// Records that a filter begins. Exceptions thrown inside it don't leave it.
    pub fn filter_begins(&mut self, thread: ThreadId) {
        let on_thread = self.threads.entry(thread).or_default();
        if on_thread.filters.len() < MAX_OPEN {
            on_thread.filters.push(on_thread.open.len());
        }
    }

    /// Records that a filter ended.
    pub fn filter_ended(&mut self, thread: ThreadId) {
        let on_thread = self.threads.entry(thread).or_default();
        if let Some(before) = on_thread.filters.pop() {
            on_thread.open.truncate(before);
        }
    }

    /// Returns how an exception was handled.
    pub fn of(&self, position: u32) -> Handled {
        self.handled.get(position as usize).copied().unwrap_or_default()
    }

    /// Returns whether any handler was reported.
    pub fn has_any(&self) -> bool {
        self.handled.iter().any(|one| one.method.is_some())
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.handled.len() * size_of::<Handled>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREAD: ThreadId = ThreadId(1);

    fn outcome(handlers: &Handlers, position: u32) -> (Option<u32>, u32) {
        let handled = handlers.of(position);
        (handled.method, handled.rethrows)
    }

    #[test]
    fn second_handler_before_end_of_first_is_rethrow() {
        let mut handlers = Handlers::default();
        let first = handlers.thrown(THREAD, false);
        handlers.caught(THREAD, 5, 70);
        handlers.caught(THREAD, 7, 71);
        handlers.catch_ended(THREAD);
        let second = handlers.thrown(THREAD, false);
        handlers.caught(THREAD, 9, 70);
        handlers.catch_ended(THREAD);
        handlers.caught(THREAD, 11, 72);
        assert_eq!((outcome(&handlers, first), outcome(&handlers, second)), ((Some(71), 1), (Some(70), 0)));
        assert_eq!(handlers.of(first).time, 5);
    }

    #[test]
    fn rethrow_of_older_runtimes_has_another_event() {
        let mut handlers = Handlers::default();
        let first = handlers.thrown(THREAD, false);
        handlers.caught(THREAD, 5, 70);
        let again = handlers.thrown(THREAD, true);
        handlers.caught(THREAD, 6, 71);
        handlers.catch_ended(THREAD);
        assert_eq!((outcome(&handlers, first), outcome(&handlers, again)), ((Some(70), 0), (Some(71), 0)));
    }

    #[test]
    fn exception_inside_handler_or_filter_has_own_handlers() {
        let mut handlers = Handlers::default();
        let outer = handlers.thrown(THREAD, false);
        handlers.filter_begins(THREAD);
        let in_filter = handlers.thrown(THREAD, false);
        handlers.filter_ended(THREAD);
        handlers.caught(THREAD, 5, 70);
        let inner = handlers.thrown(THREAD, false);
        handlers.caught(THREAD, 6, 71);
        handlers.catch_ended(THREAD);
        handlers.catch_ended(THREAD);
        assert_eq!(outcome(&handlers, in_filter), (None, 0));
        assert_eq!((outcome(&handlers, outer), outcome(&handlers, inner)), ((Some(70), 0), (Some(71), 0)));
        for _ in 0..1000 {
            handlers.thrown(THREAD, false);
        }
        assert!(handlers.threads[&THREAD].open.len() <= MAX_OPEN);
    }
}
