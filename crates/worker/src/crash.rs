//! Last words: a panic stops the worker for good, but not without telling the page why.

use super::port::{Port, Ticket};
use protocol::failure::without_content;
use protocol::{Failure, FailureCode};
use std::cell::RefCell;

thread_local! {
    /// Whom to tell, and what was being worked on.
    static WITNESS: RefCell<Option<(Port, Ticket)>> = const { RefCell::new(None) };
}

/// From now on a panic is reported to `port` as the answer to what [`working_on`] named last.
pub(super) fn report_panics_to(port: Port) {
    std::panic::set_hook(Box::new(move |panic| {
        let witness = WITNESS.with(|witness| witness.try_borrow_mut().ok().and_then(|mut witness| witness.take()));
        let Some((port, ticket)) = witness else { return };
        let message = without_content(panic.payload_as_str().unwrap_or("no message"));
        let location = panic.location().map_or(String::new(), |place| format!(" at {}:{}", place.file(), place.line()));
        let failure = Failure::new(FailureCode::Crashed, "The background worker crashed. This is a bug in Traceglass.")
            .with_detail(format!("{message}{location}"));
        port.send(ticket, Err(failure));
    }));
    working_on(port, Ticket { id: 0, generation: 0, trace: protocol::base::ids::TraceId(0) });
}

/// Names the message that a panic would answer.
pub(super) fn working_on(port: Port, ticket: Ticket) {
    WITNESS.with(|witness| *witness.borrow_mut() = Some((port, ticket)));
}
