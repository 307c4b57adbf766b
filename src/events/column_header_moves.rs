//! Moving and resizing of columns: by dragging, keys, and the menu of their headings.

use super::column_headers::{sort_key, words};
use crate::app::state::App;
use crate::commands::shortcuts::meaning;
use crate::widgets::menu::{MenuEntry, OpenMenu};
use crate::widgets::{CLICK_REACH, capture};
use leptos::prelude::*;
use protocol::events::columns::EventColumn;
use protocol::request::EventOrder;
use view::events::columns::style_name;
use view::keys::keymap::{Command, Scope};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent, PointerEvent};

/// Resize step of a key in CSS pixels.
const KEY_STEP: f64 = 16.0;

/// Column that is being resized, pointer position at the start, and width at the start.
type Resizing = Option<(EventColumn, f64, f64)>;

/// State of moving columns. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct HeadMoves {
    app: App,
    menu: RwSignal<Option<OpenMenu>>,
    /// Pressed heading, and the position of the press.
    pressed: StoredValue<Option<(EventColumn, f64)>>,
    /// Dragged column, and the column whose position it takes.
    dragged: RwSignal<Option<(EventColumn, EventColumn)>>,
    resizing: StoredValue<Resizing>,
}

impl HeadMoves {
    /// Creates the state; menus open in `menu`.
    pub fn new(app: App, menu: RwSignal<Option<OpenMenu>>) -> Self {
        let (pressed, resizing) = (StoredValue::new(None), StoredValue::new(None));
        let columns = app.events.columns;
        let can_reset = move || columns.with_untracked(|columns| columns.is_arranged());
        let reset = move || columns.update(|columns| columns.reset());
        app.actions.on_if(Scope::Columns, Command::ResetColumns, can_reset, reset);
        Self { app, menu, pressed, dragged: RwSignal::new(None), resizing }
    }

    /// Returns the element ID of a heading.
    pub fn id_of(self, column: &EventColumn) -> String {
        match column {
            EventColumn::Field(name) => format!("head-field-{name}"),
            known => format!("head-{}", style_name(known)),
        }
    }

    fn element_of(self, column: &EventColumn) -> Option<HtmlElement> {
        document().get_element_by_id(&self.id_of(column))?.dyn_into().ok()
    }

    fn width_of(self, column: &EventColumn) -> f64 {
        self.element_of(column).map_or(0.0, |head| head.get_bounding_client_rect().width())
    }

    /// Returns the visible columns, from left to right.
    fn shown(self) -> Vec<EventColumn> {
        let all = self.app.events.columns.with_untracked(|columns| columns.order().to_vec());
        all.into_iter().filter(|column| self.width_of(column) > 0.0).collect()
    }

    /// Handles a press on a heading.
    pub fn down(self, event: &PointerEvent, column: &EventColumn) {
        if event.button() == 0 && event.pointer_type() == "mouse" {
            self.pressed.set_value(Some((column.clone(), event.client_x().into())));
        }
    }

    /// Handles a pointer movement.
    pub fn moved(self, event: &PointerEvent) {
        let Some((column, from)) = self.pressed.get_value() else { return };
        let x = f64::from(event.client_x());
        if self.dragged.with_untracked(Option::is_none) {
            if (x - from).abs() < CLICK_REACH {
                return;
            }
            capture(event);
        }
        let is_under = |column: &EventColumn| {
            let area = self.element_of(column).map(|head| head.get_bounding_client_rect());
            area.is_some_and(|area| area.left() <= x && x < area.right())
        };
        let target = self.shown().into_iter().find(is_under).unwrap_or_else(|| column.clone());
        let dragged = Some((column, target));
        if self.dragged.with_untracked(|shown| *shown != dragged) {
            self.dragged.set(dragged);
        }
    }

    /// Handles a release: the column moves to the position of the one under the pointer. The following click ends the
    /// drag.
    pub fn up(self) {
        self.pressed.set_value(None);
        let Some((column, target)) = self.dragged.get_untracked() else { return };
        if column != target {
            self.app.events.columns.update(|columns| columns.put_at(&column, &target));
        }
        // If no click follows, the next frame ends the drag.
        request_animation_frame(move || self.dragged.set(None));
    }

    /// Handles a canceled pointer.
    pub fn cancel(self) {
        self.pressed.set_value(None);
        self.dragged.set(None);
    }

    /// Returns whether a click is the end of a drag.
    pub fn was_dragged(self) -> bool {
        self.dragged.try_update(Option::take).flatten().is_some()
    }

    /// Returns whether a dragged column would take the position of this one.
    pub fn is_target(self, column: &EventColumn) -> bool {
        self.dragged.with(|dragged| dragged.as_ref().is_some_and(|(from, to)| to == column && from != column))
    }

    /// Handles a press on the edge of a heading.
    pub fn grip_down(self, event: &PointerEvent, column: &EventColumn) {
        event.stop_propagation();
        event.prevent_default();
        if event.button() == 0 {
            capture(event);
            self.resizing.set_value(Some((column.clone(), event.client_x().into(), self.width_of(column))));
        }
    }

    /// Handles a pointer movement while resizing.
    pub fn grip_moved(self, event: &PointerEvent) {
        event.stop_propagation();
        if let Some((column, from, width)) = self.resizing.get_value() {
            let width = width + f64::from(event.client_x()) - from;
            self.app.events.columns.update(|columns| columns.set_width(&column, width));
        }
    }

