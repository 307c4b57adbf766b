//! State of the tabs of analyses.

use crate::app::state::page_state::{LinkedState, PageState};
use crate::app::state::{App, Tab};
use leptos::prelude::*;
use protocol::topics::report::TopicPresence;
use protocol::topics::topic::Topic;
use std::collections::BTreeMap;
use view::url::report::ReportView;

/// States of reports, by analysis.
pub type Reports = RwSignal<BTreeMap<Topic, ReportView>>;

impl PageState for RwSignal<Vec<TopicPresence>> {
    fn reset(self) {
        self.set(Vec::new());
    }
}

impl PageState for Reports {
    fn reset(self) {
        self.set(BTreeMap::new());
    }
}

/// Only the open report is in the URL.
impl LinkedState for Reports {
    type Link = ReportView;

    fn to_url(self, app: App) -> ReportView {
        match app.tab.get() {
            Tab::Topic(topic) => app.look_of(topic),
            _ => ReportView::default(),
        }
    }

    fn apply_url(self, app: App, link: ReportView) {
        if let Tab::Topic(topic) = app.tab.get_untracked() {
            self.update(|looks| _ = looks.insert(topic, link));
        }
    }
}
