//! Position of the event table when the filter changes.

use crate::app::state::{App, Selection};
use crate::trace::pages::Pages;
use crate::widgets::grid::GridModel;
use leptos::prelude::*;
use protocol::queries;
use protocol::request::{EventColumn, EventOrder, Filter};
use protocol::tables::EventRows;

/// Keeps the time of the top row when the filter changes, in the order of time. A selected event is shown instead.
///
/// `first` is the first visible row.
pub fn keep_time(app: App, open: Memo<bool>, pages: Pages<EventRows>, model: GridModel, first: StoredValue<u64>) {
    let latest = app.latest();
    // Row for the top, and the filter that it belongs to.
    let wanted = RwSignal::new(None::<(Filter, u64)>);
    Effect::new(move |before: Option<(Filter, EventOrder)>| {
        let now = (app.filter.get(), app.events.order.get());
        let is_refiltered = before.is_some_and(|before| before.0 != now.0 && before.1 == now.1);
        let by_time = now.1.key == EventColumn::Time && open.get_untracked();
        let top = pages.row_untracked(first.get_value(), |page, row| page.time.get(row).copied()).flatten();
        let is_selected = matches!(app.selection.get_untracked(), Selection::Event(_));
        if let Some(at) = top.filter(|_| is_refiltered && by_time && !is_selected) {
            let filter = now.0.clone();
            let query = queries::TimePosition { filter: filter.clone(), at, descending: now.1.descending };
            latest.ask(query, move |answer| wanted.set(answer.ok().map(|row| (filter, row))));
        }
        now
    });
    Effect::new(move |_| {
        let Some((filter, row)) = wanted.get().filter(|_| !pages.are_behind()) else { return };
        if app.filter.with_untracked(|now| *now == filter) {
            model.lead.set(Some(row));
        }
        wanted.set(None);
    });
}
