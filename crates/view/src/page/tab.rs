//! Tabs, and the choice of those that fit into a row.

use crate::draw::units::CssPx;
use crate::keys::keymap::Command;
use protocol::topics::topic::Topic;

/// Analyses with the first tabs: what requests wait for, then what the runtime does.
const FIRST: [Topic; 10] = [
    Topic::Http,
    Topic::ThreadPool,
    Topic::Waits,
    Topic::Contention,
    Topic::Tasks,
    Topic::Exceptions,
    Topic::Gc,
    Topic::Allocations,
    Topic::Logs,
    Topic::Counters,
];

/// Tab of the page.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Tab {
    /// Summary of the trace.
    #[default]
    Summary,
    /// Call stacks and their time.
    Stacks,
    /// All events.
    Events,
    /// Analysis of one subject.
    Topic(Topic),
    /// Content of the file.
    Metadata,
}

impl Tab {
    /// Tabs of every trace, in the order of their shortcuts.
    pub const OF_EVERY_TRACE: [Tab; 4] = [Tab::Summary, Tab::Stacks, Tab::Events, Tab::Metadata];

    /// Returns the command that opens the tab.
    pub fn command(self) -> Command {
        match self {
            Tab::Summary => Command::ShowSummary,
            Tab::Stacks => Command::ShowStacks,
            Tab::Events => Command::ShowEvents,
            Tab::Topic(topic) => Command::ShowTopic(topic),
            Tab::Metadata => Command::ShowMetadata,
        }
    }

    /// Returns the tab that a command opens.
    pub fn opened_by(command: Command) -> Option<Self> {
        match command {
            Command::ShowTopic(topic) => Some(Tab::Topic(topic)),
            command => Self::OF_EVERY_TRACE.into_iter().find(|tab| tab.command() == command),
        }
    }

    /// Returns all tabs of a trace with these analyses, in display order, which is the same for all traces.
    pub fn all(topics: impl IntoIterator<Item = Topic>) -> Vec<Self> {
        let mut tabs = vec![Tab::Summary, Tab::Stacks, Tab::Events];
        let mut topics: Vec<Topic> = topics.into_iter().collect();
        // The others are in the order of their declaration.
        let place = |topic: &Topic| FIRST.iter().position(|first| first == topic).unwrap_or(FIRST.len());
        protocol::base::sort::sort_by_key(&mut topics, |topic| (place(topic), *topic));
        tabs.extend(topics.into_iter().map(Tab::Topic));
        tabs.push(Tab::Metadata);
        tabs
    }

    /// Returns the name in URLs.
    pub fn slug(self) -> &'static str {
        match self {
            Tab::Summary => "summary",
            Tab::Stacks => "stacks",
            Tab::Events => "events",
            Tab::Topic(topic) => topic.slug(),
            Tab::Metadata => "metadata",
        }
    }

    /// Returns the tab with a name in URLs.
    pub fn from_slug(slug: &str) -> Option<Self> {
        let own = Self::OF_EVERY_TRACE.into_iter().find(|tab| tab.slug() == slug);
        own.or_else(|| Topic::from_slug(slug).map(Tab::Topic))
    }

    /// Returns the display name.
    pub fn title(self) -> &'static str {
        match self {
            Tab::Summary => "Summary",
            Tab::Stacks => "Stacks",
            Tab::Events => "Events",
            Tab::Topic(topic) => topic.title(),
            Tab::Metadata => "Metadata",
        }
    }
}

/// Heights of the timeline beside the tabs, as shares of the window in percent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TimelineShares {
    metadata: f64,
    topics: f64,
    others: f64,
}

impl Default for TimelineShares {
    fn default() -> Self {
        Self { metadata: 16.0, topics: 26.0, others: 58.0 }
    }
}

impl TimelineShares {
    /// Returns the height beside a tab. All analyses have the same.
    pub fn of(&self, tab: Tab) -> f64 {
        match tab {
            Tab::Metadata => self.metadata,
            Tab::Topic(_) => self.topics,
            Tab::Summary | Tab::Stacks | Tab::Events => self.others,
        }
    }

    /// Sets the height beside a tab.
    pub fn set(&mut self, tab: Tab, percent: f64) {
        *match tab {
            Tab::Metadata => &mut self.metadata,
            Tab::Topic(_) => &mut self.topics,
            Tab::Summary | Tab::Stacks | Tab::Events => &mut self.others,
        } = percent;
    }

    /// Restores the default height beside a tab.
    pub fn reset(&mut self, tab: Tab) {
        self.set(tab, Self::default().of(tab));
    }
}

/// Width and priority of a tab.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TabRoom {
    /// Width.
    pub width: CssPx,
    /// 0 if the tab must be visible. Others are removed in descending order if they don't fit, the last first among
    /// equals.
    pub rank: u8,
}

/// Returns which tabs are visible in a row of width `room`, if the menu of the others has width `more`.
pub fn seen(tabs: &[TabRoom], room: CssPx, more: CssPx) -> Vec<bool> {
    let all: CssPx = tabs.iter().map(|tab| tab.width).sum();
    if all <= room {
        return vec![true; tabs.len()];
    }
    let mut places: Vec<usize> = (0..tabs.len()).collect();
    protocol::base::sort::sort_by_key(&mut places, |place| (tabs[*place].rank, *place));
    let mut left = room - more;
    let mut seen = vec![false; tabs.len()];
    for place in places {
        left -= tabs[place].width;
        if left < 0.0 && tabs[place].rank > 0 {
            break;
        }
        seen[place] = true;
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tab_is_found_by_slug_and_command() {
        for tab in Tab::all(Topic::ALL) {
            assert_eq!(Tab::from_slug(tab.slug()), Some(tab));
            assert_eq!(Tab::opened_by(tab.command()), Some(tab));
        }
        assert_eq!(Tab::from_slug("other"), None);
        let few = [Topic::Gc, Topic::Heap, Topic::Jit, Topic::Http];
        let few: Vec<&str> = Tab::all(few).into_iter().map(Tab::title).collect();
        assert_eq!(few, ["Summary", "Stacks", "Events", "HTTP", "GC", "Heap", "JIT", "Metadata"]);
    }

    #[test]
    fn timeline_share_is_of_tab() {
        let mut shares = TimelineShares::default();
        shares.set(Tab::Topic(Topic::Gc), 40.0);
        assert_eq!([Tab::Topic(Topic::Http), Tab::Metadata, Tab::Events].map(|tab| shares.of(tab)), [40.0, 16.0, 58.0]);
        shares.reset(Tab::Topic(Topic::Heap));
        assert_eq!(shares, TimelineShares::default());
    }

    fn tabs(ranks: &[u8]) -> Vec<TabRoom> {
        ranks.iter().map(|rank| TabRoom { width: 10.0, rank: *rank }).collect()
    }

    #[test]
    fn lowest_priority_tabs_are_hidden_first() {
        let tabs = tabs(&[0, 1, 2, 1, 0]);
        assert_eq!(seen(&tabs, 50.0, 5.0), [true; 5], "all fit, and nothing leads to others");
        assert_eq!(seen(&tabs, 49.0, 5.0), [true, true, false, true, true]);
        assert_eq!(seen(&tabs, 36.0, 5.0), [true, true, false, false, true]);
        assert_eq!(seen(&tabs, 3.0, 5.0), [true, false, false, false, true]);
        assert_eq!(seen(&[], 3.0, 5.0), [false; 0]);
    }
}
