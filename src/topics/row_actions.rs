//! Commands for rows of a report: menu, buttons, shortcuts.

use super::rows::{ReportRowsQuery, event_of};
use crate::app::state::{App, Selection};
use crate::share::copy_view::{self, CopyAs};
use crate::trace::pages::Pages;
use crate::widgets::copy::copy_text;
use crate::widgets::grid::Layout;
use crate::widgets::menu::{MenuEntry, OpenMenu};
use leptos::prelude::*;
use protocol::base::time::Span;
use protocol::queries;
use protocol::table::{CellKind, Unit};
use protocol::topics::report::{ColumnHead, ReportRows};
use protocol::topics::topic::Topic;
use view::events::filter_text::opposite;
use view::grid::{DECIMALS, cell_words};
use view::keys::keymap::{Command, Scope};
use view::report::columns::{ShownColumn, row_text, rows_text, shown_columns};
use view::url::selection::GcLink;
use wasm_bindgen_futures::spawn_local;

/// Commands of a row, with test IDs.
const OF_ROW: [(Command, &str); 4] = [
    (Command::FilterTo, "only-row"),
    (Command::ExcludeRow, "without-row"),
    (Command::ShowOnTimeline, "row-on-timeline"),
    (Command::RangeOfSelection, "range-of-row"),
];

/// Target of a row.
#[derive(Clone, PartialEq, Debug)]
pub struct Target {
    /// Time range.
    pub span: Option<Span>,
    /// Condition that filters to the row; may be empty.
    pub condition: String,
}

/// Actions on rows. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct RowActions {
    pub app: App,
    pub topic: Topic,
    /// Loaded rows.
    pub pages: Pages<ReportRows>,
    pub columns: StoredValue<Vec<ColumnHead>>,
    /// Their arrangement.
    pub layout: Layout,
    pub menu: RwSignal<Option<OpenMenu>>,
}

impl RowActions {
    /// Returns a column with its index.
    pub fn column(self, key: &str) -> Option<(usize, ColumnHead)> {
        self.columns.with_value(|columns| {
            let at = columns.iter().position(|column| column.key == key)?;
            Some((at, columns.get(at)?.clone()))
        })
    }

    /// Returns the visible columns, from left to right.
    fn shown(self) -> Vec<ShownColumn> {
        let keys = untrack(|| self.layout.with(|arrangement, all| arrangement.order(all)));
        self.columns.with_value(|columns| shown_columns(columns, &keys))
    }

    /// Returns the target of a row; `None` until its page is loaded.
    pub fn target(self, row: u64) -> Option<Target> {
        let target = |page: &ReportRows, row: usize| {
            let (start, end) = (*page.start.get(row)?, *page.end.get(row)?);
            Some(Target {
                span: (start < end).then(|| Span::new(start, end)),
                condition: page.condition.get(row).to_owned(),
            })
        };
        self.pages.row_untracked(row, target).flatten()
    }

    /// Returns the subject of the details for a row, if it has one; `None` until its page is loaded. Tracks the rows.
    pub fn selection(self, row: u64) -> Option<Selection> {
        if let Some(number) = self.collection_column() {
            let kind = CellKind::Number(Unit::Identity);
            let number = |page: &ReportRows, row: usize| page.cell(row, number, kind).number();
            let number = self.pages.row(row, number).flatten();
            return number.map(|number| Selection::Gc(GcLink { process: 0, number: number as u32 }));
        }
        let event = |page: &ReportRows, row: usize| page.event.get(row).and_then(|id| event_of(*id));
        self.pages.row(row, event).flatten().map(Selection::Event)
    }

    /// Returns the column with the numbers of GCs in a trace with one process: GCs have details of their own, which the
    /// timeline shows too.
    fn collection_column(self) -> Option<usize> {
        let is_one = self.app.trace.with_untracked(|trace| trace.as_ref().is_some_and(|trace| trace.processes < 2));
        let number = self.column("number").map(|(at, _)| at);
        number.filter(|_| self.topic == Topic::Gc && is_one)
    }

