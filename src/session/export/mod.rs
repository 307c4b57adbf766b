//! Listings of a whole trace for other programs, in the conventions that readers of this format share.

mod digest;
mod inventory;

pub use digest::{Digest, StackHashes, digest, fnv};
pub use inventory::{ThreadTotals, TypeTotals, threads, types};
