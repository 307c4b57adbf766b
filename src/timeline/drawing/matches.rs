//! Marks on the ruler for events that match the search, or have the selected function on the stack.

use crate::app::state::App;
use crate::timeline::{Handle, with};
use leptos::prelude::*;
use protocol::queries;
use protocol::request::Filter;
use protocol::tables::Overview;
use view::timeline::resolution::request_span;
use view::timeline::turns::Due;

/// Updates the marks when the filter or the visible range changes.
pub fn follow_matches(app: App, handle: Handle) {
    let latest = app.latest();
    Effect::new(move |_| {
        app.revision.track();
        app.visible.track();
        let filter = marked(app);
        with(handle, |stage| {
            let is_of_another = |known: &(Filter, Overview)| Some(&known.0) != filter.as_ref();
            let is_stale = stage.state.borrow().matches.as_ref().is_some_and(is_of_another);
            if is_stale {
                stage.state.borrow_mut().matches = None;
                stage.request_frame();
            }
        });
        let Some(filter) = filter else { return };
        let asked = handle.get().map(|stage| {
            let state = stage.state.borrow();
            let scale = state.viewport.scale();
            let span = request_span(&scale, state.viewport.limits());
            (span, (span.duration() as f64 / scale.nanos_per_px()).ceil() as u32)
        });
        let Some((span, buckets)) = asked else { return };
        latest.ask(queries::Density { filter: filter.clone(), span, buckets }, move |answer| {
            // Without marks, the other views still show the matches.
            let Ok(table) = answer else { return };
            if untrack(|| marked(app)).as_ref() == Some(&filter) {
                with(handle, |stage| {
                    stage.state.borrow_mut().matches = Some((filter, table));
                    stage.request(Due::All);
                });
            }
        });
    });
}

/// Returns the filter of the marked events; `None` if there are no marks.
fn marked(app: App) -> Option<Filter> {
    let filter = app.filter.get();
    if filter.query.is_empty() { app.provisional().map(|(_, filter)| filter) } else { Some(filter) }
}
