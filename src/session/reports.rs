//! Reports on topics: what is kept of a topic's events is read once, in steps; reports are kept for further pages.

use super::failures::unreadable_source;
use super::recent::Recent;
use super::state::Session;
use crate::analysis::events_page::MOST_ROWS;
use crate::analysis::payload_pieces::Step;
use crate::analysis::payload_walk::PayloadWalk;
use crate::analysis::role_times::role_times;
use crate::analysis::rows::TypeSet;
use crate::analysis::topics::presence::{is_recorded, not_recorded, presence};
use crate::analysis::topics::recording_findings::recording_findings;
use crate::analysis::topics::report::Report;
use crate::analysis::topics::{Facts, Known, Scope, facts_of};
use crate::model::sort::sort_by;
use crate::protocol::finding::Finding;
use crate::protocol::report::{ReportHead, ReportRows, TopicPresence};
use crate::protocol::request::{Filter, RowOrder, TopicRequest};
use crate::protocol::tables::RoleTimes;
use crate::protocol::topic::Topic;
use crate::protocol::{Failure, Reply};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Reports that are kept: the one that is shown, and the one before the last change of the filter.
const REPORTS: usize = 4;
/// Orders of rows that are kept.
const ORDERS: usize = 4;

/// A report, by what was asked.
type ReportKey = (Topic, Filter);

/// What was found out about topics.
pub(super) struct Reports {
    facts: FxHashMap<Topic, Rc<dyn Facts>>,
    search: Option<(Topic, FactSearch)>,
    reports: Recent<ReportKey, Report>,
    orders: Recent<(ReportKey, RowOrder), Vec<u32>>,
}

/// A topic's events on their way.
struct FactSearch {
    facts: Box<dyn Facts>,
    walk: PayloadWalk,
}

impl Default for Reports {
    fn default() -> Self {
        let (reports, orders) = (Recent::new(REPORTS), Recent::new(ORDERS));
        Self { facts: FxHashMap::default(), search: None, reports, orders }
    }
}

impl Reports {
    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let facts: usize = self.facts.values().map(|facts| facts.bytes()).sum();
        let growing = self.search.as_ref().map_or(0, |(_, search)| search.facts.bytes());
        let reports: usize = self.reports.values().map(Report::bytes).sum();
        let orders: usize = self.orders.values().map(|order| order.len() * size_of::<u32>()).sum();
        facts + growing + reports + orders
    }
}

impl Session {
    /// Which topics the trace tells about.
    pub fn topics(&self) -> Vec<TopicPresence> {
        presence(&self.store).into_iter().filter(|one| facts_of(one.topic, &self.store).is_some()).collect()
    }

    /// What a topic comes to.
    ///
    /// # Errors
    /// If the filter cannot be understood, or the file can no longer be read.
    pub fn report_head(&mut self, topic: Topic, filter: &Filter) -> Result<ReportHead, Failure> {
        if !is_recorded(topic, &self.store) {
            return Ok(ReportHead { not_recorded: Some(not_recorded(topic)), ..Report::default().head(topic) });
        }
        Ok(self.report(topic, filter)?.head(topic))
    }

    /// Some rows of a table of a report.
    ///
    /// # Errors
    /// If there is no such table, the filter cannot be understood, or the file can no longer be read.
    pub fn report_rows(
        &mut self,
        topic: Topic,
        filter: &Filter,
        order: &RowOrder,
        first: u64,
        count: u32,
    ) -> Result<ReportRows, Failure> {
        let report = self.report(topic, filter)?;
        let table = report.tables.get(usize::from(order.table)).ok_or_else(|| super::answer::missing("table"))?;
        let key = ((topic, filter.clone()), order.clone());
        let sorted = match self.reports.orders.get(&key) {
            Some(sorted) => sorted,
            None => self.reports.orders.insert(key, table.order(order.column, order.descending)),
        };
        let first = usize::try_from(first).unwrap_or(usize::MAX).min(sorted.len());
        let end = first.saturating_add(count.min(MOST_ROWS) as usize).min(sorted.len());
        Ok(table.rows(&sorted[first..end]))
    }

    /// What is wrong, what costs most first.
    ///
    /// # Errors
    /// If the filter cannot be understood, or the file can no longer be read.
    pub fn findings(&mut self, filter: &Filter) -> Result<Vec<Finding>, Failure> {
        while self.advance_findings(false)? != Step::Done {}
        let selection = self.selection(filter)?;
        let span = filter.span.unwrap_or_else(|| self.store.user_span());
        let (known, scope) = (self.known(), Scope { filter, selection: &selection, span });
        let mut findings = recording_findings(&known, &scope);
        for topic in Topic::ALL {
            let facts = self.reports.facts.get(&topic);
            findings.extend(facts.iter().flat_map(|facts| facts.findings(&known, &scope)));
        }
        sort_by(&mut findings, |one, other| other.weight.total_cmp(&one.weight).then(one.kind.cmp(&other.kind)));
        Ok(findings)
    }

