//! Reports of analyses. Facts about an analysis's events are read once, in steps; reports are cached for further pages.

use super::interrupt::{Answered, Interrupt, unless_done};
use super::memo::Memo;
use super::state::Session;
use crate::analysis::events::page::MAX_ROWS;
use crate::analysis::intervals::gc::{asks_of_events, collection_table, is_inside};
use crate::analysis::measures::{Collector, add_code, add_events, add_states};
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::scan::payload_scan::PayloadScan;
use crate::analysis::scan::rows::TypeSet;
use crate::analysis::topics::cpu_findings::cpu_findings;
use crate::analysis::topics::finalizer_findings::finalizer_findings;
use crate::analysis::topics::lost_events::are_counts_minimums;
use crate::analysis::topics::machine_findings::machine_findings;
use crate::analysis::topics::recorded_topics::{
    can_count, counts_in, depends_on_activities, has_activity_about, interval_tracks, is_recorded, presence,
    process_of_tracks,
};
use crate::analysis::topics::recording_findings::{file_finding, recording_findings};
use crate::analysis::topics::role_times::sampled_time;
use crate::analysis::topics::shared::call_site::has_unnamed_code;
use crate::analysis::topics::shared::cost::sort_findings;
use crate::analysis::topics::shared::report::Report;
use crate::analysis::topics::{Facts, Known, RequestOf, Scope, facts_of, needs_of, with_findings};
use crate::model::{EventType, Store};
use crate::session::answers::missing;
use nettrace::{ByteSource, SourceError};
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, TypeId};
use protocol::base::time::Span;
use protocol::compare::Measures;
use protocol::filter::parse;
use protocol::names::FoundName;
use protocol::request::{Filter, RowOrder};
use protocol::tables::Gcs;
use protocol::timeline::track::TrackKind;
use protocol::topics::finding::Finding;
use protocol::topics::report::{GcTrigger, ItemCounts, ReportHead, ReportRows, TopicPresence};
use protocol::topics::topic::Topic;
use std::cell::RefCell;
use std::rc::Rc;

/// Number of cached reports: the visible one, and the one for the previous filter.
const REPORTS: usize = 4;
/// Number of filters whose findings are cached: no filter, for the order of tracks, and the current one.
const FINDINGS: usize = 2;
/// Number of cached row orders.
const ORDERS: usize = 4;

type ReportKey = (Topic, Filter);

/// Results of analyses.
pub(crate) struct Reports {
    facts: FastMap<Topic, Rc<dyn Facts>>,
    /// Searches in progress, because several analyses may be requested alternately.
    searches: Vec<FactSearch>,
    reports: Memo<ReportKey, Report>,
    findings: Memo<Filter, Vec<Finding>>,
    orders: Memo<(ReportKey, RowOrder), Vec<u32>>,
    /// Items by topic that a user may search by name.
    items: FastMap<Topic, Rc<[FoundName]>>,
    /// Whether some code of the app is unresolved; `None` if not computed yet.
    has_unnamed_code: Option<bool>,
    /// By topic: whether library activities are about it. Only for topics without events that are specific to them.
    activities: RefCell<FastMap<Topic, bool>>,
}

/// Search for the events of some analyses, in one pass over the file.
struct FactSearch {
    readers: Vec<Reader>,
    walk: PayloadScan,
}

/// Facts of an analysis, with the events to read for them.
struct Reader {
    topic: Topic,
    facts: Box<dyn Facts>,
    types: TypeSet,
}

impl FactSearch {
    fn new(topics: &[Topic], store: &Store) -> Self {
        let reader = |&topic: &Topic| {
            let facts = facts_of(topic, store);
            let types = TypeSet::new(store, |one| facts.wants(one));
            Reader { topic, facts, types }
        };
        let readers: Vec<Reader> = topics.iter().map(reader).collect();
        let of_type = |one: TypeId| readers.iter().filter(move |reader| reader.types.contains(one.0));
        let types = TypeSet::new(store, |one| of_type(one.id).next().is_some());
        let needs_payload = |one: &EventType| of_type(one.id).any(|reader| reader.facts.wants_payload(one));
        let walk = PayloadScan::new(store, types, needs_payload);
        Self { readers, walk }
    }

    fn reads(&self, topic: Topic) -> bool {
        self.readers.iter().any(|reader| reader.topic == topic)
    }

