//! Headings of a grid: they sort, move, and change widths, by pointer, keys and menu.

use super::model::{GridModel, HeadTool, Layout, Sorting};
use crate::app::state::App;
use crate::commands::shortcuts::meaning;
use crate::widgets::icon::{DOWN, Icon, UP};
use crate::widgets::menu::{MenuEntry, OpenMenu, below_button};
use crate::widgets::{CLICK_REACH, capture};
use leptos::prelude::*;
use protocol::export::TableFormat;
use view::grid::{GridColumn, Sorted};
use view::keys::keymap::{Command, Scope};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent, MouseEvent, PointerEvent};

/// Resize step of a key in CSS pixels.
const KEY_STEP: f64 = 16.0;

/// Headings of a grid. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct Heads {
    app: App,
    /// Test ID of the grid.
    testid: &'static str,
    layout: Layout,
    sorting: Sorting,
    /// Keys of the visible columns.
    keys: Memo<Vec<String>>,
    tools: Option<Callback<String, Option<HeadTool>>>,
    /// Saves all rows in a format, with the columns of these keys.
    save: Option<Callback<(TableFormat, Vec<String>)>>,
    pub menu: RwSignal<Option<OpenMenu>>,
    /// Pressed heading, and the position of the press.
    pressed: StoredValue<Option<(String, f64)>>,
    /// Dragged column, and the column whose position it takes.
    dragged: RwSignal<Option<(String, String)>>,
    /// Column that is being resized, pointer position at the start, and width at the start.
    resizing: StoredValue<Option<(String, f64, f64)>>,
}

impl Heads {
    /// Creates the state; `is_seen` returns whether the grid is visible.
    pub fn new(
        testid: &'static str,
        layout: Layout,
        sorting: Sorting,
        keys: Memo<Vec<String>>,
        is_seen: RwSignal<bool>,
        model: GridModel,
    ) -> Self {
        let app = expect_context::<App>();
        let (pressed, resizing) = (StoredValue::new(None), StoredValue::new(None));
        let (menu, dragged) = (RwSignal::new(None), RwSignal::new(None));
        let (tools, save) = (model.head_tools, model.save);
        let heads = Self { app, testid, layout, sorting, keys, tools, save, menu, pressed, dragged, resizing };
        let can = move |command| match command {
            Command::ShowColumns => true,
            Command::SaveRowsAsCsv | Command::SaveRowsAsJson => save.is_some(),
            Command::ResetColumns => untrack(|| layout.with(|arrangement, all| arrangement.is_changed(all))),
            _ => false,
        };
        let act = move |command| {
            let first = keys.with_untracked(|keys| keys.first().cloned()).unwrap_or_default();
            heads.act(command, &first)
        };
        app.actions.offer(Scope::Columns, move |command| is_seen.get_untracked() && can(command), act);
        heads
    }

    /// Returns the headings.
    pub fn view(self) -> AnyView {
        view! { <For each=move || self.keys.get() key=Clone::clone let:key>{self.head(key)}</For> }.into_any()
    }

