//! Records of the async profiler about the chains of async methods that threads run. Once the whole file is read,
//! stacks are continued with them: [`crate::model::code::async_callers`].

use super::stack_interner::StackInterner;
use crate::clr::known::payload::{AsyncBuffer, AsyncManifest, AsyncStack, AsyncStepKind};
use protocol::base::hash::FastMap;
use protocol::base::ids::{ProcessId, StackId};
use protocol::base::sort::sort_by_key;

/// Maximum number of steps of all threads.
const MAX_STEPS: usize = 4 << 20;
/// Maximum number of nodes that the stacks of chains add.
const MAX_NODES: usize = 4 << 20;

/// Change of the chain that a thread runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChainStep {
    /// Ticks since the sync point.
    pub ticks: i64,
    /// Methods of a chain. The leaf runs next.
    pub stack: StackId,
    /// Lower half of the chain's ID, which is a task ID.
    pub chain: u32,
    pub change: ChainChange,
}

/// Effect of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ChainChange {
    /// The thread runs a chain, nested in the previous one.
    Resumed {
        is_state_machines: bool,
        /// Number of the frame through which its first method is called.
        first_wrapper: u8,
        /// Number of such frames.
        wrappers: u8,
    },
    /// The chain has more callers.
    MoreCallers,
    /// The chain waits or is complete.
    Ended,
    /// An exception ended this many methods of the chain.
    Unwound(u8),
    /// The numbering of the frames through which methods are called restarts at 0.
    NumbersRestart,
    /// The running chain is unknown from here on.
    Forgotten,
}

/// Steps by process and OS thread ID.
pub(crate) type StepsOfThreads = FastMap<(ProcessId, u64), Vec<ChainStep>>;

/// Steps of all threads.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChainSteps {
    threads: StepsOfThreads,
    manifests: FastMap<ProcessId, AsyncManifest>,
    len: usize,
    nodes: usize,
    /// True if there were more steps than are stored.
    pub is_cut: bool,
}

impl ChainSteps {
    /// Reads the payload of an `AsyncEvents` event. Addresses of methods become frames. Returns false if no known build
    /// writes such a buffer.
    pub(super) fn take(
        &mut self,
        process: ProcessId,
        payload: &[u8],
        sync_ticks: i64,
        stacks: &mut StackInterner,
    ) -> bool {
        let manifest = self.manifests.entry(process).or_default();
        let read = AsyncBuffer::read(payload);
        let Some((buffer, steps)) = read.and_then(|buffer| Some((buffer, buffer.steps(manifest)?))) else {
            return false;
        };
        let wrappers = manifest.wrappers;
        for step in steps {
            self.is_cut |= self.len >= MAX_STEPS || self.nodes >= MAX_NODES;
            if self.is_cut {
                return true;
            }
            let mut of = |stack: AsyncStack<'_>| {
                let before = stacks.nodes();
                let id = stacks.intern_addresses(process, stack.addresses());
                self.nodes = self.nodes.saturating_add(stacks.nodes() - before);
                (id, stack.chain as u32)
            };
            let ((stack, chain), change) = match step.what {
                AsyncStepKind::ResumedStack(stack) => {
                    let AsyncStack { is_state_machines, first_wrapper, .. } = stack;
                    (of(stack), ChainChange::Resumed { is_state_machines, first_wrapper, wrappers })
                }
                AsyncStepKind::MoreCallers(stack) => (of(stack), ChainChange::MoreCallers),
                AsyncStepKind::CreatedStack(stack) | AsyncStepKind::SuspendedStack(stack) => {
                    // Analyses name its methods.
                    of(stack);
                    continue;
                }
                AsyncStepKind::Suspend | AsyncStepKind::Complete => (Default::default(), ChainChange::Ended),
                AsyncStepKind::Unwind { methods } => {
                    (Default::default(), ChainChange::Unwound(u8::try_from(methods).unwrap_or(u8::MAX)))
                }
                AsyncStepKind::NumbersRestart => (Default::default(), ChainChange::NumbersRestart),
                AsyncStepKind::Reset => (Default::default(), ChainChange::Forgotten),
                AsyncStepKind::Create { .. } | AsyncStepKind::Resume { .. } | AsyncStepKind::Other => continue,
            };
            let ticks = i64::try_from(step.ticks).unwrap_or(i64::MAX).saturating_sub(sync_ticks);
            let of_thread = self.threads.entry((process, buffer.os_thread)).or_default();
            if of_thread.try_reserve(1).is_err() {
                self.is_cut = true;
                return true;
            }
            of_thread.push(ChainStep { ticks, stack, chain, change });
            self.len += 1;
        }
        true
    }

    /// Returns whether no thread ran a chain with known methods.
    pub fn is_empty(&self) -> bool {
        !self.threads.values().flatten().any(|step| matches!(step.change, ChainChange::Resumed { .. }))
    }

    /// Returns the steps, sorted by time for each thread: buffers are written when they are full, or after a while.
    pub fn finish(mut self) -> StepsOfThreads {
        self.threads.values_mut().for_each(|steps| sort_by_key(steps, |step| step.ticks));
        self.threads
    }
}
