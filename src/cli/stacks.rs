//! `traceglass stacks`.

use super::Stop;
use crate::session::{Session, export};
use std::io::Write;

/// Prints samples by thread and stack, one distinct stack a line.
pub(super) fn print(session: &Session, managed: bool, output: &mut impl Write) -> Result<(), Stop> {
    for stack in export::folded_stacks(session.store(), managed) {
        writeln!(output, "{} {}", stack.frames, stack.count)?;
    }
    Ok(())
}
