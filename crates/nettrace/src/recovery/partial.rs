//! Blocks with a missing or misplaced end: complete rows are emitted, and the rest is damage.

use crate::block::{Damage, Item};
use crate::error::Error;
use crate::framing::{Framing, Input, State, Step, Turn};
use crate::listener::{PartValue, Trace, terms};

/// Emits everything up to `bytes` as damage.
pub(crate) fn damage<'d, T: Trace>(input: &Input<'d, T>, bytes: usize, error: Error, next: State) -> Turn<'d> {
    report_damage(input, bytes, &error);
    let damage = Damage { offset: input.offset, bytes: bytes as u64, error, continued: false };
    (Step::Parsed { consumed: bytes, item: Item::Damage(damage) }, Some(next))
}

/// Reports everything up to `bytes` as damage, replacing earlier reports about these bytes.
pub(crate) fn report_damage<T: Trace>(input: &Input<'_, T>, bytes: usize, error: &Error) {
    input.trace.restart(input.offset);
    if bytes > 0 {
        input.trace.leaf(terms::DAMAGE, input.offset, bytes, || PartValue::Unreadable(error.clone()));
    }
}

/// Emits the complete rows of the block `item`, which extends up to `end`. `next` is the framing there; `None` if no
/// data follows. Without an item, or without complete rows, everything is damage.
pub(crate) fn complete_rows<'d, T: Trace>(
    input: &Input<'d, T>,
    item: Option<Item<'d>>,
    end: usize,
    error: Error,
    next: Option<Framing>,
) -> Turn<'d> {
    let rows_end = match &item {
        Some(Item::Events(block)) => block.end_of_complete_events(),
        Some(Item::Metadata(block)) => block.end_of_complete_records(),
        Some(Item::Stacks(block)) => block.end_of_complete_stacks(),
        _ => input.offset,
    };
    let consumed = usize::try_from(rows_end.saturating_sub(input.offset)).unwrap_or(0);
    let (Some(mut item), Some(rest_bytes), 1..) = (item, end.checked_sub(consumed), consumed) else {
        return damage(input, end, error, next.map_or(State::End, State::Framed));
    };
    item.set_bytes(consumed as u64);
    let rest = Damage { offset: rows_end, bytes: rest_bytes as u64, error, continued: false };
    (Step::Parsed { consumed, item }, Some(State::BlockEnd(rest, next)))
}
