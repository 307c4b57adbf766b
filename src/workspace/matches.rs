//! Number of matching events, and the progress of a search that takes a while.

use crate::app::signals::SetChanged;
use crate::app::state::App;
use leptos::prelude::*;
use protocol::queries;
use protocol::reply::{ItemCounts, Summary};
use protocol::request::{EventOrder, Filter};
use std::sync::Arc;
use std::time::Duration;
use view::format;
use wasm_bindgen_futures::spawn_local;

/// Time between requests for the progress.
const PAUSE: Duration = Duration::from_millis(250);

/// Updates the numbers of matching events and items in [`crate::filtering::state::FilteringState`].
pub fn count_matches(app: App) {
    let (latest, of_items) = (app.latest(), app.latest());
    Effect::new(move |_| {
        app.revision.track();
        let filter = app.filter.get();
        let rows = |trace: &Arc<Summary>| trace.indexed.as_ref().map_or(trace.events, |indexed| indexed.rows);
        let Some(whole) = app.trace.with(|trace| trace.as_ref().map(rows)) else { return };
        app.filtering.item_counts.set_changed(ItemCounts::default());
        if filter == Default::default() {
            app.filtering.matches.set(Some(whole));
            app.filtering.searched.set(None);
            return;
        }
        let of = filter.clone();
        of_items.ask(queries::ItemCounts { filter: filter.clone() }, move |answer| {
            if app.filter.get_untracked() == of {
                app.filtering.item_counts.set(answer.unwrap_or_default());
            }
        });
        app.filtering.searched.set(Some(filter.clone()));
        follow_progress(app, filter.clone());
        latest.ask(
            queries::Events { filter: filter.clone(), order: EventOrder::default(), first: 0, count: 0 },
            move |answer| {
                // Ignores an answer for a filter that has been cleared.
                if app.filter.get_untracked() == filter {
                    app.filtering.searched.set(None);
                    app.filtering.matches.set(answer.ok().and_then(|rows| rows.total.first().copied()));
                }
            },
        );
    });
}

/// Requests the progress until the matching events are known, or another filter is set.
fn follow_progress(app: App, filter: Filter) {
    let is_searched = move |filter: &Filter| app.filtering.searched.with_untracked(|now| now.as_ref() == Some(filter));
    app.filtering.progress.set(None);
    set_timeout(
        move || {
            if !is_searched(&filter) {
                return;
            }
            spawn_local(async move {
                let share = app.ask(queries::SearchProgress { filter: filter.clone() }).await;
                if is_searched(&filter) {
                    follow_progress(app, filter);
                    app.filtering.progress.set(share.ok().flatten());
                }
            });
        },
        PAUSE,
    );
}

/// Returns the text beside a count of an earlier filter: "Searching… 42%".
pub fn progress_words(app: App) -> String {
    let share = app.filtering.progress.get().map(|share| format!(" {}", format::percent(share, 1.0)));
    format!("Searching…{}", share.unwrap_or_default())
}
