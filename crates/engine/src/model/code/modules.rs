//! Modules: assemblies, and the files mapped into the processes of a machine-wide trace.

use nettrace::Guid;
use protocol::base::ids::{ProcessId, StringId};

/// A module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Module {
    /// The process that loaded it.
    pub process: ProcessId,
    /// The runtime's id of it; the id of the mapping in machine-wide traces.
    pub module_id: u64,
    /// Its name: the file name without directory and extension.
    pub name: StringId,
    /// Its path.
    pub path: StringId,
    /// The ID of its PDB file; none if the trace doesn't record it.
    pub pdb: Option<Guid>,
    /// Ticks when it was loaded; none if that was before the trace, or the trace doesn't record it.
    pub load_ticks: Option<i64>,
}

/// All modules, in the order of the file, each (process, id, path) once.
#[derive(Clone, Debug, Default)]
pub struct Modules {
    modules: Vec<Module>,
}

impl Modules {
    /// Number of modules.
    pub fn len(&self) -> usize {
        self.modules.len()
    }

    /// Whether the trace has none.
    pub fn is_empty(&self) -> bool {
        self.modules.is_empty()
    }

    /// One module by its position.
    pub fn get(&self, index: u32) -> Option<&Module> {
        self.modules.get(index as usize)
    }

    /// All modules.
    pub fn iter(&self) -> std::slice::Iter<'_, Module> {
        self.modules.iter()
    }

    /// Bytes held.
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
