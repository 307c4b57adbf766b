//! Blocks part of the Metadata tab: strip, table, and structure of the selected block.

use super::cursor::FileCursor;
use super::section_head::SectionHead;
use super::strip::BlockStrip;
use super::structure_tree::StructureTree;
use crate::trace::live_query::{Trouble, follow};
use crate::trace::pages::{Pages, paged};
use crate::widgets::grid::{Grid, GridModel, Layout, Sorting, cell};
use crate::widgets::save_file::save_pages;
use crate::widgets::switch::Switch;
use leptos::prelude::*;
use protocol::file::section_columns::{SECTION_COLUMNS, SECTION_FACTS, SectionOrder};
use protocol::queries;
use protocol::request::SectionFilter;
use protocol::table::column_with_key;
use protocol::tables::{Sections, cost, section_kind};
use view::file::block_strip::kind_class;
use view::format;
use view::grid::{DECIMALS, GridColumn, Sorted, cell_words};
use wasm_bindgen_futures::spawn_local;

paged!(Sections, Sections { of: SectionFilter, order: SectionOrder }, total);

/// Strip, table, and structure of the selected block.
#[component]
pub fn BlocksPane(
    cursor: FileCursor,
    /// True if it is visible.
    open: Memo<bool>,
) -> impl IntoView {
    let filter = RwSignal::new(SectionFilter::default());
    let sorted = RwSignal::new(Some(Sorted::by("offset", false)));
    let order = Memo::new(move |_| sorted.with(|sorted| sorted.as_ref().map(order_of)).unwrap_or_default());
    let rows = Pages::new(cursor.app, move || open.get().then(|| (filter.get(), order.get())));
    let total = move || rows.is_known().then(|| format::count(rows.total.get()));
    let file = move || {
        let all = cursor.totals.value.with(|totals| totals.as_ref().and_then(|totals| totals.total.first().copied()));
        let of =
            all.filter(|_| filter.get() != SectionFilter::default()).map(|all| format!("of {} ", format::count(all)));
        format!("{}in {} bytes", of.unwrap_or_default(), format::count(cursor.file_bytes()))
    };
    let nothing = move || rows.is_known() && rows.total.get() == 0;
    view! {
        <section class="pane tall pieces" aria-label="Blocks">
            <h2>
                "Blocks"
                <span class="n"><b data-testid="pieces-total">{total}</b> " " {file}</span>
                <KindLegend cursor open filter/>
            </h2>
            <BlockStrip cursor open/>
            <Trouble failure=rows.failure/>
            <div class="both">
                <div class="rows">
                    <Show when=nothing>
                        <div class="blank" data-testid="no-pieces">
                            <h2>"No damaged blocks"</h2>
                            <p>"All blocks were read, and every event is within its block's declared time range."</p>
                        </div>
                    </Show>
                    <SectionTable cursor open rows filter sorted order/>
                </div>
                <div class="parts-of" on:mouseleave=move |_| cursor.hovered.set((0, 0))>
                    <SectionHead cursor with_bytes=true/>
                    <StructureTree cursor open testid="piece-parts"/>
                </div>
            </div>
        </section>
    }
}

/// Block kinds with their counts; each filters the table.
#[component]
fn KindLegend(cursor: FileCursor, open: Memo<bool>, filter: RwSignal<SectionFilter>) -> impl IntoView {
    let costs = follow(cursor.app, move || open.get().then_some(queries::Costs));
    let kinds = move || {
        let Some(costs) = costs.value.get() else { return Vec::new() };
        let count = |kind: u8| {
            let of_kind =
                |row: &usize| costs.of[*row] == cost::PIECES && costs.name.get(*row) == section_kind::name(kind);
            (0..costs.of.len()).find(of_kind).map(|row| costs.count[row])
        };
        (0..=section_kind::UNREAD).filter_map(|kind| Some((kind, count(kind)?))).collect()
    };
    let entry = move |(kind, count): (u8, u64)| {
        let bit = 1_u16 << kind;
        let is_on = move || filter.with(|filter| filter.kinds & bit != 0);
        let name = section_kind::name(kind);
        view! {
            <button class="btn kind" aria-pressed=move || is_on().to_string() data-testid=format!("kind-{kind}")
                title=format!("Filter to {}", name.to_lowercase())
                on:click=move |_| filter.update(|filter| filter.kinds ^= bit)>
                <i class=format!("sw {}", kind_class(kind)) aria-hidden="true"></i>
                {name} " " <span class="n">{format::count(count)}</span>
            </button>
        }
    };
    view! {
        <span class="kinds" role="group" aria-label="Block kinds">{move || kinds().into_iter().map(entry).collect_view()}</span>
        <Switch on=Signal::derive(move || filter.with(|filter| filter.only_problems))
            turn=Callback::new(move |()| filter.update(|filter| filter.only_problems = !filter.only_problems))
            testid="only-problems" words="Problems only"/>
    }
}

