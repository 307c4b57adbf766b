//! Measures opening a large trace.

use crate::Outcome;

/// Measures.
///
/// # Errors
/// When something fails.
pub fn run(_write: bool) -> Outcome {
    Err("not yet".to_owned())
}
