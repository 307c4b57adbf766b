//! Requests from one trace to another, in the analysis of HTTP requests.

use crate::app::state::{App, Selection};
use crate::widgets::grid::{Grid, GridModel, Layout, Sorting, cell, sorted_records};
use crate::widgets::save_file::save_records;
use leptos::prelude::*;
use protocol::base::ids::EventId;
use protocol::table::column_with_key;
use view::draw::tooltip::DECIMALS;
use view::format;
use view::grid::{GridColumn, Sorted, cell_words};
use view::traces::{ACROSS_COLUMNS, Across, letter};

/// Maximum number of visible rows; the table scrolls to further ones.
const ROWS: usize = 4;
/// Height of the headings in CSS pixels.
const HEAD_PX: usize = 25;

/// Table of the requests between the traces in the time range; nothing without such requests.
#[component]
pub fn AcrossServices() -> impl IntoView {
    let app = expect_context::<App>();
    let traces = app.traces;
    let order = RwSignal::new(None::<Sorted>);
    let rows = Memo::new(move |_| {
        let (all, span) = (traces.all(), app.filter.with(|filter| filter.span));
        let shifts: Vec<i64> = all.iter().map(|one| traces.shift(*one, app)).collect();
        let row = |one| Across::new(one, |trace| shifts.get(trace).copied().unwrap_or(0));
        let is_inside = |one: &Across| {
            span.is_none_or(|span| one.sent <= span.end.0 && one.sent.saturating_add(one.waited) >= span.start.0)
        };
        let found = traces.crossings.get();
        sorted_records(found.iter().map(row).filter(is_inside).collect(), &ACROSS_COLUMNS, order.get())
    });
    let choose = move |row: u64| {
        let found = rows.with_untracked(|rows| rows.get(row as usize).map(|one| (one.traces[0], one.events[0])));
        if let Some((trace, event)) = found
            && let Some(client) = untrack(|| traces.all()).get(trace)
        {
            client.select(Selection::Event(EventId(event)));
        }
    };
    let mut model = GridModel::new(Signal::derive(move || rows.with(|rows| rows.len() as u64)), Callback::new(choose));
    model.save = Some(save_records(app, "requests", (&ACROSS_COLUMNS, &[]), rows));
    let cell = move |key: &str, row: Memo<Option<u64>>| {
        let Some(column) = column_with_key(&ACROSS_COLUMNS, key) else { return ().into_any() };
        let words = move |one: &Across| cell_words(column.kind, &(column.cell)(one, 0), &app.face(), DECIMALS);
        let text = move || rows.with(|rows| rows.get(row.get()? as usize).map(words));
        let class = if matches!(key, "between" | "name") { "" } else { "num" };
        cell(class, format!("across-{key}"), text)
    };
    let layout = Layout::new(|| {
        let widths = [(60.0, 0.0), (130.0, 1.0), (150.0, 0.0), (76.0, 0.0), (76.0, 0.0), (88.0, 0.0), (92.0, 0.0)];
        ACROSS_COLUMNS.iter().zip(widths).map(|(column, (least, share))| GridColumn::of(column, least, share)).collect()
    });
    let sorting = Sorting::local(order);
    let offsets = move || {
        let of = |(position, one): (usize, App)| format!("{} {}", letter(position), traces.offset(one).words());
        traces.all().into_iter().enumerate().skip(1).map(of).collect::<Vec<_>>().join("; ")
    };
    let has_rows = Memo::new(move |_| traces.are_several() && rows.with(|rows| !rows.is_empty()));
    let height = move || format!("calc({} * var(--h-table-row) + {HEAD_PX}px)", rows.with(|rows| rows.len().min(ROWS)));
    view! {
        <Show when=move || has_rows.get()>
            <section class="across vtable" data-testid="across">
                <h3>
                    "Across services "
                    <span class="n">
                        {move || format::counted(rows.with(|rows| rows.len() as u64), "request")} " · offset " {offsets}
                    </span>
                </h3>
                <div class="change-rows" style:height=height>
                    <Grid model label="Requests between the traces" testid="across-table" layout sorting cell/>
                </div>
            </section>
        </Show>
    }
}
