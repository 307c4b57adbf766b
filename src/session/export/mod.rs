//! Listings of a whole trace for other programs, in the conventions that readers of this format share.

mod derived;
mod digest;
mod inventory;
pub mod json;
pub mod payload;
mod schemas;
pub mod stacks;

pub use derived::{DerivedFields, NamedValues};
pub use digest::{Digest, StackHashes, digest, fnv};
pub use inventory::{ThreadTotals, TypeTotals, threads, types};
pub use schemas::{Schema, schemas};
