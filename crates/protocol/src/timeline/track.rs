//! Kinds of tracks. A row in `view`'s track table describes each one.

use serde::{Deserialize, Serialize};

macro_rules! track_kinds {
    ($($(#[$doc:meta])* $kind:ident,)*) => {
        /// Kind of a track with data of the runtime or of the app, in timeline order.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        pub enum TrackKind {
            $($(#[$doc])* $kind,)*
            /// Counter or meter: index of its track in [`crate::tables::Series`].
            Series(u16),
        }

        impl TrackKind {
            /// All kinds except counters and meters, in timeline order.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];
        }
    };
}

track_kinds! {
    /// GCs.
    Gc,
    /// Runs of the finalizer thread.
    Finalizers,
    /// JIT compilations.
    Jit,
    /// Background compilation (tiering).
    Tiering,
    Exceptions,
    /// Lock contention.
    Contention,
    /// Incoming HTTP requests.
    IncomingRequests,
    /// Outgoing HTTP requests.
    OutgoingRequests,
    /// Other network operations: connections, handshakes, name resolution.
    Network,
    /// Spans of the app's own event sources.
    Spans,
    /// Activities across threads, with child activities below.
    Activities,
    /// Log messages.
    Logs,
    /// Loads of assemblies, modules and types.
    Loads,
    /// Lost events, in the time ranges of the losses.
    LostEvents,
    /// CPU usage in percent of all CPUs.
    CpuUsage,
    /// Bytes allocated per second.
    AllocationRate,
    ThreadPool,
    /// Work items in the thread pool's queue.
    QueueLength,
}

impl TrackKind {
    /// Returns whether the intervals are spans, which are computed together for all providers.
    pub fn is_spans(self) -> bool {
        matches!(self, Self::IncomingRequests | Self::OutgoingRequests | Self::Network | Self::Spans | Self::Activities)
    }

    /// Returns the number by which tables name the kind; [`u8::MAX`] for counters and meters.
    pub fn number(self) -> u8 {
        Self::ALL.iter().zip(0..).find(|(kind, _)| **kind == self).map_or(u8::MAX, |(_, number)| number)
    }

    /// Returns the kind with a number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}
