//! Measures of the JIT compiler, for comparing traces.

use crate::analysis::intervals::spans::index::Family;
use crate::analysis::measures::Collector;
use crate::analysis::topics::{Known, Scope};
use protocol::compare::Subject;
use protocol::timeline::track::TrackKind;

/// Adds JIT time and the number of compiled methods.
pub(super) fn measures(known: &Known<'_>, scope: &Scope<'_>, into: &mut Collector) {
    let Some(set) = known.tracks.known(Family::Track(TrackKind::Jit)) else { return };
    into.record(Subject::JitTime);
    into.record(Subject::JittedMethods);
    for one in set.intervals().iter().filter(|one| one.is_whole() && one.counts(scope)) {
        into.add(Subject::JittedMethods, "", one.start, 1.0);
        into.cover(Subject::JitTime, "", one.start, one.end);
    }
}
