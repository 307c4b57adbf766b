//! What known .NET providers mean.
//!
//! The runtime's own providers write events without names and without field lists, so a reader needs
//! to know them. This layer knows which event is which ([`known`]), what the fields of each are and
//! what their numbers mean ([`manifest`]), how to read the ones that matter without decoding the rest
//! ([`known::payload`]), how methods, types and modules are called ([`names`]), and which .NET it was
//! ([`runtime_version()`]).

mod async_frames;
mod dynamic_event;
mod event_source_guid;
pub mod known;
pub mod manifest;
pub mod names;
pub mod pdb;
pub mod provider;
pub mod runtime_version;
pub mod source_names;

pub use async_frames::AsyncFrame;
pub use dynamic_event::{committed_usage, dynamic_fields, dynamic_version};
pub use event_source_guid::event_source_guid;
pub use known::KnownEvent;
pub use provider::Provider;
pub use runtime_version::runtime_version;
