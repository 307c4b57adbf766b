//! GCs: cost, remaining heap, reason and trigger of each.

mod details;
mod dynamic_events;
mod findings;
mod pause_cost;
pub(super) mod reason_text;
#[cfg(test)]
mod reference_tests;
mod report;
mod tables;
#[cfg(test)]
mod tests;

use super::recorded_topics::{Role, Trace};
use super::shared::report::Report;
use super::{Analysis, Facts, Known, Needs, Scope};
use crate::analysis::intervals::gc_pauses::Pause;
use crate::analysis::measures::Collector;
use crate::clr::known::payload::{GcFinalizersEnd, GcGlobalHistory, GcHeapHistory, GcHeapStats, GcTriggered};
use crate::clr::known::payload::{RuntimeInformation, committed_bytes};
use crate::clr::{KnownEvent, Provider};
use crate::model::{EventChunk, EventType, Store};
use details::{Detail, GcEvents, Step};
use dynamic_events::DynamicEvents;
use protocol::base::ids::EventId;
use protocol::compare::Subject;
use protocol::topics::finding::Finding;
use protocol::topics::report::GcTrigger;

/// ID of the event that contains an event of the GC with its own name.
const DYNAMIC_EVENT: u32 = 39;
/// Startup flag of the runtime for server GC.
const SERVER: u32 = 0x1000;

/// Facts about a trace's GCs that the timeline doesn't need.
#[derive(Debug, Default)]
pub struct GcFacts {
    events: Vec<GcEvents>,
    /// One per GC, in the order of [`Known::gcs`].
    details: Vec<Detail>,
    /// True for server GC, false for workstation GC; `None` if the runtime doesn't report it.
    is_server: Option<bool>,
    /// Number of finalized objects, by event.
    finalized: Vec<(EventId, u32)>,
    dynamic: DynamicEvents,
}

/// Returns whether the GC itself names the events of this type.
fn is_dynamic(event_type: &EventType) -> bool {
    event_type.record.event_id == DYNAMIC_EVENT && event_type.is_of(Provider::Runtime)
}

impl GcFacts {
    /// Returns the number of objects finalized in `scope`.
    fn finalized(&self, scope: &Scope<'_>) -> u64 {
        self.finalized.iter().filter(|(event, _)| scope.has(*event)).map(|(_, count)| u64::from(*count)).sum()
    }
}

impl Analysis for GcFacts {
    const HAS_FINDINGS: bool = true;
    const NEEDS: Needs = Needs { requests: true, ..Needs::NONE };

    fn role(event_type: &EventType, _trace: &Trace) -> Option<Role> {
        use KnownEvent as E;
        match event_type.known {
            E::GcStart => Some(Role::Counted),
            // Recordings with suspend events also contain GCs, so without GC events there was no GC.
            E::GcEnd | E::GcHeapStats | E::GcGlobalHeapHistory | E::GcSuspendBegin => Some(Role::Related),
            _ => is_dynamic(event_type).then_some(Role::Related),
        }
    }
}

impl Facts for GcFacts {
    fn wants(&self, event_type: &EventType) -> bool {
        use KnownEvent as E;
        let is_known = matches!(
            event_type.known,
            E::GcTriggered
                | E::GcHeapStats
                | E::GcGlobalHeapHistory
                | E::GcPerHeapHistory
                | E::GcFinalizersEnd
                | E::RuntimeInformation
        );
        is_known || is_dynamic(event_type)
    }

    fn read(&mut self, store: &Store, chunk: &EventChunk, row: usize, payload: &[u8]) {
        let Some(event_type) = store.types.get(chunk.event_type(row)) else { return };
        let (event, thread) = (chunk.event_id(row), chunk.thread(row));
        let time = store.clock.nanos(chunk.ticks(row)).0;
        let step = match event_type.known {
            KnownEvent::GcTriggered => {
                GcTriggered::read(payload).map(|it| Step::Asked { reason: it.reason, stack: chunk.row(row).stack })
            }
            KnownEvent::GcHeapStats => GcHeapStats::read(payload).map(|it| Step::Left(Box::new(it))),
            KnownEvent::GcGlobalHeapHistory => GcGlobalHistory::read(payload).map(Step::Whole),
            KnownEvent::GcPerHeapHistory => {
                GcHeapHistory::read(payload, store.header.pointer_size).map(|it| Step::Heap(Box::new(it)))
            }
            KnownEvent::GcFinalizersEnd => {
                self.finalized.extend(GcFinalizersEnd::read(payload).map(|it| (event, it.count)));
                None
            }
            KnownEvent::RuntimeInformation => {
                let flags = RuntimeInformation::read(payload).map(|it| it.startup_flags);
                self.is_server = self.is_server.or(flags.map(|flags| flags & SERVER != 0));
                None
            }
            _ => {
                self.dynamic.add(event, time, payload);
                committed_bytes(payload).map(Step::Committed)
            }
        };
        self.events.extend(step.map(|step| GcEvents { event, thread, time, step }));
    }

    fn finish(&mut self, known: &Known<'_>) {
        self.details = details::details(known.store, known.gcs, std::mem::take(&mut self.events));
    }

    fn report(&self, known: &Known<'_>, scope: &Scope<'_>) -> Report {
        report::report(self, known, scope)
    }

    fn findings(&self, known: &Known<'_>, scope: &Scope<'_>) -> Vec<Finding> {
        findings::findings(self, known, scope)
    }

    fn trigger(&self, known: &Known<'_>, event: EventId) -> Option<GcTrigger> {
        let at = known.gcs.iter().position(|one| one.event == event.0)?;
        let detail = self.details.get(at)?;
        let asker = detail.asker?;
        let site = known.site_names().name(tables::asker(&mut known.sites(), detail));
        Some(GcTrigger { gc: event, site, thread: asker.thread, event: asker.event })
    }

    fn counted_collections(&self, known: &Known<'_>, scope: &Scope<'_>) -> Vec<bool> {
        let all = known.gcs.iter().zip(&self.details);
        all.map(|one| report::counts(known.store, &one, scope)).collect()
    }

    /// Adds the number of GCs, their pauses and suspensions, and heap sizes.
    fn measures(&self, known: &Known<'_>, scope: &Scope<'_>, into: &mut Collector) {
        for subject in [Subject::Gcs, Subject::GcPauses, Subject::GcSuspension] {
            into.record(subject);
        }
        let all = known.gcs.iter().zip(&self.details);
        for (gc, _) in all.filter(|one| report::counts(known.store, one, scope)) {
            into.add(Subject::Gcs, "", gc.start, 1.0);
            into.add(Subject::GcGeneration, &format!("gen {}", gc.generation), gc.start, 1.0);
            for pause in &gc.pauses {
                into.add(Subject::GcPauses, "", pause.start, Pause::duration(pause) as f64);
                into.add(Subject::GcSuspension, "", pause.start, Pause::suspend_duration(pause) as f64);
            }
            if let Some(heap) = gc.heap {
                into.add(Subject::HeapAfterGc, "", heap.time, heap.sizes.iter().map(|bytes| *bytes as f64).sum());
            }
        }
    }

    fn bytes(&self) -> usize {
        let events = self.events.len() * size_of::<GcEvents>() + self.dynamic.bytes();
        let finalized = self.finalized.len() * size_of::<(EventId, u32)>();
        events + finalized + self.details.len() * size_of::<Detail>()
    }
}
