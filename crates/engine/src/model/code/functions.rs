//! Functions: what frames of the same method and module have in common, whatever their address or tier.

use protocol::base::hash::FastMap;
use protocol::base::ids::{FunctionId, StringId};

/// A function that occurs in a stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Function {
    /// The name for people, such as "Orders.Pricing.Calculate(Order)".
    pub name: StringId,
    /// The innermost type and the method, such as "Pricing.Calculate".
    pub short_name: StringId,
    /// The name as the runtime gives it: `module!Namespace.Type.Method(signature)`; for an address without a
    /// method `module!0x…` or `?!0x…`.
    pub raw_name: StringId,
    /// The name of its module; empty if unknown.
    pub module: StringId,
    /// Whether it belongs to .NET and not to the traced program.
    pub is_framework: bool,
    /// Whether it is managed code: a method that was compiled at run time, or code of an assembly.
    pub is_managed: bool,
    /// Whether it stands for an address whose method isn't in the trace.
    pub is_unresolved: bool,
}

/// All functions, by [`FunctionId`].
#[derive(Clone, Debug, Default)]
pub struct Functions {
    functions: Vec<Function>,
    by_raw_name: FastMap<StringId, u32>,
}

impl Functions {
    /// Number of functions.
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    /// Whether no event has a stack.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// One function.
    pub fn get(&self, function: FunctionId) -> Option<&Function> {
        self.functions.get(function.index())
    }

    /// The function with this raw name.
    pub fn find(&self, raw_name: StringId) -> Option<FunctionId> {
        self.by_raw_name.get(&raw_name).map(|&id| FunctionId(id))
    }

    /// All functions in order of their ids.
    pub fn iter(&self) -> std::slice::Iter<'_, Function> {
        self.functions.iter()
    }

    /// Bytes held.
    pub fn heap_bytes(&self) -> u64 {
        (self.functions.capacity() * size_of::<Function>() + 9 * self.by_raw_name.capacity()) as u64
    }

    /// The function with this raw name, made from `function` if it is new.
    pub(crate) fn intern(&mut self, raw_name: StringId, function: impl FnOnce() -> Function) -> FunctionId {
        let next = self.functions.len() as u32;
        let id = *self.by_raw_name.entry(raw_name).or_insert(next);
        if id == next {
            self.functions.push(function());
        }
        FunctionId(id)
    }
}
