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
    #[default]
    Summary,
    /// Call stacks and their time.
    Stacks,
    Events,
    /// Analysis of one subject.
    Topic(Topic),
    /// Content of the file.
    Metadata,
    /// Comparison with another trace.
    Compare,
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
            Tab::Compare => Command::ShowComparison,
        }
    }

    /// Returns the tab that a command opens.
    pub fn opened_by(command: Command) -> Option<Self> {
        match command {
            Command::ShowTopic(topic) => Some(Tab::Topic(topic)),
            Command::ShowComparison => Some(Tab::Compare),
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
            Tab::Compare => "compare",
        }
    }

    /// Returns the tab with a name in URLs.
    pub fn from_slug(slug: &str) -> Option<Self> {
        let own = Self::OF_EVERY_TRACE.into_iter().chain([Tab::Compare]).find(|tab| tab.slug() == slug);
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
            Tab::Compare => "Compare",
        }
    }
}

/// Height of the timeline: a share of the area that it shares with the tabs, plus pixels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TimelineHeight {
    percent: f64,
    px: CssPx,
}

impl TimelineHeight {
    /// Returns a height that is lower by some pixels.
    pub fn lower_by(self, px: CssPx) -> Self {
        Self { px: self.px - px, ..self }
    }

    /// Returns the height in a style sheet.
    pub fn css(self) -> String {
        format!("calc({:.2}% + {:.0}px)", self.percent, self.px)
    }

    /// Returns the share of an area of a height, in percent.
    pub fn share_of(self, area: CssPx) -> f64 {
        self.percent + self.px / area.max(1.0) * 100.0
    }
}

/// Heights of the timeline that were chosen beside tabs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TimelineHeights {
    /// Percentages by tab.
    chosen: Vec<(Tab, f64)>,
}

impl TimelineHeights {
    /// Limits of a percentage.
    pub const LIMITS: (f64, f64) = (8.0, 88.0);

    /// Returns the height beside a tab: chosen, or by default about half for the summary and stacks, a quarter for
    /// events and for an analysis, whose own track is visible, and less for metadata; less also in a low window, where rows
    /// matter more.
    pub fn of(&self, tab: Tab) -> TimelineHeight {
        if let Some((_, percent)) = self.chosen.iter().find(|(of, _)| *of == tab) {
            return TimelineHeight { percent: *percent, px: 0.0 };
        }
        let (percent, px) = match tab {
            Tab::Summary | Tab::Stacks => (55.56, -54.0),
            Tab::Events => (45.45, -173.0),
            Tab::Topic(_) => (45.0, -89.0),
            Tab::Metadata | Tab::Compare => (16.0, 0.0),
        };
        TimelineHeight { percent, px }
    }

    /// Returns whether the height beside a tab was chosen.
    pub fn is_chosen(&self, tab: Tab) -> bool {
        self.chosen.iter().any(|(of, _)| *of == tab)
    }

    /// Sets the height beside a tab.
    pub fn set(&mut self, tab: Tab, percent: f64) {
        self.reset(tab);
        self.chosen.push((tab, percent.clamp(Self::LIMITS.0, Self::LIMITS.1)));
    }

    /// Restores the default height beside a tab.
    pub fn reset(&mut self, tab: Tab) {
        self.chosen.retain(|(of, _)| *of != tab);
    }

    /// Returns the chosen heights as text, for the next visit.
    pub fn encode(&self) -> String {
        let chosen = self.chosen.iter().map(|(tab, percent)| format!("{}:{percent:.1}", tab.slug()));
        chosen.collect::<Vec<_>>().join(",")
    }

    /// Reads chosen heights. Parts that aren't valid are ignored.
    pub fn decode(text: &str) -> Self {
        let mut heights = Self::default();
        for part in text.split(',').filter_map(|part| part.split_once(':')) {
            let percent = part.1.parse().ok().filter(|percent: &f64| percent.is_finite());
            if let (Some(tab), Some(percent)) = (Tab::from_slug(part.0), percent) {
                heights.set(tab, percent);
            }
        }
        heights
    }
}

/// Width and priority of a tab.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TabRoom {
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
        for tab in Tab::all(Topic::ALL).into_iter().chain([Tab::Compare]) {
            assert_eq!(Tab::from_slug(tab.slug()), Some(tab));
            assert_eq!(Tab::opened_by(tab.command()), Some(tab));
        }
        assert_eq!(Tab::from_slug("other"), None);
        let few = [Topic::Gc, Topic::Heap, Topic::Jit, Topic::Http];
        let few: Vec<&str> = Tab::all(few).into_iter().map(Tab::title).collect();
        assert_eq!(few, ["Summary", "Stacks", "Events", "HTTP", "GC", "Heap", "JIT", "Metadata"]);
    }

    #[test]
    fn timeline_height_is_of_tab_and_remembered() {
        let mut heights = TimelineHeights::default();
        heights.set(Tab::Topic(Topic::Gc), 40.0);
        heights.set(Tab::Metadata, 2.0);
        assert_eq!(heights.of(Tab::Topic(Topic::Gc)).css(), "calc(40.00% + 0px)");
        assert_eq!(heights.of(Tab::Topic(Topic::Http)), TimelineHeights::default().of(Tab::Topic(Topic::Http)));
        assert_eq!(heights.encode(), "gc:40.0,metadata:8.0");
        assert_eq!(TimelineHeights::decode("gc:40.0,,other:5,events:x,stacks:NaN,metadata:8"), heights);
        heights.reset(Tab::Topic(Topic::Gc));
        heights.reset(Tab::Metadata);
        assert_eq!(heights, TimelineHeights::default());
    }

    /// Heights of the tracks, without minimap and ruler, in windows of 768, 900 and 1080 px.
    #[test]
    fn tracks_have_their_default_heights() {
        let tracks = |tab, window: CssPx| {
            let area = window - 97.0;
            (TimelineHeights::default().of(tab).share_of(area) * area / 100.0 - 60.0).round()
        };
        assert_eq!([768.0, 900.0, 1080.0].map(|window| tracks(Tab::Summary, window)), [259.0, 332.0, 432.0]);
        assert_eq!([768.0, 900.0, 1080.0].map(|window| tracks(Tab::Topic(Topic::Http), window)), [153.0, 212.0, 293.0]);
        assert_eq!([768.0, 900.0, 1080.0].map(|window| tracks(Tab::Events, window)), [72.0, 132.0, 214.0]);
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
