//! Help with a filter while it is typed.

use serde::{Deserialize, Serialize};

/// A part of a text, in bytes: from, and until.
pub type TextRange = (u32, u32);

/// What can be said of a text that is being typed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct QueryHelp {
    /// Where the conditions stand that all have to hold.
    pub parts: Vec<TextRange>,
    /// What is wrong with it, if something is.
    pub mistake: Option<Mistake>,
    /// How what is being typed may go on; the likeliest first.
    pub suggestions: Vec<Suggestion>,
    /// What a suggestion replaces.
    pub replaces: TextRange,
}

/// Something that cannot be understood.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Mistake {
    /// Where.
    pub at: TextRange,
    /// A sentence.
    pub message: String,
}

/// How a text may go on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Suggestion {
    /// What is put into the text.
    pub text: String,
    /// What it stands for, or how often it is there.
    pub note: String,
}
