//! `traceglass stacks`.

use super::Stop;
use super::arguments::StackFormat;
use super::speedscope;
use crate::session::Session;
use std::io::Write;

/// Prints samples by thread and stack.
pub(super) fn print(
    session: &Session,
    format: StackFormat,
    managed: bool,
    output: &mut impl Write,
) -> Result<(), Stop> {
    match format {
        StackFormat::Folded => Ok(output.write_all(session.folded_stacks(managed).as_bytes())?),
        StackFormat::Speedscope => speedscope::print(session, managed, output),
    }
}
