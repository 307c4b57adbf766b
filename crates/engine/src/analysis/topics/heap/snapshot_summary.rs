//! Summary of a snapshot: retained sizes and root paths of types and of the largest objects.

use super::graph::{Dominators, NONE, References, dominators, reached_from, roots_of_rest};
use super::keepers::{EventHandlers, Keeper, delegate_targets, event_handlers, keepers, lasting_retained};
use super::neighbors::{Neighbor, neighbors};
use super::root_paths::{END, GcRootPath, GcRootPaths};
use super::snapshot::{Root, RootKind, SIZES, Snapshot, Tally};
use crate::analysis::topics::shared::type_names::TypeNames;
use protocol::base::hash::{FastBuildHasher, FastMap};
use protocol::base::ids::EventId;
use protocol::base::sort::sort_by_key;
use std::cmp::Reverse;

/// Maximum number of objects listed.
const MAX_LISTED: usize = 500;
/// Maximum number of types with a root path.
const MAX_WAYS: usize = 1000;
/// Maximum number of pairs of types distinguished, and of those stored.
const MAX_PAIRS: usize = 1 << 18;
const PAIRS_KEPT: usize = 2000;

/// A type in a snapshot.
#[derive(Clone, Debug, Default)]
pub struct TypeDigest {
    /// All objects of the type.
    pub tally: Tally,
    /// Retained size of all its objects, in bytes.
    pub retained: u64,
    /// Bytes of its largest object.
    pub largest: u64,
    /// Root path of the object with the largest retained size.
    pub way: Option<GcRootPath>,
}

#[derive(Clone, Debug)]
pub struct ObjectDigest {
    pub address: u64,
    pub size: u64,
    pub type_at: u32,
    pub retained: u64,
    pub way: GcRootPath,
}

/// Roots of a kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct RootDigest {
    /// Number of roots.
    pub count: u64,
    /// Number of objects they refer to.
    pub objects: u64,
    /// Retained size in bytes.
    pub retained: u64,
}

/// A static field.
#[derive(Clone, Copy, Debug)]
pub struct StaticDigest {
    /// Position of the field's name.
    pub field: u32,
    pub type_at: u32,
    pub retained: u64,
}

/// References from objects of one type to objects of another.
#[derive(Clone, Copy, Debug)]
pub struct PairDigest {
    pub from: u32,
    pub to: u32,
    pub references: u64,
}

/// Summary of a snapshot.
#[derive(Debug)]
pub struct Digest {
    pub start: i64,
    pub end: i64,
    pub event: EventId,
    pub all: Tally,
    pub references: u64,
    /// By position of the type.
    pub types: Vec<TypeDigest>,
    /// Objects with the largest retained size.
    pub objects: Vec<ObjectDigest>,
    /// Neighbors of these objects, in their order.
    pub neighbors: Vec<Neighbor>,
    /// In the order of [`RootKind::ALL`].
    pub roots: [RootDigest; 7],
    pub statics: Vec<StaticDigest>,
    /// Objects that roots refer to, by retained size in descending order.
    pub keepers: Vec<Keeper>,
    /// Events with many handlers, by handlers in descending order.
    pub events: Vec<EventHandlers>,
    /// Pairs with the most references.
    pub pairs: Vec<PairDigest>,
    pub bytes_by_size: [u64; SIZES.len()],
    pub is_partial: bool,
}

impl Digest {
    /// Returns the share of a retained size in the size of all objects.
    pub fn share(&self, retained: u64) -> f64 {
        retained as f64 / self.all.bytes.max(1) as f64
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let ways = self.objects.len() + self.types.len().min(MAX_WAYS);
        self.types.len() * size_of::<TypeDigest>()
            + self.objects.len() * size_of::<ObjectDigest>()
            + self.neighbors.len() * size_of::<Neighbor>()
            + ways * 2 * END * size_of::<(u32, u32)>()
            + self.statics.len() * size_of::<StaticDigest>()
            + self.keepers.len() * size_of::<Keeper>()
            + self.events.len() * size_of::<EventHandlers>()
            + self.pairs.len() * size_of::<PairDigest>()
    }
}

