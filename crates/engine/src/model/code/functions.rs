//! Functions: frames of the same method and module, at any address or tier.

use crate::model::rows::Rows;
use protocol::base::hash::FastMap;
use protocol::base::ids::{FunctionId, StringId};
use std::ops::Deref;

/// Function that occurs in a stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Function {
    /// Readable name, such as "Orders.Pricing.Calculate(Order)".
    pub name: StringId,
    /// Innermost type and method, such as "Pricing.Calculate".
    pub short_name: StringId,
    /// Name in the runtime's notation: `module!Namespace.Type.Method(signature)`; for an address without a method,
    /// `module!0x…` or `?!0x…`.
    pub raw_name: StringId,
    /// Name of its module; empty if unknown.
    pub module: StringId,
    /// True for code of .NET, false for code of the app.
    pub is_framework: bool,
    /// True for managed code, compiled at run time or in an assembly.
    pub is_managed: bool,
    /// True for an address whose method isn't in the trace.
    pub is_unresolved: bool,
}

/// All functions, by [`FunctionId`].
#[derive(Clone, Debug, Default)]
pub struct Functions {
    functions: Rows<FunctionId, Function>,
    by_raw_name: FastMap<StringId, u32>,
}

impl Deref for Functions {
    type Target = Rows<FunctionId, Function>;

    fn deref(&self) -> &Self::Target {
        &self.functions
    }
}

impl Functions {
    pub fn find(&self, raw_name: StringId) -> Option<FunctionId> {
        self.by_raw_name.get(&raw_name).map(|&id| FunctionId(id))
    }

    pub fn heap_bytes(&self) -> u64 {
        self.functions.heap_bytes() + 9 * self.by_raw_name.capacity() as u64
    }

    /// Returns the function with this raw name, creating it if necessary.
    pub(crate) fn intern(&mut self, raw_name: StringId, function: impl FnOnce() -> Function) -> FunctionId {
        let next = self.functions.len() as u32;
        let id = *self.by_raw_name.entry(raw_name).or_insert(next);
        if id == next {
            self.functions.push(function());
        }
        FunctionId(id)
    }
}
