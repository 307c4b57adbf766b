//! Listings of a whole trace for other programs, in the conventions that readers of this format share.

mod digest;
mod folded;
mod inventory;

pub use digest::{Digest, StackHashes, digest, fnv};
pub use folded::{FoldedStack, folded_stacks};
pub use inventory::{ThreadTotals, TypeTotals, threads, types};
