//! Frames of transformed stacks: functions, and groups of functions that are displayed as one.

use super::families::family_of;
use super::tree_tables::{FunctionText, function_text};
use super::unresolved::unresolved_name;
use crate::analysis::samples::tiers::Tiers;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{FunctionId, StringId};
use protocol::stacks::shape::FrameName;
use protocol::tables::frame_flag::{CATEGORY, FRAMEWORK, GROUP, LINK, ROOT, UNRESOLVED};
use std::rc::Rc;

/// Name of the frame for weight without a stack.
pub const NO_STACK: &str = "(no stack)";

/// Groups, numbered after the functions.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    functions: u32,
    /// By function.
    tiers: Rc<Vec<Tiers>>,
    groups: Vec<Group>,
    known: FastMap<FrameName, u32>,
}

#[derive(Clone, Debug)]
struct Group {
    frame: FrameName,
    flags: u8,
}

impl Frames {
    /// Returns the functions of a store, without groups.
    pub fn new(store: &Store) -> Self {
        let tiers = Rc::new(Tiers::of_functions(store));
        let mut frames = Self { functions: store.functions.len() as u32, tiers, ..Self::default() };
        // The first group, so that its number is known.
        frames.category(NO_STACK);
        frames
    }

    /// Returns the frame of weight without a stack.
    pub fn no_stack(&self) -> FunctionId {
        FunctionId(self.functions)
    }

    /// Returns the frame of a group, and adds it if needed.
    pub fn group(&mut self, frame: FrameName, is_framework: bool) -> FunctionId {
        self.flagged(frame, GROUP | if is_framework { FRAMEWORK } else { 0 })
    }

    /// Returns the root frame of stacks with this common property.
    pub fn root(&mut self, name: &str) -> FunctionId {
        self.flagged(FrameName { name: name.to_owned(), module: String::new() }, ROOT)
    }

    /// Returns the frame of a link between a stack and the stack that caused it.
    pub fn link(&mut self, name: &str) -> FunctionId {
        self.flagged(FrameName { name: name.to_owned(), module: String::new() }, LINK)
    }

    /// Returns the frame of all unresolved code of a module.
    pub fn unresolved(&mut self, module: &str, is_framework: bool) -> FunctionId {
        let frame = FrameName { name: unresolved_name(module), module: module.to_owned() };
        self.flagged(frame, GROUP | UNRESOLVED | if is_framework { FRAMEWORK } else { 0 })
    }

    /// Returns the frame below folded code for the category of that code.
    pub fn category(&mut self, name: &str) -> FunctionId {
        let frame = FrameName { name: name.to_owned(), module: String::new() };
        self.flagged(frame, GROUP | FRAMEWORK | CATEGORY)
    }

    /// Returns whether the frame is a root of stacks.
    pub fn is_root(&self, frame: FunctionId) -> bool {
        self.flags(frame) & ROOT != 0
    }

    /// Returns whether the frame is the category of folded code.
    pub fn is_category(&self, frame: FunctionId) -> bool {
        self.flags(frame) & CATEGORY != 0
    }

    /// Returns the flags of a frame that isn't a function; 0 for a function.
    pub fn flags(&self, frame: FunctionId) -> u8 {
        let group = frame.0.checked_sub(self.functions).and_then(|group| self.groups.get(group as usize));
        group.map_or(0, |group| group.flags)
    }

    /// Returns the frame with this name that isn't a function, and adds it if needed.
    pub fn flagged(&mut self, frame: FrameName, flags: u8) -> FunctionId {
        let next = self.functions + self.groups.len() as u32;
        let number = *self.known.entry(frame).or_insert_with_key(|frame| {
            self.groups.push(Group { frame: frame.clone(), flags });
            next
        });
        FunctionId(number)
    }

    /// Returns a frame's texts for tables; for `None`, those of a tree's root.
    pub fn text<'s>(&'s self, store: &'s Store, frame: Option<FunctionId>) -> FunctionText<'s> {
        let group = frame.and_then(|frame| frame.0.checked_sub(self.functions));
        let Some(group) = group.and_then(|group| self.groups.get(group as usize)) else {
            return function_text(store, frame);
        };
        FunctionText { name: &group.frame.name, module: &group.frame.module, flags: group.flags }
    }

    /// Returns the optimization tiers of a frame's code in words; empty if unknown or not a function.
    pub fn tier_words(&self, frame: Option<FunctionId>) -> String {
        let tiers = frame.and_then(|frame| self.tiers.get(frame.index())).copied();
        tiers.unwrap_or_default().words()
    }

    /// Returns the family of a frame of .NET's own code.
    pub fn family<'s>(&'s self, store: &'s Store, frame: FunctionId) -> &'s str {
        match store.functions.get(frame) {
            Some(function) => family_of(store, function),
            None => self.text(store, Some(frame)).name,
        }
    }

    /// Returns the frames with this name.
    pub fn named(&self, store: &Store, frame: &FrameName) -> Vec<FunctionId> {
        let mut found: Vec<FunctionId> = functions_named(store, frame).collect();
        found.extend(self.known.get(frame).map(|&group| FunctionId(group)));
        found
    }

