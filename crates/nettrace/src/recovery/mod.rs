//! The search for the next block after damage.
//!
//! Nothing in the formats announces a block from afar, but the head of an object is long enough to be recognised.

pub(crate) mod partial;

use crate::block::{Damage, Item};
use crate::container::blocks::{self, Chain};
use crate::container::object;
use crate::container::objects::ObjectFraming;
use crate::error::Error;
use crate::limits::SEARCH_WINDOW_BYTES;
use crate::parser::{Framing, Input, State, Step, Turn, wait};
use crate::recovery::partial::tell_damage;
use crate::trace::Trace;

/// A search that is going on.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    /// Why.
    error: Error,
    /// Up to where the data was looked at, from the parser's offset on. Keeps the work linear.
    looked_at: usize,
    /// Whether a piece of the damage was reported already.
    continued: bool,
    /// Whether there is known to be no good chain of blocks up to the end of the data.
    has_no_chain: bool,
    target: Target,
}

/// What is searched for.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// An object that begins with this tag.
    Object(u8),
    /// A block of version 6.
    Block,
    /// Nothing: the format has nothing that could be recognised.
    Nothing,
}

/// There is no block in the data that was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotFound {
    /// Up to where; more data can only matter from there on.
    pub looked_at: usize,
    /// How much data it takes to look further.
    pub wanted: usize,
}

impl Search {
    /// A search for the next object that begins with `tag`.
    pub fn for_object(tag: u8, error: Error) -> Self {
        Self::new(Target::Object(tag), error)
    }

    /// A search for the next block of version 6.
    pub fn for_block(error: Error) -> Self {
        Self::new(Target::Block, error)
    }

    /// Gives up: everything up to the end of the data is damage.
    pub fn for_nothing(error: Error) -> Self {
        Self::new(Target::Nothing, error)
    }

    fn new(target: Target, error: Error) -> Self {
        Self { error, looked_at: 0, continued: false, has_no_chain: false, target }
    }

    /// The state of searching.
    pub fn into_state(self) -> State {
        State::Searching(self)
    }

    /// Begins the search at the parser's offset.
    pub fn begin<'d, T: Trace>(mut self, input: &Input<'d, T>) -> Turn<'d, T> {
        let (step, next) = self.step(input);
        (step, Some(next.unwrap_or(State::Searching(self))))
    }

    /// Looks through the data. The same data gives the same items however it is divided.
    pub fn step<'d, T: Trace>(&mut self, input: &Input<'d, T>) -> Turn<'d, T> {
        let (data, limit, eof) = (input.data, SEARCH_WINDOW_BYTES, input.eof);
        // What was not enough before the end was known may be enough now.
        let from = if eof { 0 } else { self.looked_at };
        let (found, next) = match self.target {
            Target::Object(tag) => {
                (object::find_head(data, from, limit, tag, eof), ObjectFraming::new(tag).next_object())
            }
            Target::Block => (self.find_block(data, from, eof), State::Framed(Framing::Blocks)),
            Target::Nothing => {
                let looked_at = data.len().min(limit);
                (Err(NotFound { looked_at, wanted: looked_at + 1 }), State::End)
            }
        };
        match found {
            Ok(position) => (self.damage(input, position), Some(next)),
            Err(NotFound { looked_at, wanted }) if looked_at < limit && !eof => {
                self.looked_at = looked_at;
                wait(wanted.max(data.len() + 1).max(limit))
            }
            Err(_) if data.len() < limit => (self.damage(input, data.len()), Some(State::End)),
            Err(_) => {
                let step = self.damage(input, limit);
                self.continued = true;
                self.looked_at = 0;
                (step, None)
            }
        }
    }

    /// Finds the next block of version 6. Weak evidence nearby counts only where there is no better one up to the end.
    fn find_block(&mut self, data: &[u8], from: usize, eof: bool) -> Result<usize, NotFound> {
        let limit = SEARCH_WINDOW_BYTES;
        let near = blocks::find_block(data, from, limit, eof, Chain::Complete);
        if near.is_ok() || !eof {
            return near;
        }
        if !self.has_no_chain && data.len() > limit {
            let far = blocks::find_block(data, limit, data.len(), eof, Chain::Complete);
            if far.is_ok() {
                return far;
            }
            self.has_no_chain = true;
        }
        blocks::find_block(data, from, limit, eof, Chain::UpToTheEnd)
    }

    fn damage<'d, T: Trace>(&self, input: &Input<'d, T>, bytes: usize) -> Step<'d, T> {
        tell_damage(input, bytes, &self.error);
        let damage =
            Damage { offset: input.offset, bytes: bytes as u64, error: self.error.clone(), continued: self.continued };
        Step::Parsed { consumed: bytes, item: Item::Damage(damage) }
    }
}
