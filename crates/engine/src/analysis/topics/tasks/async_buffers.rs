//! Records of the async profiler of .NET 11: chains of async methods that await one another, when they run, and their
//! methods. If the records of a buffer are unknown, only its header is used.

use super::chain_methods::ChainMethods;
use crate::analysis::topics::Scope;
use crate::analysis::topics::shared::groups::ranked;
use crate::analysis::topics::shared::report::Report;
use crate::analysis::topics::shared::table::{RowTarget, Table};
use crate::clr::known::payload::{AsyncBuffer, AsyncManifest, AsyncStack, AsyncStepKind};
use crate::model::Store;
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{EventId, ProcessId};
use protocol::base::time::Span;
use protocol::format::{count, counted, duration};
use protocol::topics::report::Unit;

/// Maximum number of nested chains on one thread.
const MAX_RUNNING: usize = 64;
/// Marks chains without recorded methods.
const NO_METHODS: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Buffer {
    event: EventId,
    os_thread: u64,
    records: u32,
    bytes: u32,
    /// Times of its first and its last record.
    start: i64,
    end: i64,
}

/// A chain of async methods.
#[derive(Clone, Copy, Debug)]
struct Chain {
    /// The first buffer with a record about it.
    event: EventId,
    number: u64,
    /// The chain that was running when it was created; 0 for none.
    parent: u64,
    created: Option<i64>,
    /// Time of its last run.
    last: i64,
    resumes: u64,
    /// Nanoseconds.
    ran: i64,
    is_complete: bool,
    /// Position of its methods, from the first record that has most of them; or [`NO_METHODS`].
    methods: u32,
    /// Number of these methods.
    depth: u8,
}

/// A process with the ID of a chain or a thread, which are unique within a process.
type Numbered = (ProcessId, u64);

/// The async profiler's buffers of a trace.
#[derive(Debug, Default)]
pub(super) struct AsyncBuffers {
    buffers: Vec<Buffer>,
    /// Number of buffers whose records are unknown.
    unread: u64,
    chains: Vec<Chain>,
    positions: FastMap<Numbered, usize>,
    /// By thread: the running chains, the innermost last, with their start times.
    running: FastMap<Numbered, Vec<(usize, i64)>>,
    manifests: FastMap<ProcessId, AsyncManifest>,
    methods: ChainMethods,
}

impl AsyncBuffers {
    /// Reads the payload of an event.
    pub fn take(&mut self, store: &Store, event: EventId, payload: &[u8]) {
        let Some(header) = AsyncBuffer::read(payload) else { return };
        let nanos = |ticks: u64| {
            let ticks = i64::try_from(ticks).unwrap_or(i64::MAX).saturating_sub(store.header.sync_ticks);
            store.clock.nanos(ticks).0
        };
        let thread = store.threads.get(store.events.row(event).thread);
        let process = thread.map(|thread| thread.process).unwrap_or_default();
        match header.steps(self.manifests.entry(process).or_default()) {
            Some(steps) => {
                for step in steps {
                    self.step(event, (process, header.os_thread), nanos(step.ticks), step.what);
                }
            }
            None => self.unread += 1,
        }
        let AsyncBuffer { os_thread, records, total_bytes: bytes, start_ticks, end_ticks, .. } = header;
        self.buffers.push(Buffer {
            event,
            os_thread,
            records,
            bytes,
            start: nanos(start_ticks),
            end: nanos(end_ticks),
        });
    }

    /// Ends reading, after the last buffer.
    pub fn seal(&mut self, store: &Store) {
        (self.positions, self.running) = (FastMap::default(), FastMap::default());
        self.manifests = FastMap::default();
        self.methods.name(store);
    }

