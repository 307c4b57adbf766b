//! The content of a heap snapshot, assembled from its events.
//!
//! Objects and references come in two sequences of events. Each object has its number of references, and the next
//! references of that number belong to it. After a lost event, references can't be assigned to objects anymore.

use crate::clr::known::payload::{HeapNode, HeapRoot};
use protocol::base::ids::EventId;
use protocol::named;

/// Bounds of object sizes: 1, 2, 5, 10, …
pub const SIZES: [u64; 45] = {
    let mut sizes = [0; 45];
    let (mut at, mut decade) = (0, 1);
    while at + 3 <= sizes.len() {
        (sizes[at], sizes[at + 1], sizes[at + 2]) = (decade, 2 * decade, 5 * decade);
        (at, decade) = (at + 3, decade * 10);
    }
    sizes
};

/// Maximum number of objects stored with their references; further ones are only counted.
pub const MAX_OBJECTS: usize = 12_000_000;
/// Maximum number of references stored.
const MAX_REFERENCES: usize = 48_000_000;
/// Maximum number of roots stored.
pub const MAX_ROOTS: usize = 4_000_000;

/// Flag of a weak handle, which doesn't keep its object alive.
const WEAK: u32 = 2;

named! {
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum RootKind {
        Static: "Static field";
        /// A handle of the runtime or of native code.
        Handle: "Handle";
        /// A local variable of a running method.
        Stack: "Stack";
        /// An object that waits for its finalizer.
        Finalizer: "Finalizer queue";
        /// Any other root that the GC reports.
        Other: "Other";
        /// A handle that doesn't keep its object alive.
        Weak: "Weak handle (not a root)";
        /// No known root, for objects that are in the snapshot without a path from a root.
        Unknown: "No known root";
    }
    /// Returns the name for users.
    fn words;
}

impl RootKind {
    /// Roots that keep objects alive, in order of preference for paths: long-lived roots before local variables.
    pub const BY_PREFERENCE: [Self; 5] = [Self::Static, Self::Handle, Self::Other, Self::Finalizer, Self::Stack];

    /// Returns the kind of root for a range that Mono registered (`MonoGCRootSource`).
    pub fn of_mono(source: u8) -> Self {
        match source {
            1 => Self::Stack,
            2 => Self::Finalizer,
            3..=5 => Self::Static,
            6 | 14 => Self::Handle,
            _ => Self::Other,
        }
    }

    fn of(root: &HeapRoot) -> Self {
        match root.kind {
            _ if root.flags & WEAK != 0 => Self::Weak,
            0 => Self::Stack,
            1 => Self::Finalizer,
            2 => Self::Handle,
            _ => Self::Other,
        }
    }
}

/// A root and the object that it refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Root {
    pub kind: RootKind,
    /// 0 for a null reference.
    pub address: u64,
    /// Position of the field's name in the texts.
    pub field: u32,
}

/// Number and bytes of objects of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    pub count: u64,
    pub bytes: u64,
}

/// The objects of a process at one time.
#[derive(Debug)]
pub struct Snapshot {
    /// Start in nanoseconds, and the first event.
    pub start: i64,
    pub event: EventId,
    /// Time of the last event.
    pub end: i64,
    /// All objects, by position of the type.
    pub by_type: Vec<Tally>,
    /// Addresses of the objects that are stored, in file order.
    pub address: Vec<u64>,
    pub size: Vec<u64>,
    /// Position of the type, by object.
    pub type_at: Vec<u32>,
    /// Position of the object's first reference; they end where those of the next object begin.
    pub first_reference: Vec<u32>,
    /// Addresses of the referenced objects.
    pub references: Vec<u64>,
    pub roots: Vec<Root>,
    /// Pairs in which the first object keeps the second alive.
    pub dependent: Vec<(u64, u64)>,
    /// Bytes of objects by size: those of at least `SIZES[i]` bytes, and less than the next size.
    pub bytes_by_size: [u64; SIZES.len()],
    /// True if an event is lost, or a limit was reached.
    pub is_partial: bool,
    next_reference: u64,
    next_nodes: u32,
    next_edges: u32,
    is_cut: bool,
    is_cut_short: bool,
}

impl Snapshot {
    /// Returns an empty snapshot.
    pub fn new(start: i64, event: EventId) -> Self {
        Self {
            start,
            event,
            end: start,
            by_type: Vec::new(),
            address: Vec::new(),
            size: Vec::new(),
            type_at: Vec::new(),
            first_reference: Vec::new(),
            references: Vec::new(),
            roots: Vec::new(),
            dependent: Vec::new(),
            bytes_by_size: [0; SIZES.len()],
            is_partial: false,
            next_reference: 0,
            next_nodes: 0,
            next_edges: 0,
            is_cut: false,
            is_cut_short: false,
        }
    }

