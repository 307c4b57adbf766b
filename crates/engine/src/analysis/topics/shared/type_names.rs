//! Types by the numbers that events have for them, and what they are called.

use crate::analysis::intervals::interval_set::Texts;
use crate::clr::known::payload::{TypeName, type_names};
use crate::clr::names::readable_type;
use protocol::base::hash::FastMap;

/// Characters of a name at most: what is longer is cut in its middle.
const MAX_CHARACTERS: usize = 300;

/// Types in the order in which they were first met.
#[derive(Debug, Default)]
pub struct TypeNames {
    /// By the runtime's number: a position.
    by_id: FastMap<u64, u32>,
    /// The runtime's numbers, by position.
    ids: Vec<u64>,
    /// Positions of names among the texts, by position; one more than it, 0 for none.
    names: Vec<u32>,
    texts: Texts,
}

impl TypeNames {
    /// Takes the names of a `BulkType`.
    pub fn read(&mut self, payload: &[u8]) {
        for one in type_names(payload).into_iter().flatten() {
            self.add(&one);
        }
    }

    /// Takes the name of a type. The first name of a type counts.
    pub fn add(&mut self, one: &TypeName<'_>) {
        let at = self.position(one.type_id) as usize;
        if self.names[at] == 0 && !one.name.is_empty() {
            self.names[at] = self.texts.position(&cut(&one.name.to_string())) + 1;
        }
    }

    /// Gives types without a name that of another type: by the runtime's numbers, which type has that of which.
    pub fn share(&mut self, others: impl IntoIterator<Item = (u64, u64)>, named: &Self) {
        for (id, other) in others {
            let name = named.by_id.get(&other).map_or(0, |&at| named.names[at as usize]);
            if let Some(&at) = self.by_id.get(&id).filter(|&&at| self.names[at as usize] == 0 && name > 0) {
                self.names[at as usize] = self.texts.position(named.texts.get(name - 1)) + 1;
            }
        }
    }

    /// The position of a type.
    pub fn position(&mut self, id: u64) -> u32 {
        *self.by_id.entry(id).or_insert_with(|| {
            self.ids.push(id);
            self.names.push(0);
            self.ids.len() as u32 - 1
        })
    }

    /// What the runtime calls the type at a position.
    pub fn name(&self, position: u32) -> String {
        match self.names.get(position as usize) {
            Some(&name) if name > 0 => self.texts.get(name - 1).to_owned(),
            _ => format!("(type {:#x})", self.ids.get(position as usize).copied().unwrap_or(0)),
        }
    }

    /// What a developer calls the type at a position, without namespace.
    pub fn short_name(&self, position: u32) -> String {
        readable_type(&self.name(position))
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.ids.len() * (size_of::<(u64, u32)>() + size_of::<u64>() + size_of::<u32>()) + self.texts.bytes()
    }
}

/// A name of a sensible length.
pub fn cut(name: &str) -> String {
    let count = name.chars().count();
    if count <= MAX_CHARACTERS {
        return name.to_owned();
    }
    let half = MAX_CHARACTERS / 2;
    let (head, tail): (String, String) = (name.chars().take(half).collect(), name.chars().skip(count - half).collect());
    format!("{head}…{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use nettrace::testing::PayloadWriter;

    #[test]
    fn a_type_without_a_name_is_called_by_its_number() {
        let one = PayloadWriter::new().u64(0x77).u64(0).u32(0).u32(0).u8(0);
        let entry = one.utf16("System.Collections.Generic.List`1[System.String]").u32(0).finish();
        let mut names = TypeNames::default();
        names.read(&PayloadWriter::new().u32(1).u16(0).bytes(&entry).finish());
        let (known, unknown) = (names.position(0x77), names.position(0x99));
        assert_eq!(names.name(known), "System.Collections.Generic.List`1[System.String]");
        assert_eq!(names.short_name(known), "List<string>");
        assert_eq!(names.name(unknown), "(type 0x99)");
    }

    #[test]
    fn long_names_keep_their_ends() {
        let name = format!("A{}Z", "x".repeat(10_000));
        let cut = cut(&name);
        assert!(cut.starts_with('A') && cut.ends_with('Z') && cut.chars().count() == MAX_CHARACTERS + 1);
    }
}
