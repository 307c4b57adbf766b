//! Resolves code addresses to frames with functions, after the whole file has been read.
//!
//! If several methods occupied an address at different times, each gets its own frame, and every event's stack refers
//! to the frame that was valid then.

use super::async_callers::{AsyncCallers, AsyncMethods};
use super::frames::{Frame, Frames};
use super::function_builder::FunctionBuilder;
use super::functions::Functions;
use super::il_maps::IlMaps;
use super::methods::{Method, Methods};
use super::modules::Modules;
use super::ranges::{CodeRanges, code_space};
use super::stacks::{StackBuilder, Stacks};
use crate::model::columns::events::Events;
use crate::model::ingest::stack_interner::RawStacks;
use crate::model::out_of_memory::OutOfMemory;
use crate::model::threads::table::Threads;
use protocol::base::hash::FastMap;
use protocol::base::ids::{FrameId, ProcessId, StackId};
use protocol::base::sort::{sort_by_key, sorted_positions};
use std::cmp::Reverse;

/// Maximum number of ranges considered for one address. Replaced code in real traces has fewer.
const MAX_CANDIDATES: usize = 64;

/// Code-related parts of the store.
pub(crate) struct ResolvedCode {
    pub stacks: Stacks,
    pub frames: Frames,
    pub functions: Functions,
    pub methods: Methods,
    pub modules: Modules,
    pub il_maps: IlMaps,
    pub async_callers: AsyncCallers,
}

/// Assigns methods and functions to frames, and gives every event the stack that was valid at its time.
pub(crate) fn resolve(
    raw: RawStacks,
    code: CodeRanges,
    il_maps: IlMaps,
    mut names: FunctionBuilder<'_>,
    is_machine_wide: bool,
    threads: &Threads,
    events: &mut Events,
) -> Result<ResolvedCode, OutOfMemory> {
    let histories = find_methods(&raw.addresses, &code, is_machine_wide);
    let mut frames = Frames::default();
    let mut moving = ReusedAddresses::default();
    let mut later_frames = Vec::new();
    for (&(process, address), history) in raw.addresses.iter().zip(&histories) {
        let method = history.first().and_then(|&(_, method)| method);
        let function = names.function(&code, process, address, method, is_machine_wide);
        let frame = frames.push(Frame { process, address, method, function });
        if history.len() > 1 {
            later_frames.push((frame, history));
        }
    }
    for (frame, history) in later_frames {
        let Some(first) = frames.get(frame) else { continue };
        let mut by_time = Vec::new();
        for &(from, method) in history {
            let function = names.function(&code, first.process, first.address, method, is_machine_wide);
            let at_that_time = Frame { method, function, ..first };
            by_time.push((from, if at_that_time == first { frame } else { frames.push(at_that_time) }));
        }
        moving.add(frame, by_time);
    }
    let mut builder = raw.builder;
    let async_callers = if raw.chains.is_empty() {
        AsyncCallers::default()
    } else {
        let methods = AsyncMethods { frames: &frames, kinds: &names.async_frames(), moving: &moving };
        methods.continue_stacks(raw.chains, threads, &mut builder, events)?
    };
    let stacks = moving.rewrite(builder, events)?;
    let functions = names.finish();
    let mut methods: Methods = code.ranges.into_iter().map(|(method, _)| method).collect::<Vec<_>>().into();
    for (&method, &function) in frames.methods.iter().zip(&frames.functions) {
        if let Some(method) = methods.get_mut(method) {
            method.function = Some(protocol::base::ids::FunctionId(function));
        }
    }
    let il_maps = il_maps.retain_used(&mut methods);
    Ok(ResolvedCode { stacks, frames, functions, methods, modules: code.modules, il_maps, async_callers })
}

/// Code ranges at an address with the ticks at which they became valid. The first entry is valid from the beginning.
type History = Vec<(i64, Option<u32>)>;

/// Returns the history of every address, by merging sorted addresses with sorted ranges.
fn find_methods(addresses: &[(ProcessId, u64)], code: &CodeRanges, is_machine_wide: bool) -> Vec<History> {
    let key = |&(process, address): &(ProcessId, u64)| (code_space(process, address, is_machine_wide), address);
    let key_at = |at: u32| addresses.get(at as usize).map(key);
    let order = sorted_positions(addresses.len(), &|one, other| key_at(one).cmp(&key_at(other)));
    let mut histories = vec![History::new(); addresses.len()];
    let mut ranges = (0u32..).zip(&code.ranges).peekable();
    let mut active: Vec<(u32, &Method)> = Vec::new();
    for at in order {
        let Some((process, address)) = addresses.get(at as usize).map(key) else { continue };
        active.retain(|(_, method)| method.process == process && method.contains(address));
        while let Some((index, (method, _))) =
            ranges.next_if(|(_, (method, _))| (method.process, method.start) <= (process, address))
        {
            if method.process == process && method.contains(address) {
                if active.len() == MAX_CANDIDATES {
                    active.remove(0);
                }
                active.push((index, method));
            }
        }
        if let Some(history) = histories.get_mut(at as usize) {
            *history = history_of(&active);
        }
    }
    histories
}