    /// Returns whether it has no objects.
    pub fn is_empty(&self) -> bool {
        self.by_type.is_empty()
    }

    /// Adds the objects of an event, with the positions of their types.
    pub fn add_nodes(
        &mut self,
        index: u32,
        nodes: impl Iterator<Item = HeapNode>,
        mut type_of: impl FnMut(u64) -> u32,
    ) {
        if index != self.next_nodes {
            (self.is_partial, self.is_cut) = (true, true);
        }
        self.next_nodes = index.wrapping_add(1);
        for node in nodes {
            let of = type_of(node.type_id);
            if self.by_type.len() <= of as usize {
                self.by_type.resize(of as usize + 1, Tally::default());
            }
            let tally = &mut self.by_type[of as usize];
            tally.count += 1;
            tally.bytes = tally.bytes.saturating_add(node.size);
            let bin = SIZES.partition_point(|least| *least <= node.size).saturating_sub(1);
            self.bytes_by_size[bin] = self.bytes_by_size[bin].saturating_add(node.size);
            if self.address.len() >= MAX_OBJECTS {
                self.is_partial = true;
                continue;
            }
            self.address.push(node.address);
            self.size.push(node.size);
            self.type_at.push(of);
            self.first_reference.push(u32::try_from(self.next_reference).unwrap_or(u32::MAX));
            // After a gap, references can't be assigned to objects.
            self.next_reference = self.next_reference.saturating_add(if self.is_cut { 0 } else { node.edges });
        }
    }

    /// Adds the references of an event.
    pub fn add_references(&mut self, index: u32, targets: impl Iterator<Item = u64>) {
        if index != self.next_edges {
            (self.is_partial, self.is_cut_short) = (true, true);
        }
        self.next_edges = index.wrapping_add(1);
        if !self.is_cut_short {
            let room = MAX_REFERENCES - self.references.len();
            let before = self.references.len();
            self.references.extend(targets.take(room));
            self.is_partial |= self.references.len() - before == room;
        }
    }

    /// Adds an object with its references. A large object may come in several consecutive parts.
    pub fn add_object(&mut self, node: HeapNode, targets: impl Iterator<Item = u64>, type_at: u32) {
        let before = self.references.len();
        self.add_references(self.next_edges, targets);
        let edges = (self.references.len() - before) as u64;
        if self.address.last() == Some(&node.address) {
            self.next_reference = self.next_reference.saturating_add(edges);
        } else {
            self.add_nodes(self.next_nodes, std::iter::once(HeapNode { edges, ..node }), |_| type_at);
        }
    }

    /// Adds the roots of an event.
    pub fn add_roots(&mut self, roots: impl Iterator<Item = HeapRoot>) {
        let room = MAX_ROOTS.saturating_sub(self.roots.len());
        self.roots
            .extend(roots.map(|root| Root { kind: RootKind::of(&root), address: root.address, field: 0 }).take(room));
    }

    pub fn add_static(&mut self, address: u64, field: u32) {
        if self.roots.len() < MAX_ROOTS {
            self.roots.push(Root { kind: RootKind::Static, address, field });
        }
    }

    /// Adds a root without a name.
    pub fn add_root(&mut self, kind: RootKind, address: u64) {
        if self.roots.len() < MAX_ROOTS {
            self.roots.push(Root { kind, address, field: 0 });
        }
    }

    /// Adds pairs in which the first object keeps the second alive.
    pub fn add_dependent(&mut self, pairs: impl Iterator<Item = (u64, u64)>) {
        let room = MAX_ROOTS.saturating_sub(self.dependent.len());
        self.dependent.extend(pairs.take(room));
    }

    /// Returns the addresses to which the object at a position refers.
    pub fn references_of(&self, object: usize) -> &[u64] {
        let first = self.first_reference[object] as usize;
        let next = self.first_reference.get(object + 1).map_or(self.next_reference, |next| u64::from(*next));
        let end = usize::try_from(next).unwrap_or(usize::MAX).min(self.references.len());
        self.references.get(first..end).unwrap_or(&[])
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.address.len() * (2 * size_of::<u64>() + 2 * size_of::<u32>())
            + self.references.len() * size_of::<u64>()
            + self.roots.len() * size_of::<Root>()
            + self.by_type.len() * size_of::<Tally>()
    }
}
