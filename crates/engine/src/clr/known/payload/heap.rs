//! Events of a heap snapshot: objects, references, roots, and type names.
//!
//! Each event has a count and that many entries. Truncated events are read as far as possible, regardless of the count.

use super::cursor::{Cursor, Utf16Text};

/// Object on the heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeapNode {
    pub address: u64,
    /// Size in bytes.
    pub size: u64,
    pub type_id: u64,
    /// Number of references. Events with references contain this many entries for the object, in the same order.
    pub edges: u64,
}

/// Root that keeps an object alive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeapRoot {
    /// Object; 0 for none.
    pub address: u64,
    /// 0 stack, 1 finalizer, 2 handle, 3 other.
    pub kind: u8,
    /// Bits: 1 pinning, 2 weak, 4 interior, 8 counted.
    pub flags: u32,
}

/// Static field that refers to an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StaticRoot<'d> {
    pub address: u64,
    /// Name of the field, without its type's.
    pub field: Utf16Text<'d>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeName<'d> {
    /// ID in other events.
    pub type_id: u64,
    /// Module that declares the type; 0 if unknown. Arrays belong to the runtime's module.
    pub module: u64,
    /// Bits: 1 delegate, 2 with a finalizer, 8 array.
    pub flags: u32,
    /// Name in the runtime's notation.
    pub name: Utf16Text<'d>,
}

/// Memory range that Mono searches for references to objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MonoRootRange {
    /// Start address.
    pub start: u64,
    /// Size in bytes.
    pub size: u64,
    /// Kind of memory, as a `MonoGCRootSource`.
    pub source: u8,
}

/// Returns the index of the event among its kind in a snapshot, its count, and a reader at its entries (event IDs 16 to
/// 19).
fn numbered(payload: &[u8], pointer_size: u8) -> Option<(u32, u32, Cursor<'_>)> {
    let mut cursor = Cursor::new(payload, pointer_size);
    let (index, count, _clr_instance) = (cursor.u32()?, cursor.u32()?, cursor.u16()?);
    Some((index, count, cursor))
}

/// Reads at most `count` entries with `next`, up to the first `None`.
fn entries<'d, T>(
    count: u32,
    mut cursor: Cursor<'d>,
    mut next: impl FnMut(&mut Cursor<'d>) -> Option<T>,
) -> impl Iterator<Item = T> {
    (0..count).map_while(move |_| next(&mut cursor))
}

/// Returns the objects of a `GCBulkNode`, and the index of the event. `pointer_size` is 4 or 8.
pub fn heap_nodes(payload: &[u8], pointer_size: u8) -> Option<(u32, impl Iterator<Item = HeapNode>)> {
    let (index, count, cursor) = numbered(payload, pointer_size)?;
    let node = |cursor: &mut Cursor<'_>| {
        Some(HeapNode { address: cursor.pointer()?, size: cursor.u64()?, type_id: cursor.u64()?, edges: cursor.u64()? })
    };
    Some((index, entries(count, cursor, node)))
}

/// Returns the referenced addresses of a `GCBulkEdge`, and the index of the event. `pointer_size` is 4 or 8.
pub fn heap_edges(payload: &[u8], pointer_size: u8) -> Option<(u32, impl Iterator<Item = u64>)> {
    let (index, count, cursor) = numbered(payload, pointer_size)?;
    let edge = |cursor: &mut Cursor<'_>| {
        let target = cursor.pointer()?;
        cursor.u32().map(|_field| target)
    };
    Some((index, entries(count, cursor, edge)))
}

/// Returns the entries of a `GCBulkRootEdge`. `pointer_size` is 4 or 8.
pub fn heap_roots(payload: &[u8], pointer_size: u8) -> Option<impl Iterator<Item = HeapRoot>> {
    let (_, count, cursor) = numbered(payload, pointer_size)?;
    let root = |cursor: &mut Cursor<'_>| {
        let root = HeapRoot { address: cursor.pointer()?, kind: cursor.u8()?, flags: cursor.u32()? };
        cursor.pointer().map(|_root| root)
    };
    Some(entries(count, cursor, root))
}

/// Returns the pairs of a `GCBulkRootConditionalWeakTableElementEdge`: the first object keeps the second alive.
/// `pointer_size` is 4 or 8.
pub fn dependent_objects(payload: &[u8], pointer_size: u8) -> Option<impl Iterator<Item = (u64, u64)>> {
    let (_, count, cursor) = numbered(payload, pointer_size)?;
    let pair = |cursor: &mut Cursor<'_>| {
        let pair = (cursor.pointer()?, cursor.pointer()?);
        cursor.pointer().map(|_root| pair)
    };
    Some(entries(count, cursor, pair))
}

