//! Lost workers: crashed, or unresponsive and terminated.

use super::Client;
use protocol::{Failure, FailureCode};

impl Client {
    /// Terminates an unresponsive worker; waiting requests fail with that reason.
    pub fn give_up(&self) {
        self.crash(Failure::new(FailureCode::Silent, "You stopped Traceglass because it wasn't responding."));
    }

    /// Returns the number of messages so far, while a request is waiting.
    pub fn messages_while_waiting(&self) -> Option<u32> {
        let is_waiting = !self.0.waiting.borrow().is_empty();
        is_waiting.then(|| self.0.heard.get())
    }

    /// Returns the cause of a crash, by the error that ended the worker. Bugs have been reported before it; running out
    /// of memory hasn't.
    pub(super) fn crash_cause(&self, error: String) -> Failure {
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

/// Creates the failure for a crashed worker.
pub(super) fn crashed(message: &str) -> Failure {
    Failure::new(FailureCode::Crashed, message)
}
