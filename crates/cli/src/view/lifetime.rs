//! Ends the server some time after the last page was closed.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Count of open pages and running requests.
#[derive(Default)]
pub(super) struct Lifetime {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    users: u32,
    /// True after the first page was open.
    had_page: bool,
    /// Time at which the last page or request ended.
    quiet_since: Option<Instant>,
}

/// Open page or running request, until it is dropped.
pub(super) struct User<'l>(&'l Lifetime);

impl Lifetime {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a request, which keeps the server running.
    pub(super) fn request(&self) -> User<'_> {
        self.state().users += 1;
        User(self)
    }

    /// Records that this request lasts as long as a page is open.
    pub(super) fn page_opened(&self) {
        self.state().had_page = true;
    }

    /// Waits for the first page, and then until the server has been unused for the time of `grace`.
    pub(super) fn wait_until_closed(&self, grace: Duration) {
        let mut state = self.state();
        loop {
            let quiet = state.quiet_since.filter(|_| state.had_page && state.users == 0);
            let remaining = quiet.map(|since| grace.saturating_sub(since.elapsed()));
            state = match remaining {
                Some(Duration::ZERO) => return,
                Some(remaining) => {
                    let waited = self.changed.wait_timeout(state, remaining);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

impl Drop for User<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.users -= 1;
        state.quiet_since = Some(Instant::now());
        drop(state);
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::Lifetime;
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Duration;

    const GRACE: Duration = Duration::from_millis(300);

    /// Returns a channel that receives a message when the server ends.
    fn end_of(lifetime: &'static Lifetime) -> Receiver<()> {
        let (send, ended) = channel();
        std::thread::spawn(move || {
            lifetime.wait_until_closed(GRACE);
            send.send(())
        });
        ended
    }

    #[test]
    fn server_ends_only_after_page_was_closed() {
        let lifetime: &Lifetime = Box::leak(Box::default());
        let ended = end_of(lifetime);
        drop(lifetime.request());
        assert!(ended.recv_timeout(2 * GRACE).is_err(), "no page has been open");
        let page = lifetime.request();
        lifetime.page_opened();
        assert!(ended.recv_timeout(2 * GRACE).is_err(), "the page is open");
        drop(page);
        assert!(ended.recv_timeout(20 * GRACE).is_ok());
    }

    #[test]
    fn reload_within_grace_does_not_end_server() {
        let lifetime: &Lifetime = Box::leak(Box::default());
        let ended = end_of(lifetime);
        let page = lifetime.request();
        lifetime.page_opened();
        drop(page);
        let reloaded = lifetime.request();
        assert!(ended.recv_timeout(2 * GRACE).is_err());
        drop(reloaded);
        assert!(ended.recv_timeout(20 * GRACE).is_ok());
    }
}
