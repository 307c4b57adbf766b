//! Containers: the header of a trace, and how its blocks are told apart.

pub(crate) mod blocks;
pub(crate) mod header;
pub(crate) mod object;
pub(crate) mod objects;
pub(crate) mod records;
pub(crate) mod start;
pub(crate) mod tail;
