//! Builds the store from parsed blocks.
//!
//! Rows of a region are collected, sorted and appended to the columns at the end of the region; other data is interned
//! immediately. [`Ingest::finish`] computes everything that depends on the whole file (methods of frames, thread roles,
//! totals).

pub(super) mod chain_steps;
mod column_writer;
mod declarations;
mod event_rows;
mod finish;
mod gate;
mod parallel;
mod payload_observer;
mod region;
pub(super) mod stack_interner;
pub(super) mod symbol_collector;
mod thread_table;
mod type_table;

pub(super) use parallel::run;
pub use parallel::{SharedWork, items_of, read_region};
pub(super) use payload_observer::{RoleEvidence, RoleHint};
pub(super) use thread_table::ThreadTable;

use super::columns::activities::Activities;
use super::columns::allocation_amounts::AllocationAmounts;
use super::columns::copied_payloads::CopiedPayloads;
use super::columns::side_table::SideTable;
use super::columns::strings::Strings;
use super::columns::writers::Writers;
use super::file::blocks::{Block, BlockCounts, BlockDirectory};
use super::file::diagnostics::Diagnostics;
use super::file::losses::{SequenceTracker, Unreadable};
use super::file::totals::RowTotals;
use super::out_of_memory::OutOfMemory;
use super::store::Store;
use super::threads::density::LiveDensity;
use super::threads::processes::Processes;
use chain_steps::ChainSteps;
use column_writer::ColumnWriter;
use gate::Gate;
use nettrace::{Header, Item, LabelList, latest_timestamp};
use parallel::{Ahead, Bytes, RegionRows, Scratch};
use payload_observer::Facts;
use protocol::base::hash::FastMap;
use protocol::base::ids::{ActivityId, ThreadId};
use protocol::base::indexed_part::{MAX_ROWS, Window};
use protocol::base::time::Clock;
use region::Region;
use stack_interner::{RegionStacks, StackInterner};
use type_table::{Overrides, TypeTable};

/// Maximum plausible duration of a trace: two months. Used before the trace has been read.
const LONGEST_TRACE_SECONDS: i128 = 60 * 24 * 60 * 60;

/// Number of collected rows from which some are appended before the region ends.
const PARTIAL_FLUSH_ROWS: usize = 1 << 18;

/// Builder of a [`Store`] from the items of a parser, in file order.
///
/// ```
/// use traceglass_engine::model::Ingest;
/// use nettrace::{Parser, Step};
///
/// fn load(trace: &[u8]) -> Result<traceglass_engine::model::Store, Box<dyn std::error::Error>> {
///     let (mut parser, mut ingest, mut rest) = (Parser::new(), Ingest::new(), trace);
///     while let Step::Parsed { consumed, item } = parser.parse(rest, true)? {
///         ingest.item(item)?;
///         rest = &rest[consumed..];
///     }
///     Ok(ingest.finish()?)
/// }
/// # assert!(load(b"not a trace").is_err());
/// ```
#[derive(Debug)]
pub struct Ingest {
    state: Option<Box<State>>,
    /// What prepares jobs for regions that other workers read.
    ahead: Option<Ahead>,
    window: Window,
    most_rows: u64,
}

impl Default for Ingest {
    fn default() -> Self {
        Self::new()
    }
}

impl Ingest {
    pub fn new() -> Self {
        Self::of(Window::default(), MAX_ROWS)
    }

    /// Creates a builder whose rows are the events inside a window, at most about `most_rows`; the window ends earlier
    /// if there are more.
    pub fn of(window: Window, most_rows: u64) -> Self {
        Self { state: None, ahead: None, window, most_rows }
    }

    /// Adds the next item of the file. Items before the header are ignored.
    ///
    /// # Errors
    /// Fails if the columns can't grow. The builder is unusable afterwards.
    pub fn item(&mut self, item: Item<'_>) -> Result<(), OutOfMemory> {
        match (&mut self.state, item) {
            (state, Item::Header(header)) => {
                *state = Some(Box::new(State::new(header, self.window.clone(), self.most_rows)?));
            }
            (Some(state), item) => state.item(item)?,
            (None, _) => {}
        }
        Ok(())
    }

    /// Returns whether [`Ingest::regions`] can be used, after a sequence point.
    pub fn reads_regions(&self) -> bool {
        self.state.as_ref().is_some_and(|state| state.density.frame().is_some())
    }

