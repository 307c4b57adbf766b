//! Continues stacks with the async methods that await the running one, from records of the async profiler of .NET 11.
//!
//! The stack of a thread that runs a chain of async methods ends at the runtime's frames for chains. The awaiting
//! methods are recorded when the chain is resumed, and the frames show how many of its methods have ended since
//! (docs/format/runtime-events.md#async-call-stacks). Stacks are continued only if the expected running method is on
//! them, because records can be lost.

use super::frames::Frames;
use super::resolve::ReusedAddresses;
use super::stacks::StackBuilder;
use crate::clr::AsyncFrame;
use crate::model::columns::events::Events;
use crate::model::ingest::chain_steps::{ChainChange, ChainStep, ChainSteps};
use crate::model::out_of_memory::OutOfMemory;
use crate::model::threads::table::Threads;
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{FrameId, FunctionId, ProcessId, StackId};

/// Maximum number of nested chains on one thread.
const MAX_OPEN: usize = 64;
/// Maximum number of methods of one chain; the runtime records 255 at a time.
const MAX_METHODS: u16 = 1024;
/// Maximum number of stack nodes that continuations add.
const MAX_NODES: usize = 4 << 20;
/// Maximum number of continued stacks in the cache.
const MAX_KNOWN: usize = 1 << 20;

/// Counts of stacks that were continued with their async callers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AsyncCallers {
    /// Number of events with continued stacks.
    pub continued: u64,
    /// Number of events whose stacks run chains with unknown callers.
    pub unknown: u64,
    /// True if records beyond the limit were ignored.
    pub is_cut: bool,
}

/// Inputs for continuing stacks.
pub(super) struct AsyncMethods<'c> {
    pub frames: &'c Frames,
    /// By function.
    pub kinds: &'c [Option<AsyncFrame>],
    pub moving: &'c ReusedAddresses,
}

/// Chain, with the number of its methods that have ended.
type ChainKey = (StackId, i64);

/// Continued stacks, by stack and by the thread's chains: the innermost one and the one around it.
type Continued = FastMap<(StackId, [ChainKey; 2]), Option<StackId>>;

/// Chain that is running on a thread.
#[derive(Clone, Copy, Debug)]
struct Running {
    chain: u32,
    /// Methods of the chain. The leaf runs next.
    stack: StackId,
    is_state_machines: bool,
    /// Number of ended methods that the frame's number doesn't include.
    ended: i64,
    wrappers: u8,
    /// Number of methods that an exception ended.
    unwound: u32,
}

impl Running {
    /// Returns the chain's part of the cache key.
    fn key(&self) -> ChainKey {
        (self.stack, if self.is_state_machines { self.unwound.into() } else { self.ended })
    }
}

/// Running chains of a thread, updated step by step.
struct ThreadChains<'s> {
    steps: &'s [ChainStep],
    next: usize,
    /// Running chains, innermost last.
    open: Vec<Running>,
    /// True if the process records the ends of chains; otherwise, the next chain ends the previous one.
    has_ends: bool,
    /// True if later steps are missing.
    is_cut: bool,
}

impl ThreadChains<'_> {
    fn go_to(&mut self, ticks: i64) {
        while let Some(step) = self.steps.get(self.next).filter(|step| step.ticks <= ticks) {
            self.next += 1;
            self.take(step);
        }
        if self.is_cut && self.next == self.steps.len() {
            self.open.clear();
        }
    }

    fn take(&mut self, step: &ChainStep) {
        match step.change {
            ChainChange::Resumed { is_state_machines, first_wrapper, wrappers } => {
                let chain = step.chain;
                // A chain can't be nested in itself, so its end was lost.
                self.open.retain(|running| self.has_ends && (running.chain != chain || chain == 0));
                if self.open.len() == MAX_OPEN {
                    self.open.remove(0);
                }
                let ended = -i64::from(first_wrapper);
                self.open.push(Running { chain, stack: step.stack, is_state_machines, ended, wrappers, unwound: 0 });
            }
            ChainChange::Ended => {
                self.open.pop();
            }
            ChainChange::Unwound(methods) => {
                if let Some(running) = self.open.last_mut() {
                    running.unwound = running.unwound.saturating_add(methods.into());
                }
            }
            ChainChange::NumbersRestart => {
                if let Some(running) = self.open.last_mut() {
                    running.ended = running.ended.saturating_add(running.wrappers.into());
                }
            }
            ChainChange::Forgotten => self.open.clear(),
            ChainChange::MoreCallers => {}
        }
    }
}

