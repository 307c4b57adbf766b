//! State and callbacks of a grid, and its columns.

use crate::widgets::menu::MenuEntry;
use leptos::prelude::*;
use protocol::export::TableFormat;
use protocol::table::{Column, column_with_key};
use std::sync::Arc;
use view::events::row_selection::RowSelection;
use view::grid::{Arrangement, GridColumn, Sorted};

/// Presentation of a tree row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TreeRow {
    /// Level, 1 at the top.
    pub level: u32,
    /// True if it is expanded; `None` if it has no children.
    pub expanded: Option<bool>,
}

/// Button in the heading of a column, which opens a menu.
#[derive(Clone, Copy)]
pub struct HeadTool {
    /// Name, for screen readers and the tooltip.
    pub label: &'static str,
    pub testid: &'static str,
    pub icon: &'static str,
    /// Whether one of its lines is chosen.
    pub is_on: Signal<bool>,
    /// Returns the lines of the menu.
    pub entries: Callback<(), Vec<MenuEntry>>,
}

/// State and callbacks of a grid.
#[derive(Clone, Copy)]
pub struct GridModel {
    pub rows: Signal<u64>,
    /// Current row.
    pub cursor: RwSignal<Option<u64>>,
    /// Selected rows, in a grid with multiple selection.
    pub selected: Option<RwSignal<RowSelection>>,
    /// Row to scroll to; cleared afterwards.
    pub reveal: RwSignal<Option<u64>>,
    /// Row to scroll to the top; cleared afterwards.
    pub lead: RwSignal<Option<u64>>,
    /// Called when the user chooses a row.
    pub on_choose: Callback<u64>,
    /// Called when the user copies; by default, the current row is copied.
    pub on_copy: Option<Callback<()>>,
    /// Called when the user opens the menu of a row, with a position in the window. In a grid with selection, the row
    /// is selected.
    pub on_menu: Option<Callback<(u64, (f64, f64))>>,
    /// Presentation of a tree row.
    pub tree: Option<Callback<u64, TreeRow>>,
    /// Called when the user expands or collapses a row; trees only.
    pub on_toggle: Option<Callback<u64>>,
    /// Called when the user moves to a parent or child, if that doesn't choose it; trees only.
    pub on_step: Option<Callback<u64>>,
    /// Called when the user expands everything below a row; trees only. Without a current row, the index after the last
    /// row stands for everything.
    pub on_expand_all: Option<Callback<u64>>,
    /// Receives the row under the pointer.
    pub on_hover: Option<Callback<Option<u64>>>,
    /// Returns whether a row is highlighted.
    pub is_hot: Option<Callback<u64, bool>>,
    /// Receives the first visible row and the one after the last.
    pub on_window: Option<Callback<(u64, u64)>>,
    /// Returns the buttons of the row in a slot.
    pub actions: Option<Callback<Memo<Option<u64>>, AnyView>>,
    /// Returns the button in the heading of a column, by its key.
    pub head_tools: Option<Callback<String, Option<HeadTool>>>,
    /// Saves all rows in a format, with the columns of these keys.
    pub save: Option<Callback<(TableFormat, Vec<String>)>>,
}

impl GridModel {
    /// Returns a table of `rows` that calls `choose` with a chosen row.
    pub fn of(rows: impl Fn() -> u64 + Send + Sync + 'static, choose: impl Fn(u64) + Send + Sync + 'static) -> Self {
        Self::new(Signal::derive(rows), Callback::new(choose))
    }

    /// Moves the cursor to a row, and shows it, unless it is there.
    pub fn point_at(self, row: Option<u64>) {
        if self.cursor.get_untracked() != row {
            self.cursor.set(row);
            self.reveal.set(row);
        }
    }

    /// Creates a plain grid of `rows` rows.
    pub fn new(rows: Signal<u64>, on_choose: Callback<u64>) -> Self {
        Self {
            rows,
            cursor: RwSignal::new(None),
            selected: None,
            reveal: RwSignal::new(None),
            lead: RwSignal::new(None),
            on_choose,
            on_copy: None,
            on_menu: None,
            tree: None,
            on_toggle: None,
            on_step: None,
            on_expand_all: None,
            on_hover: None,
            is_hot: None,
            on_window: None,
            actions: None,
            head_tools: None,
            save: None,
        }
    }

    /// Returns the row above another one that is its parent.
    pub(super) fn parent(self, row: u64) -> Option<u64> {
        let tree = self.tree?;
        untrack(|| {
            let level = tree.run(row).level;
            (0..row).rev().find(|above| tree.run(*above).level < level)
        })
    }
}

/// Columns of a grid, and their arrangement by users. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct Layout {
    /// All columns, in default order.
    pub all: Memo<Vec<GridColumn>>,
    pub arrangement: Signal<Arrangement>,
    /// Receives a changed arrangement.
    pub change: Callback<Arrangement>,
}

impl Layout {
    /// Creates a layout whose arrangement lasts as long as the grid.
    pub fn new(all: impl Fn() -> Vec<GridColumn> + Send + Sync + 'static) -> Self {
        let arrangement = RwSignal::new(Arrangement::default());
        let change = Callback::new(move |changed| arrangement.set(changed));
        Self { all: Memo::new(move |_| all()), arrangement: arrangement.into(), change }
    }

    pub fn column(self, key: &str) -> Option<GridColumn> {
        self.all.with(|all| all.iter().find(|column| column.key == key).cloned())
    }

    /// Changes the arrangement.
    pub fn update(self, change: impl FnOnce(&mut Arrangement, &[GridColumn])) {
        let mut arrangement = self.arrangement.get_untracked();
        self.all.with_untracked(|all| change(&mut arrangement, all));
        self.change.run(arrangement);
    }

    /// Calls a function with the arrangement and all columns.
    pub fn with<V>(self, look: impl FnOnce(&Arrangement, &[GridColumn]) -> V) -> V {
        self.arrangement.with(|arrangement| self.all.with(|all| look(arrangement, all)))
    }
}

/// Order of the rows of a grid. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct Sorting {
    /// Order.
    pub by: Signal<Option<Sorted>>,
    /// Receives the order that the user chose.
    pub sort: Callback<Sorted>,
}

impl Sorting {
    /// Creates the order of a grid that isn't sorted.
    pub fn none() -> Self {
        Self { by: Signal::stored(None), sort: Callback::new(|_| {}) }
    }

    /// Creates an order that lasts as long as the grid.
    pub fn local(order: RwSignal<Option<Sorted>>) -> Self {
        Self { by: order.into(), sort: Callback::new(move |sorted| order.set(Some(sorted))) }
    }
}

/// Returns records, sorted by a column.
pub fn sorted_records<T, M>(mut records: Vec<T>, columns: &[Column<T, M>], order: Option<Sorted>) -> Arc<Vec<T>> {
    if let Some(Sorted { key, descending }) = order
        && let Some(column) = column_with_key(columns, &key)
    {
        column.sort_records(&mut records, descending);
    }
    Arc::new(records)
}