/// Returns an object of a Mono heap dump (`GCHeapDumpObjectReference`), and the addresses that it refers to.
/// `pointer_size` is 4 or 8.
pub fn mono_object(payload: &[u8], pointer_size: u8) -> Option<(HeapNode, impl Iterator<Item = u64>)> {
    let mut cursor = Cursor::new(payload, pointer_size);
    let (address, type_id, size) = (cursor.pointer()?, cursor.u64()?, cursor.u64()?);
    let (_generation, count) = (cursor.u8()?, cursor.u32()?);
    let target = |cursor: &mut Cursor<'_>| {
        let _offset = cursor.u32()?;
        cursor.pointer()
    };
    let node = HeapNode { address, size, type_id, edges: u64::from(count) };
    Some((node, entries(count, cursor, target)))
}

/// Returns the entries of a `GCRoots` event of Mono: objects that are kept alive, and the addresses that refer to them.
/// `pointer_size` is 4 or 8.
pub fn mono_roots(payload: &[u8], pointer_size: u8) -> Option<impl Iterator<Item = (u64, u64)>> {
    let mut cursor = Cursor::new(payload, pointer_size);
    let count = cursor.u32()?;
    Some(entries(count, cursor, |cursor| Some((cursor.pointer()?, cursor.pointer()?))))
}

/// Returns the range of a `GCRootRegister` event of Mono. `pointer_size` is 4 or 8.
pub fn mono_root_range(payload: &[u8], pointer_size: u8) -> Option<MonoRootRange> {
    let mut cursor = Cursor::new(payload, pointer_size);
    Some(MonoRootRange { start: cursor.pointer()?, size: cursor.u64()?, source: cursor.u8()? })
}

/// Returns the start of the range of a `GCRootUnregister` event of Mono. `pointer_size` is 4 or 8.
pub fn mono_root_range_end(payload: &[u8], pointer_size: u8) -> Option<u64> {
    Cursor::new(payload, pointer_size).pointer()
}

/// Returns the class name of a Mono vtable (`GCHeapDumpVTableClassReference`); objects have vtables as types.
pub fn mono_vtable_class(payload: &[u8]) -> Option<TypeName<'_>> {
    let mut cursor = Cursor::new(payload, 8);
    let (type_id, _class, _module) = (cursor.u64()?, cursor.u64()?, cursor.u64()?);
    Some(TypeName { type_id, module: 0, flags: 0, name: cursor.text()? })
}

/// Returns the name of a Mono class (`ClassLoaded`).
pub fn mono_class(payload: &[u8]) -> Option<TypeName<'_>> {
    let mut cursor = Cursor::new(payload, 8);
    let (type_id, _module) = (cursor.u64()?, cursor.u64()?);
    Some(TypeName { type_id, module: 0, flags: 0, name: cursor.text()? })
}

/// Returns a Mono vtable and its class (`VTableLoaded`).
pub fn mono_vtable(payload: &[u8]) -> Option<(u64, u64)> {
    let mut cursor = Cursor::new(payload, 8);
    Some((cursor.u64()?, cursor.u64()?))
}

/// Returns the fields of a `GCBulkRootStaticVar`.
pub fn static_roots(payload: &[u8]) -> Option<impl Iterator<Item = StaticRoot<'_>>> {
    let mut cursor = Cursor::new(payload, 8);
    let (count, _domain, _clr_instance) = (cursor.u32()?, cursor.u64()?, cursor.u16()?);
    Some(entries(count, cursor, |cursor| {
        let (_root, address) = (cursor.u64()?, cursor.u64()?);
        let (_type_id, _flags) = (cursor.u64()?, cursor.u32()?);
        Some(StaticRoot { address, field: cursor.text()? })
    }))
}

/// Returns the types of a `BulkType`.
pub fn type_names(payload: &[u8]) -> Option<impl Iterator<Item = TypeName<'_>>> {
    let mut cursor = Cursor::new(payload, 8);
    let (count, _clr_instance) = (cursor.u32()?, cursor.u16()?);
    Some(entries(count, cursor, |cursor| {
        let (type_id, module) = (cursor.u64()?, cursor.u64()?);
        let (_name_id, flags, _element) = (cursor.u32()?, cursor.u32()?, cursor.u8()?);
        let name = cursor.text()?;
        let parameters = cursor.u32()? as usize;
        cursor.bytes(parameters.checked_mul(8)?)?;
        Some(TypeName { type_id, module, flags, name })
    }))
}

