//! Modules: assemblies, and files mapped into the processes of a machine-wide trace.

use nettrace::Guid;
use protocol::base::ids::{ProcessId, StringId};

/// Module of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Module {
    /// Process that loaded it.
    pub process: ProcessId,
    /// The runtime's ID; in machine-wide traces, the ID of the mapping.
    pub module_id: u64,
    /// File name without folder and extension.
    pub name: StringId,
    pub path: StringId,
    /// ID of its PDB file; `None` if the trace doesn't record it.
    pub pdb: Option<Guid>,
    /// Ticks of the load; `None` if it was before the trace, or the trace doesn't record it.
    pub load_ticks: Option<i64>,
}

/// All modules in file order, without duplicates of process, ID and path.
#[derive(Clone, Debug, Default)]
pub struct Modules {
    modules: Vec<Module>,
}

impl Modules {
    pub fn len(&self) -> usize {
        self.modules.len()
    }

    pub fn is_empty(&self) -> bool {
        self.modules.is_empty()
    }

    pub fn get(&self, index: u32) -> Option<&Module> {
        self.modules.get(index as usize)
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Module> {
        self.modules.iter()
    }

    pub fn heap_bytes(&self) -> u64 {
        (self.modules.capacity() * size_of::<Module>()) as u64
    }

    pub(crate) fn set_pdb(&mut self, index: u32, pdb: Guid) {
        if let Some(module) = self.modules.get_mut(index as usize) {
            module.pdb = module.pdb.or(Some(pdb));
        }
    }

    pub(crate) fn push(&mut self, module: Module) -> u32 {
        self.modules.push(module);
        self.modules.len() as u32 - 1
    }
}
