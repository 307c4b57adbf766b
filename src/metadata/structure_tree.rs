//! Structure of a block: outline, with the parts of the selected item.

use super::cursor::{Explained, FileCursor};
use crate::trace::pages::{Pages, paged};
use crate::widgets::grid::{Grid, GridModel, Layout, TreeRow, cell, tree_cell};
use leptos::prelude::*;
use protocol::tables::{NO_NUMBER, Structure, part};
use view::file::structure_rows::{OpenItem, Place, StructureRows};
use view::format;
use view::grid::GridColumn;

// Of any byte of a block, and one of its items.
paged!(Structure, Structure { offset: u64, item: Option<u32> }, total);

/// Content of a row, if it is loaded.
#[derive(Clone, PartialEq)]
struct Row {
    explained: Explained,
    level: u32,
    part: u8,
    item: Option<u32>,
    is_open: bool,
}

#[derive(Clone, Copy)]
struct Tree {
    cursor: FileCursor,
    rows: RwSignal<StructureRows>,
    outline: Pages<Structure>,
    parts: Pages<Structure>,
}

impl Tree {
    fn row(self, row: u64) -> Option<Row> {
        let rows = self.rows.get();
        let (pages, row, is_part) = match rows.at(row) {
            Place::Outline(row) => (self.outline, row, false),
            Place::Part(part) => (self.parts, part, true),
        };
        let is_open = rows.open.is_some_and(|open| !is_part && open.row == row);
        pages.row(row, |page, at| {
            Some(Row {
                explained: Explained::of(page, at)?,
                level: page.depth.get(at)? + 1 + u32::from(is_part),
                part: *page.part.get(at)?,
                item: page.item.get(at).copied().filter(|item| *item != NO_NUMBER && !is_part),
                is_open,
            })
        })?
    }

    fn choose(self, row: u64) {
        if let Some(row) = untrack(|| self.row(row)) {
            self.cursor.choose(row.explained);
        }
    }

    /// Expands or collapses an item.
    fn toggle(self, at: u64) {
        let Some(row) = untrack(|| self.row(at)).filter(|row| row.item.is_some()) else { return };
        if row.is_open {
            self.rows.update(|rows| rows.open = None);
        } else {
            self.cursor.choose(row.explained);
        }
    }

    /// Expands the selected item; rows are those of its block.
    fn follow(self, was: Option<(u64, Option<u32>)>) -> (u64, Option<u32>) {
        let Some(section) = self.cursor.section.get() else { return was.unwrap_or((u64::MAX, None)) };
        let item = self.cursor.item.get();
        let now = (section.offset, item.as_ref().map(|item| item.item));
        let mut rows = self.rows.get_untracked();
        rows.outline = section.rows;
        if was.is_none_or(|was| was.0 != section.offset) {
            rows.open = None;
        }
        if let (Some(item), Some(row)) = (&item, section.row)
            && was != Some(now)
        {
            rows.open = Some(OpenItem { row, item: item.item, parts: item.rows.saturating_sub(1) });
        }
        if rows != self.rows.get_untracked() {
            self.rows.set(rows);
        }
        now
    }

    /// Returns the row of the selected byte.
    fn row_there(self) -> Option<u64> {
        let section = self.cursor.section.get()?;
        let rows = self.rows.get();
        let item = self.cursor.item.get().filter(|item| rows.open.is_some_and(|open| open.item == item.item));
        let part = item.and_then(|item| item.row).filter(|part| *part > 0);
        Some(rows.row_of(part.map_or(Place::Outline(section.row?), Place::Part)))
    }
}

