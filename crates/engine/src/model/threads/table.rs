//! Threads of a trace.

use crate::model::rows::Rows;
use protocol::base::ids::{NO_OS_ID, ProcessId, ThreadId};
use protocol::named;

named! {
    /// Role of a thread, as far as the trace reveals it.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub enum ThreadRole {
        /// Unknown.
        #[default]
        Other: "Thread";
        /// Main thread of the process.
        Main: "Main";
        /// Runs finalizers.
        Finalizer: "Finalizer";
        PoolWorker: "Pool worker";
        /// Runs timers.
        Timer: "Timer";
        /// Checks whether the thread pool needs more workers.
        PoolGate: "Pool gate";
        /// Waits for handles for the thread pool.
        PoolWait: "Pool wait";
        /// Waits for sockets.
        Sockets: "Sockets";
        /// Samples all other threads.
        Sampler: "Sampler";
        /// Serves the EventPipe session and writes the rundown.
        Session: "EventPipe";
        /// Does GC work.
        GarbageCollector: ".NET GC";
        /// Runs background GCs.
        BackgroundCollector: ".NET BGC";
        /// Waits for I/O completions for the thread pool.
        PoolIo: "Pool I/O";
        /// Recompiles methods in the background.
        TieredCompilation: ".NET Tiered JIT";
        /// Not a thread: events about the machine or a process (version 6).
        None: "No thread";
    }
    /// Returns the display name of the role.
    fn words;
}

/// Thread: process, OS thread ID, incarnation. A later thread with the same OS thread ID has another incarnation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Thread {
    pub id: ThreadId,
    pub process: ProcessId,
    /// OS thread ID.
    pub os_thread: u64,
    /// Incarnation: 0 for the first thread with this OS thread ID, 1 for the next, …
    pub incarnation: u32,
    /// Name in the file, if there is one.
    pub name: Option<String>,
    pub role: ThreadRole,
    /// Reason for the role, one sentence.
    pub reason: String,
    /// Outermost method of its stacks outside framework code, for a thread without a name and a role.
    pub first_code: Option<String>,
    /// Other attributes in the file, as key and value (version 6).
    pub attributes: Vec<(String, String)>,
    /// Number of indices in the file's thread table by which events refer to this thread (version 6).
    pub indices: u32,
    /// Number of events of the thread, including samples of it.
    pub events: u64,
    /// Ticks of the first event; 0 if there is none.
    pub first_ticks: i64,
    /// Ticks of the last event; 0 if there is none.
    pub last_ticks: i64,
}

impl Thread {
    /// Returns the OS thread ID; `None` if the file has only an index for the thread (version 6).
    pub fn os_id(&self) -> Option<u64> {
        (self.os_thread < NO_OS_ID).then_some(self.os_thread)
    }

    /// Returns the OS thread ID, numbered if several threads have the same ID: "17", "17 (2)". Empty without an ID.
    pub fn number(&self) -> String {
        match (self.os_id().filter(|_| self.role != ThreadRole::None), self.incarnation) {
            (None, _) => String::new(),
            (Some(id), 0) => id.to_string(),
            (Some(id), earlier) => format!("{id} ({})", earlier + 1),
        }
    }

    /// Returns the label with the number: "Pool worker 8123".
    pub fn numbered_label(&self) -> String {
        match (&self.name, &self.first_code) {
            (None, Some(code)) if !self.number().is_empty() => format!("{code} · {}", self.number()),
            _ => format!("{} {}", self.label(), self.number()).trim_end().to_owned(),
        }
    }

    /// Returns the role with the number: "Thread 8123". Filters match this text independently of the label.
    pub fn numbered_role(&self) -> String {
        format!("{} {}", self.role.words(), self.number()).trim_end().to_owned()
    }

    /// Returns the label: the name, the outermost method of its stacks, or the role.
    pub fn label(&self) -> &str {
        self.name.as_deref().or(self.first_code.as_deref()).unwrap_or(self.role.words())
    }
}

/// All threads, by [`ThreadId`], in the order of their first occurrence in the file.
pub type Threads = Rows<ThreadId, Thread>;

impl Threads {
    pub(crate) fn add(
        &mut self,
        process: ProcessId,
        os_thread: u64,
        incarnation: u32,
        name: Option<String>,
    ) -> ThreadId {
        let id = ThreadId(self.len() as u32);
        self.push(Thread { id, process, os_thread, incarnation, name, ..Thread::default() });
        id
    }
}
