//! The views of the filtered events, and which of their tabs fit into a row.

use crate::draw::units::CssPx;
use protocol::topics::topic::Topic;

/// The timeline's share of the height, in percent, until the user moves the bar.
pub const TIMELINE_SHARE_PERCENT: f64 = 58.0;
/// The same beside the Metadata tab.
pub const TIMELINE_SHARE_BESIDE_METADATA_PERCENT: f64 = 16.0;
/// The same beside the tab of a topic.
pub const TIMELINE_SHARE_BESIDE_TOPIC_PERCENT: f64 = 26.0;

/// A view of the filtered events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Tab {
    /// What is in the trace.
    #[default]
    Summary,
    /// Where the time went, by call stack.
    Stacks,
    /// Every event.
    Events,
    /// The analysis of one subject.
    Topic(Topic),
    /// What the file declares.
    Metadata,
}

impl Tab {
    /// Those of every trace, in the order of their keys.
    pub const OF_EVERY_TRACE: [Tab; 4] = [Tab::Summary, Tab::Stacks, Tab::Events, Tab::Metadata];

    /// All tabs of a trace with these topics, in the order shown.
    pub fn all(topics: impl IntoIterator<Item = Topic>) -> Vec<Self> {
        let mut tabs = vec![Tab::Summary, Tab::Stacks, Tab::Events];
        tabs.extend(topics.into_iter().map(Tab::Topic));
        tabs.push(Tab::Metadata);
        tabs
    }

    /// The name in the address.
    pub fn slug(self) -> &'static str {
        match self {
            Tab::Summary => "summary",
            Tab::Stacks => "stacks",
            Tab::Events => "events",
            Tab::Topic(topic) => topic.slug(),
            Tab::Metadata => "metadata",
        }
    }

    /// The tab of a name.
    pub fn from_slug(slug: &str) -> Option<Self> {
        let own = Self::OF_EVERY_TRACE.into_iter().find(|tab| tab.slug() == slug);
        own.or_else(|| Topic::from_slug(slug).map(Tab::Topic))
    }

    /// What people read.
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

/// What a tab takes, and how much it is wanted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TabRoom {
    /// How wide it is.
    pub width: CssPx,
    /// 0 if it has to be seen; the others go from the highest number down when there is no room, of equal ones the last first.
    pub rank: u8,
}

/// Which tabs are seen in a row that is `room` wide, in which what leads to the others takes `more`.
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
    fn every_tab_is_found_by_its_name() {
        for tab in Tab::all(Topic::ALL) {
            assert_eq!(Tab::from_slug(tab.slug()), Some(tab));
        }
        assert_eq!(Tab::from_slug("other"), None);
        let few: Vec<&str> = Tab::all([Topic::Gc, Topic::Heap]).into_iter().map(Tab::title).collect();
        assert_eq!(few, ["Summary", "Stacks", "Events", "GC", "Heap", "Metadata"]);
    }

    fn tabs(ranks: &[u8]) -> Vec<TabRoom> {
        ranks.iter().map(|rank| TabRoom { width: 10.0, rank: *rank }).collect()
    }

    #[test]
    fn what_is_wanted_least_goes_first_and_what_has_to_be_seen_never() {
        let tabs = tabs(&[0, 1, 2, 1, 0]);
        assert_eq!(seen(&tabs, 50.0, 5.0), [true; 5], "all fit, and nothing leads to others");
        assert_eq!(seen(&tabs, 49.0, 5.0), [true, true, false, true, true]);
        assert_eq!(seen(&tabs, 36.0, 5.0), [true, true, false, false, true]);
        assert_eq!(seen(&tabs, 3.0, 5.0), [true, false, false, false, true]);
        assert_eq!(seen(&[], 3.0, 5.0), [false; 0]);
    }
}
