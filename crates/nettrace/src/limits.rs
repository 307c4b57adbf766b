//! Bounds that protect from damaged or hostile files. Far above anything a writer produces.

/// The largest block whose size is believed. The runtimes write about 100 KB, version 6 cannot exceed 16 MiB.
pub(crate) const MAX_BLOCK_BYTES: u64 = 64 << 20;

/// How far one step of the search for the next block looks, and with that the largest [`crate::Damage`] item.
pub(crate) const SEARCH_WINDOW_BYTES: usize = 1 << 20;

/// The longest type name of an object. The longest known one has 38 bytes.
pub(crate) const MAX_TYPE_NAME_BYTES: usize = 128;

/// How deep field types may nest.
pub(crate) const MAX_FIELD_DEPTH: usize = 32;

/// How many values one payload may decode to. A payload of 64 KiB of bytes decodes to fewer.
pub(crate) const MAX_VALUES_PER_PAYLOAD: usize = 1 << 20;