    /// Handles a release after resizing.
    pub fn grip_up(self) {
        self.resizing.set_value(None);
    }

    /// Resets the width of a column.
    pub fn forget_width(self, column: &EventColumn) {
        self.app.events.columns.update(|columns| columns.forget_width(column));
    }

    /// Handles a key on a heading.
    pub fn key(self, event: &KeyboardEvent, column: &EventColumn) {
        let Some(command) = meaning(Scope::Columns, event) else { return };
        if self.act(command, column) {
            event.prevent_default();
            event.stop_propagation();
        }
    }

    fn act(self, command: Command, column: &EventColumn) -> bool {
        match command {
            Command::ColumnLeft => self.step(column, false),
            Command::ColumnRight => self.step(column, true),
            Command::Narrower => self.widen(column, -KEY_STEP),
            Command::Wider => self.widen(column, KEY_STEP),
            Command::ForgetWidth => self.forget_width(column),
            Command::ResetColumns => self.app.events.columns.update(|columns| columns.reset()),
            Command::SortAscending => self.sort(column, false),
            Command::SortDescending => self.sort(column, true),
            Command::Menu => self.open_menu(column, None),
            Command::RemoveColumn => self.remove(column),
            _ => return false,
        }
        true
    }

    fn step(self, column: &EventColumn, onward: bool) {
        let shown = self.shown();
        self.app.events.columns.update(|columns| columns.step(column, onward, &shown));
        let (at, of) = (self.shown().iter().position(|present| present == column), shown.len());
        let words = untrack(|| words(self.app, column));
        self.app.shell.announce.set(format!("Moved {words} to column {} of {of}.", at.map_or(0, |at| at + 1)));
        // Moving the element removed the focus.
        self.focus(column);
    }

    /// Hides a column and focuses an adjacent one.
    fn remove(self, column: &EventColumn) {
        let shown = self.shown();
        let at = shown.iter().position(|present| present == column).unwrap_or(0);
        let beside = shown.get(at + 1).or_else(|| shown.get(at.checked_sub(1)?)).cloned();
        self.app.events.columns.update(|columns| columns.remove(column));
        let words = untrack(|| words(self.app, column));
        self.app.shell.announce.set(format!("Column {words} hidden."));
        if let Some(beside) = beside {
            self.focus(&beside);
        }
    }

    /// Focuses a heading after it has moved.
    fn focus(self, column: &EventColumn) {
        let id = self.id_of(column);
        request_animation_frame(move || {
            let button = document().get_element_by_id(&id).and_then(|head| head.first_element_child());
            if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
                // A column that was hidden needs no focus.
                let _ = button.focus();
            }
        });
    }

    fn widen(self, column: &EventColumn, by: f64) {
        let width = self.width_of(column) + by;
        self.app.events.columns.update(|columns| columns.set_width(column, width));
        self.app.shell.announce.set(format!("Width {} pixels.", width.round()));
    }

    fn sort(self, column: &EventColumn, descending: bool) {
        if let Some(key) = untrack(|| sort_key(self.app, column)) {
            self.app.events.order.set(EventOrder { key, descending });
        }
    }

    /// Opens the menu of a column, at a position in the window or at its heading.
    pub fn open_menu(self, column: &EventColumn, at: Option<(f64, f64)>) {
        let corner = self.element_of(column).map(|head| head.get_bounding_client_rect());
        let Some(at) = at.or(corner.map(|area| (area.left(), area.bottom()))) else { return };
        let entry = |command: Command, testid: &'static str| {
            let column = column.clone();
            MenuEntry::of(Scope::Columns, command, testid, move || _ = self.act(command, &column))
        };
        let mut entries = Vec::new();
        if let Some(key) = untrack(|| sort_key(self.app, column)) {
            let is_so = |descending| {
                self.app.events.order.with_untracked(|order| order.key == key && order.descending == descending)
            };
            for (command, descending, testid) in [
                (Command::SortAscending, false, "column-ascending"),
                (Command::SortDescending, true, "column-descending"),
            ] {
                entries.push(entry(command, testid).chosen(is_so(descending)));
            }
        }
        let shown = self.shown();
        if shown.first() != Some(column) {
            entries.push(entry(Command::ColumnLeft, "column-left"));
        }
        if shown.last() != Some(column) {
            entries.push(entry(Command::ColumnRight, "column-right"));
        }
        entries.push(entry(Command::Narrower, "column-narrower"));
        entries.push(entry(Command::Wider, "column-wider"));
        let (has_width, is_arranged) =
            self.app.events.columns.with_untracked(|columns| (columns.width(column).is_some(), columns.is_arranged()));
        if has_width {
            entries.push(entry(Command::ForgetWidth, "column-own-width"));
        }
        if self.app.events.columns.with_untracked(|columns| columns.can_remove()) {
            entries.push(entry(Command::RemoveColumn, "column-remove"));
        }
        if is_arranged {
            entries.push(entry(Command::ResetColumns, "columns-reset"));
        }
        let label = format!("Column menu: {}", untrack(|| words(self.app, column)));
        self.menu.set(Some(OpenMenu { at, label, entries }));
    }
}
