//! Blocks whose end is missing or not where it should be: what is whole is given out, the remainder is damage.

use crate::block::{Damage, Item};
use crate::error::Error;
use crate::parser::{Framing, Input, State, Step, Turn};
use crate::trace::Trace;
use crate::trace::{Reading, terms};

/// Everything up to `bytes` is damage.
pub(crate) fn damage<'d, T: Trace>(input: &Input<'d, T>, bytes: usize, error: Error, next: State) -> Turn<'d, T> {
    tell_damage(input, bytes, &error);
    let damage = Damage { offset: input.offset, bytes: bytes as u64, error, continued: false };
    (Step::Parsed { consumed: bytes, item: Item::Damage(damage) }, Some(next))
}

/// Tells that everything up to `bytes` is damage, whatever was told of it before.
pub(crate) fn tell_damage<T: Trace>(input: &Input<'_, T>, bytes: usize, error: &Error) {
    input.trace.restart(input.offset);
    if bytes > 0 {
        input.trace.leaf(terms::DAMAGE, input.offset, bytes, || Reading::Unreadable(error.clone()));
    }
}

/// Gives out what is whole of the block `item`, which goes up to `end`. `next` is what follows there; `None`: nothing.
/// Without an item, or if it has no parts that could be whole, everything is damage.
pub(crate) fn whole_part<'d, T: Trace>(
    input: &Input<'d, T>,
    item: Option<Item<'d, T>>,
    end: usize,
    error: Error,
    next: Option<Framing>,
) -> Turn<'d, T> {
    let whole_end = match &item {
        Some(Item::Events(block)) => block.end_of_whole_events(),
        Some(Item::Metadata(block)) => block.end_of_whole_records(),
        Some(Item::Stacks(block)) => block.end_of_whole_stacks(),
        _ => input.offset,
    };
    let consumed = usize::try_from(whole_end.saturating_sub(input.offset)).unwrap_or(0);
    let (Some(mut item), Some(rest_bytes), 1..) = (item, end.checked_sub(consumed), consumed) else {
        return damage(input, end, error, next.map_or(State::End, State::Framed));
    };
    item.set_bytes(consumed as u64);
    let rest = Damage { offset: whole_end, bytes: rest_bytes as u64, error, continued: false };
    (Step::Parsed { consumed, item }, Some(State::BlockEnd(rest, next)))
}
