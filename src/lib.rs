//! Traceglass reads .NET EventPipe traces and answers questions about them.
//!
//! The layers, each knowing only those to its left:
//!
//! ```text
//! nettrace → clr → model → analysis → protocol → session → { worker, cli, view → ui }
//! ```
//!
//! | layer | what lives there |
//! |---|---|
//! | [`nettrace`] | the wire formats: bytes to blocks, event headers, metadata, typed payload values |
//! | [`clr`] | what known providers mean: manifest of the runtime's events, method and type names |
//! | [`model`] | the store: columns of events, threads, stacks, strings, symbols |
//! | [`analysis`] | questions: pure functions from the store to tables |
//! | [`protocol`] | the vocabulary between a session and whoever asks it |
//! | [`session`] | owns a store and its bytes, answers requests |
//! | `worker` | carries requests and answers between a page and a session in a web worker |
//! | `cli` | the native twin: the same session on a command line |
//! | [`view`] | presentation without a browser: time scales, layouts, draw lists, formats |
//! | `ui` | the page |

pub mod view;

pub use engine::{analysis, clr, session};
pub use nettrace;
pub use protocol;

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "ui")]
pub mod ui;
#[cfg(feature = "worker")]
pub mod worker;

/// The store and what identifies its parts.
pub mod model {
    pub use engine::model::*;
    pub use protocol::base::{hash, ids, sort, time, window};
}
