//! Interned strings: each text is stored once, in one buffer, and identified by a small number.

use hashbrown::HashTable;
use protocol::base::hash::FastBuildHasher;
use protocol::base::ids::StringId;
use std::hash::BuildHasher;

/// All interned strings of a trace. [`StringId`] 0 is the empty string.
#[derive(Clone, Debug)]
pub struct Strings {
    text: String,
    ends: Vec<u32>,
    known: HashTable<u32>,
}

impl Default for Strings {
    fn default() -> Self {
        let mut strings = Self { text: String::new(), ends: Vec::new(), known: HashTable::new() };
        strings.intern("");
        strings
    }
}

impl Strings {
    /// Returns the text of an ID; empty for an unknown ID.
    pub fn get(&self, id: StringId) -> &str {
        text_of(&self.text, &self.ends, id.0)
    }

    /// Returns the ID of a text, if it is interned.
    pub fn find(&self, text: &str) -> Option<StringId> {
        let hash = FastBuildHasher::default().hash_one(text);
        self.known.find(hash, |&id| text_of(&self.text, &self.ends, id) == text).map(|&id| StringId(id))
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() <= 1
    }

    pub fn heap_bytes(&self) -> u64 {
        (self.text.capacity() + 4 * self.ends.capacity() + 5 * self.known.capacity()) as u64
    }

    /// Returns the ID of a text, adding it if it is new. After 4 GiB of text, new texts become the empty string.
    pub(crate) fn intern(&mut self, text: &str) -> StringId {
        let hash = FastBuildHasher::default().hash_one(text);
        let Self { text: buffer, ends, known } = self;
        if let Some(&id) = known.find(hash, |&id| text_of(buffer, ends, id) == text) {
            return StringId(id);
        }
        let Ok(end) = u32::try_from(buffer.len() + text.len()) else {
            return StringId(0);
        };
        let id = ends.len() as u32;
        buffer.push_str(text);
        ends.push(end);
        known.insert_unique(hash, id, |&id| FastBuildHasher::default().hash_one(text_of(buffer, ends, id)));
        StringId(id)
    }
}

fn text_of<'t>(text: &'t str, ends: &[u32], id: u32) -> &'t str {
    let start = match id.checked_sub(1) {
        Some(before) => ends.get(before as usize).copied().unwrap_or(0),
        None => 0,
    };
    let end = ends.get(id as usize).copied().unwrap_or(start);
    text.get(start as usize..end as usize).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_text_has_one_id() {
        let mut strings = Strings::default();
        assert_eq!(strings.intern(""), StringId(0));
        let orders = strings.intern("Orders");
        let ids: Vec<_> = (0..500).map(|at| strings.intern(&format!("Class{at}"))).collect();
        assert_eq!(strings.intern("Orders"), orders);
        assert_eq!(strings.find("Class77"), Some(ids[77]));
        assert_eq!(
            (strings.get(ids[499]), strings.get(orders), strings.get(StringId(9999))),
            ("Class499", "Orders", "")
        );
        assert_eq!(strings.find("Class500"), None);
        assert_eq!(strings.len(), 502);
    }
}
