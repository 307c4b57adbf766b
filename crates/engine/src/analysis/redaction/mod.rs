//! Redaction: finds texts that may be private, and masks them.
//!
//! A mask doesn't change the length of a text, so a masked trace has the same blocks, offsets and counts.

mod blocks;
mod kinds;
mod search;
mod texts;
mod tokens;

use crate::model::{EventType, Types};
use nettrace::{EventHeader, Fit, Item, Rewrite, write_varint};
use protocol::base::ids::TypeId;
use protocol::redaction::{Redaction, TextKind};
use std::ops::Range;
use texts::TextFinder;
use tokens::Tokens;

pub use search::{PrivateTextSearch, with_masks};

/// Masks the texts of an excerpt.
pub struct Redactor {
    pub redaction: Redaction,
    tokens: Tokens,
    finder: TextFinder,
    /// Places in the payload at hand: range, size of a code unit, and whether the text is JSON.
    places: Vec<(Range<usize>, usize, bool)>,
}

impl Redactor {
    /// Prepares masking.
    pub fn new(redaction: Redaction) -> Self {
        let tokens = Tokens::new(redaction.mask, redaction.key);
        Self { redaction, tokens, finder: TextFinder::default(), places: Vec::new() }
    }

    /// Returns the part that masks a file. `events` are the payload offsets of the written events, in ascending order,
    /// with their types.
    pub fn of<'r>(&'r mut self, types: &'r Types, pointer_size: u8, events: &'r [(u64, TypeId)]) -> Masking<'r> {
        Masking { redactor: self, types, pointer_size, events }
    }

    /// Masks the texts in a payload, and clears bytes that no field explains.
    fn mask_payload(&mut self, event_type: &EventType, payload: &mut [u8], pointer_size: u8) {
        let Self { redaction, finder, places, tokens } = self;
        places.clear();
        finder.visit(event_type, payload, pointer_size, |found| {
            if redaction.covers(found.kind, &event_type.display_name, found.field) {
                let kept = if keeps_file_name(event_type, found.kind) {
                    file_name_bytes(&found.text.to_str(), found.text.unit_bytes())
                } else {
                    0
                };
                let range = found.range.start..found.range.end.saturating_sub(kept);
                places.push((range, found.text.unit_bytes(), found.field.ends_with("Json")));
            }
        });
        for (range, unit_bytes, is_json) in places.drain(..) {
            if let Some(text) = payload.get_mut(range) {
                tokens.mask(text, unit_bytes, is_json);
            }
        }
        let fields = &event_type.schema.fields;
        let unread = if fields.is_empty() { 0..payload.len() } else { Fit::of(fields, payload, pointer_size).unread };
        if redaction.kinds.contains(&TextKind::Other)
            && let Some(bytes) = payload.get_mut(unread)
        {
            bytes.fill(0);
        }
    }
}

/// Returns whether the file name at the end of a text stays. It names a module, as the code in it does.
fn keeps_file_name(event_type: &EventType, kind: TextKind) -> bool {
    kind == TextKind::Path && event_type.known.explains_others()
}

/// Returns the bytes of the file name at the end of a path.
fn file_name_bytes(path: &str, unit_bytes: usize) -> usize {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    if unit_bytes == 2 { 2 * name.encode_utf16().count() } else { name.len() }
}

/// Masks the next item of a file.
pub struct Masking<'r> {
    redactor: &'r mut Redactor,
    types: &'r Types,
    pointer_size: u8,
    events: &'r [(u64, TypeId)],
}

impl Rewrite for Masking<'_> {
    fn block(&mut self, item: &Item<'_>, bytes: &mut [u8]) {
        let mut masked: Vec<String> = Vec::new();
        blocks::visit_block(item, |kind, block, key, text| {
            if !text.is_empty() && self.redactor.redaction.covers(kind, block, key) {
                masked.push(text.to_owned());
            }
        });
        for text in masked {
            self.mask_counted(text.as_bytes(), bytes);
        }
    }

    fn payload(&mut self, event: &EventHeader<'_>, payload: &mut [u8]) {
        let at = self.events.binary_search_by_key(&event.payload_offset, |(offset, _)| *offset);
        let event_type = at.ok().and_then(|at| self.events.get(at)).and_then(|(_, id)| self.types.get(*id));
        match event_type {
            Some(event_type) => self.redactor.mask_payload(event_type, payload, self.pointer_size),
            // Nobody knows what is in it.
            None => payload.fill(0),
        }
    }
}

impl Masking<'_> {
    /// Masks a text wherever it is in a block after its length.
    fn mask_counted(&mut self, text: &[u8], block: &mut [u8]) {
        let mut counted = Vec::new();
        write_varint(&mut counted, text.len() as u64);
        let count_bytes = counted.len();
        counted.extend_from_slice(text);
        let mut from = 0;
        while let Some(at) = block.get(from..).and_then(|rest| rest.windows(counted.len()).position(|at| at == counted))
        {
            let end = from + at + counted.len();
            if let Some(place) = block.get_mut(from + at + count_bytes..end) {
                self.redactor.tokens.mask(place, 1, false);
            }
            from = end;
        }
    }
}
