//! Time of threads by state, thread and role.

use crate::analysis::samples::index::SampleIndex;
use crate::analysis::samples::runs::StateRun;
use crate::analysis::samples::thread_samples::Sampling;
use crate::analysis::samples::thread_time::ThreadTime;
use crate::analysis::timeline::thread_states::ThreadStates;
use crate::analysis::topics::recording_findings::SampledTime;
use crate::model::Store;
use crate::model::ThreadRole;
use protocol::base::hash::FastMap;
use protocol::base::ids::{ProcessId, StackId};
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::tables::{CpuPart, RoleTimes, state};
use protocol::timeline::thread_state::{Activity, ThreadState};
use std::cmp::Reverse;

/// Time by [`state`].
pub type Times = [i64; state::COUNT];

/// Time of the threads with a role.
#[derive(Default)]
struct Role {
    threads: u32,
    nanos: Times,
}

/// Returns the time of threads by state and role within `span`, by total time in descending order. `wanted` selects the
/// threads by ID.
pub fn role_times(
    store: &Store,
    states: &ThreadStates,
    wanted: &[bool],
    span: Span,
    time: Option<&ThreadTime>,
) -> RoleTimes {
    let mut roles: Vec<(ThreadRole, Role)> = Vec::new();
    let mut table = RoleTimes {
        is_on_cpu: vec![u8::from(states.is_on_cpu())],
        has_switches: vec![u8::from(states.has_switches)],
        ..RoleTimes::default()
    };
    for thread in store.threads.iter().filter(|thread| wanted.get(thread.id.index()) == Some(&true)) {
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
        table.role.push(match role {
            ThreadRole::Other => "Other threads",
            role => role.words(),
        });
        table.threads.push(threads);
        table.nanos.extend(nanos);
    }
    if let Some(time) = time.filter(|_| states.is_on_cpu()) {
        push_processes(store, time, &mut table);
    }
    table
}

/// Time of a process's threads, by [`CpuPart`].
#[derive(Default)]
struct OfProcess {
    threads: u32,
    nanos: [i64; CpuPart::ALL.len()],
}

/// Adds the processes of a machine-wide trace, with their on-CPU time and reasons for off-CPU time.
fn push_processes(store: &Store, time: &ThreadTime, table: &mut RoleTimes) {
    let mut processes: FastMap<ProcessId, OfProcess> = FastMap::default();
    let mut kinds: FastMap<StackId, CpuPart> = FastMap::default();
    for (id, thread) in time.stacks.iter() {
        let Some(process) = store.threads.get(id).map(|thread| thread.process) else { continue };
        let of = processes.entry(process).or_default();
        of.threads += 1;
        for index in 0..thread.len() {
            let stack = thread.stack(index);
            let on_cpu = *kinds.entry(stack).or_insert_with(|| leaf_kind(store, stack));
            thread.for_each_state(index, |state, nanos| {
                let state = ThreadState::from_u8(state);
                let part = match state.and_then(ThreadState::activity) {
                    Some(Activity::Running) => on_cpu,
                    Some(Activity::Blocked) => CpuPart::Blocked,
                    _ if state == Some(ThreadState::Ready) => CpuPart::Runnable,
                    // It waits for the end of a GC.
                    _ if state == Some(ThreadState::Gc) => CpuPart::Blocked,
                    _ => CpuPart::Idle,
                };
                let sum = &mut of.nanos[part as usize];
                *sum = sum.saturating_add(nanos);
            });
        }
    }
    let mut processes: Vec<(ProcessId, OfProcess)> = processes.into_iter().collect();
    let on_cpu = |of: &OfProcess| {
        let parts = CpuPart::ALL.into_iter().filter(|part| part.is_on_cpu());
        parts.map(|part| of.nanos[part as usize]).fold(0, i64::saturating_add)
    };
    sort_by_key(&mut processes, |(process, of)| (Reverse(on_cpu(of)), *process));
    for (process, of) in processes {
        let label = store.processes.get(process).map(|process| process.numbered_label());
        table.process.push(&label.unwrap_or_default());
        table.process_threads.push(of.threads);
        table.process_nanos.extend(of.nanos);
    }
}

/// First address of the kernel.
const KERNEL: u64 = 1 << 63;

/// Returns the kind of code that a thread runs on a CPU, by its innermost frame.
fn leaf_kind(store: &Store, stack: StackId) -> CpuPart {
    let Some(frame) = store.stacks.frame(stack) else { return CpuPart::Native };
    if store.frames.get(frame).is_some_and(|frame| frame.address >= KERNEL) {
        return CpuPart::Kernel;
    }
    match store.function_of(frame).is_some_and(|function| function.is_managed) {
        true => CpuPart::Managed,
        false => CpuPart::Native,
    }
}

/// Returns the time of sampled threads within a span, and the part in which the sampler was silent.
pub fn sampled_time(store: &Store, samples: &SampleIndex, states: &ThreadStates, span: Span) -> SampledTime {
    let mut time = SampledTime::default();
    for (id, _) in samples.iter().filter(|(_, thread)| thread.kind == Sampling::WallClock) {
        let runs = states.of(id);
        time.total = times_of(runs, span).iter().fold(time.total, |sum, nanos| sum.saturating_add(*nanos));
        let process = store.threads.get(id).map(|thread| thread.process);
        let silences = process.map_or(&[][..], |process| samples.silences(process));
        let unknown = runs.iter().filter(|run| run.state == state::NOT_SAMPLED);
        let (mut unsampled, mut next) = (0i64, 0);
        for run in unknown.filter_map(|run| Span::new(run.start, run.end).intersect(span)) {
            next += silences[next..].partition_point(|silence| silence.end <= run.start);
            let touching = silences[next..].iter().take_while(|silence| silence.start < run.end);
            let parts = touching.filter_map(|silence| silence.intersect(run));
            unsampled = parts.map(|part| part.duration()).fold(unsampled, i64::saturating_add);
        }
        time.unsampled.extend((unsampled > 0).then_some((id, unsampled)));
    }
    time
}

/// Returns the nanoseconds of a thread by [`state`] within a span.
pub fn times_of(runs: &[StateRun], span: Span) -> Times {
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
    fn states_are_clipped_to_span() {
        let run = |start, end, state| StateRun { start, end, state };
        let runs = [run(0, 10, state::MANAGED), run(10, 30, state::LOCK), run(30, 90, state::MANAGED)];
        let nanos = times_of(&runs, Span::new(5, 40));
        assert_eq!((nanos[usize::from(state::MANAGED)], nanos[usize::from(state::LOCK)]), (15, 20));
        assert_eq!(nanos.iter().sum::<i64>(), 35);
    }
}
