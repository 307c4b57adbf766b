//! Sources of the data of each track.

use super::allocation_rate::allocation_rate;
use super::cpu_usage::cpu_usage;
use super::lines::{Lines, ValueSources};
use super::thread_pool::{queue_length, workers};
use crate::analysis::intervals::contention::contentions;
use crate::analysis::intervals::finalizers::finalizer_runs;
use crate::analysis::intervals::interval_search::IntervalSearch;
use crate::analysis::intervals::interval_set::IntervalSet;
use crate::analysis::intervals::jit::{compilations, tier_ups};
use crate::analysis::intervals::loads::LoadSearch;
use crate::analysis::intervals::logs::LogSearch;
use crate::analysis::intervals::lost_events::losses;
use crate::model::Store;
use nettrace::{ByteSource, SourceError};
use protocol::timeline::track::TrackKind;

pub(crate) enum TrackData {
    /// Table with a separate query.
    Table,
    /// Spans, which are put together for all tracks.
    Spans,
    /// Intervals that are found at once.
    Intervals(fn(&Store, &dyn ByteSource) -> Result<IntervalSet, SourceError>),
    /// Intervals of which there may be many, found step by step.
    Search(fn(&Store) -> Box<dyn IntervalSearch>),
    /// Values over time, added to lines.
    Values(fn(&ValueSources<'_>, &mut Lines) -> Result<(), SourceError>),
}

impl TrackData {
    /// Returns the data of a kind.
    pub(crate) fn of(kind: TrackKind) -> Self {
        match kind {
            TrackKind::Gc | TrackKind::Exceptions | TrackKind::Series(_) => Self::Table,
            TrackKind::Finalizers => Self::Intervals(finalizer_runs),
            TrackKind::Jit => Self::Intervals(compilations),
            TrackKind::Tiering => Self::Intervals(tier_ups),
            TrackKind::Contention => Self::Intervals(contentions),
            TrackKind::IncomingRequests
            | TrackKind::OutgoingRequests
            | TrackKind::Network
            | TrackKind::Spans
            | TrackKind::Activities => Self::Spans,
            TrackKind::Logs => Self::Search(|store| Box::new(LogSearch::new(store))),
            TrackKind::Loads => Self::Search(|store| Box::new(LoadSearch::new(store))),
            TrackKind::LostEvents => Self::Intervals(|store, _| Ok(losses(store))),
            TrackKind::CpuUsage => Self::Values(cpu_usage),
            TrackKind::AllocationRate => Self::Values(allocation_rate),
            TrackKind::ThreadPool => Self::Values(workers),
            TrackKind::QueueLength => Self::Values(queue_length),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_those_of_the_protocol() {
        for &kind in TrackKind::ALL {
            assert_eq!(matches!(TrackData::of(kind), TrackData::Spans), kind.is_spans(), "{kind:?}");
        }
    }
}
