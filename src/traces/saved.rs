//! Traces of a saved page. The URL says how they are combined.

use super::state::Traces;
use crate::app::boot::SavedTrace;
use crate::app::shell::Chosen;
use crate::app::state::{App, Screen};
use leptos::prelude::*;
use view::traces::Offset;
use view::url::added::AddedLink;
use view::url::file::FileLink;
use view::url::state::UrlState;

impl Traces {
    /// Sets the traces that are combined with the first one once that is open.
    pub fn await_saved(self, others: Vec<SavedTrace>) {
        self.saved.set_value(others);
    }
}

impl App {
    /// Combines the traces of a saved page with this one, as in the view that waits for them. The user may have closed
    /// some before the page was reloaded, or switched between both traces of a comparison.
    pub fn combine_saved(self) {
        let others = self.traces.saved.try_update_value(std::mem::take).unwrap_or_default();
        for other in others {
            let file = other.file();
            let link = FileLink { name: file.name(), print: None };
            if untrack(|| self.awaited_other()).is_some_and(|awaited| awaited.is(&link)) {
                self.open_other(Chosen::File(file), false);
            } else if let Some(link) = self.take_awaited(&link) {
                self.add_saved(&other, link);
            }
        }
    }

    fn add_saved(self, saved: &SavedTrace, link: AddedLink) {
        let traces = self.traces;
        let Some(app) = traces.add(self.shell) else { return };
        traces.set_offset(app, link.offset.map(Offset::by_hand));
        let mut view = saved.view().map(|view| UrlState::decode(&view)).unwrap_or_default();
        if untrack(|| traces.are_all()) {
            view.filter.query = self.filter.with_untracked(|filter| filter.query.clone());
        }
        let is_shown = saved.shown().is_some();
        // The view is shown once everything it may refer to is loaded.
        app.opening.is_linked.set_value(true);
        app.open_embedded(saved.file(), link.trace.entry);
        traces.owner.with_value(|owner| {
            owner.with(|| {
                Effect::new(move |is_restored: Option<bool>| {
                    let is_open = app.screen.get() == Screen::Workspace;
                    if is_open && is_restored != Some(true) {
                        app.opening.is_linked.set_value(false);
                        app.apply_url(view.clone());
                        if is_shown {
                            traces.show(app);
                        }
                    }
                    is_open || is_restored == Some(true)
                });
            });
        });
    }
}