impl AsyncMethods<'_> {
    /// Adds the async callers of running chains to the stacks of all events.
    pub fn continue_stacks(
        &self,
        chains: ChainSteps,
        threads: &Threads,
        builder: &mut StackBuilder,
        events: &mut Events,
    ) -> Result<AsyncCallers, OutOfMemory> {
        let mut callers = AsyncCallers { is_cut: chains.is_cut, ..AsyncCallers::default() };
        let mut steps = chains.finish();
        steps.values_mut().for_each(|steps| add_more_callers(steps, builder));
        let is_end = |step: &ChainStep| step.change == ChainChange::Ended;
        let with_ends = steps.iter().filter(|(_, steps)| steps.iter().any(is_end));
        let with_ends: FastSet<ProcessId> = with_ends.map(|((process, _), _)| *process).collect();
        let mut by_thread: Vec<Option<ThreadChains<'_>>> = Vec::with_capacity(threads.len());
        for thread in threads.iter() {
            by_thread.push(steps.get(&(thread.process, thread.os_thread)).map(|steps| ThreadChains {
                steps,
                next: 0,
                open: Vec::new(),
                has_ends: with_ends.contains(&thread.process),
                is_cut: callers.is_cut,
            }));
        }
        let runs_chains = self.stacks_that_run_chains(builder);
        let most_nodes = runs_chains.len().saturating_add(MAX_NODES);
        let mut known = Continued::default();
        let mut stacks = Vec::new();
        for chunk in events.chunks_mut() {
            chunk.stacks.copy_into(0..chunk.len(), &mut stacks);
            let mut is_changed = false;
            for (row, stack) in stacks.iter_mut().enumerate() {
                if runs_chains.get(*stack as usize) != Some(&true) {
                    continue;
                }
                let (before, ticks) = (StackId(*stack), chunk.ticks(row));
                let Some(chains) = by_thread.get_mut(chunk.thread(row).index()).and_then(Option::as_mut) else {
                    callers.unknown += 1;
                    continue;
                };
                chains.go_to(ticks);
                let continued = match *chains.open {
                    _ if builder.stacks.len() >= most_nodes => None,
                    [] => None,
                    [.., _, _, _] => self.continued(before, &chains.open, ticks, builder),
                    [ref outer @ .., inner] if self.moving.is_empty() => {
                        if known.len() >= MAX_KNOWN {
                            known.clear();
                        }
                        let outer = outer.first().map_or((StackId(0), 0), Running::key);
                        let key = (before, [inner.key(), outer]);
                        let find = || self.continued(before, &chains.open, ticks, builder);
                        *known.entry(key).or_insert_with(find)
                    }
                    _ => self.continued(before, &chains.open, ticks, builder),
                };
                match continued {
                    Some(after) => {
                        callers.continued += 1;
                        is_changed |= after != before;
                        *stack = after.0;
                    }
                    None => callers.unknown += 1,
                }
            }
            if is_changed {
                chunk.set_stacks(&stacks)?;
            }
        }
        Ok(callers)
    }

    /// Returns for each stack whether one of its frames runs chains.
    fn stacks_that_run_chains(&self, builder: &StackBuilder) -> Vec<bool> {
        let stacks = &builder.stacks;
        let mut found = vec![false; stacks.len()];
        for (node, (&parent, &frame)) in stacks.parents.iter().zip(&stacks.frames).enumerate().skip(1) {
            let runs = matches!(self.kind(FrameId(frame)), Some(AsyncFrame::Wrapper(_) | AsyncFrame::Dispatcher));
            let of_parent = found.get(parent as usize) == Some(&true);
            if let Some(found) = found.get_mut(node) {
                *found = of_parent || runs;
            }
        }
        found
    }

    /// Returns a stack with the callers of the chains that run on it; `None` if the innermost chain isn't the recorded
    /// one.
    fn continued(&self, stack: StackId, open: &[Running], ticks: i64, builder: &mut StackBuilder) -> Option<StackId> {
        let frames: Vec<FrameId> = builder.stacks.leaf_to_root(stack).collect();
        let mut all: Vec<FrameId> = Vec::with_capacity(frames.len());
        let mut from = 0;
        for running in open.iter().rev() {
            let is_boundary = |frame: &FrameId| match self.kind(*frame) {
                Some(AsyncFrame::Wrapper(_)) => !running.is_state_machines,
                Some(AsyncFrame::Dispatcher) => running.is_state_machines,
                _ => false,
            };
            let Some(rest) = frames.get(from..) else { break };
            let Some(boundary) = rest.iter().position(is_boundary) else { break };
            let (inner, outer) = rest.split_at(boundary);
            let methods: Vec<FrameId> = builder.stacks.leaf_to_root(running.stack).collect();
            let boundary_kind = outer.first().and_then(|frame| self.kind(*frame));
            let Some((kept, current)) = self.position(running, &methods, inner, boundary_kind, ticks) else { break };
            all.extend(inner.iter().take(kept));
            // The runtime's own steps have no address.
            let has_address = |frame: &&FrameId| self.frames.get(**frame).is_some_and(|frame| frame.address != 0);
            all.extend(methods.iter().skip(current + 1).filter(has_address));
            let is_plumbing = |frame: &&FrameId| match self.kind(**frame) {
                Some(AsyncFrame::Dispatch) => !running.is_state_machines,
                Some(AsyncFrame::Box) => running.is_state_machines,
                _ => false,
            };
            from += boundary + 1;
            from += frames.get(from..).unwrap_or_default().iter().take_while(is_plumbing).count();
        }
        if from == 0 {
            return None;
        }
        all.extend(frames.get(from..).unwrap_or_default());
        Some(all.into_iter().rev().fold(StackId(0), |parent, frame| builder.child(parent, frame)))
    }

    /// Returns the running method of a chain, and the number of frames that belong to it and to its callees. `inner`
    /// are the frames inside the one that runs the chain, the innermost first.
    fn position(
        &self,
        running: &Running,
        methods: &[FrameId],
        inner: &[FrameId],
        boundary: Option<AsyncFrame>,
        ticks: i64,
    ) -> Option<(usize, usize)> {
        match boundary? {
            AsyncFrame::Wrapper(number) => {
                let current = usize::try_from(running.ended.saturating_add(number.into())).ok()?;
                let function = self.named(*methods.get(current)?, ticks)?;
                let is_there = inner.iter().any(|frame| self.function(*frame, ticks) == function);
                is_there.then_some((inner.len(), current))
            }
            // When a state machine ends, its awaiter runs on the same stack.
            _ => {
                let (mut next, mut skippable, mut found) = (0, running.unwound as usize, None);
                for (at, &frame) in inner.iter().enumerate().rev() {
                    if found.is_some() && self.kind(frame) == Some(AsyncFrame::Start) {
                        break;
                    }
                    let function = self.function(frame, ticks);
                    let is_it = |method: &FrameId| self.named(*method, ticks) == Some(function);
                    let Some(rest) = methods.get(next..) else { break };
                    let Some(skipped) = rest.iter().take(skippable.saturating_add(1)).position(is_it) else { continue };
                    skippable -= skipped;
                    next += skipped + 1;
                    found = Some((at, next - 1));
                }
                // Methods outside the last one have ended.
                found.map(|(at, current)| (at + 1, current))
            }
        }
    }

    fn kind(&self, frame: FrameId) -> Option<AsyncFrame> {
        self.kinds.get(self.frames.function(frame).index()).copied().flatten()
    }

    fn function(&self, frame: FrameId, ticks: i64) -> FunctionId {
        self.frames.function(self.moving.at(frame, ticks))
    }

    /// Returns the function of a frame; `None` if its method is unknown.
    fn named(&self, frame: FrameId, ticks: i64) -> Option<FunctionId> {
        let frame = self.frames.get(self.moving.at(frame, ticks))?;
        frame.method.map(|_| frame.function)
    }
}