#[cfg(test)]
mod tests {
    use super::super::cursor::testing::utf16;
    use super::*;

    fn words(values: &[u32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn long(values: &[u64]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn truncated_entries_are_skipped() {
        let nodes = [words(&[4, u32::MAX]), vec![0, 0], long(&[0x10, 24, 7, 2]), long(&[0x28, 32])].concat();
        let (index, found) = heap_nodes(&nodes, 8).expect("a header");
        let first = HeapNode { address: 0x10, size: 24, type_id: 7, edges: 2 };
        assert_eq!((index, found.collect::<Vec<_>>()), (4, vec![first]));
        let edges = [words(&[0, 1]), vec![0, 0], words(&[0x28, 0, 0x30, 0])].concat();
        assert_eq!(heap_edges(&edges, 4).expect("a header").1.collect::<Vec<_>>(), [0x28], "no more than it counts");
        assert!(heap_edges(&[0; 9], 8).is_none());
    }

    #[test]
    fn roots_decode_kinds_and_static_fields() {
        let roots = [words(&[0, 1]), vec![0, 0], words(&[0x28]), vec![2], words(&[1, 0x99])].concat();
        let root = HeapRoot { address: 0x28, kind: 2, flags: 1 };
        assert_eq!(heap_roots(&roots, 4).expect("a header").collect::<Vec<_>>(), [root]);
        let pairs = [words(&[0, 1]), vec![0, 0], words(&[1, 2, 3])].concat();
        assert_eq!(dependent_objects(&pairs, 4).expect("a header").collect::<Vec<_>>(), [(1, 2)]);
        let fields = [words(&[1]), long(&[0]), vec![0, 0], long(&[5, 0x28, 7]), words(&[0]), utf16("s_all")].concat();
        let found: Vec<_> = static_roots(&fields).expect("a header").collect();
        assert_eq!((found[0].address, found[0].field.to_string()), (0x28, "s_all".to_owned()));
    }

    #[test]
    fn mono_objects_and_vtables_decode() {
        let object = [words(&[0x10]), long(&[5, 64]), vec![0], words(&[9, 8, 0x20, 8, 0x30, 8])].concat();
        let (node, targets) = mono_object(&object, 4).expect("a header");
        assert_eq!(node, HeapNode { address: 0x10, size: 64, type_id: 5, edges: 9 });
        assert_eq!(targets.collect::<Vec<_>>(), [0x20, 0x30], "as many as there are");
        let roots = [words(&[2]), long(&[0x10, 1, 0x20])].concat();
        assert_eq!(mono_roots(&roots, 8).expect("a header").collect::<Vec<_>>(), [(0x10, 1)]);
        let range = [words(&[0x40]), long(&[16]), vec![3], long(&[0]), utf16("Static Fields")].concat();
        assert_eq!(mono_root_range(&range, 4), Some(MonoRootRange { start: 0x40, size: 16, source: 3 }));
        assert_eq!((mono_root_range(&range[..12], 4), mono_root_range_end(&range, 4)), (None, Some(0x40)));
        let name = |found: Option<TypeName<'_>>| found.map(|one| (one.type_id, one.name.to_string()));
        let page = [long(&[5, 6, 7]), utf16("App.Page")].concat();
        assert_eq!(name(mono_vtable_class(&page)), Some((5, "App.Page".to_owned())));
        assert_eq!(name(mono_class(&page[8..])), Some((6, "App.Page".to_owned())));
        assert_eq!((mono_vtable(&page), mono_vtable(&page[..9])), (Some((5, 6)), None));
    }

    #[test]
    fn bulk_types_decode_names_and_parameters() {
        let one = |id: u64, name: &str, parameters: &[u64]| {
            let head = [long(&[id, 0]), words(&[0, 0]), vec![0x12], utf16(name)].concat();
            [head, words(&[parameters.len() as u32]), long(parameters)].concat()
        };
        let payload = [words(&[2]), vec![0, 0], one(7, "List`1[Book]", &[8]), one(8, "Book", &[])].concat();
        let found: Vec<_> =
            type_names(&payload).expect("a header").map(|one| (one.type_id, one.name.to_string())).collect();
        assert_eq!(found, [(7, "List`1[Book]".to_owned()), (8, "Book".to_owned())]);
        let absurd = [words(&[2]), vec![0, 0], long(&[7, 0]), words(&[0, 0]), vec![0], utf16("A"), words(&[u32::MAX])];
        assert_eq!(type_names(&absurd.concat()).expect("a header").count(), 0);
    }
}
