//! Requests between the traces: asked of all workers, and matched on the page.

use super::state::Traces;
use crate::app::state::{App, Screen};
use leptos::prelude::*;
use protocol::queries;
use protocol::tables::TracedRequests;
use std::sync::Arc;
use view::traces::{Crossing, Offset, by_requests, crossings};
use wasm_bindgen_futures::spawn_local;

/// Requests of a trace with IDs, by the number of the trace.
pub type RequestsOf = Vec<(u32, Arc<TracedRequests>)>;

/// Asks for the requests of a trace when there are several, and again when more of it has been read.
pub fn follow_requests(app: App) {
    let wanted = Memo::new(move |_| {
        let is_open = app.screen.with(|screen| *screen == Screen::Workspace);
        (is_open && app.traces.are_several()).then(|| (app.client().id(), app.revision.get()))
    });
    Effect::new(move |_| {
        if wanted.get().is_none() {
            return;
        }
        spawn_local(async move {
            // Without an answer, the clocks decide, and no requests are connected.
            let Ok(table) = app.ask(queries::TracedRequests).await else { return };
            app.traces.put_requests(app, Arc::new(table));
        });
    });
}

impl Traces {
    fn put_requests(self, app: App, table: Arc<TracedRequests>) {
        self.requests.update(|known| {
            known.retain(|(number, _)| *number != app.number);
            known.push((app.number, table));
        });
        let tables: Vec<Arc<TracedRequests>> =
            untrack(|| self.all()).into_iter().map(|one| self.requests_of(one)).collect();
        let tables: Vec<&TracedRequests> = tables.iter().map(Arc::as_ref).collect();
        let found = crossings(&tables);
        self.estimate(&found);
        let is_connected = !found.is_empty();
        self.crossings.set(Arc::new(found));
        for stage in self.stages() {
            stage.learn_priorities(|priorities| priorities.is_connected = is_connected);
        }
    }

    fn requests_of(self, app: App) -> Arc<TracedRequests> {
        let known = self.requests.with_untracked(|known| {
            known.iter().find(|(number, _)| *number == app.number).map(|(_, table)| table.clone())
        });
        known.unwrap_or_default()
    }

    /// Sets the offsets that follow from requests, except those that the user set.
    fn estimate(self, found: &[Crossing]) {
        let mut known: Vec<Offset> = Vec::new();
        for (position, app) in untrack(|| self.all()).into_iter().enumerate() {
            if position > 0 && !untrack(|| self.is_by_hand(app)) {
                let clock = untrack(|| self.clock_offset(app));
                let offset = by_requests(position, found, &known, clock);
                self.set_offset(app, Some(offset).filter(|offset| *offset != clock));
            }
            known.push(untrack(|| self.offset(app)));
        }
    }

    /// Goes back to the offset of a trace by requests or clocks.
    pub fn reset_offset(self, app: App) {
        self.set_offset(app, None);
        let found = self.crossings.get_untracked();
        self.estimate(&found);
    }

    /// Matches the requests again after a trace was removed.
    pub fn forget_requests(self, app: App) {
        self.requests.update(|known| known.retain(|(number, _)| *number != app.number));
        self.crossings.set(Arc::default());
        let remaining = untrack(|| self.all()).into_iter().next_back();
        if let Some(last) = remaining.filter(|_| self.are_several_now()) {
            self.put_requests(last, self.requests_of(last));
        }
    }

    /// Returns the requests between traces in which an event of a trace takes part.
    pub fn crossings_of(self, app: App, event: u32) -> Vec<Crossing> {
        let position = self.position(app);
        self.crossings.with(|found| {
            let is_of = |one: &&Crossing| {
                let sides = [Some(&one.client), Some(&one.server), one.caller.as_ref()];
                sides.into_iter().flatten().any(|side| (side.trace, side.event) == (position, event))
            };
            found.iter().filter(is_of).cloned().collect()
        })
    }
}
