//! What known .NET providers mean.
//!
//! The runtime's own providers write events without names and without field lists, so a reader needs
//! to know them. This layer knows which event is which ([`known`]), what its payload holds
//! ([`known::payload`]), and how method names read ([`names`]).

pub mod known;
pub mod manifest;
pub mod provider;

pub use known::KnownEvent;
pub use provider::Provider;
