//! Types by the ID that events have for them, and their names.

use crate::analysis::intervals::interval_set::Texts;
use crate::clr::known::payload::{TypeName, type_names};
use crate::clr::names::readable_type;
use protocol::base::hash::FastMap;

/// Maximum characters of a name; longer ones are shortened in the middle.
const MAX_CHARACTERS: usize = 300;

/// Flags of a type: it is a delegate, or an array.
const DELEGATE: u32 = 1;
const ARRAY: u32 = 8;
/// Prefixes of .NET's own namespaces.
const OF_FRAMEWORK: [&str; 2] = ["System.", "Microsoft."];

/// Types in the order of their first occurrence.
#[derive(Debug, Default)]
pub struct TypeNames {
    /// Positions by the runtime's ID.
    by_id: FastMap<u64, u32>,
    /// The runtime's IDs, by position.
    ids: Vec<u64>,
    /// Positions of names in the texts plus 1, by position; 0 for none.
    names: Vec<u32>,
    /// Modules that declare the types, and flags, by position.
    modules: Vec<u64>,
    flags: Vec<u32>,
    texts: Texts,
}

impl TypeNames {
    /// Reads the names in a `BulkType` event.
    pub fn read(&mut self, payload: &[u8]) {
        for one in type_names(payload).into_iter().flatten() {
            self.add(&one);
        }
    }

    /// Adds a type's name. The first name of a type wins.
    pub fn add(&mut self, one: &TypeName<'_>) {
        let at = self.position(one.type_id) as usize;
        if self.names[at] == 0 && !one.name.is_empty() {
            self.names[at] = self.texts.position(&cut(&one.name.to_string())) + 1;
            (self.modules[at], self.flags[at]) = (one.module, one.flags);
        }
    }

    /// Gives types without a name the name of another type, by pairs of runtime IDs.
    pub fn share(&mut self, others: impl IntoIterator<Item = (u64, u64)>, named: &Self) {
        for (id, other) in others {
            let name = named.by_id.get(&other).map_or(0, |&at| named.names[at as usize]);
            if let Some(&at) = self.by_id.get(&id).filter(|&&at| self.names[at as usize] == 0 && name > 0) {
                self.names[at as usize] = self.texts.position(named.texts.get(name - 1)) + 1;
            }
        }
    }

    /// Returns the position of a type, and adds it if needed.
    pub fn position(&mut self, id: u64) -> u32 {
        *self.by_id.entry(id).or_insert_with(|| {
            self.ids.push(id);
            self.names.push(0);
            self.modules.push(0);
            self.flags.push(0);
            self.ids.len() as u32 - 1
        })
    }

    /// Returns the runtime's name of the type at a position.
    pub fn name(&self, position: u32) -> String {
        match self.stored_name(position as usize) {
            "" => format!("(type {:#x})", self.ids.get(position as usize).copied().unwrap_or(0)),
            name => name.to_owned(),
        }
    }

    /// Returns the readable name of the type at a position, without namespace.
    pub fn short_name(&self, position: u32) -> String {
        readable_type(&self.name(position))
    }

    /// Returns whether the type at a position is a delegate.
    pub fn is_delegate(&self, position: u32) -> bool {
        self.flags.get(position as usize).is_some_and(|flags| flags & DELEGATE != 0)
    }

    /// Returns whether the type at a position is an array.
    pub fn is_array(&self, position: u32) -> bool {
        self.flags.get(position as usize).is_some_and(|flags| flags & ARRAY != 0)
    }

    /// Returns, by position, whether a type is one of .NET's own. Nested types have no namespace, so their module
    /// decides.
    pub fn of_framework(&self) -> Vec<bool> {
        // Arrays of all types belong to the runtime's module.
        let of_namespace = |at: usize| namespace_is_of_framework(self.stored_name(at));
        let mut modules: FastMap<u64, (u32, u32)> = FastMap::default();
        for at in (0..self.ids.len()).filter(|at| self.flags[*at] & ARRAY == 0) {
            if let Some(is_of_framework) = of_namespace(at) {
                let (of_framework, others) = modules.entry(self.modules[at]).or_default();
                *(if is_of_framework { of_framework } else { others }) += 1;
            }
        }
        let of_module =
            |at: usize| modules.get(&self.modules[at]).is_some_and(|(of_framework, others)| of_framework > others);
        (0..self.ids.len()).map(|at| of_namespace(at).unwrap_or_else(|| of_module(at))).collect()
    }

    /// Returns the name of the type at a position; empty if there is none.
    fn stored_name(&self, at: usize) -> &str {
        match self.names.get(at) {
            Some(&name) if name > 0 => self.texts.get(name - 1),
            _ => "",
        }
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let of_type = size_of::<(u64, u32)>() + 2 * size_of::<u64>() + 2 * size_of::<u32>();
        self.ids.len() * of_type + self.texts.bytes()
    }
}

/// Returns whether the namespace of a type is one of .NET's own; `None` without a namespace.
fn namespace_is_of_framework(name: &str) -> Option<bool> {
    let own = name.split(['[', '`', '+', '<']).next().unwrap_or(name);
    own.contains('.').then(|| OF_FRAMEWORK.iter().any(|prefix| own.starts_with(prefix)))
}

/// Returns a name shortened to the maximum length.
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
    fn type_without_name_is_named_by_id() {
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
    fn app_types_are_recognized_by_namespace_and_module() {
        let one = |id: u64, module: u64, flags: u32, name: &str| {
            let head = PayloadWriter::new().u64(id).u64(module).u32(0).u32(flags).u8(0);
            head.utf16(name).u32(0).finish()
        };
        let all = [
            one(1, 70, 0, "System.String"),
            one(2, 70, 0, "Entry[System.String,Shop.Order]"),
            one(3, 71, 0, "Shop.Order"),
            one(4, 71, 0, "Line"),
            one(5, 70, 8, "Shop.Order[]"),
            one(6, 70, 1, "System.EventHandler"),
        ];
        let mut names = TypeNames::default();
        names.read(&PayloadWriter::new().u32(6).u16(0).bytes(&all.concat()).finish());
        assert_eq!(names.of_framework(), [true, true, false, false, false, true]);
        assert_eq!([4, 5].map(|at| names.is_delegate(at)), [false, true]);
        assert_eq!([4, 5].map(|at| names.is_array(at)), [true, false]);
    }

    #[test]
    fn long_names_keep_their_ends() {
        let name = format!("A{}Z", "x".repeat(10_000));
        let cut = cut(&name);
        assert!(cut.starts_with('A') && cut.ends_with('Z') && cut.chars().count() == MAX_CHARACTERS + 1);
    }
}
