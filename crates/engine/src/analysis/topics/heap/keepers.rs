//! Objects that keep most of a heap alive: static fields, handles, and events with many handlers.
//!
//! Variables on stacks are ignored for these sizes, because they would hide the long-lived roots.

use super::graph::{Dominators, NONE, References, dominators};
use super::root_paths::{GcRootPath, GcRootPaths};
use super::snapshot::{RootKind, Snapshot, Tally};
use super::snapshot_summary::retained_by_vertex;
use crate::analysis::topics::shared::groups::ranked;
use crate::analysis::topics::shared::type_names::TypeNames;
use protocol::base::hash::FastMap;
use protocol::base::sort::sort_by_key;
use std::cmp::Reverse;

/// Maximum number of keepers listed, and of those for which all retained objects are counted.
const MAX_KEEPERS: usize = 200;
const MAX_COUNTED: usize = 20;
/// Maximum number of types listed for a keeper.
const MAX_TYPES: usize = 16;
/// Maximum number of events listed, and their minimum number of handlers.
const MAX_EVENTS: usize = 20;
const MIN_HANDLERS: u64 = 10;

/// An object that a root refers to, with its retained size.
#[derive(Clone, Debug)]
pub struct Keeper {
    /// The root's kind, and the position of its field's name.
    pub root: (RootKind, u32),
    pub type_at: u32,
    /// Retained size in bytes.
    pub retained: u64,
    /// Types of the retained objects, by bytes in descending order. Empty for small keepers.
    pub types: Vec<(u32, Tally)>,
}

/// An event of an object, with its handlers.
#[derive(Clone, Debug)]
pub struct EventHandlers {
    /// The object that has the event; the delegate itself if a root refers to it.
    pub publisher: u32,
    /// Type of the handlers.
    pub delegate: u32,
    pub handlers: u64,
    /// Most frequent type of the handlers' target objects, and their number.
    pub target: Option<(u32, u64)>,
    /// Path from a root to the publisher.
    pub path: GcRootPath,
}

/// Returns, ignoring variables on stacks, the dominators, and the retained size of each vertex in bytes. `roots` are the
/// objects to which other roots refer.
pub fn lasting_retained(
    graph: &mut References,
    snapshot: &Snapshot,
    roots: impl Iterator<Item = u32>,
) -> (Dominators, Vec<u64>) {
    let root = graph.len() as u32;
    graph.push(roots);
    let tree = dominators(graph, root);
    let retained = retained_by_vertex(snapshot, &tree, graph.len());
    (tree, retained)
}

/// Dominators of objects, and retained sizes by vertex.
pub type Retained<'r> = (&'r Dominators, &'r [u64]);

/// Returns the objects that roots refer to, by retained size in descending order. `lasting` ignores variables on stacks,
/// `all` includes them. Objects referenced from a stack count only if nothing else leads to them.
pub fn keepers(
    snapshot: &Snapshot,
    roots: &FastMap<u32, (RootKind, u32)>,
    lasting: Retained<'_>,
    all: Retained<'_>,
) -> Vec<Keeper> {
    let of_root = |(&object, &root): (&u32, &(RootKind, u32))| {
        let (of_lasting, of_all) = (*lasting.1.get(object as usize)?, *all.1.get(object as usize)?);
        let retained = match root.0 {
            RootKind::Stack if of_lasting > 0 => return None,
            RootKind::Stack => of_all,
            _ => of_lasting,
        };
        let type_at = *snapshot.type_at.get(object as usize)?;
        Some((object, Keeper { root, type_at, retained, types: Vec::new() }))
    };
    let mut found: Vec<(u32, Keeper)> = roots.iter().filter_map(of_root).collect();
    sort_by_key(&mut found, |(object, keeper)| (Reverse(keeper.retained), *object));
    found.truncate(MAX_KEEPERS);
    for (tree, are_on_stack) in [(lasting.0, false), (all.0, true)] {
        let of_tree = |(_, keeper): &&mut (u32, Keeper)| (keeper.root.0 == RootKind::Stack) == are_on_stack;
        let mut those: Vec<&mut (u32, Keeper)> = found.iter_mut().take(MAX_COUNTED).filter(of_tree).collect();
        count_types(snapshot, tree, &mut those);
    }
    found.into_iter().map(|(_, keeper)| keeper).collect()
}

