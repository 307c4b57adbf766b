//! Marks along the ruler where events contain what is searched for.

use super::{Handle, with};
use crate::protocol::Request;
use crate::protocol::tables::Overview;
use crate::ui::state::{App, packed};
use crate::view::resolution::request_span;
use leptos::prelude::*;

/// Keeps the marks in step with the filter and with what is shown.
pub fn follow_matches(app: App, handle: Handle) {
    let latest = app.latest();
    Effect::new(move |_| {
        app.revision.track();
        app.visible.track();
        let filter = app.filter.get();
        with(handle, |stage| {
            let matches = &mut stage.state.borrow_mut().matches;
            if matches.as_ref().is_some_and(|known| known.0 != filter) {
                *matches = None;
            }
        });
        if filter.text.is_empty() {
            return;
        }
        let asked = handle.get().map(|stage| {
            let state = stage.state.borrow();
            let scale = state.viewport.scale();
            let span = request_span(&scale, state.viewport.limits());
            (span, (span.duration() as f64 / scale.nanos_per_px()).ceil() as u32)
        });
        let Some((span, buckets)) = asked else { return };
        latest.ask(Request::Density { filter: filter.clone(), span, buckets }, move |answer| {
            // Without marks everything else still says what matches.
            let Ok(Ok(table)) = answer.and_then(packed).map(|packed| Overview::unpack(&packed)) else { return };
            if app.filter.with_untracked(|now| *now == filter) {
                with(handle, |stage| {
                    stage.state.borrow_mut().matches = Some((filter, table));
                    stage.request_frame();
                });
            }
        });
    });
}
