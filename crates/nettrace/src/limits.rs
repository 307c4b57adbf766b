//! Limits that protect against damaged and crafted files, far above anything that writers produce.

/// Largest accepted size of a block. The runtimes write about 100 KB; version 6 can't exceed 16 MiB.
pub(crate) const MAX_BLOCK_BYTES: u64 = 64 << 20;

/// Number of bytes that one step of the search for the next block examines, which limits the size of a
/// [`crate::Damage`] item.
pub(crate) const SEARCH_WINDOW_BYTES: usize = 1 << 20;

/// Longest accepted type name of an object. The longest known one has 38 bytes.
pub(crate) const MAX_TYPE_NAME_BYTES: usize = 128;

/// Maximum nesting of field types.
pub(crate) const MAX_FIELD_DEPTH: usize = 32;

/// Maximum number of values of one payload. A payload of 64 KiB has fewer.
pub(crate) const MAX_VALUES_PER_PAYLOAD: usize = 1 << 20;
