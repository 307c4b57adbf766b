//! Processes of a trace: one, or in machine-wide traces many.

use protocol::base::hash::FastMap;
use protocol::base::ids::ProcessId;

/// A process, and what the trace records about it. Texts that the trace doesn't have are empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Process {
    /// Its identity.
    pub id: ProcessId,
    /// The operating system's id; 0 if unknown.
    pub os_process: u32,
    /// The name of the program.
    pub name: String,
    /// The command line.
    pub command_line: String,
    /// The operating system, such as "Linux".
    pub operating_system: String,
    /// The processor architecture, such as "x64".
    pub architecture: String,
    /// The runtime in words, such as ".NET 10.0.1".
    pub runtime: String,
    /// The path of the runtime's library.
    pub runtime_path: String,
}

impl Process {
    /// What to call it where its id must be seen: "shop (909)", or "Process 909" if it has no name.
    pub fn numbered_label(&self) -> String {
        let number = self.os_process.to_string();
        match self.name.as_str() {
            "" => format!("Process {number}"),
            name if name.strip_prefix("Process ") == Some(&number) => name.to_owned(),
            name => format!("{name} ({number})"),
        }
    }
}

/// All processes, by [`ProcessId`]. There is always a first one: that of the header.
#[derive(Clone, Debug, Default)]
pub struct Processes {
    processes: Vec<Process>,
    main: ProcessId,
    by_os_process: FastMap<u32, ProcessId>,
}

impl Processes {
    /// Number of processes.
    pub fn len(&self) -> usize {
        self.processes.len()
    }

    /// Whether there are none; never so in a finished store.
    pub fn is_empty(&self) -> bool {
        self.processes.is_empty()
    }

    /// One process.
    pub fn get(&self, id: ProcessId) -> Option<&Process> {
        self.processes.get(id.index())
    }

    /// The process that the trace is about: the one that the header names, in machine-wide traces, where it names none,
    /// the one whose threads have most events.
    pub fn main(&self) -> Option<&Process> {
        self.get(self.main)
    }

    /// Says which process the trace is about.
    pub(crate) fn set_main(&mut self, main: ProcessId) {
        self.main = main;
    }

    /// All processes in order of their ids.
    pub fn iter(&self) -> std::slice::Iter<'_, Process> {
        self.processes.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Process> {
        self.processes.iter_mut()
    }

    pub(crate) fn get_mut(&mut self, id: ProcessId) -> Option<&mut Process> {
        self.processes.get_mut(id.index())
    }

    /// The process with this operating system's id, new or known.
    pub(crate) fn intern(&mut self, os_process: u32) -> ProcessId {
        let next = ProcessId(self.processes.len() as u32);
        let id = *self.by_os_process.entry(os_process).or_insert(next);
        if id == next {
            self.processes.push(Process { id, os_process, ..Process::default() });
        }
        id
    }
}
