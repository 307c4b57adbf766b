//! Processes of a trace: one, or many in machine-wide traces.

use crate::model::rows::Rows;
use protocol::base::hash::FastMap;
use protocol::base::ids::ProcessId;
use std::ops::{Deref, DerefMut};

/// Process. Texts that aren't in the trace are empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Process {
    pub id: ProcessId,
    /// OS process ID; 0 if unknown.
    pub os_process: u32,
    pub name: String,
    pub command_line: String,
    /// Operating system, such as "Linux".
    pub operating_system: String,
    /// Processor architecture, such as "x64".
    pub architecture: String,
    /// Display name of the runtime, such as ".NET 10.0.1".
    pub runtime: String,
    pub runtime_path: String,
}

/// Programs that record machine-wide traces, in which they appear, too.
const RECORDERS: [&str; 6] = ["record-trace", "dotnet-trace", "dotnet-monitor", "perf", "perfcollect", "PerfView"];

impl Process {
    /// Returns whether it is a program that records traces.
    pub fn is_recorder(&self) -> bool {
        let name = self.name.strip_suffix(".exe").unwrap_or(&self.name);
        RECORDERS.contains(&name)
    }

    /// Returns the name with the ID: "shop (909)", or "Process 909" without a name.
    pub fn numbered_label(&self) -> String {
        let number = self.os_process.to_string();
        match self.name.as_str() {
            "" => format!("Process {number}"),
            name if name.strip_prefix("Process ") == Some(&number) => name.to_owned(),
            name => format!("{name} ({number})"),
        }
    }
}

/// All processes, by [`ProcessId`]. The first one is the header's process, which always exists.
#[derive(Clone, Debug, Default)]
pub struct Processes {
    processes: Rows<ProcessId, Process>,
    main: ProcessId,
    by_os_process: FastMap<u32, ProcessId>,
}

impl Deref for Processes {
    type Target = Rows<ProcessId, Process>;

    fn deref(&self) -> &Self::Target {
        &self.processes
    }
}

impl DerefMut for Processes {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.processes
    }
}

impl Processes {
    /// Returns the main process: the header's, or in machine-wide traces the one whose threads have the most events.
    pub fn main(&self) -> Option<&Process> {
        self.get(self.main)
    }

    pub(crate) fn set_main(&mut self, main: ProcessId) {
        self.main = main;
    }

    /// Returns the process with this OS process ID, adding it if necessary.
    pub(crate) fn intern(&mut self, os_process: u32) -> ProcessId {
        let next = ProcessId(self.processes.len() as u32);
        let id = *self.by_os_process.entry(os_process).or_insert(next);
        if id == next {
            self.processes.push(Process { id, os_process, ..Process::default() });
        }
        id
    }
}