/// Adds callers that were recorded later to the stacks of the chains that they await.
fn add_more_callers(steps: &mut [ChainStep], builder: &mut StackBuilder) {
    let mut open: Vec<usize> = Vec::new();
    for at in 0..steps.len() {
        let Some(step) = steps.get(at).copied() else { return };
        match step.change {
            ChainChange::Resumed { .. } => {
                if open.len() == MAX_OPEN {
                    open.remove(0);
                }
                open.push(at);
            }
            ChainChange::Ended => {
                open.pop();
            }
            ChainChange::Forgotten => open.clear(),
            ChainChange::MoreCallers => {
                let Some(resumed) = open.last().and_then(|at| steps.get_mut(*at)) else { continue };
                let is_state_machines = matches!(resumed.change, ChainChange::Resumed { is_state_machines: true, .. });
                if is_state_machines && resumed.chain == step.chain {
                    resumed.stack = with_callers(resumed.stack, step.stack, builder);
                }
            }
            ChainChange::Unwound(_) | ChainChange::NumbersRestart => {}
        }
    }
}

/// Appends the frames of a stack below the leaf of another one.
fn with_callers(stack: StackId, callers: StackId, builder: &mut StackBuilder) -> StackId {
    let stacks = &builder.stacks;
    if stacks.depth(stack).saturating_add(stacks.depth(callers)) > MAX_METHODS {
        return stack;
    }
    // Callers are listed from the nearest one, so their leaf calls the stack's root.
    let frames: Vec<FrameId> = stacks.leaf_to_root(stack).collect();
    frames.into_iter().rev().fold(callers, |parent, frame| builder.child(parent, frame))
}
