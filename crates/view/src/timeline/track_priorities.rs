//! Tracks and threads that matter most: those that findings mention, and those of the open tab.

use super::tracks::table::TrackRow;
use protocol::base::ids::ThreadId;
use protocol::tables::RoleTimes;
use protocol::timeline::thread_state::Activity;
use protocol::timeline::track::TrackKind;
use protocol::topics::finding::{Finding, FindingTarget};
use protocol::topics::topic::Topic;
use std::collections::BTreeMap;

/// Most threads of the top finding that precede all others, so that other busy threads are visible, too.
const MAX_NAMED: usize = 7;

/// What makes tracks and threads important.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Priorities {
    /// Threads of the top finding, largest part of its cost first.
    pub named: Vec<ThreadId>,
    /// Analyses that findings link to, most costly finding first.
    pub mentioned: Vec<Topic>,
    /// Analysis of the open tab.
    pub topic: Option<Topic>,
    /// True if requests lead to another trace on the timeline, which arrows show.
    pub is_connected: bool,
    /// Running time of threads in nanoseconds, once known.
    pub running: BTreeMap<ThreadId, i64>,
}

impl Priorities {
    /// Takes over the findings of the whole trace, costliest first.
    pub fn set_findings(&mut self, findings: &[Finding]) {
        let about_app = || findings.iter().filter(|finding| !finding.kind.is_about_trace());
        let top = about_app().find(|finding| !finding.threads.is_empty());
        self.named = top.map_or_else(Vec::new, |top| top.threads.iter().copied().take(MAX_NAMED).collect());
        self.mentioned.clear();
        for topic in about_app().flat_map(|finding| &finding.links).filter_map(|link| topic_of(&link.to)) {
            if !self.mentioned.contains(&topic) {
                self.mentioned.push(topic);
            }
        }
    }

    /// Takes over the running times of threads.
    pub fn set_times(&mut self, times: &RoleTimes) {
        let of = |thread: &u32| (ThreadId(*thread), times.of_thread(*thread).activity(Activity::Running));
        self.running = times.thread.iter().map(of).collect();
    }

    /// Returns the position of a track among those that findings mention.
    pub fn rank_of(&self, kind: TrackKind) -> Option<usize> {
        let topic = TrackRow::of(kind).topic?;
        self.mentioned.iter().position(|mentioned| *mentioned == topic)
    }

    /// Returns whether a track belongs to the open tab.
    pub fn is_of_tab(&self, kind: TrackKind) -> bool {
        self.topic.is_some() && TrackRow::of(kind).topic == self.topic
    }

    /// Returns whether a track is shown with its rows: those of the open tab, and requests with arrows.
    pub fn is_first(&self, kind: TrackKind) -> bool {
        let is_request = matches!(kind, TrackKind::IncomingRequests | TrackKind::OutgoingRequests);
        self.is_of_tab(kind) || (self.is_connected && is_request)
    }

    /// Returns the sort key of a thread: its position among the named ones, then its running time, largest first.
    pub fn thread_rank(&self, thread: ThreadId) -> (usize, i64) {
        let named = self.named.iter().position(|named| *named == thread).unwrap_or(usize::MAX);
        (named, -self.running.get(&thread).copied().unwrap_or_default())
    }
}

fn topic_of(target: &FindingTarget) -> Option<Topic> {
    match target {
        FindingTarget::Topic(topic) | FindingTarget::Rows { topic, .. } => Some(*topic),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::topics::finding::{Cost, FindingKind, FindingLink};

    fn finding(kind: FindingKind, threads: &[u32], topics: &[Topic]) -> Finding {
        let link = |topic: &Topic| FindingLink { words: String::new(), to: FindingTarget::Topic(*topic) };
        Finding {
            threads: threads.iter().map(|thread| ThreadId(*thread)).collect(),
            links: topics.iter().map(link).collect(),
            ..Finding::new(kind, Cost::count(1, "things"))
        }
    }

    #[test]
    fn top_finding_names_threads_and_all_findings_mention_tracks() {
        let mut priorities = Priorities::default();
        priorities.set_findings(&[
            finding(FindingKind::LostEvents, &[40], &[Topic::Logs]),
            finding(FindingKind::SlowRequests, &[], &[Topic::Http]),
            finding(FindingKind::PoolStarvation, &[9, 3, 5, 1, 2, 4, 6, 7, 8], &[Topic::ThreadPool, Topic::Http]),
            finding(FindingKind::CpuHotSpot, &[30], &[]),
        ]);
        assert_eq!(priorities.named, [9, 3, 5, 1, 2, 4, 6].map(ThreadId), "at most seven, by their part of the cost");
        assert_eq!(priorities.mentioned, [Topic::Http, Topic::ThreadPool]);
        assert_eq!(priorities.rank_of(TrackKind::IncomingRequests), Some(0));
        assert_eq!(priorities.rank_of(TrackKind::ThreadPool), Some(1));
        assert_eq!(priorities.rank_of(TrackKind::Logs), None, "findings about the recording mention no track");
        priorities.running = BTreeMap::from([(ThreadId(20), 5), (ThreadId(21), 9)]);
        let mut threads = [20, 21, 3, 22, 9].map(ThreadId);
        protocol::base::sort::sort_by_key(&mut threads, |thread| priorities.thread_rank(*thread));
        assert_eq!(threads, [9, 3, 21, 20, 22].map(ThreadId));
        priorities.set_findings(&[]);
        assert!(priorities.named.is_empty() && priorities.mentioned.is_empty());
    }

    #[test]
    fn tracks_of_tab_and_of_arrows_come_first() {
        let kinds = [TrackKind::Gc, TrackKind::OutgoingRequests, TrackKind::Jit];
        let mut priorities = Priorities { topic: Some(Topic::Gc), ..Priorities::default() };
        assert_eq!(kinds.map(|kind| priorities.is_first(kind)), [true, false, false]);
        priorities.is_connected = true;
        assert_eq!(kinds.map(|kind| priorities.is_first(kind)), [true, true, false]);
        assert!(!priorities.is_of_tab(TrackKind::OutgoingRequests));
    }
}
