//! Traces of a saved page: how they are combined, when it is saved and when it is opened.

use super::state::Traces;
use crate::app::boot::SavedTrace;
use crate::app::shell::Chosen;
use crate::app::state::{App, Screen};
use leptos::prelude::*;
use view::traces::Offset;
use view::url::state::UrlState;

/// Value of [`SavedTrace::combined`] for the other trace of a comparison.
pub const COMPARED: &str = "compare";
/// Value of [`SavedTrace::combined`] for a trace on the timeline of the first one.
pub const ON_TIMELINE: &str = "timeline";

impl Traces {
    /// Sets the traces that are combined with the first one once that is open.
    pub fn await_saved(self, others: Vec<SavedTrace>) {
        self.saved.set_value(others);
    }
}

impl App {
    /// Combines the traces of a saved page with this one, as when the page was saved.
    pub fn combine_saved(self) {
        let others = self.traces.saved.try_update_value(std::mem::take).unwrap_or_default();
        for other in others {
            match other.combined().as_deref() {
                // The user may have closed it before the page was reloaded.
                Some(COMPARED) if untrack(|| self.awaited_other()).is_some() => {
                    self.open_other(Chosen::File(other.file()), false);
                }
                Some(ON_TIMELINE) => self.add_saved(&other),
                _ => {}
            }
        }
    }

    fn add_saved(self, saved: &SavedTrace) {
        let traces = self.traces;
        let Some(app) = traces.add(self.shell) else { return };
        let offset = saved.offset().and_then(|nanos| nanos.parse().ok());
        traces.set_offset(app, offset.map(Offset::by_hand));
        let view = saved.view().map(|view| UrlState::decode(&view)).unwrap_or_default();
        let (entry, is_shown) = (view.trace.entry.clone(), saved.shown().is_some());
        // The view is shown once everything it may refer to is loaded.
        app.opening.is_linked.set_value(true);
        app.open_embedded(saved.file(), entry);
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
