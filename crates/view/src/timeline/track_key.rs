//! What tracks are about: how each is named among all others.

use protocol::base::ids::ThreadId;
use protocol::timeline::track::TrackKind;

/// One of the runtime's tracks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RuntimeKey {
    /// The operating system's id of the process; 0 if all threads of the trace belong to one, and of none of several.
    pub process: u32,
    /// What it is about.
    pub kind: TrackKind,
}

impl RuntimeKey {
    /// The track of this kind of the only process.
    pub fn only(kind: TrackKind) -> Self {
        Self { process: 0, kind }
    }
}

/// What a track is about. Processes are named by the operating system's ids; 0 if all threads belong to one, and what of
/// several belongs to none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TrackKey {
    /// Heading of everything of a process, if there are several.
    Process(u32),
    /// Heading of the runtime's tracks of a process.
    Runtime(u32),
    /// One of the runtime's tracks, or a counter.
    Kind(RuntimeKey),
    /// Heading of the runtime's tracks for which there was no room at first.
    MoreRuntime(u32),
    /// Heading of the counters of a process.
    Counters(u32),
    /// Heading of the threads of a process.
    Threads(u32),
    /// A thread.
    Thread(ThreadId),
    /// Heading of the threads of a process that do next to nothing.
    Quiet(u32),
    /// Heading of what the program calls its work, and of activities that go from thread to thread.
    Activities(u32),
}

impl TrackKey {
    /// Whether it is a thread, or a heading of threads that is no heading of anything else.
    pub fn is_of_threads(self) -> bool {
        matches!(self, Self::Thread(_) | Self::Quiet(_))
    }

    /// The process that it belongs to; none of a thread, which does not say.
    pub fn process(self) -> Option<u32> {
        match self {
            Self::Process(process)
            | Self::Runtime(process)
            | Self::MoreRuntime(process)
            | Self::Counters(process)
            | Self::Threads(process)
            | Self::Quiet(process)
            | Self::Activities(process) => Some(process),
            Self::Kind(key) => Some(key.process),
            Self::Thread(_) => None,
        }
    }

    /// Whether it is a heading of one of the main parts of a process, or of the process.
    pub fn is_group(self) -> bool {
        self.is_heading() && !matches!(self, Self::MoreRuntime(_) | Self::Quiet(_))
    }

    /// Whether it is a heading, with nothing to draw of its own.
    pub fn is_heading(self) -> bool {
        !matches!(self, Self::Kind(_) | Self::Thread(_))
    }
}
