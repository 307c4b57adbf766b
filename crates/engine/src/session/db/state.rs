//! State of a session: the store, its bytes, and cached results.

use super::memo::Memo;
use super::pages::PagedSource;
use super::reports::Reports;
use super::trees::Trees;
use super::weighing::WeighedKey;
use super::work::OrderKey;
use crate::analysis::events::field_values::FieldValueSearch;
use crate::analysis::events::groups::{GroupSearch, Groups};
use crate::analysis::events::order::SortedEvents;
use crate::analysis::file::summary::summary;
use crate::analysis::filter::query::EventDurations;
use crate::analysis::filter::select::Search;
use crate::analysis::intervals::gc::gcs_of;
use crate::analysis::intervals::gc_pauses::Gc;
use crate::analysis::intervals::spans::index::SpanIndex;
use crate::analysis::intervals::spans::request_times::{RequestTimeSearch, RequestTimes};
use crate::analysis::intervals::spans::search::SpanSearch;
use crate::analysis::intervals::tracks::TrackIndex;
use crate::analysis::names::function_counts::{FunctionCountSearch, FunctionCounts};
use crate::analysis::redaction::PrivateTextSearch;
use crate::analysis::samples::call_nodes::CallNodes;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::samples::thread_time::ThreadTime;
use crate::analysis::scan::selection::Selection;
use crate::analysis::stacks::event_stacks::ValueSearch;
use crate::analysis::stacks::tree_query::call_nodes;
use crate::analysis::timeline::lanes::LaneIndex;
use crate::analysis::timeline::series_source::SeriesPayloads;
use crate::analysis::timeline::thread_states::{StateSearch, ThreadStates};
use crate::analysis::timeline::track_matches::EventMarks;
use crate::model::Store;
use crate::session::answers::event_groups::GroupKey;
use crate::session::answers::excerpt::ExcerptWork;
use crate::session::answers::schemas::FieldValueKey;
use crate::session::open::failures::{out_of_memory, unreadable_source};
use crate::session::open::symbols::SymbolFiles;
use crate::session::open::text_transfer::is_restored;
use nettrace::ByteSource;
use protocol::file::section_columns::SectionOrder;
use protocol::memory::MemoryUse;
use protocol::queries::TrackMatches;
use protocol::reply::Summary;
use protocol::request::{Filter, SectionFilter};
use protocol::tables::{FieldValues, PrivateTexts};
use protocol::{Answer, Failure, PROTOCOL_VERSION, Reply};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// Build ID of the program. Page and worker reject each other if their builds differ.
pub const BUILD: &str = match option_env!("TRACEGLASS_BUILD") {
    Some(build) => build,
    None => "dev",
};

/// Maximum size of cached file pages.
const PAGE_CACHE_BYTES: usize = 256 << 20;
/// Number of cached selections. Panels request the current and the previous filter.
const SELECTIONS: usize = 8;
/// Maximum number of selection searches in progress: as many as views request at a time.
const SEARCHES: usize = 4;
/// Number of cached event orders.
const ORDERS: usize = 2;
/// Number of cached groupings.
const GROUPS: usize = 2;
/// Number of event types with cached field values, so users can compare them.
const FIELD_VALUES: usize = 4;
/// Number of cached stacks with weights.
const WEIGHED: usize = 4;
/// Number of filters whose thread time is cached: the current and the previous one.
const THREAD_TIMES: usize = 2;

/// Name, size and compression of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FileFacts {
    /// Display name.
    pub name: String,
    /// Decompressed size.
    pub bytes: u64,
    /// Compression or archive: "gzip", "ZIP file a.nettrace"; empty for a plain file.
    pub packing: String,
}

