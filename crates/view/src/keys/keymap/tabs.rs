//! Commands that open the tabs of analyses.

use super::{Binding, Command, Scope};
use protocol::topics::topic::Topic;

/// Commands that open the tabs of analyses, named by the table of topics.
pub static TABS: [Binding; Topic::ALL.len()] = {
    let mut tabs = [tab(Topic::ALL[0]); Topic::ALL.len()];
    let mut at = 1;
    while at < tabs.len() {
        tabs[at] = tab(Topic::ALL[at]);
        at += 1;
    }
    tabs
};

const fn tab(topic: Topic) -> Binding {
    Binding { command: Command::ShowTopic(topic), scope: Scope::Everywhere, chords: &[], name: topic.opened_by() }
}
