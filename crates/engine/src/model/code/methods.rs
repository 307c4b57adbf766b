//! Code ranges: the methods that occupied each address over time.

use crate::clr::known::payload::OptimizationTier;
use crate::model::rows::Rows;
use protocol::base::ids::{FunctionId, ProcessId};

/// Code of a method at one address. Each compilation, at any tier, has its own range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Method {
    pub process: ProcessId,
    /// Address of the first byte.
    pub start: u64,
    /// Size in bytes.
    pub size: u64,
    /// The runtime's ID of the method, the same for all tiers; 0 for native symbols.
    pub method_id: u64,
    /// Metadata token in its module; 0 for code without one.
    pub token: u32,
    /// Index of its module in [`crate::model::Modules`].
    pub module: Option<u32>,
    /// Index of its IL map in [`crate::model::IlMaps`]; `None` if none was recorded, or no stack contains the code.
    pub il_map: Option<u32>,
    pub tier: OptimizationTier,
    /// Ticks of the load; `None` if it was before the trace, or the trace doesn't record it.
    pub load_ticks: Option<i64>,
    /// Ticks of the unload; `None` if the code stayed loaded.
    pub unload_ticks: Option<i64>,
    /// Function; `None` if the method isn't on any stack.
    pub function: Option<FunctionId>,
}

impl Method {
    /// Returns whether the code contains an address.
    pub fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.start) < self.size
    }

    /// Returns the ticks of the load; `i64::MIN` if the code was always loaded.
    pub fn loaded_from(&self) -> i64 {
        self.load_ticks.unwrap_or(i64::MIN)
    }

    /// Returns whether the code is still loaded at a time, in ticks.
    pub fn is_loaded_until(&self, ticks: i64) -> bool {
        self.unload_ticks.is_none_or(|unload| ticks < unload)
    }
}

/// All code ranges, by process and address.
pub type Methods = Rows<u32, Method>;

impl Methods {
    /// Returns the code ranges of a function, including those that aren't on any stack.
    pub fn of_function(&self, function: FunctionId) -> Vec<&Method> {
        let of_function = |method: &&Method| method.function == Some(function);
        let ids: protocol::base::hash::FastSet<_> =
            self.iter().filter(of_function).map(|method| (method.process, method.method_id)).collect();
        let same_id = |method: &&Method| method.method_id != 0 && ids.contains(&(method.process, method.method_id));
        self.iter().filter(|method| of_function(method) || same_id(method)).collect()
    }
}
