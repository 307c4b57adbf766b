//! Collects facts from payloads: code, processes and thread roles.

use super::symbol_collector::{Mapping, MappingSymbol, SymbolCollector};
use crate::clr::KnownEvent;
use crate::clr::known::payload::{
    GcEnd, GcStart, GcType, MachineMapping, MachineProcess, MachineSymbol, ProcessInfo, RuntimeInformation, SampleKind,
    ThreadCreated, ThreadSample,
};
use crate::clr::runtime_version::runtime_version;
use crate::model::columns::strings::Strings;
use crate::model::file::types::SampleState;
use crate::model::threads::processes::Processes;
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{ProcessId, ThreadId};

/// Event whose payload is observed.
pub(super) struct Observed<'e> {
    pub known: KnownEvent,
    pub ticks: i64,
    pub thread: ThreadId,
    pub process: ProcessId,
    pub payload: &'e [u8],
}

/// Thread that the runtime created or listed, by its OS ID.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CreatedThread {
    pub process: ProcessId,
    pub ticks: i64,
    pub os_thread: u64,
    pub created: ThreadCreated,
}

/// Evidence for thread roles.
#[derive(Clone, Debug, Default)]
pub(crate) struct RoleEvidence {
    /// Created or existing threads, with flags.
    pub threads: Vec<CreatedThread>,
    /// Threads by their work.
    pub hints: FastSet<(ThreadId, RoleHint)>,
}

/// Work of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum RoleHint {
    /// Starts or waits as a worker of the thread pool.
    WorksForPool,
    RunsFinalizers,
    /// Recompiles methods in the background.
    Recompiles,
    /// Marks objects for a GC.
    Marks,
    /// Writes the samples of other threads.
    Samples,
    WritesRundown,
    /// Ends background GCs.
    CollectsInBackground,
}

/// Facts collected from payloads.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub symbols: SymbolCollector,
    pub evidence: RoleEvidence,
    /// Thread that wrote the last sample.
    last_sampler: Option<ThreadId>,
    /// Numbers of the running background GCs, by process.
    background: FastMap<ProcessId, u32>,
    /// Last created managed thread, by its OS ID.
    created: FastMap<u32, u64>,
}

impl Facts {
    /// Observes an event. Returns an OS thread ID if the event shows that another thread reuses it.
    pub fn observe(&mut self, event: &Observed<'_>, processes: &mut Processes, strings: &mut Strings) -> Option<u64> {
        let &Observed { known, ticks, thread, process, payload, .. } = event;
        match known {
            _ if known.is_verbose_method() => self.symbols.method(known, process, ticks, payload),
            _ if known.is_module() => self.symbols.module(known, process, ticks, payload, strings),
            KnownEvent::MethodIlToNativeMap => self.symbols.il_map(process, payload),
            KnownEvent::ReadyToRunEntryPoint => self.symbols.entry_point(process, payload),
            KnownEvent::ThreadCreated | KnownEvent::ThreadDc => return self.created_thread(event),
            KnownEvent::ProcessInfo => read_process_info(payload, process, processes),
            KnownEvent::RuntimeInformation => read_runtime(payload, process, processes),
            KnownEvent::ThreadPoolWorkerStart | KnownEvent::ThreadPoolWorkerWait => {
                self.add_hint(thread, RoleHint::WorksForPool)
            }
            KnownEvent::GcStart => {
                let start = GcStart::read(payload).filter(|start| start.gc_type == Some(GcType::Background));
                self.background.extend(start.map(|start| (process, start.number)));
            }
            KnownEvent::GcEnd => {
                let number = GcEnd::read(payload).map(|end| end.number);
                if number.is_some() && self.background.get(&process).copied() == number {
                    self.background.remove(&process);
                    self.add_hint(thread, RoleHint::CollectsInBackground);
                }
            }
            KnownEvent::GcFinalizersBegin => self.add_hint(thread, RoleHint::RunsFinalizers),
            KnownEvent::BackgroundJitStart => self.add_hint(thread, RoleHint::Recompiles),
            KnownEvent::GcMarkWithType => self.add_hint(thread, RoleHint::Marks),
            KnownEvent::RundownBegin | KnownEvent::RundownComplete => self.add_hint(thread, RoleHint::WritesRundown),
            KnownEvent::MachineProcess => self.machine_process(event, processes),
            KnownEvent::MachineMapping => self.machine_mapping(event, strings),
            KnownEvent::MachineSymbol => self.machine_symbol(event, strings),
            _ => {}
        }
        None
    }