    /// Applies a record to a thread.
    fn step(&mut self, event: EventId, thread: Numbered, time: i64, what: AsyncStepKind<'_>) {
        match what {
            AsyncStepKind::Create { parent, chain } => {
                let at = self.chain(event, (thread.0, chain), time);
                if let Some(chain) = self.chains.get_mut(at) {
                    (chain.parent, chain.created) = (parent, Some(time));
                }
            }
            AsyncStepKind::Resume { chain } => self.resume(event, thread, time, chain),
            AsyncStepKind::ResumedStack(stack) => {
                // Both are recorded at once, or only one of them is.
                let at = self.positions.get(&(thread.0, stack.chain));
                let running = self.running.get(&thread).and_then(|running| running.last());
                if running.is_none_or(|(running, since)| Some(running) != at || *since != time) {
                    self.resume(event, thread, time, stack.chain);
                }
                self.add_methods(event, thread.0, time, &stack);
            }
            AsyncStepKind::CreatedStack(stack) | AsyncStepKind::SuspendedStack(stack) => {
                self.add_methods(event, thread.0, time, &stack);
            }
            AsyncStepKind::Suspend | AsyncStepKind::Complete => {
                let Some(running) = self.running.get_mut(&thread) else { return };
                let Some((at, since)) = running.pop() else { return };
                // The outer chain didn't run in the meantime.
                if let Some((_, outer)) = running.last_mut() {
                    *outer = outer.saturating_add(time.saturating_sub(since));
                }
                if let Some(chain) = self.chains.get_mut(at) {
                    chain.ran = chain.ran.saturating_add(time.saturating_sub(since));
                    chain.last = time;
                    chain.is_complete |= what == AsyncStepKind::Complete;
                }
            }
            AsyncStepKind::Reset => {
                self.running.remove(&thread);
            }
            AsyncStepKind::MoreCallers(_)
            | AsyncStepKind::Unwind { .. }
            | AsyncStepKind::NumbersRestart
            | AsyncStepKind::Other => {}
        }
    }

    /// Records that a thread begins to run a chain.
    fn resume(&mut self, event: EventId, thread: Numbered, time: i64, chain: u64) {
        let at = self.chain(event, (thread.0, chain), time);
        if let Some(chain) = self.chains.get_mut(at) {
            chain.resumes += 1;
        }
        let running = self.running.entry(thread).or_default();
        if running.len() == MAX_RUNNING {
            running.remove(0);
        }
        running.push((at, time));
    }

    /// Stores the methods of a chain. Completed methods are missing from later stacks, so the first stack with most
    /// methods is used.
    fn add_methods(&mut self, event: EventId, process: ProcessId, time: i64, stack: &AsyncStack<'_>) {
        let at = self.chain(event, (process, stack.chain), time);
        let Some(chain) = self.chains.get_mut(at).filter(|chain| chain.depth < stack.methods) else { return };
        if let Some(methods) = self.methods.position(process, stack) {
            (chain.methods, chain.depth) = (methods, stack.methods);
        }
    }

    /// Returns the position of a chain, and adds it if needed.
    fn chain(&mut self, event: EventId, key: Numbered, time: i64) -> usize {
        let Self { chains, positions, .. } = self;
        // An ID that is used again refers to another chain.
        let known = positions.get(&key).copied().filter(|&at| chains.get(at).is_some_and(|one| !one.is_complete));
        known.unwrap_or_else(|| {
            let (number, last) = (key.1, time);
            let (parent, created, resumes, ran, is_complete) = (0, None, 0, 0, false);
            let (methods, depth) = (NO_METHODS, 0);
            chains.push(Chain { event, number, parent, created, last, resumes, ran, is_complete, methods, depth });
            positions.insert(key, chains.len() - 1);
            chains.len() - 1
        })
    }