    fn head(self, key: String) -> impl IntoView {
        let id = self.id_of(&key);
        let key = StoredValue::new(key);
        let column = Memo::new(move |_| key.with_value(|key| self.layout.column(key)));
        let read = move |read: fn(&GridColumn) -> String| move || column.with(|column| column.as_ref().map(read));
        let is = move |is: fn(&GridColumn) -> bool| move || column.with(|column| column.as_ref().is_some_and(is));
        let hint =
            move || column.with(|column| column.as_ref().map(|column| column.hint).filter(|hint| !hint.is_empty()));
        let testid = move || match column.with(|column| column.as_ref().map_or("", |column| column.testid)) {
            "" => key.with_value(|key| format!("{}-sort-{key}", self.testid)),
            testid => testid.to_owned(),
        };
        let sorted = move || {
            let column = column.get()?;
            self.sorting.by.with(|now| Sorted::aria(now.as_ref(), &column))
        };
        let arrow = move || match sorted() {
            Some("ascending") => Some(view! { <Icon shape=UP class="xs"/> }),
            Some("descending") => Some(view! { <Icon shape=DOWN class="xs"/> }),
            _ => None,
        };
        let menu_at = move |event: &MouseEvent| {
            key.with_value(|key| self.open_menu(key, Some((event.client_x().into(), event.client_y().into()))));
        };
        let on_click = move |event: MouseEvent| {
            if self.dragged.try_update(Option::take).flatten().is_some() {
                return;
            }
            let now = self.sorting.by.get_untracked();
            match column.get_untracked().and_then(|column| Sorted::clicked(now.as_ref(), &column)) {
                Some(sorted) => self.sorting.sort.run(sorted),
                None => menu_at(&event),
            }
        };
        let is_target = move || {
            let is_it = |key: &String, (from, to): &(String, String)| to == key && from != key;
            self.dragged
                .with(|dragged| dragged.as_ref().is_some_and(|dragged| key.with_value(|key| is_it(key, dragged))))
        };
        view! {
            <span role="columnheader" class="head-cell" id=id aria-sort=sorted
                class:num=is(|column| column.is_number)
                class:silent=is(|column| column.is_silent)
                class:drop-here=is_target
                on:pointerdown=move |event| self.down(&event, key.get_value())
                on:pointermove=move |event| self.moved(&event)
                on:pointerup=move |_| self.up()
                on:pointercancel=move |_| self.cancel()
                on:keydown=move |event| key.with_value(|key| self.key(&event, key))
                on:contextmenu=move |event: MouseEvent| {
                    event.prevent_default();
                    // Panels have menus, too.
                    event.stop_propagation();
                    menu_at(&event);
                }
            >
                <button data-testid=testid title=hint
                    aria-haspopup=move || sorted().is_none().then_some("menu") on:click=on_click>
                    <span class:sr=is(|column| column.is_silent)>{read(|column| column.title.clone())}</span> {arrow}
                </button>
                {self.tools.and_then(|tools| tools.run(key.get_value())).map(|tool| self.tool(tool))}
                <span class="grip" aria-hidden="true" title="Drag to resize column" data-testid="column-grip"
                    on:pointerdown=move |event| self.grip_down(&event, key.get_value())
                    on:pointermove=move |event| self.grip_moved(&event)
                    on:pointerup=move |_| self.resizing.set_value(None)
                    on:pointercancel=move |_| self.resizing.set_value(None)
                    on:click=|event| event.stop_propagation()
                    on:dblclick=move |_| key.with_value(|key| self.layout.update(|at, _| at.forget_width(key)))
                ></span>
            </span>
        }
    }

    fn tool(self, tool: HeadTool) -> impl IntoView {
        let open = move |event: MouseEvent| {
            let entries = untrack(|| tool.entries.run(()));
            self.menu.set(Some(OpenMenu { at: below_button(&event), label: tool.label.to_owned(), entries }));
        };
        view! {
            <button class="head-tool" class:on=move || tool.is_on.get() aria-label=tool.label title=tool.label
                aria-haspopup="menu" data-testid=tool.testid on:click=open>
                <Icon shape=tool.icon class="xs"/>
            </button>
        }
    }

    fn id_of(self, key: &str) -> String {
        format!("{}-head-{key}", self.testid)
    }

    fn element_of(self, key: &str) -> Option<HtmlElement> {
        document().get_element_by_id(&self.id_of(key))?.dyn_into().ok()
    }

    fn width_of(self, key: &str) -> f64 {
        self.element_of(key).map_or(0.0, |head| head.get_bounding_client_rect().width())
    }

    fn title_of(self, key: &str) -> String {
        untrack(|| self.layout.column(key)).map(|column| column.title).unwrap_or_default()
    }

    fn down(self, event: &PointerEvent, key: String) {
        if event.button() == 0 && event.pointer_type() == "mouse" {
            self.pressed.set_value(Some((key, event.client_x().into())));
        }
    }