/// Structure of the block at the cursor.
#[component]
pub fn StructureTree(
    cursor: FileCursor,
    /// True if it is visible.
    open: Memo<bool>,
    testid: &'static str,
) -> impl IntoView {
    let app = cursor.app;
    let rows = RwSignal::new(StructureRows::default());
    let section = Memo::new(move |_| cursor.section.get().filter(|_| open.get()).map(|section| section.offset));
    let outline = Pages::new(app, move || Some((section.get()?, None)));
    let parts = Pages::new(app, move || Some((section.get()?, Some(rows.with(|rows| rows.open)?.item))));
    let tree = Tree { cursor, rows, outline, parts };
    Effect::new(move |was: Option<(u64, Option<u32>)>| tree.follow(was));
    let mut model = GridModel::of(move || rows.with(StructureRows::total), move |row| tree.choose(row));
    model.on_window = Some(Callback::new(move |(first, end): (u64, u64)| {
        let rows = rows.get();
        let part = |row| match rows.at(row) {
            Place::Part(part) => Some(part),
            Place::Outline(_) => None,
        };
        let of_outline = |row: u64| match rows.at(row) {
            Place::Outline(row) => row,
            Place::Part(_) => rows.open.map_or(row, |open| open.row),
        };
        if end > first {
            outline.show(of_outline(first), of_outline(end - 1) + 1);
            let shown: Vec<u64> = (first..end).filter_map(part).collect();
            if let (Some(first), Some(last)) = (shown.first(), shown.last()) {
                parts.show(*first, last + 1);
            }
        }
    }));
    model.tree = Some(Callback::new(move |row: u64| {
        tree.row(row).map_or(TreeRow { level: 1, expanded: None }, |row| TreeRow {
            level: row.level,
            expanded: row.item.map(|_| row.is_open),
        })
    }));
    model.on_toggle = Some(Callback::new(move |at| tree.toggle(at)));
    model.on_hover = Some(Callback::new(move |at: Option<u64>| {
        let row = at.and_then(|at| untrack(|| tree.row(at)));
        cursor.hovered.set(row.map(|row| range_of(&row)).unwrap_or_default());
    }));
    model.is_hot = Some(Callback::new(move |at: u64| {
        let (start, end) = cursor.hovered.get();
        end > start && tree.row(at).is_some_and(|row| range_of(&row) == (start, end))
    }));
    // Selects the row of the byte, unless a row that begins at the same byte is selected.
    Effect::new(move |_| {
        let (byte, there, is_open) = (cursor.byte.get(), tree.row_there(), open.get());
        let Some(there) = there.filter(|_| is_open) else { return };
        let chosen = cursor.chosen.get_untracked();
        let at = model.cursor.get_untracked();
        let is_chosen = |row: &Row| chosen.as_ref() == Some(&row.explained) && row.explained.offset == byte;
        if at.and_then(|at| untrack(|| tree.row(at))).is_some_and(|row| is_chosen(&row)) {
            return;
        }
        model.cursor.set(Some(there));
        model.reveal.set(Some(there));
    });
    let columns = || {
        vec![
            GridColumn::text("part", "Part", 140.0, 1.0),
            GridColumn::text("value", "Value", 110.0, 1.3),
            GridColumn::number("offset", "Offset", 92.0).from(430.0),
            GridColumn::number("bytes", "Bytes", 60.0),
        ]
    };
    let cell = move |key: &str, row: Memo<Option<u64>>| {
        let text = move |read: fn(&Row) -> String| move || tree.row(row.get()?).as_ref().map(read);
        match key {
            "part" => part_cell(tree, row),
            "value" => {
                let title = text(|row| row.explained.value.clone());
                view! { <span role="gridcell" class="value" data-testid="part-value" title=title>{text(short_value)}</span> }
                    .into_any()
            }
            "offset" => cell("num dim mono", "part-offset", text(|row| format::offset(row.explained.offset))),
            _ => cell("num dim", "part-bytes", text(|row| format::count(row.explained.bytes))),
        }
    };
    view! {
        <crate::trace::live_query::Trouble failure=outline.failure/>
        <Grid model label="Structure" testid class="structure" layout=Layout::new(columns) cell/>
    }
}

fn range_of(row: &Row) -> (u64, u64) {
    (row.explained.offset, row.explained.offset + row.explained.bytes)
}

fn part_cell(tree: Tree, row: Memo<Option<u64>>) -> AnyView {
    let read = move |read: fn(&Row) -> String| move || tree.row(row.get()?).as_ref().map(read);
    let is_item = move || row.get().and_then(|row| tree.row(row)).is_some_and(|row| row.item.is_some());
    let name = |row: &Row| match row.item {
        Some(item) => format!("{} {}", row.explained.name, format::count(u64::from(item) + 1)),
        None => row.explained.name.clone(),
    };
    let content = view! {
        <i class=read(|row| format!("sw {}", swatch_of(row.part))) hidden=is_item aria-hidden="true"></i>
        <span data-testid="part-name">{read(name)}</span>
    };
    let level = move || tree.row(row.get()?).map(|row| row.level);
    tree_cell(
        level,
        is_item,
        move || row.get_untracked().into_iter().for_each(|at| tree.toggle(at)),
        content.into_any(),
    )
}

/// Returns the value in a line. Event names of a block are shown without the provider, because the names distinguish
/// them.
fn short_value(row: &Row) -> String {
    let value = row.explained.value.replace('\n', " ");
    match value.split_once('/') {
        Some((provider, name)) if row.item.is_some() && !provider.contains(' ') => name.to_owned(),
        _ => value,
    }
}

fn swatch_of(kind: u8) -> &'static str {
    match kind {
        part::GROUP => "b-group",
        part::FIELD => "b-field",
        part::DAMAGE | part::UNKNOWN => "b-damage",
        part::INHERITED => "b-none",
        _ => "b-leaf",
    }
}