#[component]
fn SectionTable(
    cursor: FileCursor,
    open: Memo<bool>,
    rows: Pages<Sections>,
    filter: RwSignal<SectionFilter>,
    /// Order that the user chose.
    sorted: RwSignal<Option<Sorted>>,
    order: Memo<SectionOrder>,
) -> impl IntoView {
    let app = cursor.app;
    let mut model = GridModel::of(
        move || rows.total.get(),
        move |row| {
            let offset = rows.row_untracked(row, |page, at| page.offset.get(at).copied()).flatten();
            if let Some(offset) = offset {
                cursor.go(offset);
            }
        },
    );
    model.on_window = Some(Callback::new(move |(first, end)| rows.show(first, end)));
    model.save = Some(save_pages(app, "blocks", (&SECTION_COLUMNS, &SECTION_FACTS), rows, |page| page.offset.len()));
    // The block at the cursor is selected, wherever it was chosen.
    Effect::new(move |_| {
        let (of, order, there, is_open) = (filter.get(), order.get(), cursor.section.get(), open.get());
        rows.total.track();
        // Until the rows of another order arrive, they are at other positions.
        let Some(there) = there.filter(|_| is_open && !rows.are_behind()) else { return };
        let is_there =
            |row| rows.row_untracked(row, |page, at| page.offset.get(at) == Some(&there.offset)) == Some(true);
        if model.cursor.get_untracked().is_some_and(is_there) {
            return;
        }
        spawn_local(async move {
            let answer = app.ask(queries::SectionPosition { of, order, offset: there.offset }).await;
            let is_current = cursor.section.try_get_untracked().flatten() == Some(there);
            if let (Ok(Some(row)), true) = (answer, is_current) {
                model.cursor.set(Some(row));
                model.reveal.set(Some(row));
            }
        });
    });
    let cell = move |key: &str, row: Memo<Option<u64>>| block_cell(cursor, rows, key, row);
    let (layout, sorting) = (Layout::new(columns), Sorting::local(sorted));
    view! { <Grid model label="Blocks" testid="pieces" layout sorting cell/> }
}

fn columns() -> Vec<GridColumn> {
    let [offset, kind, bytes, items, headers, times, declared, threads, types, note] = &SECTION_COLUMNS;
    vec![
        GridColumn::of(offset, 92.0, 0.0).left(),
        GridColumn::of(kind, 112.0, 0.0),
        GridColumn::of(bytes, 72.0, 0.0),
        GridColumn::of(items, 60.0, 0.0),
        GridColumn::of(headers, 84.0, 0.0).from(700.0),
        GridColumn::of(times, 110.0, 1.0).left(),
        GridColumn::of(declared, 110.0, 1.0).left().from(820.0),
        GridColumn::of(threads, 64.0, 0.0).from(620.0),
        GridColumn::of(types, 88.0, 0.0).chosen(),
        GridColumn::of(note, 92.0, 1.0),
    ]
}

/// Returns the order of the query. By offset, blocks have the order of the file.
fn order_of(sorted: &Sorted) -> SectionOrder {
    let column = SECTION_COLUMNS.iter().position(|column| column.key == sorted.key);
    let is_of_file = column == Some(0) && !sorted.descending;
    SectionOrder { column: column.filter(|_| !is_of_file).map(|at| at as u8), descending: sorted.descending }
}

fn block_cell(cursor: FileCursor, rows: Pages<Sections>, key: &str, row: Memo<Option<u64>>) -> AnyView {
    let Some(column) = column_with_key(&SECTION_COLUMNS, key) else { return ().into_any() };
    let text = move || {
        let words = |page: &Sections, at: usize| {
            cell_words(column.kind, &(column.cell)(page, at), &cursor.app.face(), DECIMALS)
        };
        rows.row(row.get()?, words)
    };
    let testid = format!("piece-{key}");
    match key {
        "offset" => cell("mono", testid, text),
        "kind" => {
            let class = move || rows.row(row.get()?, |page, at| Some(kind_class(*page.kind.get(at)?)))?;
            view! {
                <span role="gridcell" data-testid=testid>
                    <i class=move || format!("sw {}", class().unwrap_or("")) aria-hidden="true"></i> " " {text}
                </span>
            }
            .into_any()
        }
        "bytes" | "items" | "threads" | "types" => cell("num", testid, text),
        "headers" | "declared" => cell("dim", testid, text),
        "note" => {
            let is_wrong = move || rows.row(row.get()?, |page, at| !page.problem.get(at).is_empty());
            view! {
                <span role="gridcell" class:wrong=move || is_wrong() == Some(true) data-testid=testid title=text>{text}</span>
            }
            .into_any()
        }
        _ => cell("", testid, text),
    }
}
