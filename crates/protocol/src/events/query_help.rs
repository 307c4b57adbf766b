//! Errors and suggestions for a filter while the user types.

use serde::{Deserialize, Serialize};

/// Range of a text in bytes: start, end.
pub type TextRange = (u32, u32);

/// Errors and suggestions for the text of a filter.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct QueryHelp {
    /// Ranges of the conditions that must all match.
    pub parts: Vec<TextRange>,
    /// Error, if there is one.
    pub mistake: Option<Mistake>,
    /// Suggestions, likeliest first.
    pub suggestions: Vec<Suggestion>,
    /// Range that a suggestion replaces.
    pub replaces: TextRange,
}

/// Syntax error.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Mistake {
    pub at: TextRange,
    /// One sentence.
    pub message: String,
}

/// Suggested continuation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Suggestion {
    /// Text to insert.
    pub text: String,
    /// Text to show instead, if the inserted one isn't readable; otherwise empty.
    pub label: String,
    /// Meaning, or what it is and number of events.
    pub note: String,
}