    /// Adds evidence for a thread's role.
    pub fn add_hint(&mut self, thread: ThreadId, add_hint: RoleHint) {
        self.evidence.hints.insert((thread, add_hint));
    }

    /// Records the thread that wrote a sample of another one.
    #[inline]
    pub fn sampled_by(&mut self, sampler: ThreadId) {
        if self.last_sampler != Some(sampler) {
            self.last_sampler = Some(sampler);
            self.add_hint(sampler, RoleHint::Samples);
        }
    }

    fn created_thread(&mut self, event: &Observed<'_>) -> Option<u64> {
        let &Observed { known, ticks, process, payload, .. } = event;
        let created = ThreadCreated::read(payload)?;
        let os_thread = u64::from(created.os_thread);
        self.evidence.threads.push(CreatedThread { process, ticks, os_thread, created });
        if known != KnownEvent::ThreadCreated || created.os_thread == 0 {
            return None;
        }
        let before = self.created.insert(created.os_thread, created.managed_thread_id);
        before.filter(|&managed_thread| managed_thread != created.managed_thread_id).map(|_| os_thread)
    }

    fn machine_process(&self, event: &Observed<'_>, processes: &mut Processes) {
        if let (Some(found), Some(process)) = (MachineProcess::read(event.payload), processes.get_mut(event.process)) {
            process.name = found.name.to_owned();
        }
    }

    fn machine_mapping(&mut self, event: &Observed<'_>, strings: &mut Strings) {
        let Some(mapping) = MachineMapping::read(event.payload) else { return };
        let MachineMapping { id, start, end, .. } = mapping;
        let path = strings.intern(mapping.file_name);
        self.symbols.mappings.push(Mapping { process: event.process, id, start, end, path });
    }

    fn machine_symbol(&mut self, event: &Observed<'_>, strings: &mut Strings) {
        let Some(symbol) = MachineSymbol::read(event.payload) else { return };
        let MachineSymbol { mapping_id, start, last, .. } = symbol;
        self.symbols.symbols.push(MappingSymbol { mapping_id, start, last, name: strings.intern(symbol.name) });
    }
}

pub(super) fn sample_state(payload: &[u8]) -> SampleState {
    match ThreadSample::read(payload).and_then(|sample| sample.kind) {
        Some(SampleKind::Managed) => SampleState::Managed,
        Some(SampleKind::External) => SampleState::External,
        Some(SampleKind::Error) | None => SampleState::Error,
    }
}

fn read_process_info(payload: &[u8], process: ProcessId, processes: &mut Processes) {
    if let (Some(info), Some(process)) = (ProcessInfo::read(payload), processes.get_mut(process)) {
        process.name = info.process_name();
        process.command_line = info.command_line.to_string();
        process.operating_system = info.operating_system.to_string();
        process.architecture = info.architecture.to_string();
    }
}

fn read_runtime(payload: &[u8], process: ProcessId, processes: &mut Processes) {
    if let (Some(info), Some(process)) = (RuntimeInformation::read(payload), processes.get_mut(process)) {
        process.runtime = runtime_version(Some(&info), []).unwrap_or_default();
        process.runtime_path = info.runtime_path.to_string();
        if process.command_line.is_empty() {
            process.command_line = info.command_line.to_string();
        }
    }
}
