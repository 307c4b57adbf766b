//! Metadata records of each format version.

pub(crate) mod v1;
pub(crate) mod v5;
pub(crate) mod v6;
