//! Search for the next block after damage.
//!
//! The formats have no markers between blocks. Heads of objects are long enough to recognize, and blocks of version 6
//! form chains.

pub(crate) mod partial;

use crate::block::{Damage, Item};
use crate::container::block_chain::{self, Chain};
use crate::container::object;
use crate::framing::{Framing, Input, NotFound, ObjectFraming, Search, State, Step, Target, Turn, wait};
use crate::limits::SEARCH_WINDOW_BYTES;
use crate::listener::Trace;
use partial::report_damage;

impl Search {
    /// Returns the state of searching.
    pub fn into_state(self) -> State {
        State::Searching(self)
    }

    /// Begins the search at the parser's offset.
    pub fn begin<'d, T: Trace>(mut self, input: &Input<'d, T>) -> Turn<'d> {
        let (step, next) = self.step(input);
        (step, Some(next.unwrap_or(State::Searching(self))))
    }

    /// Searches the data. The result doesn't depend on how the data is split.
    pub fn step<'d, T: Trace>(&mut self, input: &Input<'d, T>) -> Turn<'d> {
        let (data, limit, eof) = (input.data, SEARCH_WINDOW_BYTES, input.eof);
        // Evidence that was too weak before the end of the data may be sufficient now.
        let from = if eof { 0 } else { self.searched };
        let (found, next) = match self.target {
            Target::Object(tag) => {
                (object::find_head(data, from, limit, tag, eof), ObjectFraming::new(tag).next_object())
            }
            Target::Block => (self.find_block(data, from, eof), State::Framed(Framing::Blocks)),
            Target::Nothing => {
                let searched = data.len().min(limit);
                (Err(NotFound { searched, wanted: searched + 1 }), State::End)
            }
        };
        match found {
            Ok(position) => (self.damage(input, position), Some(next)),
            Err(NotFound { searched, wanted }) if searched < limit && !eof => {
                self.searched = searched;
                wait(wanted.max(data.len() + 1).max(limit))
            }
            Err(_) if data.len() < limit => (self.damage(input, data.len()), Some(State::End)),
            Err(_) => {
                let step = self.damage(input, limit);
                self.continued = true;
                self.searched = 0;
                (step, None)
            }
        }
    }

    /// Finds the next block of version 6. Weak evidence nearby counts only if no better evidence follows.
    fn find_block(&mut self, data: &[u8], from: usize, eof: bool) -> Result<usize, NotFound> {
        let limit = SEARCH_WINDOW_BYTES;
        let near = block_chain::find_block(data, from, limit, eof, Chain::Complete);
        if near.is_ok() || !eof {
            return near;
        }
        if !self.has_no_chain && data.len() > limit {
            let far = block_chain::find_block(data, limit, data.len(), eof, Chain::Complete);
            if far.is_ok() {
                return far;
            }
            self.has_no_chain = true;
        }
        block_chain::find_block(data, from, limit, eof, Chain::UpToTheEnd)
    }

    fn damage<'d, T: Trace>(&self, input: &Input<'d, T>, bytes: usize) -> Step<'d> {
        report_damage(input, bytes, &self.error);
        let damage =
            Damage { offset: input.offset, bytes: bytes as u64, error: self.error.clone(), continued: self.continued };
        Step::Parsed { consumed: bytes, item: Item::Damage(damage) }
    }
}