fn history_of(candidates: &[(u32, &Method)]) -> History {
    if let [(index, method)] = candidates
        && method.unload_ticks.is_none()
    {
        return vec![(i64::MIN, Some(*index))];
    }
    let mut times: Vec<i64> = candidates
        .iter()
        .flat_map(|(_, method)| [method.load_ticks, method.unload_ticks])
        .flatten()
        .chain([i64::MIN])
        .collect();
    sort_by_key(&mut times, |ticks| *ticks);
    times.dedup();
    let mut history: History = times.into_iter().map(|ticks| (ticks, method_at(candidates, ticks))).collect();
    history.dedup_by_key(|(_, method)| *method);
    history
}

/// Returns the newest range that is loaded at a time, or the first one before any load: a load may be recorded after
/// the method has started to run.
fn method_at(candidates: &[(u32, &Method)], ticks: i64) -> Option<u32> {
    let loaded = candidates.iter().filter(|(_, method)| method.loaded_from() <= ticks);
    let current = loaded.clone().filter(|(_, method)| method.is_loaded_until(ticks)).max_by_key(|(index, method)| {
        // Among ranges that were always loaded, prefers those unloaded earlier, then smaller ones, then those earlier
        // in the file. Native functions can have several names.
        let goes = method.unload_ticks.unwrap_or(i64::MAX);
        (method.loaded_from(), Reverse(goes), method.start, Reverse(*index))
    });
    let first = || candidates.iter().min_by_key(|(_, method)| method.loaded_from());
    match (current, loaded.clone().next()) {
        (Some((index, _)), _) => Some(*index),
        (None, None) => first().map(|(index, _)| *index),
        (None, Some(_)) => None,
    }
}

/// Frames whose address was reused by another method.
#[derive(Default)]
pub(super) struct ReusedAddresses {
    by_frame: FastMap<FrameId, Vec<(i64, FrameId)>>,
    /// Ticks of all changes; sorted once all are known.
    changes: Vec<i64>,
}

impl ReusedAddresses {
    fn add(&mut self, frame: FrameId, by_time: Vec<(i64, FrameId)>) {
        self.changes.extend(by_time.iter().map(|&(from, _)| from));
        self.by_frame.insert(frame, by_time);
    }

    /// Returns the frame that replaces a frame at these ticks.
    pub(super) fn at(&self, frame: FrameId, ticks: i64) -> FrameId {
        let Some(by_time) = self.by_frame.get(&frame) else { return frame };
        let after = by_time.partition_point(|&(from, _)| from <= ticks).max(1);
        by_time.get(after - 1).map_or(frame, |&(_, frame)| frame)
    }

    /// Returns whether no frame changes.
    pub(super) fn is_empty(&self) -> bool {
        self.by_frame.is_empty()
    }

    /// Rewrites the stacks of affected events with the frames that were valid at their time.
    fn rewrite(mut self, mut builder: StackBuilder, events: &mut Events) -> Result<Stacks, OutOfMemory> {
        if self.by_frame.is_empty() {
            return Ok(builder.finish());
        }
        sort_by_key(&mut self.changes, |change| *change);
        self.changes.dedup();
        let affected = self.affected_stacks(&builder.stacks);
        let mut known: FastMap<(StackId, usize), StackId> = FastMap::default();
        let mut stacks = Vec::new();
        for chunk in events.chunks_mut() {
            chunk.stacks.copy_into(0..chunk.len(), &mut stacks);
            let mut is_changed = false;
            for (row, stack) in stacks.iter_mut().enumerate() {
                if affected.get(*stack as usize) != Some(&true) {
                    continue;
                }
                let ticks = chunk.ticks(row);
                let epoch = self.changes.partition_point(|&change| change <= ticks);
                let before = StackId(*stack);
                let after = *known.entry((before, epoch)).or_insert_with(|| self.stack_at(before, ticks, &mut builder));
                is_changed |= after != before;
                *stack = after.0;
            }
            if is_changed {
                chunk.set_stacks(&stacks)?;
            }
        }
        Ok(builder.finish())
    }

    /// Returns for each stack whether any of its addresses was reused.
    fn affected_stacks(&self, stacks: &Stacks) -> Vec<bool> {
        let mut affected = vec![false; stacks.len()];
        for (node, (&parent, &frame)) in stacks.parents.iter().zip(&stacks.frames).enumerate() {
            let of_parent = affected.get(parent as usize) == Some(&true);
            if let Some(affected) = affected.get_mut(node) {
                *affected = of_parent || self.by_frame.contains_key(&FrameId(frame));
            }
        }
        affected
    }

    fn stack_at(&self, stack: StackId, ticks: i64, builder: &mut StackBuilder) -> StackId {
        let leaf_first: Vec<FrameId> = builder.stacks.leaf_to_root(stack).collect();
        let root_first = leaf_first.into_iter().rev().map(|frame| self.at(frame, ticks));
        root_first.fold(StackId(0), |parent, frame| builder.child(parent, frame))
    }
}