    /// Returns the functions of a store by name and module; the first one if several have the same name.
    pub fn functions_by_name(store: &Store) -> FastMap<(StringId, StringId), FunctionId> {
        let mut by_name = FastMap::default();
        for (function, id) in store.functions.iter().zip(0..) {
            by_name.entry((function.name, function.module)).or_insert(FunctionId(id));
        }
        by_name
    }

    /// Returns the number of frames.
    pub fn len(&self) -> usize {
        self.functions as usize + self.groups.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a hash of a frame that is the same each time the trace is loaded.
    pub fn hash(&self, store: &Store, frame: FunctionId) -> u64 {
        let text = self.text(store, Some(frame));
        let bytes = text.name.bytes().chain([0]).chain(text.module.bytes());
        bytes.fold(PATH_START, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }
}

pub fn functions_named<'s>(store: &'s Store, frame: &FrameName) -> impl Iterator<Item = FunctionId> + use<'s> {
    let [name, module] = [&frame.name, &frame.module].map(|text| store.strings.find(text));
    let functions = store.functions.iter().zip(0..).filter(move |(function, _)| {
        Some(function.name) == name && Some(function.module) == module //
    });
    functions.map(|(_, id)| FunctionId(id))
}

/// Hash of the empty path.
pub const PATH_START: u64 = 0xcbf2_9ce4_8422_2325;

/// Returns the hash of a path extended by a frame with this hash.
pub fn longer_path(path: u64, frame: u64) -> u64 {
    (path.rotate_left(5) ^ frame).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// Returns the namespace in a raw name `module!Namespace.Type.Method(signature)`; empty if there is none.
pub fn namespace(raw_name: &str) -> &str {
    let path = raw_name.split_once('!').map_or("", |(_, path)| path);
    let end = path.find(['(', '[', '<', '`', '+']).unwrap_or(path.len());
    let (head, rest) = path.split_at(end);
    // Text before a plus or a backquote is a type, before anything else a method.
    let is_type = rest.starts_with(['+', '`']);
    let of_type =
        if is_type { head } else { head.rsplit_once('.').map_or("", |(before, _)| before.trim_end_matches('.')) };
    of_type.rsplit_once('.').map_or("", |(namespace, _)| namespace)
}

/// Returns the class in a raw name, with its namespace; empty if there is none.
pub fn class(raw_name: &str) -> &str {
    let path = raw_name.split_once('!').map_or("", |(_, path)| path);
    let path = path.split_once('(').map_or(path, |(path, _)| path);
    let is_constructor = [".ctor", ".cctor"].into_iter().find(|name| path.ends_with(name));
    if let Some(name) = is_constructor {
        return path[..path.len() - name.len()].trim_end_matches('.');
    }
    // A dot inside brackets belongs to an argument.
    let mut depth = 0;
    let dot = path.char_indices().rev().find(|(_, one)| {
        match one {
            ']' | '>' => depth += 1,
            '[' | '<' => depth -= 1,
            _ => {}
        }
        depth == 0 && *one == '.'
    });
    dot.map_or("", |(dot, _)| &path[..dot])
}

/// Returns the family of a namespace: "System.Threading" for "System.Threading.Tasks".
pub fn family(namespace: &str) -> &str {
    let second = namespace.match_indices('.').nth(1);
    second.map_or(namespace, |(end, _)| namespace.split_at(end).0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_of_raw_name_precedes_method() {
        let cases = [
            ("System.Private.CoreLib!System.Threading.Monitor.Wait(class System.Object)", "System.Threading.Monitor"),
            (
                "C!System.Collections.Generic.List`1[System.__Canon].Add(!0)",
                "System.Collections.Generic.List`1[System.__Canon]",
            ),
            ("System.Linq!System.Linq.Enumerable.ToArray[System.Int32](class X.Y)", "System.Linq.Enumerable"),
            ("Shop!Shop.Orders.Program+<>c.<Main>b__0(int)", "Shop.Orders.Program+<>c"),
            ("System.Private.CoreLib!System.String..ctor(char)", "System.String"),
            ("Shop!Program.Main()", "Program"),
            ("libcoreclr.so!0x1234", ""),
            ("no module", ""),
        ];
        for (raw, expected) in cases {
            assert_eq!(class(raw), expected, "{raw}");
        }
    }

    #[test]
    fn namespace_of_raw_name_precedes_type() {
        let cases = [
            ("System.Private.CoreLib!System.Threading.Monitor.Wait(class System.Object)", "System.Threading"),
            (
                "System.Private.CoreLib!System.Collections.Generic.List`1[System.__Canon].Add(!0)",
                "System.Collections.Generic",
            ),
            ("System.Linq!System.Linq.Enumerable.ToArray[System.Int32](class X.Y)", "System.Linq"),
            ("Shop!Shop.Orders.Program+<>c.<Main>b__0(int)", "Shop.Orders"),
            ("System.Private.CoreLib!System.String..ctor(char)", "System"),
            ("Shop!Program.Main()", ""),
            ("libcoreclr.so!0x1234", ""),
            ("no module", ""),
            ("", ""),
        ];
        for (raw, expected) in cases {
            assert_eq!(namespace(raw), expected, "{raw}");
        }
        assert_eq!(family("System.Threading.Tasks"), "System.Threading");
        assert_eq!(family("System"), "System");
    }
}