    fn moved(self, event: &PointerEvent) {
        let Some((key, from)) = self.pressed.get_value() else { return };
        let x = f64::from(event.client_x());
        if self.dragged.with_untracked(Option::is_none) {
            if (x - from).abs() < CLICK_REACH {
                return;
            }
            capture(event);
        }
        let is_under = |key: &String| {
            let area = self.element_of(key).map(|head| head.get_bounding_client_rect());
            area.is_some_and(|area| area.left() <= x && x < area.right())
        };
        let target = self.keys.get_untracked().into_iter().find(is_under).unwrap_or_else(|| key.clone());
        let dragged = Some((key, target));
        if self.dragged.with_untracked(|shown| *shown != dragged) {
            self.dragged.set(dragged);
        }
    }

    /// Handles a release: the column moves to the position of the one under the pointer. The following click ends the
    /// drag.
    fn up(self) {
        self.pressed.set_value(None);
        let Some((key, target)) = self.dragged.get_untracked() else { return };
        if key != target {
            self.layout.update(|arrangement, all| arrangement.put_at(all, &key, &target));
        }
        // If no click follows, the next frame ends the drag.
        request_animation_frame(move || self.dragged.set(None));
    }

    fn cancel(self) {
        self.pressed.set_value(None);
        self.dragged.set(None);
    }

    fn grip_down(self, event: &PointerEvent, key: String) {
        event.stop_propagation();
        event.prevent_default();
        if event.button() == 0 {
            capture(event);
            let width = self.width_of(&key);
            self.resizing.set_value(Some((key, event.client_x().into(), width)));
        }
    }

    fn grip_moved(self, event: &PointerEvent) {
        event.stop_propagation();
        if let Some((key, from, width)) = self.resizing.get_value() {
            let width = width + f64::from(event.client_x()) - from;
            self.layout.update(|arrangement, _| arrangement.set_width(&key, width));
        }
    }

    fn key(self, event: &KeyboardEvent, key: &str) {
        let Some(command) = meaning(Scope::Columns, event) else { return };
        if self.act(command, key) {
            event.prevent_default();
            event.stop_propagation();
        }
    }

    fn act(self, command: Command, key: &str) -> bool {
        match command {
            Command::ColumnLeft => self.step(key, false),
            Command::ColumnRight => self.step(key, true),
            Command::Narrower => self.widen(key, -KEY_STEP),
            Command::Wider => self.widen(key, KEY_STEP),
            Command::ForgetWidth => self.layout.update(|arrangement, _| arrangement.forget_width(key)),
            Command::ResetColumns => self.layout.update(|arrangement, all| arrangement.reset(all)),
            Command::SortAscending => self.sort(key, false),
            Command::SortDescending => self.sort(key, true),
            Command::Menu => self.open_menu(key, None),
            Command::ShowColumns => self.choose(self.corner_of(key)),
            Command::RemoveColumn => self.remove(key),
            Command::SaveRowsAsCsv => self.save(TableFormat::Csv),
            Command::SaveRowsAsJson => self.save(TableFormat::Json),
            _ => return false,
        }
        true
    }

    fn save(self, format: TableFormat) {
        let keys = untrack(|| self.layout.with(|arrangement, all| arrangement.order(all)));
        self.save.into_iter().for_each(|save| save.run((format, keys.clone())));
    }

    fn step(self, key: &str, onward: bool) {
        let before = self.keys.get_untracked();
        self.layout.update(|arrangement, all| arrangement.step(all, key, onward, &before));
        let at = self.keys.with_untracked(|keys| keys.iter().position(|present| present == key));
        let (at, of, title) = (at.map_or(0, |at| at + 1), before.len(), self.title_of(key));
        self.app.shell.announce.set(format!("Moved {title} to column {at} of {of}."));
        // Moving the element removed the focus.
        self.focus(key);
    }

    /// Hides a column and focuses an adjacent one.
    fn remove(self, key: &str) {
        let (keys, title) = (self.keys.get_untracked(), self.title_of(key));
        let at = keys.iter().position(|present| present == key).unwrap_or(0);
        let beside = keys.get(at + 1).or_else(|| keys.get(at.checked_sub(1)?));
        let Some(beside) = beside else { return };
        self.layout.update(|arrangement, all| arrangement.turn(all, key));
        self.app.shell.announce.set(format!("Column {title} hidden."));
        self.focus(beside);
    }

