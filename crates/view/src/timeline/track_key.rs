//! Identities of tracks.

use protocol::base::ids::ThreadId;
use protocol::timeline::track::TrackKind;

/// Runtime track.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RuntimeKey {
    /// OS process ID; 0 if the trace has one process, or for tracks of no process.
    pub process: u32,
    pub kind: TrackKind,
}

impl RuntimeKey {
    /// Returns the track of a kind in a trace with one process.
    pub fn only(kind: TrackKind) -> Self {
        Self { process: 0, kind }
    }
}

/// Identity of a track. Processes are OS process IDs; 0 if the trace has one process, or for tracks of no process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TrackKey {
    /// Heading of a process, if the trace has several.
    Process(u32),
    /// Heading of the runtime tracks of a process.
    Runtime(u32),
    /// Runtime track, or a counter.
    Kind(RuntimeKey),
    /// Heading of the less important runtime tracks.
    MoreRuntime(u32),
    /// Heading of the counters of a process.
    Counters(u32),
    /// Heading of the threads of a process.
    Threads(u32),
    Thread(ThreadId),
    /// Heading of the nearly idle threads of a process.
    Quiet(u32),
    /// Heading of the app's own spans, and of activities across threads.
    Activities(u32),
}

impl TrackKey {
    /// Returns whether the track is a thread, or a heading of threads only.
    pub fn is_of_threads(self) -> bool {
        matches!(self, Self::Thread(_) | Self::Quiet(_))
    }

    /// Returns the process of the track; `None` for a thread, whose identity doesn't include it.
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

    /// Returns whether the track is the heading of a process or of one of its main groups.
    pub fn is_group(self) -> bool {
        self.is_heading() && !matches!(self, Self::MoreRuntime(_) | Self::Quiet(_))
    }

    /// Returns whether the track is a heading without content.
    pub fn is_heading(self) -> bool {
        !matches!(self, Self::Kind(_) | Self::Thread(_))
    }
}