    /// Returns whether a command applies to a row, after its page is loaded; tracks the rows.
    pub fn could(self, command: Command, row: u64) -> bool {
        let is_known = self.pages.row(row, |_, _| ()).is_some();
        is_known && self.can(command, Some(row))
    }

    /// Returns whether a command can run now.
    pub fn can(self, command: Command, row: Option<u64>) -> bool {
        let Some(target) = row.and_then(|row| self.target(row)) else { return false };
        match command {
            Command::FilterTo | Command::ExcludeRow => !target.condition.is_empty(),
            Command::ShowOnTimeline | Command::RangeOfSelection => target.span.is_some(),
            _ => false,
        }
    }

    /// Runs a command; returns whether it did.
    pub fn act(self, command: Command, row: Option<u64>) -> bool {
        let app = self.app;
        let Some(target) = row.and_then(|row| self.target(row)).filter(|_| self.can(command, row)) else {
            return false;
        };
        match (command, target.span) {
            (Command::FilterTo, _) => narrow(app, &target.condition),
            (Command::ExcludeRow, _) => narrow(app, &opposite(&target.condition)),
            (Command::ShowOnTimeline, Some(span)) => app.show_on_timeline(span),
            (Command::RangeOfSelection, Some(span)) => app.set_range(Some(span)),
            _ => return false,
        }
        true
    }

    /// Opens the menu of a row at a position in the window.
    pub fn open(self, row: u64, at: (f64, f64)) {
        if self.target(row).is_none() {
            return;
        }
        let app = self.app;
        let mut entries: Vec<MenuEntry> = Vec::new();
        if let Some(selection) = untrack(|| self.selection(row)) {
            let select = move || app.select(selection);
            entries.push(MenuEntry::of(Scope::Tables, Command::Choose, "details-of-row", select));
        }
        let can = OF_ROW.into_iter().filter(|(command, _)| self.can(*command, Some(row)));
        entries.extend(can.map(|(command, testid)| {
            MenuEntry::of(Scope::Topics, command, testid, move || _ = self.act(command, Some(row)))
        }));
        let copy = MenuEntry::of(Scope::Topics, Command::CopyText, "copy-row", move || self.copy(row));
        entries.push(copy.called("Copy row"));
        self.menu.set(Some(OpenMenu { at, label: self.name(row), entries }));
    }

    /// Returns the text of the first cell of a row.
    fn name(self, row: u64) -> String {
        let first = self.shown().first().map(|column| (column.at, column.head.kind));
        let face = untrack(|| self.app.face());
        let words = |page: &ReportRows, row: usize| {
            first.map(|(at, kind)| cell_words(kind, &page.cell(row, at, kind), &face, DECIMALS))
        };
        self.pages.row_untracked(row, words).flatten().unwrap_or_default()
    }

    /// Copies the first rows of a table.
    pub fn copy_first(self, (topic, filter, order): ReportRowsQuery, format: CopyAs) {
        let (face, columns) = (untrack(|| self.app.face()), self.shown());
        let request = queries::ReportRows { topic, filter, order, first: 0, count: copy_view::MAX_ROWS };
        spawn_local(async move {
            match self.app.ask(request).await {
                Ok(page) => {
                    let rows = page.total.first().copied().unwrap_or(0);
                    format.copy_table(self.app, rows_text(&page, &columns, &face), rows);
                }
                Err(failure) => self.app.shell.say(failure.to_string()),
            }
        });
    }

    fn copy(self, row: u64) {
        let face = untrack(|| self.app.face());
        let columns = self.shown();
        let text = |page: &ReportRows, row: usize| row_text(page, row, &columns, &face);
        if let Some(text) = self.pages.row_untracked(row, text) {
            copy_text(self.app.shell, text, "Row");
        }
    }
}

/// Adds a condition, unless it is already the last one of the filter.
fn narrow(app: App, condition: &str) {
    if !app.filter.with_untracked(|filter| filter.query.ends_with(condition)) {
        app.add_condition(condition);
    }
}