    /// Focuses a heading after it has moved.
    fn focus(self, key: &str) {
        let id = self.id_of(key);
        request_animation_frame(move || {
            let button = document().get_element_by_id(&id).and_then(|head| head.first_element_child());
            if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
                // A column that was hidden needs no focus.
                let _ = button.focus();
            }
        });
    }

    fn widen(self, key: &str, by: f64) {
        let width = self.width_of(key) + by;
        self.layout.update(|arrangement, _| arrangement.set_width(key, width));
        self.app.shell.announce.set(format!("Width {} pixels.", width.round()));
    }

    fn sort(self, key: &str, descending: bool) {
        if untrack(|| self.layout.column(key)).is_some_and(|column| column.sort.is_some()) {
            self.sorting.sort.run(Sorted { key: key.to_owned(), descending });
        }
    }

    fn corner_of(self, key: &str) -> (f64, f64) {
        let area = self.element_of(key).map(|head| head.get_bounding_client_rect());
        area.map_or((0.0, 0.0), |area| (area.left(), area.bottom()))
    }

    fn choose(self, at: (f64, f64)) {
        self.menu.set(Some(columns_menu(self.layout, at)));
    }

    /// Opens the menu of a column, at a position in the window or at its heading.
    fn open_menu(self, key: &str, at: Option<(f64, f64)>) {
        let at = at.unwrap_or_else(|| self.corner_of(key));
        let entry = |command: Command, testid: &'static str| {
            let key = key.to_owned();
            MenuEntry::of(Scope::Columns, command, testid, move || _ = self.act(command, &key))
        };
        let mut entries = Vec::new();
        let sorted = Sorted { key: key.to_owned(), descending: false };
        let now = self.sorting.by.get_untracked();
        if untrack(|| self.layout.column(key)).is_some_and(|column| column.sort.is_some()) {
            for (command, descending, testid) in [
                (Command::SortAscending, false, "column-ascending"),
                (Command::SortDescending, true, "column-descending"),
            ] {
                entries.push(entry(command, testid).chosen(now == Some(Sorted { descending, ..sorted.clone() })));
            }
        }
        let keys = self.keys.get_untracked();
        if keys.first().is_some_and(|first| first != key) {
            entries.push(entry(Command::ColumnLeft, "column-left"));
        }
        if keys.last().is_some_and(|last| last != key) {
            entries.push(entry(Command::ColumnRight, "column-right"));
        }
        entries.push(entry(Command::Narrower, "column-narrower"));
        entries.push(entry(Command::Wider, "column-wider"));
        let (has_width, can_hide, is_changed) =
            untrack(|| self.layout.with(|at, all| (at.width(key).is_some(), at.can_hide(all), at.is_changed(all))));
        if has_width {
            entries.push(entry(Command::ForgetWidth, "column-own-width"));
        }
        if can_hide {
            entries.push(entry(Command::RemoveColumn, "column-remove"));
        }
        entries.push(entry(Command::ShowColumns, "column-choose"));
        if is_changed {
            entries.push(entry(Command::ResetColumns, "columns-reset"));
        }
        if self.save.is_some() {
            entries.push(entry(Command::SaveRowsAsCsv, "save-csv"));
            entries.push(entry(Command::SaveRowsAsJson, "save-json"));
        }
        self.menu.set(Some(OpenMenu { at, label: format!("Column menu: {}", self.title_of(key)), entries }));
    }
}

/// Returns the menu that shows and hides columns.
pub fn columns_menu(layout: Layout, at: (f64, f64)) -> OpenMenu {
    let entry = |column: GridColumn| {
        let key = StoredValue::new(column.key);
        let is_shown = Signal::derive(move || {
            key.with_value(|key| layout.with(|arrangement, all| arrangement.order(all).contains(key)))
        });
        let turn = move || key.with_value(|key| layout.update(|arrangement, all| arrangement.turn(all, key)));
        MenuEntry::of(Scope::Columns, Command::ShowColumns, "column-shown", turn).called(column.title).checked(is_shown)
    };
    // A column that never fits doesn't apply to the trace.
    let all = layout.all.get_untracked().into_iter().filter(|column| column.from.is_finite());
    let entries = all.map(entry).collect();
    OpenMenu { at, label: "Columns".to_owned(), entries }
}
