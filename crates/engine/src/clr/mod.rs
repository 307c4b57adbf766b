//! Built-in knowledge about .NET providers.
//!
//! The runtime writes its own events without names and fields, so readers must know them. This module identifies events
//! ([`known`]), contains their fields and the meanings of numbers ([`manifest`]), reads important fields without
//! decoding the rest ([`known::payload`]), formats names of methods, types and modules ([`names`]), and detects the
//! version of .NET ([`runtime_version()`]).

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
pub use dynamic_event::{dynamic_fields, dynamic_version};
pub use event_source_guid::event_source_guid;
pub use known::KnownEvent;
pub use provider::Provider;
pub use runtime_version::runtime_version;
