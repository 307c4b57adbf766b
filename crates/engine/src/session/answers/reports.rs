//! Answers about analyses and findings.

use super::Run;
use crate::analysis::compare::compare;
use crate::analysis::filter::query::wanted_by;
use crate::analysis::topics::role_times::role_times;
use crate::session::db::interrupt::Answered;
use crate::session::db::state::Session;
use protocol::compare::{Comparison, Measures, TraceChanges, TraceMeasures};
use protocol::filter::parse;
use protocol::queries::{Findings, ItemCounts, Report, ReportFile, ReportRows, RoleTimes, Topics};
use protocol::{Failure, reply, tables};

impl Run for Topics {
    fn run(&self, session: &mut Session) -> Answered<Vec<reply::TopicPresence>> {
        Ok(session.topics())
    }
}

impl Run for ItemCounts {
    fn run(&self, session: &mut Session) -> Answered<reply::ItemCounts> {
        session.item_counts(&self.filter)
    }
}

impl Run for Findings {
    fn run(&self, session: &mut Session) -> Answered<Vec<reply::Finding>> {
        session.findings(&self.filter)
    }
}

impl Run for Report {
    fn run(&self, session: &mut Session) -> Answered<reply::ReportHead> {
        session.report_head(self.topic, &self.filter)
    }
}

impl Run for ReportRows {
    fn run(&self, session: &mut Session) -> Answered<tables::ReportRows> {
        session.report_rows(self.topic, &self.filter, &self.order, self.first, self.count)
    }
}

impl Run for ReportFile {
    fn run(&self, session: &mut Session) -> Answered<tables::ExportedFile> {
        session.report_file(self.topic, &self.filter, &self.order)
    }
}

impl Run for TraceMeasures {
    fn run(&self, session: &mut Session) -> Answered<Measures> {
        session.measures(&self.filter)
    }
}

impl Run for TraceChanges {
    fn run(&self, session: &mut Session) -> Answered<Comparison> {
        let new = session.measures(&self.filter)?;
        let old = Measures::unpack(&self.old).ok().filter(Measures::is_valid).ok_or_else(Failure::other_answer)?;
        Ok(compare(&[old], &new, self.per))
    }
}

impl Run for RoleTimes {
    fn run(&self, session: &mut Session) -> Answered<tables::RoleTimes> {
        let states = session.thread_states()?;
        let query = parse(&self.filter.query)?;
        let wanted = wanted_by(&session.store, &self.filter, &query);
        let span = query.span_within(session.store.indexed_span(self.filter.span));
        let time = if states.is_on_cpu() { Some(session.thread_time(&self.filter)?) } else { None };
        Ok(role_times(&session.store, &states, &wanted, span, time.as_deref()))
    }
}
