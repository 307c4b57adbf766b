//! Interrupts: long work yields voluntarily.

use crate::analysis::scan::payload_batches::Step;
use crate::model::OutOfMemory;
use crate::session::open::failures::{not_a_filter, out_of_memory, unreadable_source};
use nettrace::SourceError;
use protocol::Failure;
use protocol::filter::QueryError;

/// Reason why a value isn't available yet. After [`Self::More`] and [`Self::Waiting`], asking again continues the work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Interrupt {
    /// The time slice is used up, and work remains.
    More,
    /// The work needs bytes that were announced to the source and haven't arrived yet.
    Waiting,
    /// The value can't be computed.
    Failed(Failure),
}

/// Value of a query or of derived data, or an interrupt.
pub type Answered<T> = Result<T, Interrupt>;

impl From<Failure> for Interrupt {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<SourceError> for Interrupt {
    fn from(error: SourceError) -> Self {
        Self::Failed(unreadable_source(&error))
    }
}

impl From<OutOfMemory> for Interrupt {
    fn from(error: OutOfMemory) -> Self {
        Self::Failed(out_of_memory(&error))
    }
}

impl From<QueryError> for Interrupt {
    fn from(error: QueryError) -> Self {
        Self::Failed(not_a_filter(&error))
    }
}

/// Returns an interrupt unless a step was the last one.
pub(crate) fn unless_done(step: Step) -> Answered<()> {
    match step {
        Step::Done => Ok(()),
        Step::More => Err(Interrupt::More),
        Step::Waiting => Err(Interrupt::Waiting),
    }
}
