//! The tracks: a row each. A track's file has what doesn't fit into its row.

use super::interval_look::Look;
use super::{contention, finalizers, jit, loads, logs, lost_events, network, requests, spans};
use protocol::timeline::track::TrackKind;
use protocol::topics::topic::Topic;
use std::borrow::Cow;

/// Group of tracks of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    Runtime,
    /// Counters and meters.
    Counters,
    /// Work that the app names itself.
    Activities,
}

/// Content of a track, which also provides its tooltips.
#[derive(Clone, Copy, Debug)]
pub enum Content {
    /// [`super::gc::GcTrack`].
    Gcs,
    /// [`super::exceptions::ExceptionsTrack`].
    Exceptions,
    /// [`super::intervals::IntervalTrack`] with this look.
    Intervals(&'static Look),
    /// [`super::series::SeriesTrack`]: values over time, with the top of the axis if it doesn't depend on them.
    Values(Option<f64>),
}

/// Entry of a legend: class of the swatch in the style sheet, and text.
pub type LegendEntry = (&'static str, &'static str);

const EXCEPTION: LegendEntry = ("exc", "exception");
const JIT: LegendEntry = ("jit", "JIT");
const LOCK: LegendEntry = ("lock", "lock");
const IO: LegendEntry = ("io", "HTTP, I/O");
const OUTGOING: LegendEntry = ("out", "outgoing");
const SPAN: LegendEntry = ("span", "span");
const LOST: LegendEntry = ("lost", "lost events");

/// Description of a track.
#[derive(Clone, Copy, Debug)]
pub struct TrackRow {
    /// Name in links and element IDs. It never changes, even if everything else does.
    pub slug: &'static str,
    /// Name in the header; empty for counters and meters, which have their own.
    pub name: &'static str,
    /// Group that contains the track.
    pub group: Group,
    /// Tracks of a lower rank are visible at first if no finding mentions a track: pauses, failures and waits.
    pub rank: u8,
    /// Analysis of the same data. Its tab and its findings bring the track into view.
    pub topic: Option<Topic>,
    /// Entry in the legend of the group. The legend of GCs lists the collected generations instead.
    pub legend: Option<LegendEntry>,
    pub content: Content,
}

impl TrackRow {
    /// Returns the row of a kind.
    pub fn of(kind: TrackKind) -> Self {
        use Content::{Exceptions, Gcs, Intervals, Values};
        use Group::{Activities, Counters, Runtime};
        use Topic::{Allocations, Contention, Gc, Http, Jit, Logs, Networking, Startup, ThreadPool};
        use TrackKind as Kind;
        let (slug, name, group, rank, topic, legend, content) = match kind {
            Kind::Gc => ("collections", "GC", Runtime, 0, Some(Gc), None, Gcs),
            Kind::Finalizers => ("finalizers", "Finalizers", Runtime, 6, None, None, Intervals(&finalizers::LOOK)),
            Kind::Jit => ("compilations", "JIT", Runtime, 4, Some(Jit), Some(JIT), Intervals(&jit::COMPILATIONS)),
            Kind::Tiering => ("tierups", "Tier-up", Runtime, 6, Some(Jit), Some(JIT), Intervals(&jit::BATCHES)),
            Kind::Exceptions => {
                ("exceptions", "Exceptions", Runtime, 1, Some(Topic::Exceptions), Some(EXCEPTION), Exceptions)
            }
            Kind::Contention => (
                "contentions",
                "Lock contention",
                Runtime,
                2,
                Some(Contention),
                Some(LOCK),
                Intervals(&contention::LOOK),
            ),
            Kind::IncomingRequests => (
                "requestsserved",
                "Incoming requests",
                Runtime,
                3,
                Some(Http),
                Some(IO),
                Intervals(&requests::INCOMING),
            ),
            Kind::OutgoingRequests => (
                "requestssent",
                "Outgoing requests",
                Runtime,
                5,
                Some(Http),
                Some(OUTGOING),
                Intervals(&requests::OUTGOING),
            ),
            Kind::Network => ("network", "Network", Runtime, 6, Some(Networking), Some(IO), Intervals(&network::LOOK)),
            Kind::Spans => ("spans", "Spans", Activities, 6, None, Some(SPAN), Intervals(&spans::OWN)),
            Kind::Activities => {
                ("activities", "Activities", Activities, 6, None, Some(SPAN), Intervals(&spans::ACTIVITIES))
            }
            Kind::Logs => ("logs", "Log", Runtime, 6, Some(Logs), None, Intervals(&logs::LOOK)),
            Kind::Loads => ("loads", "Loader", Runtime, 6, Some(Startup), None, Intervals(&loads::LOOK)),
            Kind::LostEvents => ("losses", "Lost events", Runtime, 6, None, Some(LOST), Intervals(&lost_events::LOOK)),
            Kind::CpuUsage => ("cpuusage", "CPU usage", Runtime, 6, None, None, Values(Some(100.0))),
            Kind::AllocationRate => {
                ("allocationrate", "Allocation rate", Runtime, 6, Some(Allocations), None, Values(None))
            }
            Kind::ThreadPool => ("threadpool", "Thread pool", Runtime, 6, Some(ThreadPool), None, Values(None)),
            Kind::QueueLength => ("queuelength", "Queue length", Runtime, 6, Some(ThreadPool), None, Values(None)),
            Kind::Series(_) => ("series", "", Counters, 6, Some(Topic::Counters), None, Values(None)),
        };
        Self { slug, name, group, rank, topic, legend, content }
    }

    /// Returns the look of a track of intervals.
    pub fn look(&self) -> Option<&'static Look> {
        match self.content {
            Content::Intervals(look) => Some(look),
            _ => None,
        }
    }
}

/// Returns the kinds with intervals, in timeline order.
pub fn interval_kinds() -> impl Iterator<Item = TrackKind> {
    TrackKind::ALL.iter().copied().filter(|kind| TrackRow::of(*kind).look().is_some())
}

/// Returns the name of a track in links and element IDs.
pub fn slug(kind: TrackKind) -> Cow<'static, str> {
    let slug = TrackRow::of(kind).slug;
    match kind {
        TrackKind::Series(position) => format!("{slug}.{position}").into(),
        _ => slug.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn slugs_are_distinct_and_links_of_older_versions_remain_valid() {
        let slugs: Vec<_> = TrackKind::ALL.iter().map(|kind| slug(*kind)).collect();
        assert_eq!(slugs.iter().collect::<BTreeSet<_>>().len(), slugs.len(), "{slugs:?}");
        // Slugs of all versions, in any order. Never change or remove one.
        let ever = [
            "collections",
            "compilations",
            "tierups",
            "exceptions",
            "contentions",
            "requestsserved",
            "requestssent",
            "network",
            "spans",
            "activities",
            "logs",
            "loads",
            "losses",
        ];
        for known in ever {
            assert!(slugs.iter().any(|slug| slug == known), "{known}");
        }
        assert_eq!(slug(TrackKind::Series(3)), "series.3");
    }

    #[test]
    fn every_track_has_name_and_number_and_last_color_repeats() {
        for &kind in TrackKind::ALL {
            let row = TrackRow::of(kind);
            assert!(!row.name.is_empty() && row.slug.chars().all(|letter| letter.is_ascii_lowercase()), "{kind:?}");
            assert_eq!(TrackKind::from_number(kind.number()), Some(kind));
            if let Some(look) = row.look() {
                assert!(look.shades() > 0);
                assert_eq!(look.colors(200), look.colors(look.shades() as u8 - 1));
            }
        }
        assert_eq!(TrackKind::from_number(TrackKind::Series(3).number()), None);
    }
}