    /// Advances the search. Returns [`Step::Done`] once all events have been read.
    fn step(&mut self, store: &Store, source: &dyn ByteSource, may_wait: bool) -> Result<Step, SourceError> {
        let Self { readers, walk } = self;
        walk.step(store, source, may_wait, |chunk, row, payload| {
            let event_type = chunk.event_type(row).0;
            for reader in readers.iter_mut().filter(|reader| reader.types.contains(event_type)) {
                reader.facts.read(store, chunk, row, payload);
            }
        })
    }
}

impl Default for Reports {
    fn default() -> Self {
        let (reports, findings, orders) = (Memo::new(REPORTS), Memo::new(FINDINGS), Memo::new(ORDERS));
        let (facts, searches, activities) = (FastMap::default(), Vec::new(), RefCell::default());
        let items = FastMap::default();
        Self { facts, searches, reports, findings, orders, items, has_unnamed_code: None, activities }
    }
}

impl Reports {
    /// Drops findings, which contain names of functions.
    pub(crate) fn forget_names(&mut self) {
        self.findings.clear();
    }

    pub(crate) fn bytes(&self) -> usize {
        let facts: usize = self.facts.values().map(|facts| facts.bytes()).sum();
        let readers = self.searches.iter().flat_map(|search| &search.readers);
        let growing: usize = readers.map(|reader| reader.facts.bytes()).sum();
        let reports: usize = self.reports.values().map(Report::bytes).sum();
        let orders: usize = self.orders.values().map(|order| order.len() * size_of::<u32>()).sum();
        facts + growing + reports + orders
    }
}

impl Session {
    /// Returns for each analysis whether the trace has events for it.
    pub fn topics(&self) -> Vec<TopicPresence> {
        let mut topics = presence(&self.store, &self.gcs);
        for one in topics.iter_mut().filter(|one| one.missing.is_none() && !self.is_recorded(one.topic)) {
            one.missing = Some(one.topic.not_recorded());
        }
        topics
    }

    /// Returns whether events of the trace are about a topic.
    fn is_recorded(&self, topic: Topic) -> bool {
        if !depends_on_activities(topic, &self.store) {
            return is_recorded(topic, &self.store);
        }
        let known = self.reports.activities.borrow().get(&topic).copied();
        known.unwrap_or_else(|| {
            let is_recorded = has_activity_about(topic, &self.store, &self.source);
            self.reports.activities.borrow_mut().insert(topic, is_recorded);
            is_recorded
        })
    }

    /// Returns the report of an analysis.
    pub(crate) fn report_head(&mut self, topic: Topic, filter: &Filter) -> Answered<ReportHead> {
        if !self.is_recorded(topic) {
            return Ok(ReportHead { not_recorded: Some(topic.not_recorded()), ..Report::default().head(topic) });
        }
        let report = self.report(topic, filter)?;
        let has_losses = are_counts_minimums(&self.store, self.span_of(filter)?);
        Ok(if has_losses { report.head_with_losses(topic) } else { report.head(topic) })
    }

    pub(crate) fn report_rows(
        &mut self,
        topic: Topic,
        filter: &Filter,
        order: &RowOrder,
        first: u64,
        count: u32,
    ) -> Answered<ReportRows> {
        let report = self.report(topic, filter)?;
        let table = report.tables.get(usize::from(order.table)).ok_or_else(|| missing("table"))?;
        let key = ((topic, filter.clone()), order.clone());
        let sorted = match self.reports.orders.get(&key) {
            Some(sorted) => sorted,
            None => {
                let mut sorted = table.order(order.column, order.descending);
                if let Some(found) = table.found(&order.find) {
                    sorted.retain(|row| found.get(*row as usize).copied().unwrap_or(false));
                }
                self.reports.orders.insert(key, sorted)
            }
        };
        let first = usize::try_from(first).unwrap_or(usize::MAX).min(sorted.len());
        let end = first.saturating_add(count.min(MAX_ROWS) as usize).min(sorted.len());
        Ok(ReportRows { total: vec![sorted.len() as u64], ..table.rows(&sorted[first..end]) })
    }

    /// Returns the items of the topics that have been read, those of most events first. Reads no events.
    pub(crate) fn known_items(&mut self) -> Answered<Vec<Rc<[FoundName]>>> {
        let Reports { facts, items, .. } = &mut self.reports;
        if let Some((topic, facts)) = facts.iter().find(|(topic, _)| !items.contains_key(topic)) {
            items.insert(*topic, facts.items().into());
            return Err(Interrupt::More);
        }
        let known = Topic::ALL.iter().filter_map(|topic| items.get(topic));
        Ok(known.filter(|items| !items.is_empty()).cloned().collect())
    }

