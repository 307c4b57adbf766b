//! Where the time of threads went, by what they are for: from their samples, and from what events tell exactly.
//!
//! The sampler sees that a thread is outside of managed code and not what for. Its innermost managed frame tells: .NET's own
//! functions that wait have names of their own. Waits that events tell of count as long as they tell.

use crate::analysis::intervals::waits::ThreadWaits;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::samples::thread_samples::{Sampling, ThreadSamples};
use crate::analysis::timeline::thread_states::ThreadStates;
use crate::model::Store;
use crate::model::ThreadRole;
use protocol::base::hash::FastMap;
use protocol::base::ids::{StackId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::request::Filter;
use protocol::tables::{RoleTimes, spent, state};
use std::cmp::Reverse;

/// Beginnings of the names of functions in which threads wait, and for what.
const WAITING: [(&str, usize); 16] = [
    ("System.Threading.LowLevelLifoSemaphore.", spent::IDLE),
    ("System.Threading.PortableThreadPool.", spent::IDLE),
    ("System.Threading.Monitor.Enter", spent::LOCK),
    ("System.Threading.Monitor.ReliableEnter", spent::LOCK),
    ("System.Threading.Monitor.TryEnter", spent::LOCK),
    ("System.Threading.Lock.", spent::LOCK),
    ("System.Threading.Monitor.Wait", spent::WAITING),
    ("System.Threading.WaitHandle.", spent::WAITING),
    ("System.Threading.Thread.Sleep", spent::WAITING),
    ("System.Threading.Thread.Join", spent::WAITING),
    ("System.Threading.ManualResetEventSlim.Wait", spent::WAITING),
    ("System.Threading.SemaphoreSlim.Wait", spent::WAITING),
    ("System.Net.Sockets.SocketAsyncEngine.", spent::IO),
    ("Interop.Sys.", spent::IO),
    ("Interop.Winsock.", spent::IO),
    ("System.IO.RandomAccess.", spent::IO),
];

/// Time of threads of a role, by [`spent`].
#[derive(Default)]
struct Role {
    threads: u32,
    nanos: [i64; spent::COUNT],
}

/// Where the time of threads went within a range, by role; roles with most time first. Of the threads those of a filter that
/// are `wanted`, by id.
pub fn role_times(
    store: &Store,
    samples: &SampleIndex,
    states: &ThreadStates,
    waits: &ThreadWaits,
    (filter, wanted): (&Filter, &[bool]),
    span: Span,
) -> RoleTimes {
    let mut kinds = Kinds { store, of_stack: FastMap::default() };
    let mut roles: Vec<(ThreadRole, Role)> = Vec::new();
    for (id, of_thread) in samples.iter() {
        let Some(thread) = store.threads().get(id) else { continue };
        let is_wanted = wanted.get(id.index()) == Some(&true)
            && (filter.threads.is_empty() || filter.threads.contains(&id))
            && (filter.processes.is_empty() || filter.processes.contains(&store.os_process_of(thread)));
        if !is_wanted || of_thread.kind() != Sampling::WallClock {
            continue;
        }
        let nanos = times_of(id, of_thread, &states.states(store, id, of_thread), waits, span, &mut kinds);
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

fn times_of(
    thread: ThreadId,
    samples: &ThreadSamples,
    states: &[crate::analysis::samples::runs::StateRun],
    waits: &ThreadWaits,
    span: Span,
    kinds: &mut Kinds<'_>,
) -> [i64; spent::COUNT] {
    let mut nanos = [0i64; spent::COUNT];
    for run in states {
        let kind = match run.state {
            state::MANAGED | state::COLLECTING => spent::MANAGED,
            state::SUSPENDED => spent::STOPPED,
            _ => continue,
        };
        nanos[kind] += within(run.start, run.end, span);
    }
    for index in 0..samples.len() {
        let (start, end) = (samples.time(index), samples.time(index).saturating_add(samples.weight(index)));
        let whole = within(start, end, span);
        if samples.is_managed(index) || whole == 0 {
            continue;
        }
        let mut told = 0;
        for (from, to, state) in waits.of_thread(thread, Span::new(start, end)) {
            let length = within(from.max(start), to.min(end), span);
            nanos[if state == state::LOCK { spent::LOCK } else { spent::WAITING }] += length;
            told += length;
        }
        nanos[kinds.of(samples.stack(index))] += whole - told;
    }
    nanos
}

/// Nanoseconds of a time that lie in a span.
fn within(start: i64, end: i64, span: Span) -> i64 {
    end.min(span.end.0).saturating_sub(start.max(span.start.0)).max(0)
}

/// What threads with a stack do outside of managed code; each stack is looked at once.
struct Kinds<'s> {
    store: &'s Store,
    of_stack: FastMap<StackId, usize>,
}

impl Kinds<'_> {
    fn of(&mut self, stack: StackId) -> usize {
        let store = self.store;
        *self.of_stack.entry(stack).or_insert_with(|| {
            let frames = store.stacks().leaf_to_root(stack).map(|frame| store.frames().function(frame));
            // Above the waiting function there may be spinning and checking: a few frames are looked at.
            for function in frames.take(4) {
                let name = store.function_name(function);
                if let Some((_, kind)) = WAITING.iter().find(|(start, _)| name.starts_with(start)) {
                    return *kind;
                }
            }
            spent::OUTSIDE
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::store_of_methods;

    #[test]
    fn functions_that_wait_tell_what_for() {
        let methods = [
            ("Shop.Program", "Main"),
            ("System.Threading.Monitor", "Enter"),
            ("System.Threading.LowLevelLifoSemaphore", "WaitNative"),
            ("System.Net.Sockets.SocketAsyncEngine", "EventLoop"),
            ("System.Threading.SpinWait", "SpinOnceCore"),
        ];
        let (store, _) = store_of_methods(&methods, &[&[1, 2], &[1, 3, 5], &[4], &[1]]);
        let samples = SampleIndex::build(&store).expect("memory");
        let mut kinds = Kinds { store: &store, of_stack: FastMap::default() };
        let (_, thread) = samples.iter().next().expect("a thread");
        let found: Vec<usize> = (0..thread.len()).map(|index| kinds.of(thread.stack(index))).collect();
        assert_eq!(found, [spent::LOCK, spent::IDLE, spent::IO, spent::OUTSIDE]);
    }
}
