//! Reads traces into a store and answers questions about them.
//!
//! | module | contents | uses |
//! |---|---|---|
//! | [`clr`] | what the events of known .NET providers mean: the runtime's manifest, method and type names | `nettrace` |
//! | [`model`] | the store: columns of events, threads, stacks, strings, symbols | `clr` |
//! | [`analysis`] | functions from the store to tables | `model`, `protocol` |
//! | [`session`] | owns a store and its file, answers requests | all of the above |

pub mod analysis;
pub mod clr;
pub mod model;
pub mod session;
