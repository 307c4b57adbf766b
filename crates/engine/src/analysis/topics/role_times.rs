//! Where the time of threads went, by thread and by what they are for.

use crate::analysis::samples::runs::StateRun;
use crate::analysis::timeline::thread_states::ThreadStates;
use crate::model::Store;
use crate::model::ThreadRole;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::tables::{RoleTimes, state};
use std::cmp::Reverse;

/// Time by [`state`].
type Times = [i64; state::COUNT];

/// Time of threads of a role.
#[derive(Default)]
struct Role {
    threads: u32,
    nanos: Times,
}

/// Where the time of threads went within a range, by role; roles with most time first. Of the threads those that are `wanted`,
/// by id.
pub fn role_times(store: &Store, states: &ThreadStates, wanted: &[bool], span: Span) -> RoleTimes {
    let mut roles: Vec<(ThreadRole, Role)> = Vec::new();
    let mut table = RoleTimes { is_on_cpu: vec![u8::from(states.is_on_cpu())], ..RoleTimes::default() };
    for thread in store.threads().iter().filter(|thread| wanted.get(thread.id.index()) == Some(&true)) {
        let nanos = times_of(states.of(thread.id), span);
        if nanos.iter().all(|nanos| *nanos == 0) {
            continue;
        }
        table.thread.push(thread.id.0);
        table.thread_nanos.extend(nanos);
        let at = roles.iter().position(|(role, _)| *role == thread.role).unwrap_or_else(|| {
            roles.push((thread.role, Role::default()));
            roles.len() - 1
        });
        let role = &mut roles[at].1;
        role.threads += 1;
        role.nanos.iter_mut().zip(nanos).for_each(|(sum, nanos)| *sum = sum.saturating_add(nanos));
    }
    sort_by_key(&mut roles, |(_, role)| Reverse(role.nanos.iter().copied().fold(0, i64::saturating_add)));
    for (role, Role { threads, nanos }) in roles {
        table.role.push(role.words());
        table.threads.push(threads);
        table.nanos.extend(nanos);
    }
    table
}

/// Nanoseconds by [`state`] within a span.
fn times_of(runs: &[StateRun], span: Span) -> Times {
    let mut nanos = Times::default();
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
