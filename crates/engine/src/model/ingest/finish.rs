//! Last steps after the whole file has been read: methods of frames, totals, thread roles, time range without rundown.

use super::State;
use crate::model::code::function_builder::FunctionBuilder;
use crate::model::code::ranges;
use crate::model::code::resolve::resolve;
use crate::model::columns::events::Events;
use crate::model::columns::rare_rows::RareRows;
use crate::model::file::totals::RowTotals;
use crate::model::file::types::Types;
use crate::model::out_of_memory::OutOfMemory;
use crate::model::store::Store;
use crate::model::threads::processes::Processes;
use crate::model::threads::roles;
use crate::model::threads::table::{ThreadRole, Threads};
use nettrace::Container;
use protocol::base::ids::ProcessId;
use protocol::base::time::{Clock, Nanos, Span};
use protocol::format;

impl State {
    /// Builds the store.
    pub fn finish(mut self: Box<Self>) -> Result<Store, OutOfMemory> {
        self.flush(None)?;
        self.kept.shrink();
        self.amounts.shrink();
        if self.columns.has_late_rows() {
            // Counted chunks were rebuilt.
            self.row_totals = RowTotals::default();
        }
        let losses = self.sequences.finish();
        // Sequence numbers in garbled blocks are meaningless, and so are the gaps after them.
        if losses.destroyed > 0 && self.unreadable.garbled_bytes == 0 {
            self.unreadable.events = losses.destroyed;
            let message =
                format!("Damaged parts of the file contained {}.", format::counted(losses.destroyed, "event"));
            self.diagnostics.add(self.first_damage, &message);
        }
        let (mut events, mut types) = (self.columns.finish()?, self.types.finish());
        let code = ranges::build(&mut self.facts.symbols, &mut self.strings);
        let il_maps = std::mem::take(&mut self.facts.symbols.il_maps);
        let names = FunctionBuilder::new(&self.facts.symbols, &mut self.strings);
        let (stacks, threads) = (self.stacks.finish(self.chains), self.threads.threads());
        let code = resolve(stacks, code, il_maps, names, self.is_machine_wide, threads, &mut events)?;
        let (unindexed, window) = self.gate.finish();
        let sample_stacks = self.row_totals.finish(unindexed, &events, &mut types, self.threads.threads_mut());
        let rare_rows = RareRows::of(&events, &types, self.workers)?;
        let os_processes: Vec<u64> = self.processes.iter().map(|process| u64::from(process.os_process)).collect();
        let context = roles::Context {
            evidence: &self.facts.evidence,
            code: &code,
            strings: &self.strings,
            sample_stacks: &sample_stacks,
            os_processes: &os_processes,
            events: &events,
            types: &types,
            workers: self.workers,
        };
        let threads_by_index = self.threads.by_index();
        let threads = roles::assign(self.threads, &context);
        name_processes(&mut self.processes);
        if self.header.process_id == 0
            && let Some(busiest) = busiest_process(&threads, self.processes.len())
        {
            self.processes.set_main(busiest);
        }
        let clock = Clock::new(self.header.tick_frequency);
        let full_span = full_span(&types, clock);
        let indexed = window.map(|window| window.indexed(full_span, clock, events.len() as u64));
        Ok(Store {
            total_events: types.iter().map(|t| t.count).sum(),
            rundown_events: types.iter().filter(|t| t.is_rundown).map(|t| t.count).sum(),
            lost_events: (self.header.container == Container::Nettrace).then_some(losses.lost),
            user_span: user_span(&events, &types, clock, full_span, indexed.is_some()),
            indexed,
            header: self.header,
            clock,
            events,
            rare_rows,
            types,
            threads,
            processes: self.processes,
            stacks: code.stacks,
            frames: code.frames,
            functions: code.functions,
            methods: code.methods,
            modules: code.modules,
            il_maps: code.il_maps,
            async_callers: code.async_callers,
            strings: self.strings,
            activities: self.activities.without_last(),
            writers: self.writers.without_last(),
            related: self.related,
            label_lists: self.labels,
            labels_of_events: self.labels_of_events,
            kept: self.kept,
            allocation_amounts: self.amounts,
            diagnostics: self.diagnostics,
            threads_by_index,
            unchecked_threads: losses.unchecked_threads,
            losses: losses.losses,
            unreadable: self.unreadable,
            unknown_blocks: self.unknown_blocks,
            blocks: self.blocks,
            full_span,
        })
    }
}

fn name_processes(processes: &mut Processes) {
    for process in processes.iter_mut().filter(|process| process.name.is_empty() && process.os_process != 0) {
        process.name = format!("Process {}", process.os_process);
    }
}

/// Returns the process whose threads have the most events; the first if several do. Events without a thread, such as
/// those about mapped files, don't count.
fn busiest_process(threads: &Threads, processes: usize) -> Option<ProcessId> {
    let mut events = vec![0; processes];
    for thread in threads.iter().filter(|thread| thread.role != ThreadRole::None) {
        if let Some(of_process) = events.get_mut(thread.process.index()) {
            *of_process += thread.events;
        }
    }
    let most = events.iter().copied().max().filter(|&most| most > 0)?;
    events.iter().position(|&events| events == most).map(|at| ProcessId(at as u32))
}

fn full_span(types: &Types, clock: Clock) -> Span {
    let with_events = || types.iter().filter(|t| t.count > 0);
    match (with_events().map(|t| t.first_ticks).min(), with_events().map(|t| t.last_ticks).max()) {
        (Some(first), Some(last)) => {
            let end = clock.nanos(last).0.saturating_add(1);
            Span { start: clock.nanos(first), end: Nanos(end) }
        }
        _ => Span::default(),
    }
}

/// Returns the time range before the rundown at the end. Other events during the rundown are outside of it.
fn user_span(events: &Events, types: &Types, clock: Clock, full_span: Span, is_part: bool) -> Span {
    let end_events = types.iter().filter(|t| t.count > 0 && t.is_rundown && is_end_rundown(t.record.event_id));
    let Some(first) = end_events.map(|t| t.first_ticks).min() else { return full_span };
    let end = clock.nanos(if is_part { first } else { begin_of_rundown(events, types, first) });
    if end > full_span.start { Span { end, ..full_span } } else { full_span }
}

/// Returns the ticks of the first of the rundown events directly before these ticks: the rundown provider's previous
/// events (the runtime version) belong to the rundown too.
fn begin_of_rundown(events: &Events, types: &Types, ticks: i64) -> i64 {
    let event = |row: usize| events.row(protocol::base::ids::EventId(row as u32));
    let mut row = events.lower_bound(ticks);
    while row > 0 && types.get(event(row - 1).event_type).is_some_and(|t| t.is_rundown) {
        row -= 1;
    }
    event(row).ticks
}

/// Returns whether an event of the rundown provider occurs only in the rundown at the end: in a rundown at the start,
/// the same events have odd IDs (docs/format/symbols.md#rundown).
fn is_end_rundown(event_id: u32) -> bool {
    matches!(event_id, 142 | 144 | 146 | 148 | 150 | 152 | 154 | 156 | 158)
}
