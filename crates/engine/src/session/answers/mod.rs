//! Answers to queries, one implementation of [`Run`] each.

pub(crate) mod event_groups;
pub(crate) mod event_text;
pub(crate) mod events;
pub(crate) mod excerpt;
pub(crate) mod file_structure;
pub(crate) mod function_table;
pub(crate) mod names;
pub(crate) mod ran_on_thread;
pub(crate) mod report_text;
pub(crate) mod reports;
pub(crate) mod schemas;
pub(crate) mod stacks;
pub(crate) mod time_order;
pub(crate) mod timeline;
pub(crate) mod trace;

use super::db::interrupt::Answered;
use super::db::state::{Session, hello};
use protocol::{Failure, FailureCode, Query, Reply, Request, queries};

/// Query that a session answers.
pub trait Run: Query {
    /// Returns the output, or an [`Interrupt`](super::Interrupt). Every turn runs it from the start, so it should ask
    /// for derived data before it does other work.
    ///
    /// # Errors
    /// Interrupts if there is more to do. Fails if the query names something that doesn't exist, or the file can no
    /// longer be read.
    fn run(&self, session: &mut Session) -> Answered<Self::Output>;
}

/// Implements running any request.
macro_rules! run_any {
    ($($name:ident -> $kind:ident $output:ty;)*) => {
        impl Session {
            pub(super) fn run(&mut self, request: &Request) -> Answered<Reply> {
                Ok(match request {
                    Request::Hello => hello(),
                    $(Request::$name(query) => queries::$name::reply(query.run(self)?)),*
                })
            }
        }
    };
}

protocol::every_query!(run_any);

pub(crate) fn missing(what: &str) -> Failure {
    Failure::new(FailureCode::NotFound, format!("That {what} isn't in this trace."))
}
