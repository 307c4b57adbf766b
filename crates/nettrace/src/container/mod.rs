//! Containers: the header of a trace, and the framing of its blocks.

pub(crate) mod block_chain;
pub(crate) mod blocks;
mod header;
mod latest_timestamp;
pub(crate) mod object;
pub(crate) mod objects;
pub(crate) mod records;
pub(crate) mod start;
mod system_time;

pub use header::{Container, Header};
pub use latest_timestamp::latest_timestamp;
pub use system_time::SystemTime;
