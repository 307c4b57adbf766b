//! Last steps after the whole file has been read: methods of frames, totals, thread roles, time range without rundown.

use super::code::function_builder::FunctionBuilder;
use super::code::ranges;
use super::code::resolve::resolve;
use super::columns::activities::Activities;
use super::columns::allocation_amounts::AllocationAmounts;
use super::columns::copied_payloads::CopiedPayloads;
use super::columns::events::Events;
use super::columns::rare_rows::RareRows;
use super::columns::side_table::SideTable;
use super::columns::strings::Strings;
use super::columns::writers::Writers;
use super::file::blocks::BlockDirectory;
use super::file::diagnostics::Diagnostics;
use super::file::losses::{LossTotals, Unreadable};
use super::file::totals::RowTotals;
use super::file::types::Types;
use super::ingest::stack_interner::RawStacks;
use super::ingest::symbol_collector::SymbolCollector;
use super::ingest::{Gate, RoleEvidence, ThreadTable};
use super::out_of_memory::OutOfMemory;
use super::store::Store;
use super::threads::processes::Processes;
use super::threads::roles;
use super::threads::table::{ThreadRole, Threads};
use nettrace::{Header, LabelList};
use protocol::base::ids::{ActivityId, ProcessId};
use protocol::base::time::{Clock, Nanos, Span};

/// Data from reading the file.
pub(super) struct Gathered {
    pub header: Header,
    pub records_losses: bool,
    pub is_machine_wide: bool,
    pub types: Types,
    pub threads: ThreadTable,
    pub processes: Processes,
    pub losses: LossTotals,
    pub unreadable: Unreadable,
    pub unknown_blocks: u32,
    pub raw_stacks: RawStacks,
    pub events: Events,
    pub row_totals: RowTotals,
    pub strings: Strings,
    pub activities: Activities,
    pub writers: Writers,
    pub related: SideTable<ActivityId>,
    pub labels: Vec<LabelList>,
    pub labels_of_events: SideTable<u32>,
    pub kept: CopiedPayloads,
    pub amounts: AllocationAmounts,
    pub symbols: SymbolCollector,
    pub evidence: RoleEvidence,
    pub diagnostics: Diagnostics,
    pub blocks: BlockDirectory,
    pub gate: Gate,
    /// Number of threads for the last steps.
    pub workers: usize,
}

/// Builds the store.
pub(super) fn finish(mut gathered: Gathered) -> Result<Store, OutOfMemory> {
    let code = ranges::build(&mut gathered.symbols, &mut gathered.strings);
    let il_maps = std::mem::take(&mut gathered.symbols.il_maps);
    let names = FunctionBuilder::new(&gathered.symbols, &mut gathered.strings);
    let (is_machine_wide, threads) = (gathered.is_machine_wide, gathered.threads.threads());
    let code = resolve(gathered.raw_stacks, code, il_maps, names, is_machine_wide, threads, &mut gathered.events)?;
    let (unindexed, window) = gathered.gate.finish();
    let (events, threads) = (&gathered.events, gathered.threads.threads_mut());
    let sample_stacks = gathered.row_totals.finish(unindexed, events, &mut gathered.types, threads);
    let rare_rows = RareRows::of(events, &gathered.types, gathered.workers)?;
    let os_processes: Vec<u64> = gathered.processes.iter().map(|process| u64::from(process.os_process)).collect();
    let context = roles::Context {
        evidence: &gathered.evidence,
        code: &code,
        strings: &gathered.strings,
        sample_stacks: &sample_stacks,
        os_processes: &os_processes,
        events,
        types: &gathered.types,
    };
    let threads_by_index = gathered.threads.by_index();
    let threads = roles::assign(gathered.threads, &context);
    name_processes(&mut gathered.processes);
    if gathered.header.process_id == 0
        && let Some(busiest) = busiest_process(&threads, gathered.processes.len())
    {
        gathered.processes.set_main(busiest);
    }
    let clock = Clock::new(gathered.header.tick_frequency);
    let full_span = full_span(&gathered.types, clock);
    let indexed = window.map(|window| window.indexed(full_span, clock, gathered.events.len() as u64));
    let user_span = user_span(&gathered.events, &gathered.types, clock, full_span, indexed.is_some());
    Ok(Store {
        total_events: gathered.types.iter().map(|t| t.count).sum(),
        indexed,
        rundown_events: gathered.types.iter().filter(|t| t.is_rundown).map(|t| t.count).sum(),
        lost_events: gathered.records_losses.then_some(gathered.losses.lost),
        header: gathered.header,
        clock,
        events: gathered.events,
        rare_rows,
        types: gathered.types,
        threads,
        processes: gathered.processes,
        stacks: code.stacks,
        frames: code.frames,
        functions: code.functions,
        methods: code.methods,
        modules: code.modules,
        il_maps: code.il_maps,
        async_callers: code.async_callers,
        strings: gathered.strings,
        activities: gathered.activities,
        writers: gathered.writers,
        related: gathered.related,
        label_lists: gathered.labels,
        labels_of_events: gathered.labels_of_events,
        kept: gathered.kept,
        allocation_amounts: gathered.amounts,
        diagnostics: gathered.diagnostics,
        threads_by_index,
        unchecked_threads: gathered.losses.unchecked_threads,
        losses: gathered.losses.losses,
        unreadable: gathered.unreadable,
        unknown_blocks: gathered.unknown_blocks,
        blocks: gathered.blocks,
        full_span,
        user_span,
    })
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
