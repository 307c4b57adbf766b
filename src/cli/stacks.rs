//! `traceglass stacks`.

use super::Stop;
use crate::session::Session;
use std::io::Write;

/// Prints samples by thread and stack, one distinct stack a line.
pub(super) fn print(session: &Session, managed: bool, output: &mut impl Write) -> Result<(), Stop> {
    Ok(output.write_all(session.folded_stacks(managed).as_bytes())?)
}
