//! Table of a track: the visible items row by row, from the same data as the picture.

use super::Handle;
use super::state::Signals;
use super::track_headers::text::words;
use crate::app::state::App;
use crate::widgets::icon::{CLOSE, Icon};
use crate::widgets::virtual_table::{TableModel, VirtualTable};
use leptos::prelude::*;
use std::sync::Arc;
use view::draw::tooltip::{DECIMALS, Tooltip};
use view::format;
use view::timeline::hit::Target;
use view::timeline::track_key::TrackKey;

/// Row: start, end, item.
type Row = (i64, i64, Target);

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
    Effect::new(move |_| {
        app.visible.track();
        app.timeline.clock.track();
        signals.layout.track();
        signals.loaded.track();
        rows.set(Arc::new(rows_of(handle, key)));
    });
    let at = move |row: u64| rows.with(|rows| rows.get(row as usize).copied());
    let tip = move |row: u64| -> Option<Tooltip> {
        let target = at(row)?.2;
        let stage = handle.get()?;
        let state = stage.state.borrow();
        stage.about(&target, &state)
    };
    let model = TableModel::new(
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
    let row = move |row: Memo<Option<u64>>| {
        let start = move || row.get().and_then(at).map(|found| app.face().moment(found.0, DECIMALS));
        let length = move || {
            row.get().and_then(at).filter(|found| found.1 > found.0).map(|found| format::duration(found.1 - found.0))
        };
        let said = Memo::new(move |_| row.get().and_then(tip));
        let what = move || {
            let found = row.get().and_then(at)?;
            let (starts, lasts) = (app.face().moment(found.0, DECIMALS), format::duration(found.1 - found.0));
            said.with(|tip| {
                let tip = tip.as_ref()?;
                // The value is omitted if another cell contains it.
                let is_repeated = tip.value == starts || tip.value == lasts || tip.value.is_empty();
                Some(if is_repeated { tip.title.clone() } else { format!("{}, {}", tip.title, tip.value) })
            })
        };
        let more = move || {
            said.with(|tip| {
                let lines = tip.iter().flat_map(|tip| tip.lines.iter());
                lines.map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(" · ")
            })
        };
        view! {
            <span role="gridcell" class="time">{start}</span>
            <span role="gridcell" class="num">{length}</span>
            <span role="gridcell">{what}</span>
            <span role="gridcell" class="dim">{more}</span>
        }
        .into_any()
    };
    let head = view! {
        <span role="columnheader">"Start"</span>
        <span role="columnheader">"Duration"</span>
        <span role="columnheader">"Name"</span>
        <span role="columnheader">"Details"</span>
    }
    .into_any();
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
            <VirtualTable model label="Track as a table" testid="twin-table" columns="twin-columns" head row/>
        </section>
    }
}
