//! Spans: paired start and stop events of any provider.

pub mod index;
pub(crate) mod names;
pub mod request_times;
pub(crate) mod roles;
pub(crate) mod routes;
pub mod search;
#[cfg(test)]
pub(crate) mod search_tests;
pub mod traced;
mod unkeyed;
pub(crate) mod work;