/// Counts the objects that each of these retains, by type.
fn count_types(snapshot: &Snapshot, tree: &Dominators, keepers: &mut [&mut (u32, Keeper)]) {
    let places: FastMap<u32, u32> = keepers.iter().map(|(object, _)| *object).zip(0..).collect();
    let mut types: Vec<FastMap<u32, Tally>> = keepers.iter().map(|_| FastMap::default()).collect();
    // By position in the tree: the keeper that retains the object. Dominators come first.
    let mut owners: Vec<u32> = Vec::with_capacity(tree.order.len());
    for (vertex, above) in tree.order.iter().zip(&tree.immediate) {
        let inherited = owners.get(*above as usize).copied().unwrap_or(NONE);
        let owner = places.get(vertex).copied().unwrap_or(inherited);
        owners.push(owner);
        let object = snapshot.type_at.get(*vertex as usize).zip(snapshot.size.get(*vertex as usize));
        if let Some(((type_at, size), types)) = object.zip(types.get_mut(owner as usize)) {
            let tally = types.entry(*type_at).or_default();
            tally.count += 1;
            tally.bytes = tally.bytes.saturating_add(*size);
        }
    }
    for ((_, keeper), types) in keepers.iter_mut().zip(types) {
        keeper.types = ranked(types, |tally| tally.bytes);
        keeper.types.truncate(MAX_TYPES);
    }
}

/// Returns, by object, whether a delegate refers to it as its target.
pub fn delegate_targets(graph: &References, snapshot: &Snapshot, types: &TypeNames) -> Vec<bool> {
    let mut is_target = vec![false; snapshot.address.len()];
    for delegate in delegates(snapshot, types) {
        for &target in graph.of(delegate).iter().filter(|target| **target != delegate) {
            if let Some(is_target) = is_target.get_mut(target as usize) {
                *is_target = true;
            }
        }
    }
    is_target
}

fn delegates<'s>(snapshot: &'s Snapshot, types: &'s TypeNames) -> impl Iterator<Item = u32> + 's {
    (0u32..).zip(&snapshot.type_at).filter(|(_, of)| types.is_delegate(**of)).map(|(object, _)| object)
}

/// Returns the events with many handlers, by handlers in descending order. A delegate with several handlers refers to
/// an array of delegates.
pub fn event_handlers(graph: &References, types: &TypeNames, paths: &GcRootPaths<'_>) -> Vec<EventHandlers> {
    let snapshot = paths.snapshot;
    let type_of = |object: u32| snapshot.type_at.get(object as usize).copied();
    let is_handler = |object: &&u32| type_of(**object).is_some_and(|of| types.is_delegate(of));
    let is_list = |object: &&u32| type_of(**object).is_some_and(|of| types.is_array(of));
    let mut found: Vec<(u64, u32, u32)> = Vec::new();
    for delegate in delegates(snapshot, types) {
        for &list in graph.of(delegate).iter().filter(is_list) {
            let handlers = graph.of(list).iter().filter(is_handler).count() as u64;
            if handlers >= MIN_HANDLERS {
                found.push((handlers, delegate, list));
            }
        }
    }
    sort_by_key(&mut found, |one| (Reverse(one.0), one.1));
    // Delegates that were combined further share arrays.
    let mut lists: Vec<u32> = Vec::new();
    found.retain(|(_, _, list)| {
        let is_new = lists.len() < MAX_EVENTS && !lists.contains(list);
        lists.extend(is_new.then_some(*list));
        is_new
    });
    let of_event = |(handlers, delegate, list): (u64, u32, u32)| {
        let mut targets: FastMap<u32, u64> = FastMap::default();
        for &handler in graph.of(list).iter().filter(is_handler) {
            // The target object; the handler itself if its method is static.
            let target = graph.of(handler).iter().find(|target| !is_handler(target));
            if let Some(of) = target.and_then(|target| type_of(*target)) {
                *targets.entry(of).or_default() += 1;
            }
        }
        let target = targets.into_iter().max_by_key(|(of, count)| (*count, Reverse(*of)));
        let before = paths.from.get(delegate as usize).copied().filter(|before| *before != NONE);
        let publisher = before.unwrap_or(delegate);
        Some(EventHandlers {
            publisher: type_of(publisher)?,
            delegate: type_of(delegate)?,
            handlers,
            target,
            path: paths.to(publisher),
        })
    };
    found.into_iter().filter_map(of_event).collect()
}
