//! Measures of GCs, for comparing traces.

use super::{GcFacts, report};
use crate::analysis::intervals::gc_pauses::Pause;
use crate::analysis::measures::Collector;
use crate::analysis::topics::{Known, Scope};
use protocol::compare::Subject;

/// Adds the number of GCs, their pauses and suspensions, and heap sizes.
pub(super) fn measures(facts: &GcFacts, known: &Known<'_>, scope: &Scope<'_>, into: &mut Collector) {
    for subject in [Subject::Gcs, Subject::GcPauses, Subject::GcSuspension] {
        into.record(subject);
    }
    let all = known.gcs.iter().zip(&facts.details);
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
