//! The search for the next block after damage.
//!
//! Nothing in the formats announces a block from afar, but the head of an object is long enough to be recognised.

use super::block::{Damage, Item};
use super::error::Error;
use super::limits::SEARCH_WINDOW_BYTES;
use super::object::{self, LONGEST_KNOWN_HEAD};
use super::objects::ObjectFraming;
use super::parser::{Input, State, Step, Turn, wait};

/// A search that is going on.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    /// Why.
    error: Error,
    /// Up to where the data was looked at, from the parser's offset on. Keeps the work linear.
    looked_at: usize,
    /// Whether a piece of the damage was reported already.
    continued: bool,
    target: Target,
}

/// What is searched for.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// An object that begins with this tag.
    Object(u8),
}

impl Search {
    /// A search for the next object that begins with `tag`.
    pub fn for_object(tag: u8, error: Error) -> Self {
        Self { error, looked_at: 0, continued: false, target: Target::Object(tag) }
    }

    /// The state of searching.
    pub fn into_state(self) -> State {
        State::Searching(self)
    }

    /// Begins the search at the parser's offset.
    pub fn begin<'d>(mut self, input: &Input<'d>) -> Turn<'d> {
        let (step, next) = self.step(input);
        (step, Some(next.unwrap_or(State::Searching(self))))
    }

    /// Looks through the data. The same data gives the same items however it is divided.
    pub fn step<'d>(&mut self, input: &Input<'d>) -> Turn<'d> {
        let found = match self.target {
            Target::Object(tag) => object::find_head(input.data, self.looked_at, tag, input.eof),
        };
        let available = input.data.len();
        match found {
            Ok(position) if position < SEARCH_WINDOW_BYTES => {
                let next = match self.target {
                    Target::Object(tag) => ObjectFraming::new(tag).next_object(),
                };
                (self.damage(input, position), Some(next))
            }
            Err(_) if input.eof && available < SEARCH_WINDOW_BYTES => (self.damage(input, available), Some(State::End)),
            Err(position) if !input.eof && position < SEARCH_WINDOW_BYTES => {
                self.looked_at = position;
                wait(SEARCH_WINDOW_BYTES + LONGEST_KNOWN_HEAD)
            }
            Ok(_) | Err(_) => {
                let step = self.damage(input, SEARCH_WINDOW_BYTES.min(available));
                self.continued = true;
                self.looked_at = 0;
                (step, None)
            }
        }
    }

    fn damage<'d>(&self, input: &Input<'d>, bytes: usize) -> Step<'d> {
        let damage =
            Damage { offset: input.offset, bytes: bytes as u64, error: self.error.clone(), continued: self.continued };
        Step::Parsed { consumed: bytes, item: Item::Damage(damage) }
    }
}
