//! Crash reports: a panic terminates the worker, after reporting the cause to the page.

use super::port::{Port, Ticket};
use protocol::failure::without_content;
use protocol::{Failure, FailureCode};
use std::cell::RefCell;

thread_local! {
    /// Port for the report, and the current request.
    static WITNESS: RefCell<Option<(Port, Ticket)>> = const { RefCell::new(None) };
}

/// Reports panics to `port`, as the answer to the request last passed to [`working_on`].
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

/// Sets the request that a panic answers.
pub(super) fn working_on(port: Port, ticket: Ticket) {
    WITNESS.with(|witness| *witness.borrow_mut() = Some((port, ticket)));
}
