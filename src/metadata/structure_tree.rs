//! Structure of a block: outline, with the parts of the selected item.

use super::cursor::{Explained, FileCursor};
use crate::trace::pages::{Paged, Pages};
use crate::widgets::icon::{Icon, RIGHT};
use crate::widgets::virtual_table::{TableModel, TreeRow, VirtualTable};
use leptos::prelude::*;
use protocol::queries;
use protocol::tables::{NO_NUMBER, Structure, part};
use view::file::offset_text::offset_text;
use view::file::structure_rows::{OpenItem, Place, StructureRows};
use view::format;
use view::keys::keymap::Command;

const INDENT_PX: u32 = 14;

impl Paged for Structure {
    /// Any byte of the block, and one of its items.
    type Of = (u64, Option<u32>);
    type Query = queries::Structure;

    fn query((offset, item): Self::Of, first: u64, count: u32) -> queries::Structure {
        queries::Structure { offset, item, first, count }
    }

    fn total(&self) -> u64 {
        self.total.first().copied().unwrap_or(0)
    }
}

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
    /// Cursor in the file.
    cursor: FileCursor,
    /// True if it is visible.
    open: Memo<bool>,
    /// Test ID.
    testid: &'static str,
) -> impl IntoView {
    let app = cursor.app;
    let rows = RwSignal::new(StructureRows::default());
    let section = Memo::new(move |_| cursor.section.get().filter(|_| open.get()).map(|section| section.offset));
    let outline = Pages::new(app, move || Some((section.get()?, None)));
    let parts = Pages::new(app, move || Some((section.get()?, Some(rows.with(|rows| rows.open)?.item))));
    let tree = Tree { cursor, rows, outline, parts };
    Effect::new(move |was: Option<(u64, Option<u32>)>| tree.follow(was));
    let mut model = TableModel::new(
        Signal::derive(move || rows.with(StructureRows::total)),
        Callback::new(move |row| tree.choose(row)),
    );
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
    model.on_expand = Some(Callback::new(move |(at, command): (u64, Command)| {
        let row = untrack(|| tree.row(at));
        let is_open = row.as_ref().and_then(|row| row.item.map(|_| row.is_open));
        match (command, is_open) {
            (Command::Expand, Some(true)) => tree.choose(at + 1),
            (Command::Expand, Some(false)) | (Command::Collapse, Some(true)) | (Command::ToggleExpanded, Some(_)) => {
                tree.toggle(at);
            }
            (Command::Collapse, _) => {
                let level = row.map_or(1, |row| row.level);
                let is_parent = |at: &u64| untrack(|| tree.row(*at)).is_some_and(|row| row.level < level);
                if let Some(parent) = (at.saturating_sub(256)..at).rev().find(is_parent) {
                    model.cursor.set(Some(parent));
                    tree.choose(parent);
                }
            }
            _ => {}
        }
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
    let row = move |row: Memo<Option<u64>>| cells(tree, row);
    let head = view! {
        <span role="columnheader">"Part"</span>
        <span role="columnheader">"Value"</span>
        <span role="columnheader" class="num c-offset">"Offset"</span>
        <span role="columnheader" class="num">"Bytes"</span>
    }
    .into_any();
    view! {
        <crate::trace::live_query::Trouble failure=outline.failure/>
        <VirtualTable model label="Structure" testid columns="structure-columns" head row/>
    }
}

fn cells(tree: Tree, row: Memo<Option<u64>>) -> AnyView {
    let row_of = row;
    let row = Memo::new(move |_| tree.row(row.get()?));
    let text = move |read: fn(&Row) -> String| move || row.with(|row| row.as_ref().map(read));
    let indent = move || row.with(|row| row.as_ref().map(|row| format!("{}px", (row.level - 1) * INDENT_PX)));
    let is_item = move || row.with(|row| row.as_ref().is_some_and(|row| row.item.is_some()));
    let on_twist = move |event: web_sys::MouseEvent| {
        event.stop_propagation();
        if let Some(at) = row_of.get_untracked() {
            tree.toggle(at);
        }
    };
    let is_hot = move || {
        let (start, end) = tree.cursor.hovered.get();
        row.with(|row| {
            row.as_ref()
                .is_some_and(|row| row.explained.offset == start && row.explained.offset + row.explained.bytes == end)
        }) && end > start
    };
    let hover = move |_| {
        let range = row.with_untracked(|row| {
            row.as_ref().map(|row| (row.explained.offset, row.explained.offset + row.explained.bytes))
        });
        tree.cursor.hovered.set(range.unwrap_or_default());
    };
    let class = move || row.with(|row| row.as_ref().map_or("", |row| swatch_of(row.part)));
    let name = |row: &Row| match row.item {
        Some(item) => format!("{} {}", row.explained.name, format::count(u64::from(item) + 1)),
        None => row.explained.name.clone(),
    };
    view! {
        <span role="gridcell" class="ind" class:hot=is_hot style:padding-left=indent on:mouseenter=hover>
            <button class="twist" tabindex="-1" aria-label="Expand or collapse" hidden=move || !is_item() on:click=on_twist>
                <Icon shape=RIGHT/>
            </button>
            <i class=move || format!("sw {}", class()) hidden=is_item aria-hidden="true"></i>
            <span data-testid="part-name">{text(name)}</span>
        </span>
        <span role="gridcell" class="value" class:hot=is_hot data-testid="part-value" on:mouseenter=hover
            title=text(|row| row.explained.value.clone())>
            {text(short_value)}
        </span>
        <span role="gridcell" class="num dim mono c-offset" class:hot=is_hot on:mouseenter=hover>{text(|row| offset_text(row.explained.offset))}</span>
        <span role="gridcell" class="num dim" class:hot=is_hot on:mouseenter=hover>{text(|row| format::count(row.explained.bytes))}</span>
    }
    .into_any()
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
