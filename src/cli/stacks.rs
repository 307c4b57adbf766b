//! `traceglass stacks`.

use super::Stop;
use crate::protocol::request::TreeQuery;
use crate::session::Session;
use crate::session::export::stacks::StackFormat;
use std::io::Write;

/// Prints the samples of a query by thread and stack.
pub(super) fn print(
    session: &mut Session,
    format: StackFormat,
    query: &TreeQuery,
    output: &mut impl Write,
) -> Result<(), Stop> {
    Ok(session.stack_export(query)?.write(format, output)?)
}