    /// [`Step::Done`] when everything is read that findings need.
    pub(super) fn advance_findings(&mut self, may_wait: bool) -> Result<Step, Failure> {
        for topic in Topic::ALL {
            let step = self.advance_report(topic, may_wait)?;
            if step != Step::Done {
                return Ok(step);
            }
        }
        Ok(Step::Done)
    }

    /// Answers a question about topics.
    pub(super) fn told_of(&mut self, of: &TopicRequest, filter: &Filter) -> Result<Reply, Failure> {
        Ok(match of {
            TopicRequest::Findings => Reply::told(&self.findings(filter)?),
            TopicRequest::Report(topic) => Reply::told(&self.report_head(*topic, filter)?),
            TopicRequest::RoleTimes => Reply::table(self.role_times(filter)?.pack()),
            TopicRequest::Rows { topic, order, first, count } => {
                Reply::table(self.report_rows(*topic, filter, order, *first, *count)?.pack())
            }
            TopicRequest::File { topic, order } => Reply::table(self.report_file(*topic, filter, order)?.pack()),
        })
    }

    /// Where the time of threads went, by what they are for.
    fn role_times(&mut self, filter: &Filter) -> Result<RoleTimes, Failure> {
        let states = self.known_states()?;
        let waits = self.tracks.waits(&self.store, &self.source).map_err(|error| unreadable_source(&error))?;
        Ok(role_times(&self.store, &self.samples, &states, waits, filter))
    }

    fn report(&mut self, topic: Topic, filter: &Filter) -> Result<Rc<Report>, Failure> {
        let key = (topic, filter.clone());
        if let Some(known) = self.reports.reports.get(&key) {
            return Ok(known);
        }
        while self.advance_report(topic, false)? != Step::Done {}
        let selection = self.selection(filter)?;
        let Some(facts) = self.reports.facts.get(&topic).cloned() else { return Err(super::answer::missing("topic")) };
        let span = filter.span.unwrap_or_else(|| self.store.user_span());
        let report = facts.report(&self.known(), &Scope { filter, selection: &selection, span });
        Ok(self.reports.reports.insert(key, report))
    }

    /// [`Step::Done`] when everything is read that reports on a topic need.
    pub(super) fn advance_report(&mut self, topic: Topic, may_wait: bool) -> Result<Step, Failure> {
        let is_told = || is_recorded(topic, &self.store) && facts_of(topic, &self.store).is_some();
        if self.reports.facts.contains_key(&topic) || !is_told() {
            return Ok(Step::Done);
        }
        // The one that nobody went on with is given up.
        let begun = self.reports.search.take().filter(|(of, _)| *of == topic);
        let mut search = match begun {
            Some((_, search)) => search,
            None => {
                let Some(facts) = facts_of(topic, &self.store) else { return Ok(Step::Done) };
                let types = TypeSet::new(&self.store, |one| facts.wants(one));
                FactSearch { facts, walk: PayloadWalk::new(&self.store, types, |_| true) }
            }
        };
        let step = self.advance_needs(&*search.facts, may_wait)?;
        if step != Step::Done {
            self.reports.search = Some((topic, search));
            return Ok(step);
        }
        let FactSearch { facts, walk } = &mut search;
        let (store, source) = (&self.store, self.source.unkept());
        let step = walk.step(store, &source, may_wait, |chunk, row, payload| facts.read(store, chunk, row, payload));
        let step = step.map_err(|error| unreadable_source(&error))?;
        if step == Step::Done {
            search.facts.finish(&self.known());
            self.reports.facts.insert(topic, Rc::from(search.facts));
            return Ok(Step::More);
        }
        self.reports.search = Some((topic, search));
        Ok(step)
    }

    /// Spans and marks that a topic needs.
    fn advance_needs(&mut self, facts: &dyn Facts, may_wait: bool) -> Result<Step, Failure> {
        let needs = facts.needs();
        if needs.spans && self.spans.is_none() {
            return self.advance_spans(may_wait);
        }
        let (store, source) = (&self.store, self.source.unkept());
        for kind in needs.tracks {
            let step =
                self.tracks.prepare(store, &source, *kind, may_wait).map_err(|error| unreadable_source(&error))?;
            if step != Step::Done {
                return Ok(step);
            }
            self.tracks.marks(store, &source, *kind).map_err(|error| unreadable_source(&error))?;
        }
        if needs.handle_waits {
            self.tracks.handle_waits(store, &source).map_err(|error| unreadable_source(&error))?;
        }
        Ok(Step::Done)
    }

    fn known(&self) -> Known<'_> {
        Known {
            store: &self.store,
            collections: &self.collections,
            samples: &self.samples,
            spans: self.spans.as_deref(),
            tracks: &self.tracks,
        }
    }
}
