//! Modules: assemblies, and files mapped into the processes of a machine-wide trace.

use crate::model::rows::Rows;
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
pub type Modules = Rows<u32, Module>;