    fn counted<'b>(&'b self, scope: &'b Scope<'_>) -> impl Iterator<Item = &'b Buffer> {
        self.buffers.iter().filter(|one| scope.has(one.event))
    }

    /// Adds the summary of the recording, after the summary of the task events.
    pub fn judge(&self, store: &Store, scope: &Scope<'_>, report: &mut Report) {
        let Some(first) = self.counted(scope).next() else { return };
        let events = self.counted(scope).fold(0u64, |sum, one| sum.saturating_add(one.records.into()));
        let threads = self.counted(scope).map(|one| one.os_thread).collect::<FastSet<_>>().len();
        report.figure("asyncEvents", "Async events", events as f64, Unit::Count, "in event buffers");
        report.figure("asyncThreads", "Threads with async events", threads as f64, Unit::Count, "");
        let event_type = store.types.get(store.events.row(first.event).event_type);
        let words = format!(
            "{} on {}, from {}.",
            counted(events, "async event"),
            counted(threads as u64, "thread"),
            event_type.map_or("", |one| one.provider.as_str())
        );
        let chains = || self.chains.iter().filter(|one| scope.has(one.event));
        let mut hint = String::new();
        if chains().next().is_some() {
            let (number, ran) =
                chains().fold((0u64, 0i64), |(number, ran), one| (number + 1, ran.saturating_add(one.ran)));
            report.figure(
                "asyncChains",
                "Async chains",
                number as f64,
                Unit::Count,
                "async methods that await one another",
            );
            report.figure("asyncChainsRanNs", "Async chains executing", ran as f64, Unit::Duration, "");
            hint = format!("{} executed for {}.", counted(number, "async chain"), duration(ran));
        }
        if self.unread > 0 {
            let all = counted(self.buffers.len() as u64, "buffer");
            let unread = format!("Only the headers of {} of {all} were decoded.", count(self.unread));
            hint = [hint.as_str(), &unread].join(" ").trim_start().to_owned();
        }
        let callers = store.async_callers;
        if callers.continued > 0 {
            let continued = counted(callers.continued, "event");
            let unknown = match callers.unknown {
                0 => String::new(),
                unknown => format!("; {} have no matching record", count(unknown)),
            };
            let words = format!("In the whole trace, the stacks of {continued} show their async callers{unknown}.");
            hint = [hint.as_str(), &words].join(" ").trim_start().to_owned();
        }
        if callers.is_cut {
            hint.push_str(" The trace has more async call stacks than Traceglass uses.");
        }
        match report.verdict.is_empty() {
            true => report.verdict = words,
            false => report.explanation = [report.explanation.trim(), &words].join(" ").trim_start().to_owned(),
        }
        report.explanation = [report.explanation.trim(), &hint].join(" ").trim().to_owned();
    }

    /// Returns the tables of chains and of buffers, if there are any.
    pub fn tables(&self, scope: &Scope<'_>) -> impl Iterator<Item = Table> {
        let tables = [self.methods_table(scope), self.chains_table(scope), self.buffers_table(scope)];
        tables.into_iter().filter(|table| !table.is_empty())
    }

    /// Returns the table of chains grouped by methods, by run time in descending order.
    fn methods_table(&self, scope: &Scope<'_>) -> Table {
        let mut sums: FastMap<&str, (u64, u64, i64, EventId)> = FastMap::default();
        for one in self.chains.iter().filter(|one| scope.has(one.event) && one.methods != NO_METHODS) {
            let (chains, resumes, ran, _) = sums.entry(self.methods.text(one.methods)).or_insert((0, 0, 0, one.event));
            *chains += 1;
            *resumes += one.resumes;
            *ran = ran.saturating_add(one.ran);
        }
        let sums = ranked(sums, |(chains, _, ran, _)| (*ran, *chains));
        Table::of("asyncChainMethods", "Async chains by method", &sums)
            .words("methods", "Methods", |(methods, _)| *methods)
            .bars("chains", "Chains", Unit::Count, |(_, (chains, ..))| *chains)
            .numbers("resumes", "Resumed", Unit::Count, |(_, (_, resumes, ..))| *resumes)
            .bars("ranNs", "Ran", Unit::Duration, |(_, (_, _, ran, _))| *ran)
            .target(|(_, (.., event))| RowTarget::of(*event))
    }

    fn chains_table(&self, scope: &Scope<'_>) -> Table {
        let chains: Vec<&Chain> = self.chains.iter().filter(|one| scope.has(one.event)).collect();
        let mut columns =
            Table::of("asyncChains", "Async chains", &chains)
                .numbers("chain", "Chain", Unit::Identity, |one| one.number);
        if chains.iter().any(|one| one.methods != NO_METHODS) {
            columns = columns.words("methods", "Methods", |one| self.methods.text(one.methods));
        }
        columns
            .numbers("parent", "Parent", Unit::Identity, |one| Some(one.parent).filter(|parent| *parent != 0))
            .numbers("createdNs", "Created", Unit::Moment, |one| one.created)
            .numbers("resumes", "Resumed", Unit::Count, |one| one.resumes)
            .bars("ranNs", "Executing", Unit::Duration, |one| one.ran)
            .words("state", "State", |one| if one.is_complete { "complete" } else { "unfinished" })
            .target(|one| {
                let span = one.created.map(|start| Span::new(start, one.last.max(start).saturating_add(1)));
                RowTarget::of(one.event).over(span)
            })
    }

    fn buffers_table(&self, scope: &Scope<'_>) -> Table {
        let buffers: Vec<_> = self.counted(scope).collect();
        Table::of("asyncBuffers", "Async event buffers", &buffers)
            .numbers("osThread", "OS thread", Unit::Identity, |one| one.os_thread)
            .bars("events", "Events", Unit::Count, |one| one.records)
            .numbers("startNs", "First event", Unit::Moment, |one| one.start)
            .numbers("durationNs", "Duration", Unit::Duration, |one| one.end.saturating_sub(one.start))
            .numbers("bytes", "Size", Unit::Bytes, |one| one.bytes)
            .target(|one| RowTarget::of(one.event).over(Span::new(one.start, one.end.max(one.start).saturating_add(1))))
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let chains = self.chains.len() * (size_of::<Chain>() + size_of::<(Numbered, usize)>());
        self.buffers.len() * size_of::<Buffer>() + chains + self.methods.bytes()
    }
}