    /// Returns the findings, costliest first.
    pub(crate) fn findings(&mut self, filter: &Filter) -> Answered<Vec<Finding>> {
        if let Some(known) = self.reports.findings.get(filter) {
            return Ok(known.to_vec());
        }
        let with_findings = with_findings();
        self.read_facts(&with_findings)?;
        let states = self.thread_states()?;
        let time = Some(self.thread_time(filter)?);
        let scope = Scope { time, states: Some(states.clone()), ..self.scope(filter)? };
        let span = scope.span;
        let sampled = sampled_time(&self.store, &self.samples, &states, span);
        let known = self.known();
        let mut findings = recording_findings(&known, &scope, &sampled);
        // A partially read trace has no end yet.
        if !self.is_partial {
            findings.extend(file_finding(&self.store));
        }
        findings.extend(finalizer_findings(&known, &scope));
        findings.extend(machine_findings(&known, &scope));
        for topic in &with_findings {
            let facts = self.reports.facts.get(topic);
            findings.extend(facts.iter().flat_map(|facts| facts.findings(&known, &scope)));
        }
        findings.extend(cpu_findings(&known, &scope, &findings));
        for topic in &with_findings {
            let facts = self.reports.facts.get(topic);
            let effects: Vec<Finding> =
                facts.iter().flat_map(|facts| facts.effects(&known, &scope, &findings)).collect();
            findings.extend(effects);
        }
        if are_counts_minimums(&self.store, span) {
            findings.iter_mut().for_each(Finding::mark_as_minimum);
        }
        sort_findings(&mut findings, span);
        Ok(self.reports.findings.insert(filter.clone(), findings).to_vec())
    }

    /// Returns the matching GCs, selected as in the GC report.
    pub(crate) fn collection_table(&mut self, filter: &Filter) -> Answered<Gcs> {
        if !asks_of_events(filter) {
            let (store, all) = (&self.store, self.gcs.iter());
            return Ok(collection_table(store, all.filter(|one| is_inside(store, one, filter))));
        }
        self.read_facts(&[Topic::Gc])?;
        let scope = self.scope(filter)?;
        let known = self.known();
        let counted = self.reports.facts.get(&Topic::Gc).map(|facts| facts.counted_collections(&known, &scope));
        let all = self.gcs.iter().zip(counted.unwrap_or_default());
        Ok(collection_table(&self.store, all.filter_map(|(one, counts)| counts.then_some(one))))
    }

    /// Returns the numbers of matching items, counted as in the reports.
    pub(crate) fn item_counts(&mut self, filter: &Filter) -> Answered<ItemCounts> {
        let scope = self.scope(filter)?;
        // Before counting, which every step would repeat.
        if asks_of_events(filter) {
            self.read_facts(&[Topic::Gc])?;
        }
        if scope.of_any_time.is_some() && can_count(&self.store, &scope.selection) {
            self.read_facts(&[Topic::Tasks])?;
        }
        let mut counts = counts_in(&self.store, &scope.selection);
        for topic in &mut counts.topics {
            let is_shown = |kind: &&TrackKind| counts.tracks.iter().any(|one| one.track == **kind);
            let kinds = interval_tracks(topic.topic, scope.of_any_time.is_some()).iter().filter(is_shown);
            let kinds: Vec<TrackKind> = kinds.copied().collect();
            if kinds.is_empty() {
                let facts = self.reports.facts.get(&topic.topic).filter(|_| scope.of_any_time.is_some());
                topic.count = facts.and_then(|facts| facts.counted_items(&self.store, &scope)).unwrap_or(topic.count);
                continue;
            }
            topic.count = 0;
            for kind in kinds {
                let by_process = self.overlapping(kind, &scope)?;
                topic.count += by_process.values().sum::<u64>();
                for track in counts.tracks.iter_mut().filter(|one| one.track == kind) {
                    track.count = by_process.get(&track.process).copied().unwrap_or(0);
                }
            }
        }
        Ok(counts)
    }

    /// Returns the number of a track's intervals in scope by process.
    fn overlapping(&mut self, kind: TrackKind, scope: &Scope<'_>) -> Answered<FastMap<u32, u64>> {
        let mut by_process = FastMap::default();
        if kind == TrackKind::Gc {
            for process in self.collection_table(scope.filter)?.process {
                *by_process.entry(process).or_default() += 1;
            }
            return Ok(by_process);
        }
        let intervals = self.intervals(kind)?;
        let inside = intervals.intervals().iter().filter(|one| scope.covers(one.event, one.start, one.end));
        for one in inside {
            *by_process.entry(process_of_tracks(&self.store, one.thread)).or_default() += u64::from(one.more) + 1;
        }
        Ok(by_process)
    }