/// Computes the summary of a snapshot.
pub fn digest(snapshot: Snapshot, type_names: &TypeNames) -> Digest {
    let places = Places::new(&snapshot.address);
    let mut graph = object_graph(&snapshot, &places);
    let roots = by_kind(&snapshot, &places);
    let mut from = paths_from_roots(&graph, &snapshot, &roots, type_names);
    let unknown = roots_of_rest(&graph, &mut from);
    let pairs = pairs(&snapshot, &graph);
    let references = snapshot.references.len() as u64;
    // After the objects come a vertex for each kind of root, and one that connects them.
    let objects = graph.len() as u32;
    for (at, kind) in roots.iter().enumerate() {
        match RootKind::ALL[at] {
            RootKind::Unknown => graph.push(unknown.iter().copied()),
            RootKind::Weak => graph.push([]),
            _ => graph.push(kind.iter().map(|root| root.0)),
        }
    }
    graph.push(objects..objects + roots.len() as u32);
    let tree = dominators(&graph, objects + roots.len() as u32);
    let retained = retained_by_vertex(&snapshot, &tree, graph.len());
    let first_root = first_roots(&roots);
    let ways = GcRootPaths { snapshot: &snapshot, from: &from, first_root: &first_root };
    let (types, listed) = types_and_objects(&snapshot, &tree, &retained, &ways);
    let neighbors = neighbors(&snapshot, &graph, &retained, &listed);
    let listed = listed.into_iter().map(|object| object_digest(object, &retained, &ways)).collect();
    let events = event_handlers(&graph, type_names, &ways);
    let lasting_roots = RootKind::BY_PREFERENCE.iter().filter(|kind| **kind != RootKind::Stack);
    let lasting_roots = lasting_roots.flat_map(|kind| &roots[*kind as usize]).map(|root| root.0);
    let (lasting_tree, lasting) = lasting_retained(&mut graph, &snapshot, lasting_roots);
    let keepers = keepers(&snapshot, &first_root, (&lasting_tree, &lasting), (&tree, &retained));
    let mut of_kinds = [RootDigest::default(); 7];
    for root in &snapshot.roots {
        of_kinds[root.kind as usize].count += 1;
    }
    for (at, kind) in roots.iter().enumerate() {
        of_kinds[at].objects = kind.len() as u64;
        of_kinds[at].retained = retained[objects as usize + at];
    }
    of_kinds[RootKind::Unknown as usize].objects = unknown.len() as u64;
    let all = types.iter().fold(Tally::default(), |sum, one| Tally {
        count: sum.count + one.tally.count,
        bytes: sum.bytes.saturating_add(one.tally.bytes),
    });
    let mut statics: Vec<StaticDigest> = roots[RootKind::Static as usize]
        .iter()
        .map(|&(object, field)| StaticDigest {
            field,
            type_at: snapshot.type_at[object as usize],
            retained: lasting[object as usize],
        })
        .collect();
    sort_by_key(&mut statics, |one| (Reverse(one.retained), one.field));
    statics.truncate(MAX_LISTED);
    Digest {
        start: snapshot.start,
        end: snapshot.end,
        event: snapshot.event,
        all,
        references,
        types,
        objects: listed,
        neighbors,
        roots: of_kinds,
        statics,
        keepers,
        events,
        pairs,
        bytes_by_size: snapshot.bytes_by_size,
        is_partial: snapshot.is_partial,
    }
}

/// Returns, by object, the object that precedes it on its path from a root. Long-lived roots are preferred to local
/// variables, and paths through an event's delegate to direct ones.
fn paths_from_roots(
    graph: &References,
    snapshot: &Snapshot,
    roots: &[Vec<(u32, u32)>; 7],
    types: &TypeNames,
) -> Vec<u32> {
    let is_target = delegate_targets(graph, snapshot, types);
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for kind in RootKind::BY_PREFERENCE {
        let objects = roots[kind as usize].iter().map(|root| root.0);
        let (handling, others): (Vec<u32>, Vec<u32>) =
            objects.partition(|object| kind == RootKind::Stack && is_target[*object as usize]);
        groups.extend([others, handling]);
    }
    reached_from(graph, groups.iter().map(Vec::as_slice))
}

/// Positions of objects by address.
struct Places(FastMap<u64, u32>);

impl Places {
    fn new(addresses: &[u64]) -> Self {
        let mut places = FastMap::with_capacity_and_hasher(addresses.len(), FastBuildHasher::default());
        for (at, &address) in addresses.iter().enumerate() {
            places.entry(address).or_insert(at as u32);
        }
        Self(places)
    }

    /// Returns the position of the object at an address; `None` if there is none, as for 0.
    fn of(&self, address: u64) -> Option<u32> {
        self.0.get(&address).copied()
    }
}