    /// Adds items that end with a sequence point, and follow one, with some threads. `bytes` is the part of the file that
    /// contains them, from `offset`. The result is the same as that of [`Ingest::item`].
    ///
    /// # Errors
    /// Fails if the columns can't grow. The builder is unusable afterwards.
    pub fn regions(
        &mut self,
        items: &[Item<'_>],
        offset: u64,
        bytes: &[u8],
        threads: usize,
    ) -> Result<(), OutOfMemory> {
        match &mut self.state {
            Some(state) => state.regions(items, Bytes { offset, bytes }, threads),
            None => Ok(()),
        }
    }

    /// Returns the encoded part of a job for [`read_region`]: to read items that end with a sequence point and follow one,
    /// and start at `offset`, with this many bytes. If the job `continues` others, their regions needn't be added yet.
    /// `None` if this builder must read the items, after all that precedes them.
    pub fn region_job(&mut self, items: &[Item<'_>], offset: u64, bytes: usize, continues: bool) -> Option<Vec<u8>> {
        let state = self.state.as_ref()?;
        let mut ahead = if continues { self.ahead.take() } else { state.ahead() }?;
        ahead.set_frame(state.density.frame()?);
        let job = ahead.job(items)?.encode(state.header.version, offset, bytes);
        self.ahead = Some(ahead);
        job
    }

    /// Adds the items of the first job that isn't added yet, with the same `offset` and `bytes`. `result` is what
    /// [`read_region`] returned; without it, this builder reads the items. The store is the same.
    ///
    /// # Errors
    /// Fails if the columns can't grow. The builder is unusable afterwards.
    pub fn add_region(
        &mut self,
        items: &[Item<'_>],
        offset: u64,
        bytes: &[u8],
        result: Option<Vec<u8>>,
    ) -> Result<(), OutOfMemory> {
        let Some(state) = &mut self.state else { return Ok(()) };
        let rows = result.and_then(RegionRows::decode);
        if rows.as_ref().is_some_and(|rows| !state.has_types_of(rows)) {
            // Later jobs rely on the same types, so they begin anew.
            self.ahead = None;
        }
        state.region(items, Bytes { offset, bytes }, rows)
    }

    /// Returns the time of the work that threads share, so far.
    pub fn shared_work(&self) -> SharedWork {
        self.state.as_ref().map_or(SharedWork::default(), |state| state.shared)
    }

    /// Adds a parse issue from outside the parser. Ignored before the header.
    pub fn note(&mut self, offset: u64, message: &str) {
        if let Some(state) = &mut self.state {
            state.diagnostics.add(offset, message);
        }
    }

    /// Returns whether there are parse issues so far.
    pub fn has_problems(&self) -> bool {
        self.state.as_ref().is_some_and(|state| state.diagnostics.total > 0)
    }

    /// Adds the cause of the parse issues, before them. Ignored before the header.
    pub fn note_cause(&mut self, message: &str) {
        if let Some(state) = &mut self.state {
            state.diagnostics.add_first(message);
        }
    }

    /// Searches the last bytes of the file, starting at `offset`, for the end time of the trace. Ignored before the
    /// header; affects only [`Ingest::expected_end_ticks`].
    pub fn look_ahead(&mut self, tail: &[u8], offset: u64) {
        if let Some(state) = &mut self.state {
            let ticks =
                latest_timestamp(&state.header, tail, offset).map(|time| time.saturating_sub(state.header.sync_ticks));
            // A damaged timestamp would compress everything else into one pixel.
            let longest = i128::from(state.header.tick_frequency) * LONGEST_TRACE_SECONDS;
            state.expected_end_ticks = ticks.filter(|ticks| (0..longest).contains(&i128::from(*ticks)));
        }
    }

    /// Returns the end time of the trace, if [`Ingest::look_ahead`] found one.
    pub fn expected_end_ticks(&self) -> Option<i64> {
        self.state.as_ref()?.expected_end_ticks
    }

    /// Returns the number of events so far.
    pub fn event_count(&self) -> u64 {
        self.state.as_ref().map_or(0, |state| state.event_count)
    }

    /// Returns the number of events per thread over time so far; `None` before the header.
    pub fn density(&self) -> Option<&LiveDensity> {
        self.state.as_ref().map(|state| &state.density)
    }

    /// Returns the OS ID of a thread in [`Ingest::density`].
    pub fn os_thread(&self, thread: ThreadId) -> Option<u64> {
        self.state.as_ref()?.threads.threads().get(thread).map(|thread| thread.os_thread)
    }

    /// Returns the header, after it has been read.
    pub fn header(&self) -> Option<&Header> {
        self.state.as_ref().map(|state| &state.header)
    }

    /// Returns a store of the part that has been read; `None` before the header. It has no effect on later reading, and
    /// shares the columns.
    ///
    /// # Errors
    /// Fails if memory runs out.
    pub fn preview(&self) -> Result<Option<Store>, OutOfMemory> {
        self.state.clone().map(State::finish).transpose()
    }

    /// Returns the finished store; an empty one if there was no header.
    ///
    /// # Errors
    /// Fails if memory runs out.
    pub fn finish(self) -> Result<Store, OutOfMemory> {
        match self.state {
            Some(state) => state.finish(),
            None => Box::new(State::new(super::store::no_header(), self.window, self.most_rows)?).finish(),
        }
    }
}

/// Builder state after the header.
#[derive(Clone, Debug)]
struct State {
    header: Header,
    is_machine_wide: bool,
    types: TypeTable,
    threads: ThreadTable,
    processes: Processes,
    sequences: SequenceTracker,
    stacks: StackInterner,
    chains: ChainSteps,
    region_stacks: RegionStacks,
    region: Region,
    partial_flush_rows: usize,
    /// Ticks before which no further events can appear.
    sorted_until: i64,
    /// Ticks of the previous sequence point.
    last_point: Option<i64>,
    columns: ColumnWriter,
    row_totals: RowTotals,
    strings: Strings,
    activities: Activities,
    writers: Writers,
    related: SideTable<ActivityId>,
    labels: Vec<LabelList>,
    /// Overrides of event types by each label list.
    overrides: Vec<Option<Overrides>>,
    region_labels: FastMap<u32, u32>,
    labels_of_events: SideTable<u32>,
    kept: CopiedPayloads,
    amounts: AllocationAmounts,
    facts: Facts,
    density: LiveDensity,
    expected_end_ticks: Option<i64>,
    diagnostics: Diagnostics,
    blocks: BlockDirectory,
    block_counts: BlockCounts,
    /// Number of blocks of unknown kinds.
    unknown_blocks: u32,
    /// Offset of the first damage.
    first_damage: u64,
    unreadable: Unreadable,
    /// True if the current block has an event without metadata.
    has_undescribed: bool,
    event_count: u64,
    gate: Gate,
    /// Number of threads.
    workers: usize,
    scratches: Vec<Scratch>,
    shared: SharedWork,
}

impl State {
    fn new(header: Header, window: Window, most_rows: u64) -> Result<Self, OutOfMemory> {
        let mut processes = Processes::default();
        processes.intern(header.process_id);
        let types = TypeTable::of(window.providers.clone(), header.pointer_size);
        let gate = Gate::new(window, most_rows, Clock::new(header.tick_frequency));
        let mut diagnostics = Diagnostics::default();
        header.warnings.iter().for_each(|warning| diagnostics.add(0, warning));
        let is_machine_wide = header.version >= 6;
        Ok(Self {
            is_machine_wide,
            threads: ThreadTable::new(is_machine_wide),
            stacks: StackInterner::new(header.pointer_size),
            header,
            types,
            processes,
            sequences: SequenceTracker::default(),
            chains: ChainSteps::default(),
            region_stacks: RegionStacks::default(),
            region: Region::default(),
            partial_flush_rows: PARTIAL_FLUSH_ROWS,
            sorted_until: i64::MIN,
            last_point: None,
            columns: ColumnWriter::new()?,
            row_totals: RowTotals::default(),
            strings: Strings::default(),
            activities: Activities::default(),
            writers: Writers::default(),
            related: SideTable::default(),
            labels: vec![LabelList::default()],
            overrides: vec![None],
            region_labels: FastMap::default(),
            labels_of_events: SideTable::default(),
            kept: CopiedPayloads::default(),
            amounts: AllocationAmounts::default(),
            facts: Facts::default(),
            density: LiveDensity::default(),
            expected_end_ticks: None,
            diagnostics,
            blocks: BlockDirectory::default(),
            block_counts: BlockCounts::default(),
            unknown_blocks: 0,
            first_damage: u64::MAX,
            unreadable: Unreadable::default(),
            has_undescribed: false,
            event_count: 0,
            gate,
            workers: 1,
            scratches: Vec::new(),
            shared: SharedWork::default(),
        })
    }

    fn item(&mut self, item: Item<'_>) -> Result<(), OutOfMemory> {
        match item {
            Item::Events(block) => return self.events(&block),
            Item::Metadata(block) => self.metadata(&block),
            Item::Stacks(block) => self.stack_block(&block),
            Item::SequencePoint(point) => return self.sequence_point(&point),
            Item::Threads(block) => self.thread_block(&block),
            Item::RemovedThreads(removed) => self.removed_threads(&removed),
            Item::Labels(block) => self.label_block(&block),
            Item::Unknown(block) => self.unknown_block(&block),
            Item::Damage(damage) => self.damage(&damage),
            Item::EndOfStream(info) => self.blocks.push(Block::new(info, 0)),
            _ => {}
        }
        Ok(())
    }
}