    /// Returns the measures that traces are compared by.
    pub(crate) fn measures(&mut self, filter: &Filter) -> Answered<Measures> {
        self.read_facts(&Topic::ALL)?;
        let time = self.thread_time(filter)?;
        let scope = Scope { time: Some(time.clone()), ..self.scope(filter)? };
        let known = self.known();
        let mut measures = Collector::new(scope.span);
        for topic in Topic::ALL.into_iter().filter(|topic| self.is_recorded(*topic)) {
            if let Some(facts) = self.reports.facts.get(&topic) {
                facts.measures(&known, &scope, &mut measures);
            }
        }
        add_code(&self.store, &time, &mut measures);
        add_states(&time, &mut measures);
        add_events(&self.store, &scope.selection, &mut measures);
        Ok(measures.finish())
    }

    /// Returns what triggered the GC that starts with an event.
    pub(crate) fn gc_trigger(&mut self, event: EventId) -> Answered<Option<GcTrigger>> {
        self.read_facts(&[Topic::Gc])?;
        let known = self.known();
        Ok(self.reports.facts.get(&Topic::Gc).and_then(|facts| facts.trigger(&known, event)))
    }

    /// Returns the routes of incoming requests by start event, as the HTTP report names them.
    pub(crate) fn routes(&mut self) -> Answered<FastMap<EventId, String>> {
        self.read_facts(&[Topic::Http])?;
        Ok(self.reports.facts.get(&Topic::Http).map(|facts| facts.routes()).unwrap_or_default())
    }

    /// Returns what is known about the request that starts with an event.
    pub(crate) fn request_of(&mut self, event: EventId) -> Answered<Option<RequestOf>> {
        self.read_facts(&[Topic::Http])?;
        Ok(self.reports.facts.get(&Topic::Http).and_then(|facts| facts.request(event)))
    }

    /// Returns the method that caught the exception thrown with an event, and the times of both.
    pub(crate) fn caught(&mut self, event: EventId) -> Answered<Option<(String, Span)>> {
        self.read_facts(&[Topic::Exceptions])?;
        Ok(self.reports.facts.get(&Topic::Exceptions).and_then(|facts| facts.caught(event)))
    }

    fn report(&mut self, topic: Topic, filter: &Filter) -> Answered<Rc<Report>> {
        let key = (topic, filter.clone());
        if let Some(known) = self.reports.reports.get(&key) {
            return Ok(known);
        }
        self.read_facts(&[topic])?;
        let mut scope = self.scope(filter)?;
        if topic == Topic::ThreadPool {
            scope.time = Some(self.thread_time(filter)?);
        }
        let Some(facts) = self.reports.facts.get(&topic).cloned() else {
            return Err(missing("topic").into());
        };
        let report = facts.report(&self.known(), &scope);
        Ok(self.reports.reports.insert(key, report))
    }

    /// Reads the events of these analyses, together with those of all other analyses that haven't been read.
    fn read_facts(&mut self, topics: &[Topic]) -> Answered<()> {
        let Some(mut search) = self.search_of(topics) else { return Ok(()) };
        let read = self.step_facts(&mut search);
        if read.is_ok()
            && let Some(Reader { topic, mut facts, .. }) = search.readers.pop()
        {
            facts.finish(&self.known());
            self.reports.facts.insert(topic, Rc::from(facts));
        }
        if !search.readers.is_empty() && !matches!(read, Err(Interrupt::Failed(_))) {
            self.reports.searches.push(search);
        }
        read.and(Err(Interrupt::More))
    }

    fn step_facts(&mut self, search: &mut FactSearch) -> Answered<()> {
        self.prepare_facts(search)?;
        unless_done(search.step(&self.store, &self.source.bypass_cache(), self.may_wait)?)
    }

    /// Returns a search in progress for any of these analyses, or a new one for all that haven't been read.
    fn search_of(&mut self, topics: &[Topic]) -> Option<FactSearch> {
        let Reports { facts, searches, .. } = &mut self.reports;
        if let Some(begun) = searches.iter().position(|search| topics.iter().any(|topic| search.reads(*topic))) {
            return Some(searches.swap_remove(begun));
        }
        let is_missing = |topic: &Topic| !facts.contains_key(topic) && is_recorded(*topic, &self.store);
        let missing: Vec<Topic> = topics.iter().copied().filter(is_missing).collect();
        (!missing.is_empty()).then(|| FactSearch::new(&missing, &self.store))
    }