fn object_graph(snapshot: &Snapshot, places: &Places) -> References {
    let objects = snapshot.address.len();
    let mut dependent: Vec<(u32, u32)> =
        snapshot.dependent.iter().filter_map(|(key, value)| Some((places.of(*key)?, places.of(*value)?))).collect();
    sort_by_key(&mut dependent, |pair| *pair);
    let mut dependent = dependent.into_iter().peekable();
    let mut graph = References::with_capacity(objects + RootKind::ALL.len() + 1, snapshot.references.len());
    for object in 0..objects {
        let recorded = snapshot.references_of(object).iter().filter_map(|address| places.of(*address));
        let of_it = std::iter::from_fn(|| dependent.next_if(|pair| pair.0 as usize == object).map(|pair| pair.1));
        graph.push(recorded.chain(of_it));
    }
    graph
}

/// Counts references by pair of types.
fn pairs(snapshot: &Snapshot, graph: &References) -> Vec<PairDigest> {
    let mut pairs: FastMap<(u32, u32), u64> = FastMap::default();
    for (object, &from) in (0u32..).zip(&snapshot.type_at) {
        for &target in graph.of(object) {
            let pair = (from, snapshot.type_at[target as usize]);
            if let Some(references) = pairs.get_mut(&pair) {
                *references += 1;
            } else if pairs.len() < MAX_PAIRS {
                pairs.insert(pair, 1);
            }
        }
    }
    let digest = |((from, to), references)| PairDigest { from, to, references };
    let mut pairs: Vec<PairDigest> = pairs.into_iter().map(digest).collect();
    sort_by_key(&mut pairs, |pair| (Reverse(pair.references), pair.from, pair.to));
    pairs.truncate(PAIRS_KEPT);
    pairs
}

/// Returns, by kind of root, the referenced objects without duplicates, and the name of the field.
fn by_kind(snapshot: &Snapshot, places: &Places) -> [Vec<(u32, u32)>; 7] {
    let mut kinds: [Vec<(u32, u32)>; 7] = Default::default();
    for Root { kind, address, field } in &snapshot.roots {
        kinds[*kind as usize].extend(places.of(*address).map(|object| (object, *field)));
    }
    for kind in &mut kinds {
        sort_by_key(kind, |root| *root);
        kind.dedup_by_key(|root| root.0);
    }
    kinds
}

/// Returns the preferred root of each object that a root refers to.
fn first_roots(roots: &[Vec<(u32, u32)>; 7]) -> FastMap<u32, (RootKind, u32)> {
    let mut first = FastMap::default();
    for kind in RootKind::BY_PREFERENCE {
        for &(object, field) in &roots[kind as usize] {
            first.entry(object).or_insert((kind, field));
        }
    }
    first
}

/// Returns the retained size of each vertex in bytes.
pub fn retained_by_vertex(snapshot: &Snapshot, tree: &Dominators, vertices: usize) -> Vec<u64> {
    let size = |vertex: u32| snapshot.size.get(vertex as usize).copied().unwrap_or(0);
    let mut by_position: Vec<u64> = tree.order.iter().map(|vertex| size(*vertex)).collect();
    for at in (1..by_position.len()).rev() {
        let above = tree.immediate[at] as usize;
        by_position[above] = by_position[above].saturating_add(by_position[at]);
    }
    let mut retained = vec![0; vertices];
    for (at, &vertex) in tree.order.iter().enumerate() {
        retained[vertex as usize] = by_position[at];
    }
    retained
}

/// Returns types with their retained sizes, and the positions of the objects with the largest retained size.
fn types_and_objects(
    snapshot: &Snapshot,
    tree: &Dominators,
    retained: &[u64],
    ways: &GcRootPaths<'_>,
) -> (Vec<TypeDigest>, Vec<u32>) {
    let tally = |tally: &Tally| TypeDigest { tally: *tally, ..TypeDigest::default() };
    let mut types: Vec<TypeDigest> = snapshot.by_type.iter().map(tally).collect();
    for (size, of) in snapshot.size.iter().zip(&snapshot.type_at) {
        let largest = &mut types[*of as usize].largest;
        *largest = (*largest).max(*size);
    }
    // By type: the object with the largest retained size among those that no other object of the type dominates.
    let mut most: Vec<u32> = vec![NONE; types.len()];
    let mut largest: Vec<(u64, u32)> = Vec::new();
    outermost(snapshot, tree, |object| {
        let of = snapshot.type_at[object as usize] as usize;
        let bytes = retained[object as usize];
        types[of].retained = types[of].retained.saturating_add(bytes);
        if most[of] == NONE || retained[most[of] as usize] < bytes {
            most[of] = object;
        }
        largest.push((bytes, object));
        if largest.len() >= 4 * MAX_LISTED {
            keep_largest(&mut largest);
        }
    });
    keep_largest(&mut largest);
    let mut by_retained: Vec<usize> = (0..types.len()).filter(|at| most[*at] != NONE).collect();
    sort_by_key(&mut by_retained, |at| Reverse(types[*at].retained));
    for at in by_retained.into_iter().take(MAX_WAYS) {
        types[at].way = Some(ways.to(most[at]));
    }
    (types, largest.into_iter().map(|(_, object)| object).collect())
}

