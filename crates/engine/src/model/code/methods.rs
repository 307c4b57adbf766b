//! Code ranges: which method occupied which addresses, and when.

use crate::clr::known::payload::OptimizationTier;
use protocol::base::ids::{FunctionId, ProcessId};

/// The code of a method at one place: each tier, and each time it is compiled again, has a range of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Method {
    /// The process.
    pub process: ProcessId,
    /// Address of the first byte.
    pub start: u64,
    /// Bytes.
    pub size: u64,
    /// The runtime's id of the method, the same for all its tiers; 0 for symbols of native code.
    pub method_id: u64,
    /// Its token in the metadata of its module; 0 for code without one.
    pub token: u32,
    /// Position of its module in [`crate::model::Modules`].
    pub module: Option<u32>,
    /// Position of the map of its IL in [`crate::model::IlMaps`]; none if no map was recorded or no stack has the code.
    pub il_map: Option<u32>,
    /// How it was compiled.
    pub tier: OptimizationTier,
    /// Ticks from which on it is there; none if it was there before the trace, or the trace doesn't record it.
    pub load_ticks: Option<i64>,
    /// Ticks from which on it is gone; none if it stayed.
    pub unload_ticks: Option<i64>,
    /// The function it belongs to; none if no stack of the trace shows it.
    pub function: Option<FunctionId>,
}

impl Method {
    /// Whether an address is inside its code.
    pub fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.start) < self.size
    }

    /// Ticks from which on it is there, the smallest number if it always was.
    pub fn loaded_from(&self) -> i64 {
        self.load_ticks.unwrap_or(i64::MIN)
    }

    /// Whether it is still there at these ticks.
    pub fn is_loaded_until(&self, ticks: i64) -> bool {
        self.unload_ticks.is_none_or(|unload| ticks < unload)
    }
}

/// All code ranges, by process and address.
#[derive(Clone, Debug, Default)]
pub struct Methods {
    pub(crate) methods: Vec<Method>,
}

impl Methods {
    /// Number of code ranges.
    pub fn len(&self) -> usize {
        self.methods.len()
    }

    /// Whether the trace has no code ranges.
    pub fn is_empty(&self) -> bool {
        self.methods.is_empty()
    }

    /// One code range by its position.
    pub fn get(&self, index: u32) -> Option<&Method> {
        self.methods.get(index as usize)
    }

    /// All code ranges.
    pub fn iter(&self) -> std::slice::Iter<'_, Method> {
        self.methods.iter()
    }

    /// The code ranges of a function: its tiers, whether a stack shows them or not.
    pub fn of_function(&self, function: FunctionId) -> Vec<&Method> {
        let of_function = |method: &&Method| method.function == Some(function);
        let ids: protocol::base::hash::FastSet<_> =
            self.methods.iter().filter(of_function).map(|method| (method.process, method.method_id)).collect();
        let same_id = |method: &&Method| method.method_id != 0 && ids.contains(&(method.process, method.method_id));
        self.methods.iter().filter(|method| of_function(method) || same_id(method)).collect()
    }

    /// Bytes held.
    pub fn heap_bytes(&self) -> u64 {
        (self.methods.capacity() * size_of::<Method>()) as u64
    }
}
