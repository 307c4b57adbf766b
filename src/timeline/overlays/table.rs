//! Table of a track: the visible items row by row, from the same data as the picture.

use crate::app::state::App;
use crate::timeline::Handle;
use crate::timeline::state::Signals;
use crate::timeline::track_headers::text::words;
use crate::widgets::grid::{Grid, GridModel, Layout, Sorting, cell};
use crate::widgets::icon::{CLOSE, Icon};
use leptos::prelude::*;
use protocol::table::{Column, Unit, column_with_key};
use std::sync::Arc;
use view::draw::tooltip::{DECIMALS, Tooltip};
use view::format;
use view::grid::{GridColumn, Sorted, cell_words};
use view::timeline::hit::Target;
use view::timeline::track_key::TrackKey;

/// Row: start, end, item.
type Row = (i64, i64, Target);

/// Columns whose values the rows contain; the others come from the pictures.
const COLUMNS: [Column<Row>; 2] = [
    Column::number("start", "Start", Unit::Moment, |row: &Row, _| row.0.into()).ascending(),
    Column::number("duration", "Duration", Unit::Duration, |row: &Row, _| {
        (row.1 > row.0).then(|| row.1.saturating_sub(row.0)).into()
    }),
];

/// Table of [`Signals::table`], if one is open.
#[component]
pub fn TrackTable(
    /// The timeline.
    handle: Handle,
    /// Signals of the timeline.
    signals: Signals,
) -> impl IntoView {
    move || signals.table.get().map(|key| view! { <ShownTrackTable handle signals key/> })
}

/// Returns the items of a track in the visible range, by time.
fn rows_of(handle: Handle, key: TrackKey) -> Vec<Row> {
    let Some(stage) = handle.get() else { return Vec::new() };
    let state = stage.state.borrow();
    let (scene, shown) = (state.scene(), state.viewport.scale().span());
    let Some(track) = state.layout.find(key) else { return Vec::new() };
    let rows = scene.content(track, 0, |content| {
        let targets = content.targets().into_iter();
        let rows = targets.filter_map(|target| content.bounds(&target).map(|(start, end)| (start, end, target)));
        let mut rows: Vec<Row> = rows.filter(|row| row.0 <= shown.end.0 && row.1 >= shown.start.0).collect();
        protocol::base::sort::sort_by_key(&mut rows, |row| (row.0, -row.1));
        rows
    });
    rows.unwrap_or_default()
}

#[component]
fn ShownTrackTable(handle: Handle, signals: Signals, key: TrackKey) -> impl IntoView {
    let app = expect_context::<App>();
    let rows = RwSignal::new(Arc::new(Vec::<Row>::new()));
    let order = RwSignal::new(Some(Sorted::by("start", false)));
    Effect::new(move |_| {
        app.visible.track();
        app.timeline.clock.track();
        signals.layout.track();
        signals.loaded.track();
        let mut found = rows_of(handle, key);
        if let Some(Sorted { key, descending }) = order.get()
            && let Some(column) = column_with_key(&COLUMNS, &key)
        {
            column.sort_records(&mut found, descending);
        }
        rows.set(Arc::new(found));
    });
    let at = move |row: u64| rows.with(|rows| rows.get(row as usize).copied());
    let tip = move |row: u64| -> Option<Tooltip> {
        let target = at(row)?.2;
        let stage = handle.get()?;
        let state = stage.state.borrow();
        stage.about(&target, &state)
    };
    let model = GridModel::new(
        Signal::derive(move || rows.with(|rows| rows.len() as u64)),
        Callback::new(move |row| {
            if let (Some(stage), Some((start, ..))) = (handle.get(), untrack(|| at(row))) {
                stage.state.borrow_mut().viewport.reveal(protocol::base::time::Nanos(start));
                if let Some((.., target)) = untrack(|| at(row)) {
                    stage.select(target);
                }
            }
        }),
    );
    let name = move || {
        handle.get().map(|stage| {
            let row = stage.state.borrow().row_of(key);
            let said = signals.threads.with(|threads| words(signals, threads, key, row));
            format!("{} {}", said.name, said.id).trim_end().to_owned()
        })
    };
    let columns = || {
        let [start, duration] = &COLUMNS;
        vec![
            GridColumn::of(start, 110.0, 0.0).left(),
            GridColumn::of(duration, 90.0, 0.0),
            GridColumn::text("name", "Name", 160.0, 1.0),
            GridColumn::text("details", "Details", 120.0, 2.0),
        ]
    };
    let cell = move |key: &str, row: Memo<Option<u64>>| {
        let what = move || {
            let (found, tip) = (row.get().and_then(at)?, row.get().and_then(tip)?);
            let (starts, lasts) = (app.face().moment(found.0, DECIMALS), format::duration(found.1 - found.0));
            // The value is omitted if another cell contains it.
            let is_repeated = tip.value == starts || tip.value == lasts || tip.value.is_empty();
            Some(if is_repeated { tip.title } else { format!("{}, {}", tip.title, tip.value) })
        };
        let more = move || {
            let lines = row.get().and_then(tip)?.lines;
            Some(lines.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(" · "))
        };
        match key {
            "name" => cell("", "twin-name", what),
            "details" => cell("dim", "twin-details", more),
            key => {
                let Some(column) = column_with_key(&COLUMNS, key) else { return ().into_any() };
                let words = move |row: Row| cell_words(column.kind, &(column.cell)(&row, 0), &app.face(), DECIMALS);
                let class = if key == "start" { "time" } else { "num" };
                cell(class, format!("twin-{key}"), move || row.get().and_then(at).map(words))
            }
        }
    };
    view! {
        <section class="twin" aria-label="Track as a table" data-testid="twin">
            <div class="tools">
                <h2>{name}</h2>
                <span class="total" role="status">
                    {move || format!("{} in view", format::counted(rows.with(|rows| rows.len() as u64), "row"))}
                </span>
                <button class="btn icon sp" aria-label="Close table" data-testid="close-twin"
                    on:click=move |_| signals.table.set(None)>
                    <Icon shape=CLOSE class="s"/>
                </button>
            </div>
            <Grid model label="Track as a table" testid="twin-table" layout=Layout::new(columns) sorting=Sorting::local(order) cell/>
        </section>
    }
}