/// Open trace.
pub struct Session {
    pub(crate) store: Store,
    pub(crate) source: PagedSource,
    pub(crate) file: FileFacts,
    load_ms: f64,
    pub(super) is_partial: bool,
    pub(crate) samples: Rc<SampleIndex>,
    pub(crate) nodes: Rc<CallNodes>,
    pub(crate) trees: Trees,
    pub(crate) symbols: SymbolFiles,
    pub(crate) gcs: Vec<Gc>,
    pub(crate) lanes: LaneIndex,
    pub(crate) tracks: TrackIndex,
    /// True if work yields while file bytes arrive in the background.
    pub(crate) may_wait: bool,
    pub(crate) selections: Memo<Filter, Selection, Search>,
    pub(crate) orders: Memo<OrderKey, RefCell<SortedEvents>>,
    /// Positions of sorted blocks.
    pub(crate) section_orders: Memo<(SectionFilter, SectionOrder), Option<Vec<u32>>>,
    pub(crate) groups: Memo<GroupKey, RefCell<Groups>, GroupSearch>,
    /// Field values of event types.
    pub(crate) field_values: Memo<FieldValueKey, FieldValues, FieldValueSearch>,
    /// Thread states, once requested.
    pub(crate) states: Memo<(), ThreadStates, StateSearch>,
    /// Events by function on the stack, once a name has been searched.
    pub(crate) function_counts: Memo<(), FunctionCounts, FunctionCountSearch>,
    /// Marks of matching events on tracks in view.
    pub(crate) event_marks: Memo<TrackMatches, Vec<Vec<u8>>, EventMarks>,
    pub(crate) series_payloads: SeriesPayloads,
    /// Rows whose payloads were announced last, with their byte ranges.
    pub(crate) announced: Option<(Vec<u32>, Vec<Range<u64>>)>,
    /// All spans, once requested.
    pub(crate) spans: Memo<(), SpanIndex, SpanSearch>,
    /// Durations of intervals by event, once a filter has used them.
    pub(crate) lasting: Option<Rc<EventDurations>>,
    /// Which thread served which request, once a filter has used it.
    pub(crate) request_times: Memo<(), RequestTimes, RequestTimeSearch>,
    pub(crate) weighed: Memo<WeighedKey, SampleIndex, ValueSearch>,
    /// All time of all threads, once requested.
    pub(crate) all_time: Option<Rc<SampleIndex>>,
    /// Thread time by filter.
    pub(crate) thread_times: Memo<Filter, ThreadTime>,
    /// Texts that may be private, by filter.
    pub(crate) private_texts: Memo<Filter, PrivateTexts, PrivateTextSearch>,
    /// Excerpt that is being written.
    pub(crate) excerpt_work: Option<ExcerptWork>,
    /// Results of analyses.
    pub(crate) reports: Reports,
}

impl Session {
    /// Creates a session for a trace loaded from `source`. Builds the indexes that most requests need.
    ///
    /// # Errors
    /// Fails if the source can't be read, or memory runs out.
    pub fn new(store: Store, source: Box<dyn ByteSource>, file: FileFacts) -> Result<Self, Failure> {
        let source = PagedSource::new(source, PAGE_CACHE_BYTES);
        let gcs = gcs_of(&store, &source).map_err(|error| unreadable_source(&error))?;
        let samples = SampleIndex::build(&store).map_err(|error| out_of_memory(&error))?;
        Ok(Self {
            samples: Rc::new(samples),
            nodes: Rc::new(call_nodes(&store)),
            trees: Trees::new(&store),
            symbols: SymbolFiles::default(),
            gcs,
            lanes: LaneIndex::default(),
            tracks: TrackIndex::default(),
            may_wait: false,
            selections: Memo::with_searches(SELECTIONS, SEARCHES),
            orders: Memo::new(ORDERS),
            section_orders: Memo::new(ORDERS),
            groups: Memo::with_searches(GROUPS, 1),
            field_values: Memo::with_searches(FIELD_VALUES, 1),
            states: Memo::with_searches(1, 1),
            private_texts: Memo::with_searches(1, 1),
            function_counts: Memo::with_searches(1, 1),
            event_marks: Memo::with_searches(SEARCHES, SEARCHES),
            series_payloads: SeriesPayloads::new(&store),
            announced: None,
            spans: Memo::with_searches(1, 1),
            lasting: None,
            request_times: Memo::with_searches(1, 1),
            weighed: Memo::with_searches(WEIGHED, 1),
            all_time: None,
            thread_times: Memo::new(THREAD_TIMES),
            excerpt_work: None,
            reports: Reports::default(),
            store,
            source,
            file,
            load_ms: 0.0,
            is_partial: false,
        })
    }

