//! Answers about the trace as a whole.

use super::Run;
use crate::analysis::file::header_detail::header_detail;
use crate::analysis::file::trace_facts::FileSizeAndCompression;
use crate::analysis::timeline::window::events_in;
use crate::session::db::interrupt::Answered;
use crate::session::db::state::Session;
use protocol::memory::MemoryUse;
use protocol::queries::{Header, Memory, Summary, WindowSize};
use protocol::reply;

impl Run for Summary {
    fn run(&self, session: &mut Session) -> Answered<reply::Summary> {
        Ok(session.summary())
    }
}

impl Run for Header {
    fn run(&self, session: &mut Session) -> Answered<reply::HeaderDetail> {
        let around = FileSizeAndCompression { bytes: session.file.bytes, packing: &session.file.packing };
        Ok(header_detail(&session.store, &session.source, &session.samples, around)?)
    }
}

impl Run for Memory {
    fn run(&self, session: &mut Session) -> Answered<MemoryUse> {
        Ok(session.memory())
    }
}

impl Run for WindowSize {
    fn run(&self, session: &mut Session) -> Answered<u64> {
        Ok(events_in(&session.store, &self.window))
    }
}
