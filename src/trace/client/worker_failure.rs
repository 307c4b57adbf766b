//! How a worker is lost: it dies, or it says nothing any more and is given up.

use super::Client;
use protocol::{Failure, FailureCode};

impl Client {
    /// Gives up a worker that says nothing: whoever waits for it gets a failure that says so.
    pub fn give_up(&self) {
        self.crash(Failure::new(FailureCode::Silent, "You stopped Traceglass because it wasn’t responding."));
    }

    /// While something waits for an answer: how many messages have come so far.
    pub fn messages_while_waiting(&self) -> Option<u32> {
        let is_waiting = !self.0.waiting.borrow().is_empty();
        is_waiting.then(|| self.0.heard.get())
    }

    /// Why a worker died, by the error that ended it. One with a fault has reported it before; one that couldn't
    /// allocate ends without a word.
    pub(super) fn cause_of_death(&self, error: String) -> Failure {
        let (failure, detail) = match self.0.reported_fault.take() {
            Some(fault) => (crashed(&fault.message), format!("{}\n{error}", fault.detail)),
            None if error.to_lowercase().contains("unreachable") => {
                (Failure::new(FailureCode::OutOfMemory, "Traceglass ran out of memory and stopped reading."), error)
            }
            None => (crashed("The background worker crashed."), error),
        };
        failure.with_detail(detail)
    }

    pub(super) fn crash(&self, failure: Failure) {
        self.close();
        self.fail_all(&failure);
        let on_crash = self.0.on_crash.borrow().clone();
        if let Some(on_crash) = on_crash {
            on_crash(failure);
        }
    }
}

/// A worker that failed.
pub(super) fn crashed(message: &str) -> Failure {
    Failure::new(FailureCode::Crashed, message)
}