fn object_digest(object: u32, retained: &[u64], ways: &GcRootPaths<'_>) -> ObjectDigest {
    let at = object as usize;
    ObjectDigest {
        address: ways.snapshot.address[at],
        size: ways.snapshot.size[at],
        type_at: ways.snapshot.type_at[at],
        retained: retained[at],
        way: ways.to(object),
    }
}

fn keep_largest(largest: &mut Vec<(u64, u32)>) {
    sort_by_key(largest, |one| (Reverse(one.0), one.1));
    largest.truncate(MAX_LISTED);
}

/// Visits each object that no other object of its type dominates: a chain of objects of one type counts as one.
fn outermost(snapshot: &Snapshot, tree: &Dominators, mut visit: impl FnMut(u32)) {
    let count = tree.order.len();
    let (mut first, mut next) = (vec![NONE; count], vec![NONE; count]);
    for at in (1..count).rev() {
        let above = tree.immediate[at] as usize;
        (next[at], first[above]) = (first[above], at as u32);
    }
    // Number of dominating objects of each type on the current path.
    let mut above = vec![0u32; snapshot.by_type.len()];
    let type_of = |at: u32| snapshot.type_at.get(tree.order[at as usize] as usize).copied();
    let mut open: Vec<u32> = vec![0];
    while let Some(&at) = open.last() {
        let child = first[at as usize];
        if child == NONE {
            open.pop();
            if let Some(of) = type_of(at) {
                above[of as usize] -= 1;
            }
            continue;
        }
        first[at as usize] = next[child as usize];
        if let Some(of) = type_of(child) {
            if above[of as usize] == 0 {
                visit(tree.order[child as usize]);
            }
            above[of as usize] += 1;
        }
        open.push(child);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clr::known::payload::{HeapNode, HeapRoot};

    /// Returns a snapshot of 32-byte objects of eight types, most of which refer to nearby objects and some to any.
    fn random(count: u64) -> Snapshot {
        let mut state = 1u64;
        let mut next = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        let address = |at: u64| 0x7f00_0000_0000 + at * 32;
        let mut snapshot = Snapshot::new(0, EventId(0));
        let mut targets = Vec::new();
        let nodes: Vec<HeapNode> = (0..count)
            .map(|at| {
                let edges = next(4);
                for _ in 0..edges {
                    let target = if next(8) == 0 { next(count) } else { (at + 1 + next(64)) % count };
                    targets.push(address(target));
                }
                HeapNode { address: address(at), size: 32, type_id: at % 8, edges }
            })
            .collect();
        snapshot.add_nodes(0, nodes.into_iter(), |id| id as u32);
        snapshot.add_references(0, targets.into_iter());
        let roots = (0..count).step_by(1000).map(|at| HeapRoot { address: address(at), kind: 2, flags: 0 });
        snapshot.add_roots(roots);
        snapshot
    }

    #[test]
    fn retained_sizes_of_random_heap_are_consistent() {
        let count = 50_000;
        let digest = digest(random(count), &TypeNames::default());
        assert_eq!((digest.all.count, digest.all.bytes), (count, count * 32));
        let by_roots: u64 = digest.roots.iter().map(|one| one.retained).sum();
        assert!(by_roots <= digest.all.bytes && by_roots > 0);
        for one in &digest.types {
            assert!(
                one.retained >= one.tally.bytes && one.retained <= digest.all.bytes,
                "all of its objects, and more"
            );
        }
        assert!(digest.objects.is_sorted_by_key(|one| Reverse(one.retained)));
        assert!(digest.objects.iter().all(|one| one.way.root.is_some()));
        assert!(digest.keepers.is_sorted_by_key(|one| Reverse(one.retained)));
        let by_keepers: u64 = digest.keepers.iter().map(|one| one.retained).sum();
        assert!(by_keepers <= digest.all.bytes && by_keepers > 0, "no object counts for two");
        assert!(digest.keepers[0].types.iter().all(|(_, tally)| tally.bytes > 0));
        assert_eq!(digest.pairs.len(), 64);
    }
}
