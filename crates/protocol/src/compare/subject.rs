//! Subjects of measures, declared once.

use crate::format::uncapitalized;
use serde::{Deserialize, Serialize};

/// How the values of a subject are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Values add up: counts, bytes, nanoseconds. They are compared per second or per request.
    Sum,
    /// Each value is the duration of one operation. Their number and percentiles are compared.
    Duration,
    /// Values are levels, such as a heap size. Their mean is compared.
    Level,
}

/// Unit of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SubjectUnit {
    Count,
    Nanos,
    Bytes,
    /// That of the counter.
    Plain,
}

/// Which direction is an improvement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preference {
    Less,
    More,
    None,
}

macro_rules! subjects {
    ($($name:ident, $slug:literal, $title:literal, $form:ident, $unit:ident, $preference:ident;)*) => {
        /// What a measure is about.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum Subject { $(#[doc = $title] $name),* }

        impl Subject {
            /// All subjects, in the order in which they are shown.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns the name in JSON.
            pub fn slug(self) -> &'static str {
                match self { $(Self::$name => $slug),* }
            }

            /// Returns the identifier of its table on the page.
            pub fn table_id(self) -> &'static str {
                match self { $(Self::$name => concat!("changes-", $slug)),* }
            }

            /// Returns the title: what the whole trace has of it, and the title of the table of its names.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title),* }
            }

            /// Returns how its values are combined.
            pub fn form(self) -> Form {
                match self { $(Self::$name => Form::$form),* }
            }

            /// Returns the unit of its values.
            pub fn unit(self) -> SubjectUnit {
                match self { $(Self::$name => SubjectUnit::$unit),* }
            }

            /// Returns which direction is an improvement.
            pub fn preference(self) -> Preference {
                match self { $(Self::$name => Preference::$preference),* }
            }
        }
    };
}

subjects! {
    Requests, "requests", "Incoming requests", Duration, Nanos, Less;
    FailedRequests, "failedRequests", "Failed requests", Sum, Count, Less;
    SentRequests, "outgoingRequests", "Outgoing requests", Duration, Nanos, Less;
    SqlCommands, "sqlCommands", "SQL queries", Duration, Nanos, Less;
    RunningTime, "runningTime", "Running time of threads", Sum, Nanos, Less;
    FunctionTotal, "functionTotal", "Running time by function, total", Sum, Nanos, Less;
    FunctionSelf, "functionSelf", "Running time by function, self", Sum, Nanos, Less;
    ModuleSelf, "moduleSelf", "Running time by module", Sum, Nanos, Less;
    ThreadState, "threadState", "Thread time by state", Sum, Nanos, None;
    GcPauses, "gcPauses", "GC pauses", Sum, Nanos, Less;
    GcSuspension, "gcSuspension", "GC suspend time", Sum, Nanos, Less;
    Gcs, "gcs", "GCs", Sum, Count, Less;
    GcGeneration, "gcsByGeneration", "GCs by generation", Sum, Count, Less;
    HeapAfterGc, "heapAfterGc", "Heap size after GCs", Level, Bytes, Less;
    Allocated, "allocated", "Allocations", Sum, Bytes, Less;
    AllocatedType, "allocatedByType", "Allocations by type", Sum, Bytes, Less;
    AllocationSite, "allocatedByMethod", "Allocations by method", Sum, Bytes, Less;
    Exceptions, "exceptions", "Exceptions", Sum, Count, Less;
    ExceptionType, "exceptionsByType", "Exceptions by type", Sum, Count, Less;
    ThrowSite, "exceptionsByMethod", "Exceptions by method", Sum, Count, Less;
    LockWaits, "lockWaits", "Lock contention", Sum, Nanos, Less;
    LockSite, "lockWaitsByMethod", "Lock contention by method", Sum, Nanos, Less;
    HandleWaits, "handleWaits", "Waits for tasks and handles by method", Sum, Nanos, Less;
    JitTime, "jitTime", "JIT time", Sum, Nanos, Less;
    JittedMethods, "jittedMethods", "JIT-compiled methods", Sum, Count, Less;
    Counter, "counters", "Counters", Level, Plain, None;
    Events, "events", "Events", Sum, Count, None;
    EventType, "eventsByType", "Events by type", Sum, Count, None;
}

impl Subject {
    /// Returns the subject with a number, as [`super::Measures::subject`] contains it.
    pub fn from_u8(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// Returns the title for the middle of a sentence: "waits for tasks and handles", "JIT time".
    pub fn noun(self) -> String {
        let title = self.title();
        let title = title.find(" by ").map_or(title, |end| &title[..end]);
        // Abbreviations keep their capitals.
        match title.chars().nth(1).is_some_and(char::is_lowercase) {
            true => uncapitalized(title),
            false => title.to_owned(),
        }
    }

    /// Returns the subject whose measures add up to this one's, or that this one's names are part of.
    pub fn whole(self) -> Option<Self> {
        match self {
            Self::FunctionTotal | Self::FunctionSelf | Self::ModuleSelf => Some(Self::RunningTime),
            Self::GcGeneration => Some(Self::Gcs),
            Self::AllocatedType | Self::AllocationSite => Some(Self::Allocated),
            Self::ExceptionType | Self::ThrowSite => Some(Self::Exceptions),
            Self::LockSite => Some(Self::LockWaits),
            Self::EventType => Some(Self::Events),
            _ => None,
        }
    }
}