    /// Sets the load time in milliseconds, for the summary.
    pub fn set_load_ms(&mut self, load_ms: f64) {
        self.load_ms = load_ms;
    }

    /// Marks the trace as partially read.
    pub fn set_partial(&mut self) {
        self.is_partial = true;
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Returns the source of payloads.
    pub fn source(&self) -> &dyn ByteSource {
        &self.source
    }

    pub fn file(&self) -> &FileFacts {
        &self.file
    }

    pub fn summary(&self) -> Summary {
        Summary {
            file_name: self.file.name.clone(),
            file_bytes: self.file.bytes,
            packing: self.file.packing.clone(),
            load_ms: self.load_ms,
            is_partial: self.is_partial,
            memory_bytes: self.memory().total(),
            is_restored: is_restored(&self.store.diagnostics),
            ..summary(&self.store, &self.gcs)
        }
    }

    /// Returns the samples of all threads.
    pub fn samples(&self) -> &SampleIndex {
        &self.samples
    }

    /// Returns the call paths of stacks.
    pub fn nodes(&self) -> &CallNodes {
        &self.nodes
    }

    /// Returns memory use by part. Cached results count as summaries.
    pub fn memory(&self) -> MemoryUse {
        let store = self.store.memory();
        let built = self.samples.bytes()
            + self.nodes.bytes()
            + self.lanes.bytes()
            + self.tracks.bytes()
            + self.reports.bytes()
            + self.states.values().map(ThreadStates::bytes).sum::<usize>()
            + self.function_counts.values().map(FunctionCounts::bytes).sum::<usize>()
            + self.spans.values().map(SpanIndex::bytes).sum::<usize>();
        let selections: usize = self.selections.values().map(Selection::bytes).sum();
        let weighed: usize = self.weighed.values().map(SampleIndex::bytes).sum();
        let times = self.thread_times.values().map(|time| &time.stacks).chain(&self.all_time);
        let weighed = weighed + times.map(|stacks| stacks.bytes()).sum::<usize>();
        MemoryUse {
            summaries: store.summaries + (built + selections + weighed + self.trees.bytes() + self.work_bytes()) as u64,
            kept_payloads: store.kept_payloads + self.series_payloads.bytes() as u64,
            page_cache: self.source.cached_bytes(),
            ..store
        }
    }
}

/// Returns the answer to [`protocol::Request::Hello`], which needs no trace.
pub fn hello() -> Reply {
    // Hides the text from the optimizer, which would turn it into numbers. Saving a page searches the program for the
    // text.
    let build = std::hint::black_box(BUILD);
    Reply::small(Answer::Hello { protocol: PROTOCOL_VERSION, build: build.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of};
    use nettrace::SourceError;

    /// File that disappeared.
    struct Gone;

    impl ByteSource for Gone {
        fn len(&self) -> u64 {
            1 << 20
        }

        fn read_at(&self, _: u64, _: &mut [u8]) -> Result<(), SourceError> {
            Err(SourceError::new("The file went away."))
        }
    }

    #[test]
    fn opening_reads_every_byte_once() {
        let (store, _) = store_of(&[
            (10, 1, What::SuspendBegin(1)),
            (11, 1, What::SuspendEnd),
            (12, 1, What::GcStart(1)),
            (15, 1, What::GcEnd(1)),
            (16, 1, What::RestartEnd),
        ]);
        let session = Session::new(store, Box::new(Gone), FileFacts::default());
        let pauses = session.map(|session| session.gcs.iter().map(Gc::pause_total).sum::<i64>());
        assert_eq!(pauses.map_err(|failure| failure.message), Ok(5));
    }
}
