//! Queries about the trace as a whole.

use crate::base::indexed_part::Window;
use serde::{Deserialize, Serialize};

/// Summary of the trace.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Summary;

/// Header, processes, diagnostics and losses.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Header;

/// Memory use by part.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Memory;

/// Approximate number of events in a part of the trace, indexed or not.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WindowSize {
    /// Part of the file.
    pub window: Window,
}

/// Errors and suggestions for a filter while the user types.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct QueryHelp {
    pub text: String,
    /// Cursor offset in bytes; `None` for no suggestions.
    pub cursor: Option<u32>,
}

/// Routes and types, then functions whose names contain a text, each likeliest first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FindNames {
    pub text: String,
    /// Maximum number of functions, and of items of each analysis.
    pub most: u32,
}
