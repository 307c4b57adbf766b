//! Threads of a trace.

use protocol::base::ids::{NO_OS_ID, ProcessId, ThreadId};

/// What a thread is for, as far as the trace shows it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ThreadRole {
    /// Nothing is known.
    #[default]
    Other,
    /// The process began on it.
    Main,
    /// Runs finalizers.
    Finalizer,
    /// Works for the thread pool.
    PoolWorker,
    /// Starts timers' callbacks.
    Timer,
    /// Watches whether the thread pool needs more workers.
    PoolGate,
    /// Waits for handles for the thread pool.
    PoolWait,
    /// Waits for sockets.
    Sockets,
    /// Takes the samples of all others.
    Sampler,
    /// Serves the session: reports what exists when it ends.
    Session,
    /// Works for the garbage collector.
    GarbageCollector,
    /// Collects garbage in the background.
    BackgroundCollector,
    /// Waits for input and output to be over, for the thread pool.
    PoolIo,
    /// Recompiles methods in the background.
    TieredCompilation,
    /// Not a thread: events of the machine or of a process as a whole (version 6 traces).
    None,
}

impl ThreadRole {
    /// What to call a thread of this role.
    pub fn words(self) -> &'static str {
        match self {
            Self::Other => "Thread",
            Self::Main => "Main",
            Self::Finalizer => "Finalizer",
            Self::PoolWorker => "Pool worker",
            Self::Timer => "Timer",
            Self::PoolGate => "Pool gate",
            Self::PoolWait => "Pool wait",
            Self::Sockets => "Sockets",
            Self::Sampler => "Sampler",
            Self::Session => "EventPipe",
            Self::GarbageCollector => ".NET GC",
            Self::BackgroundCollector => ".NET BGC",
            Self::PoolIo => "Pool I/O",
            Self::TieredCompilation => ".NET Tiered JIT",
            Self::None => "No thread",
        }
    }
}

/// A thread: (process, operating system's id, incarnation). Another thread that got the same operating system's id
/// later has another incarnation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Thread {
    /// Its identity.
    pub id: ThreadId,
    /// Its process.
    pub process: ProcessId,
    /// The operating system's id.
    pub os_thread: u64,
    /// 0 for the first thread with this operating system's id, 1 for the next …
    pub incarnation: u32,
    /// Its name, if the file has one.
    pub name: Option<String>,
    /// What it is for.
    pub role: ThreadRole,
    /// How the role was found, one sentence.
    pub reason: String,
    /// Where its stacks begin, without framework code, of a thread that has neither a name nor a role.
    pub first_code: Option<String>,
    /// What else the file says about it, as key and value (version 6).
    pub attributes: Vec<(String, String)>,
    /// How many indices of the file's thread table named it (version 6); events name it by these.
    pub indices: u32,
    /// Events whose thread it is, samples of it included.
    pub events: u64,
    /// Ticks of its first event; 0 if it has none.
    pub first_ticks: i64,
    /// Ticks of its last event; 0 if it has none.
    pub last_ticks: i64,
}

impl Thread {
    /// The operating system's id; none if the file has none (version 6), and only its index identifies it.
    pub fn os_id(&self) -> Option<u64> {
        (self.os_thread < NO_OS_ID).then_some(self.os_thread)
    }

    /// The operating system's id, and of several threads with that id which: "17", "17 (2)". Empty without an id.
    pub fn number(&self) -> String {
        match (self.os_id().filter(|_| self.role != ThreadRole::None), self.incarnation) {
            (None, _) => String::new(),
            (Some(id), 0) => id.to_string(),
            (Some(id), earlier) => format!("{id} ({})", earlier + 1),
        }
    }

    /// What to call it where its number must be seen: "Pool worker 8123".
    pub fn numbered_label(&self) -> String {
        match (&self.name, &self.first_code) {
            (None, Some(code)) if !self.number().is_empty() => format!("{code} · {}", self.number()),
            _ => format!("{} {}", self.label(), self.number()).trim_end().to_owned(),
        }
    }

    /// Its role with its number: "Thread 8123". Filters find it by this, whatever it's called.
    pub fn numbered_role(&self) -> String {
        format!("{} {}", self.role.words(), self.number()).trim_end().to_owned()
    }

    /// What to call it: its name, else where its stacks begin, else its role.
    pub fn label(&self) -> &str {
        self.name.as_deref().or(self.first_code.as_deref()).unwrap_or(self.role.words())
    }
}

/// All threads, by [`ThreadId`], in the order in which the file mentions them.
#[derive(Clone, Debug, Default)]
pub struct Threads {
    threads: Vec<Thread>,
}

impl Threads {
    /// Number of threads, also of those without an event.
    pub fn len(&self) -> usize {
        self.threads.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    /// One thread.
    pub fn get(&self, id: ThreadId) -> Option<&Thread> {
        self.threads.get(id.index())
    }

    /// All threads in order of their ids.
    pub fn iter(&self) -> std::slice::Iter<'_, Thread> {
        self.threads.iter()
    }

    /// Bytes held, about.
    pub fn heap_bytes(&self) -> u64 {
        (self.threads.capacity() * size_of::<Thread>()) as u64
    }

    pub(crate) fn get_mut(&mut self, id: ThreadId) -> Option<&mut Thread> {
        self.threads.get_mut(id.index())
    }

    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Thread> {
        self.threads.iter_mut()
    }

    pub(crate) fn add(
        &mut self,
        process: ProcessId,
        os_thread: u64,
        incarnation: u32,
        name: Option<String>,
    ) -> ThreadId {
        let id = ThreadId(self.threads.len() as u32);
        self.threads.push(Thread { id, process, os_thread, incarnation, name, ..Thread::default() });
        id
    }
}

impl<'t> IntoIterator for &'t Threads {
    type Item = &'t Thread;
    type IntoIter = std::slice::Iter<'t, Thread>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
