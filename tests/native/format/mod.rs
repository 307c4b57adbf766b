//! The wire formats of recordings, against other readers and what the traced programs wrote.

mod payloads;
mod reference;
