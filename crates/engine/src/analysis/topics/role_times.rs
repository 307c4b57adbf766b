//! Where the time of threads went, by what they are for.

use crate::analysis::samples::index::SampleIndex;
use crate::analysis::samples::runs::StateRun;
use crate::analysis::samples::thread_samples::Sampling;
use crate::analysis::timeline::thread_states::ThreadStates;
use crate::analysis::topics::recording_findings::SampledTime;
use crate::model::Store;
use crate::model::ThreadRole;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::request::Filter;
use protocol::tables::{RoleTimes, state};
use std::cmp::Reverse;

/// Time of threads of a role, by [`state`].
#[derive(Default)]
struct Role {
    threads: u32,
    nanos: [i64; state::COUNT],
}

/// Where the time of threads went within a range, by role; roles with most time first. Of the threads those of a filter that
/// are `wanted`, by id.
pub fn role_times(
    store: &Store,
    samples: &SampleIndex,
    states: &ThreadStates,
    (filter, wanted): (&Filter, &[bool]),
    span: Span,
) -> RoleTimes {
    let mut roles: Vec<(ThreadRole, Role)> = Vec::new();
    for (id, of_thread) in samples.iter() {
        let Some(thread) = store.threads().get(id) else { continue };
        let is_wanted = wanted.get(id.index()) == Some(&true)
            && (filter.threads.is_empty() || filter.threads.contains(&id))
            && (filter.processes.is_empty() || filter.processes.contains(&store.os_process_of(thread)));
        if !is_wanted || of_thread.kind() != Sampling::WallClock {
            continue;
        }
        let nanos = times_of(states.of(id), span);
        if nanos.iter().all(|nanos| *nanos == 0) {
            continue;
        }
        let at = roles.iter().position(|(role, _)| *role == thread.role).unwrap_or_else(|| {
            roles.push((thread.role, Role::default()));
            roles.len() - 1
        });
        let role = &mut roles[at].1;
        role.threads += 1;
        role.nanos.iter_mut().zip(nanos).for_each(|(sum, nanos)| *sum = sum.saturating_add(nanos));
    }
    sort_by_key(&mut roles, |(_, role)| Reverse(role.nanos.iter().copied().fold(0, i64::saturating_add)));
    let mut table = RoleTimes::default();
    for (role, Role { threads, nanos }) in roles {
        table.role.push(role.words());
        table.threads.push(threads);
        table.nanos.extend(nanos);
    }
    table
}

/// Time of sampled threads within a span, and how much of it no sample covers.
pub fn sampled_time(samples: &SampleIndex, states: &ThreadStates, span: Span) -> SampledTime {
    let mut time = SampledTime::default();
    for (id, _) in samples.iter().filter(|(_, thread)| thread.kind() == Sampling::WallClock) {
        let nanos = times_of(states.of(id), span);
        time.total = nanos.iter().fold(time.total, |sum, nanos| sum.saturating_add(*nanos));
        let unsampled = nanos.get(usize::from(state::NOT_SAMPLED)).copied().unwrap_or(0);
        time.unsampled.extend((unsampled > 0).then_some((id, unsampled)));
    }
    time
}

/// Nanoseconds by [`state`] within a span.
fn times_of(runs: &[StateRun], span: Span) -> [i64; state::COUNT] {
    let mut nanos = [0i64; state::COUNT];
    for run in runs {
        let inside = run.end.min(span.end.0).saturating_sub(run.start.max(span.start.0)).max(0);
        if let Some(sum) = nanos.get_mut(usize::from(run.state)) {
            *sum = sum.saturating_add(inside);
        }
    }
    nanos
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_count_as_far_as_they_lie_in_the_span() {
        let run = |start, end, state| StateRun { start, end, state };
        let runs = [run(0, 10, state::MANAGED), run(10, 30, state::LOCK), run(30, 90, state::MANAGED)];
        let nanos = times_of(&runs, Span::new(5, 40));
        assert_eq!((nanos[usize::from(state::MANAGED)], nanos[usize::from(state::LOCK)]), (15, 20));
        assert_eq!(nanos.iter().sum::<i64>(), 35);
    }
}