    /// Prepares the spans and intervals that analyses need.
    fn prepare_facts(&mut self, search: &FactSearch) -> Answered<()> {
        for needs in search.readers.iter().map(|reader| needs_of(reader.topic)) {
            if needs.spans || needs.requests && self.has_unnamed_code() {
                self.spans()?;
            }
            for kind in needs.tracks {
                self.intervals(*kind)?;
            }
            if needs.handle_waits {
                self.tracks.handle_waits(&self.store, &self.source.bypass_cache())?;
            }
        }
        Ok(())
    }

    /// Returns whether some code of the app has no name, so that only the request that runs it identifies it.
    pub(crate) fn has_unnamed_code(&mut self) -> bool {
        let store = &self.store;
        *self.reports.has_unnamed_code.get_or_insert_with(|| has_unnamed_code(store))
    }

    /// Returns the time range of a report: that of the filter, or else the trace without rundown. Limited to the
    /// indexed part.
    fn span_of(&self, filter: &Filter) -> Answered<Span> {
        let query = parse(&filter.query)?;
        Ok(query.span_within(self.store.indexed_span(filter.span)))
    }

    /// Returns what a filter selects, without thread times and states.
    fn scope<'f>(&mut self, filter: &'f Filter) -> Answered<Scope<'f>> {
        let of_any_time = filter.without_range().map(|filter| self.selection(&filter)).transpose()?;
        let (selection, span) = (self.selection(filter)?, self.span_of(filter)?);
        Ok(Scope { filter, selection, of_any_time, span, time: None, states: None })
    }

    fn known(&self) -> Known<'_> {
        Known {
            store: &self.store,
            is_partial: self.is_partial,
            gcs: &self.gcs,
            samples: &self.samples,
            spans: self.spans.values().next(),
            tracks: &self.tracks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of};
    use crate::session::FileFacts;
    use protocol::queries;

    fn session() -> Session {
        let what = |at: i64| match at % 3 {
            0 => What::Throw("no such order"),
            1 => What::Allocate(100_000),
            _ => What::Schedule(at as u32, Vec::new()),
        };
        let events: Vec<_> = (0..20_000).map(|at| (at, 5, what(at))).collect();
        let (store, bytes) = store_of(&events);
        Session::new(store, Box::new(bytes), FileFacts::default()).expect("a session")
    }

    #[test]
    fn alternating_topics_are_all_answered() {
        let mut session = session();
        let about = |topic| queries::Report { topic, filter: Filter::default() }.into();
        let findings = queries::Findings { filter: Filter::default() }.into();
        let mut waiting = vec![about(Topic::Exceptions), findings, about(Topic::Allocations), about(Topic::Tasks)];
        for _ in 0..1_000 {
            waiting.retain(|request| session.turn(request) == Err(Interrupt::More));
        }
        assert_eq!(waiting, [], "each has to go on where it was");
    }

    #[test]
    fn activities_of_other_libraries_are_not_requests() {
        use crate::analysis::topics::tests::activity_traces::ActivityTrace;
        use crate::analysis::topics::tests::activity_traces::FieldValue::Text;
        let of_source = |name: &str| {
            let mut trace = ActivityTrace::default();
            for at in 0..10 {
                let source = if at < 9 { "Shop" } else { name };
                let fields = [("SourceName", Text(source)), ("ActivityName", Text("Sell"))];
                trace.event(at, 1, "", (crate::clr::source_names::DIAGNOSTIC_SOURCE, "ActivityStart"), &fields);
            }
            let (store, bytes) = trace.finish();
            Session::new(store, Box::new(bytes), FileFacts::default()).expect("a session")
        };
        let is_shown =
            |session: &Session| session.topics().iter().any(|one| one.topic == Topic::Http && one.missing.is_none());
        assert!(is_shown(&of_source("System.Net.Http")));
        let mut other = of_source("Shop");
        assert!(!is_shown(&other));
        let head = other.ask(&queries::Report { topic: Topic::Http, filter: Filter::default() }).expect("a report");
        assert!(head.not_recorded.is_some());
    }

    #[test]
    fn findings_read_only_topics_with_findings() {
        let mut session = session();
        session.ask(&queries::Findings { filter: Filter::default() }).expect("findings");
        let read: Vec<Topic> = Topic::ALL.into_iter().filter(|one| session.reports.facts.contains_key(one)).collect();
        assert_eq!(read, [Topic::Allocations, Topic::Exceptions, Topic::Jit], "not the tasks");
    }
}
