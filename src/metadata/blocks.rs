//! Blocks part of the Metadata tab: strip, table, and structure of the selected block.

use super::cursor::FileCursor;
use super::section_head::SectionHead;
use super::strip::BlockStrip;
use super::structure_tree::StructureTree;
use crate::trace::live_query::{Trouble, follow};
use crate::trace::pages::{Paged, Pages};
use crate::widgets::switch::Switch;
use crate::widgets::virtual_table::{TableModel, VirtualTable};
use leptos::prelude::*;
use protocol::queries;
use protocol::request::SectionFilter;
use protocol::tables::{NO_NUMBER, NO_TIME, Sections, compression, cost, section_kind};
use view::file::block_strip::kind_class;
use view::file::offset_text::offset_text;
use view::format;
use wasm_bindgen_futures::spawn_local;

impl Paged for Sections {
    type Of = SectionFilter;
    type Query = queries::Sections;

    fn query(of: SectionFilter, first: u64, count: u32) -> queries::Sections {
        queries::Sections { of, first, count }
    }

    fn total(&self) -> u64 {
        self.total.first().copied().unwrap_or(0)
    }
}

/// Strip, table, and structure of the selected block.
#[component]
pub fn BlocksPane(
    /// Cursor in the file.
    cursor: FileCursor,
    /// True if it is visible.
    open: Memo<bool>,
) -> impl IntoView {
    let filter = RwSignal::new(SectionFilter::default());
    let rows = Pages::new(cursor.app, move || open.get().then(|| filter.get()));
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
                    <SectionTable cursor open rows filter/>
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
) -> impl IntoView {
    let app = cursor.app;
    let mut model = TableModel::new(
        Signal::derive(move || rows.total.get()),
        Callback::new(move |row| {
            let offset = rows.row_untracked(row, |page, at| page.offset.get(at).copied()).flatten();
            if let Some(offset) = offset {
                cursor.go(offset);
            }
        }),
    );
    model.on_window = Some(Callback::new(move |(first, end)| rows.show(first, end)));
    // The block at the cursor is selected, wherever it was chosen.
    Effect::new(move |_| {
        let (of, there, is_open) = (filter.get(), cursor.section.get(), open.get());
        rows.total.track();
        let Some(there) = there.filter(|_| is_open) else { return };
        let is_there =
            |row| rows.row_untracked(row, |page, at| page.offset.get(at) == Some(&there.offset)) == Some(true);
        if model.cursor.get_untracked().is_some_and(is_there) {
            return;
        }
        spawn_local(async move {
            let answer = app.ask(queries::SectionPosition { of, offset: there.offset }).await;
            let is_current = cursor.section.try_get_untracked().flatten() == Some(there);
            if let (Ok(Some(row)), true) = (answer, is_current) {
                model.cursor.set(Some(row));
                model.reveal.set(Some(row));
            }
        });
    });
    let row = move |row: Memo<Option<u64>>| cells(cursor, rows, row);
    let head = view! {
        <span role="columnheader">"Offset"</span>
        <span role="columnheader">"Kind"</span>
        <span role="columnheader" class="num">"Bytes"</span>
        <span role="columnheader" class="num">"Items"</span>
        <span role="columnheader" class="c-packed">"Headers"</span>
        <span role="columnheader">"Event times"</span>
        <span role="columnheader" class="c-declared">"Declared times"</span>
        <span role="columnheader" class="num c-threads">"Threads"</span>
        <span role="columnheader">"IDs, problem"</span>
    }
    .into_any();
    view! { <VirtualTable model label="Blocks" testid="pieces" columns="piece-columns" head row/> }
}

fn cells(cursor: FileCursor, rows: Pages<Sections>, row: Memo<Option<u64>>) -> AnyView {
    let face = move || cursor.app.face();
    let read = move |read: fn(&Sections, usize) -> Option<String>| move || rows.row(row.get()?, read).flatten();
    let span = move |which: fn(&Sections) -> (&Vec<i64>, &Vec<i64>)| {
        move || {
            let read = |page: &Sections, at: usize| {
                let (first, last) = which(page);
                Some((*first.get(at)?, *last.get(at)?))
            };
            match rows.row(row.get()?, read)?? {
                (NO_TIME, _) => None,
                (at, NO_TIME) => Some(face().moment(at, 6)),
                (first, last) => Some(face().range(first, last)),
            }
        }
    };
    let counted = |number: u32| (number > 0).then(|| format::count(number.into()));
    let is_wrong = move || rows.row(row.get()?, |page, at| !page.problem.get(at).is_empty());
    let class = move || rows.row(row.get()?, |page, at| Some(kind_class(*page.kind.get(at)?)))?;
    view! {
        <span role="gridcell" class="mono" data-testid="piece-offset">{read(|page, at| Some(offset_text(*page.offset.get(at)?)))}</span>
        <span role="gridcell" data-testid="piece-kind">
            <i class=move || format!("sw {}", class().unwrap_or("")) aria-hidden="true"></i> " "
            {read(|page, at| Some(section_kind::name(*page.kind.get(at)?).to_owned()))}
        </span>
        <span role="gridcell" class="num" data-testid="piece-bytes">{read(|page, at| Some(format::count(*page.bytes.get(at)?)))}</span>
        <span role="gridcell" class="num" data-testid="piece-items">{move || rows.row(row.get()?, |page, at| counted(*page.items.get(at)?))?}</span>
        <span role="gridcell" class="dim c-packed">{read(|page, at| Some(match *page.compression.get(at)? {
            compression::COMPRESSED => "compressed",
            compression::FIXED => "full",
            _ => "",
        }.to_owned()))}</span>
        <span role="gridcell" data-testid="piece-times">{span(|page| (&page.first, &page.last))}</span>
        <span role="gridcell" class="dim c-declared">{span(|page| (&page.declared_first, &page.declared_last))}</span>
        <span role="gridcell" class="num c-threads">{move || rows.row(row.get()?, |page, at| counted(*page.threads.get(at)?))?}</span>
        <span role="gridcell" class:wrong=move || is_wrong() == Some(true) data-testid="piece-note"
            title=read(|page, at| Some(page.problem.get(at).to_owned()))>
            {read(|page, at| Some(match (page.problem.get(at), *page.first_number.get(at)?) {
                ("", NO_NUMBER) => String::new(),
                ("", first) if page.items[at] <= 1 => format!("ID {}", format::count(first.into())),
                ("", first) => format!("IDs {}–{}", format::count(first.into()), format::count(u64::from(first) + u64::from(page.items[at]).saturating_sub(1))),
                (problem, _) => problem.to_owned(),
            }))}
        </span>
    }
    .into_any()
}
