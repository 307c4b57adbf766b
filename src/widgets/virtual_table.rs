//! Table of any number of rows, with only as many row elements as fit on the screen, reused while scrolling.

use super::event_target::{is_of_button, is_text_selected};
use super::resize::on_resize;
use crate::commands::shortcuts::meaning;
use leptos::attr::custom::custom_attribute;
use leptos::html;
use leptos::prelude::*;
use view::events::row_selection::RowSelection;
use view::keys::keymap::{Command, Scope};
use view::page::vscroll::VirtualScroll;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent, MouseEvent, WheelEvent};

/// Height of a row in CSS pixels; `--h-row` in the style sheet.
const ROW_PX: f64 = 24.0;

/// Unknown scroll bar, farther from every position than a pixel.
const UNKNOWN_BAR: (f64, f64) = (f64::NEG_INFINITY, f64::NEG_INFINITY);

/// Presentation of a tree row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TreeRow {
    /// Level, 1 at the top.
    pub level: u32,
    /// True if it is expanded; `None` if it has no children.
    pub expanded: Option<bool>,
}

/// Effect of choosing a row on the selection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Selects only the row.
    Only,
    /// Extends the selection to the row.
    Extended,
    /// Toggles the row and keeps the others.
    Toggled,
    /// No effect.
    Passed,
}

impl Reach {
    fn of_click(event: &MouseEvent) -> Self {
        match (event.shift_key(), event.ctrl_key() || event.meta_key()) {
            (true, _) => Self::Extended,
            (false, true) => Self::Toggled,
            (false, false) => Self::Only,
        }
    }
}

/// State and callbacks of a table.
#[derive(Clone, Copy)]
pub struct TableModel {
    /// Number of rows.
    pub rows: Signal<u64>,
    /// Current row.
    pub cursor: RwSignal<Option<u64>>,
    /// Selected rows, in a table with multiple selection.
    pub selected: Option<RwSignal<RowSelection>>,
    /// Row to scroll to; cleared afterwards.
    pub reveal: RwSignal<Option<u64>>,
    /// Called when the user chooses a row.
    pub on_choose: Callback<u64>,
    /// Called when the user copies the table.
    pub on_copy: Option<Callback<()>>,
    /// Called when the user opens the menu of a row, with a position in the window. In a table with selection, the row
    /// is selected.
    pub on_menu: Option<Callback<(u64, (f64, f64))>>,
    /// Called when the user expands or collapses a row, or moves to its parent; trees only. Without a current row, the
    /// index after the last row represents everything.
    pub on_expand: Option<Callback<(u64, Command)>>,
    /// Presentation of a tree row.
    pub tree: Option<Callback<u64, TreeRow>>,
    /// Receives the first visible row and the one after the last.
    pub on_window: Option<Callback<(u64, u64)>>,
}

impl TableModel {
    /// Creates a plain table of `rows` rows.
    pub fn new(rows: Signal<u64>, on_choose: Callback<u64>) -> Self {
        Self {
            rows,
            cursor: RwSignal::new(None),
            selected: None,
            reveal: RwSignal::new(None),
            on_choose,
            on_copy: None,
            on_menu: None,
            on_expand: None,
            tree: None,
            on_window: None,
        }
    }
}

/// Table of any number of rows.
#[component]
pub fn VirtualTable<R>(
    /// State and callbacks.
    model: TableModel,
    /// Label for screen readers.
    label: &'static str,
    /// Test ID; rows have the suffix `-row`.
    testid: &'static str,
    /// Class that lays out the columns.
    columns: &'static str,
    /// Column headings.
    head: AnyView,
    /// Returns the cells of the row in a slot.
    row: R,
) -> impl IntoView
where
    R: Fn(Memo<Option<u64>>) -> AnyView + Copy + Send + Sync + 'static,
{
    // Non-generic, so that all tables share the compiled code.
    virtual_table(model, (label, testid, columns), head, Callback::new(row))
}

fn virtual_table(
    model: TableModel,
    (label, testid, columns): (&'static str, &'static str, &'static str),
    head: AnyView,
    row: Callback<Memo<Option<u64>>, AnyView>,
) -> AnyView {
    let viewport = NodeRef::<html::Div>::new();
    let extent = NodeRef::<html::Div>::new();
    let scroll = RwSignal::new(VirtualScroll::new(ROW_PX));
    let slots = RwSignal::new(0_usize);
    let is_seen = RwSignal::new(false);
    // Height of the scrolled element, and scroll position in CSS pixels; unknown while it isn't visible.
    let bar = StoredValue::new(UNKNOWN_BAR);

    viewport.on_load(move |element| {
        on_resize(&element, move |_, height| {
            let needed = (height / ROW_PX).ceil() as usize + 1;
            if height > 0.0 && needed > slots.get_untracked() {
                slots.set(needed);
            }
            if height == 0.0 {
                bar.set_value(UNKNOWN_BAR);
            }
            scroll.update(|scroll| scroll.set_viewport(height));
            if is_seen.get_untracked() != (height > 0.0) {
                is_seen.set(height > 0.0);
            }
        });
    });
    Effect::new(move |_| {
        let rows = model.rows.get();
        scroll.update(|scroll| scroll.set_rows(rows));
    });
    Effect::new(move |_| {
        // The center is known only while the table is visible.
        if let Some(row) = model.reveal.get().filter(|_| is_seen.get()) {
            scroll.update(|scroll| scroll.center(row));
            model.reveal.set(None);
        }
    });
    // Updates the scroll bar when the position changes. Its position is stored, because reading it would force a layout
    // in every frame.
    Effect::new(move |_| {
        let (Some(viewport), Some(extent)) = (viewport.get(), extent.get()) else { return };
        let scroll = scroll.get();
        if !is_seen.get() {
            return;
        }
        let (height, top) = bar.get_value();
        if height != scroll.extent_px() {
            // Setting a valid property of an own element can't fail.
            let _ = web_sys::HtmlElement::style(&extent).set_property("height", &format!("{}px", scroll.extent_px()));
        }
        let wanted = scroll.scroll_top().round();
        let is_there = (top - scroll.scroll_top()).abs() <= 1.0;
        if !is_there {
            viewport.set_scroll_top(wanted as i32);
        }
        bar.set_value((scroll.extent_px(), if is_there { top } else { wanted }));
    });
    let seen = Memo::new(move |_| {
        let range = scroll.get().visible();
        (range.start, range.end)
    });
    // Row that the others are positioned relative to: while it stays, only new rows are positioned.
    let anchor = Memo::new(move |_| scroll.with(VirtualScroll::anchor));
    if let Some(on_window) = model.on_window {
        Effect::new(move |_| on_window.run(seen.get()));
    }

    let on_scroll = move |_| {
        if let Some(viewport) = viewport.get_untracked() {
            let scroll_top = f64::from(viewport.scroll_top());
            bar.update_value(|bar| bar.1 = scroll_top);
            scroll.maybe_update(|scroll| scroll.scrolled_to(scroll_top));
        }
    };
    let on_wheel = move |event: WheelEvent| {
        if event.ctrl_key() || !scroll.with_untracked(VirtualScroll::is_scaled) {
            return;
        }
        event.prevent_default();
        let unit = match event.delta_mode() {
            WheelEvent::DOM_DELTA_LINE => ROW_PX,
            WheelEvent::DOM_DELTA_PAGE => scroll.with_untracked(VirtualScroll::rows_per_page) as f64 * ROW_PX,
            _ => 1.0,
        };
        scroll.update(|scroll| scroll.scroll_by(event.delta_y() * unit));
    };
    let reach = move |row: u64, reach: Reach| {
        let before = model.cursor.get_untracked();
        model.cursor.set(Some(row));
        scroll.update(|scroll| scroll.reveal(row));
        if let Some(selected) = model.selected {
            selected.update(|selected| match reach {
                Reach::Only => *selected = RowSelection::only(row),
                Reach::Extended => selected.extend(before.unwrap_or(row), row),
                Reach::Toggled => selected.toggle(row),
                Reach::Passed => {}
            });
        }
        model.on_choose.run(row);
    };
    let choose = move |row: u64| reach(row, Reach::Only);
    let menu = move |row: u64, at: (f64, f64)| {
        let Some(on_menu) = model.on_menu else { return };
        let is_selected = model.selected.is_some_and(|selected| selected.with_untracked(|rows| rows.contains(row)));
        if model.selected.is_none() {
            model.cursor.set(Some(row));
        } else if model.cursor.get_untracked() != Some(row) || !is_selected {
            // A menu of several rows leaves them selected.
            reach(row, if is_selected { Reach::Passed } else { Reach::Only });
        }
        on_menu.run((row, at));
    };
    let place_of = move |row: u64| {
        let slot = row % slots.get_untracked().max(1) as u64;
        let element = document().get_element_by_id(&format!("{testid}-{slot}"))?;
        let area = element.get_bounding_client_rect();
        Some((area.left() + 24.0, area.bottom()))
    };
    let on_key = move |event: KeyboardEvent| {
        // A button in the table, such as a sorting heading, handles its own keys.
        if matches!(event.key().as_str(), "Enter" | " ") && is_of_button(&event) {
            return;
        }
        let Some(command) = meaning(Scope::Tables, &event) else { return };
        let rows = model.rows.get_untracked();
        let Some(last) = rows.checked_sub(1) else { return };
        let page = scroll.with_untracked(VirtualScroll::rows_per_page);
        let now = model.cursor.get_untracked();
        let from = now.unwrap_or_else(|| seen.get_untracked().0);
        let many = model.selected.is_some();
        let page_on = (from + page).min(last);
        match (command, now) {
            (Command::ExtendNext, _) if many => reach((from + 1).min(last), Reach::Extended),
            (Command::ExtendPrevious, _) if many => reach(from.saturating_sub(1), Reach::Extended),
            (Command::ExtendNextPage, _) if many => reach(page_on, Reach::Extended),
            (Command::ExtendPreviousPage, _) if many => reach(from.saturating_sub(page), Reach::Extended),
            (Command::ExtendToFirst, _) if many => reach(0, Reach::Extended),
            (Command::ExtendToLast, _) if many => reach(last, Reach::Extended),
            (Command::PassToNext, _) if many => reach((from + 1).min(last), Reach::Passed),
            (Command::PassToPrevious, _) if many => reach(from.saturating_sub(1), Reach::Passed),
            (Command::ToggleRow, _) if many => reach(from, Reach::Toggled),
            (Command::SelectAllRows, _) => match model.selected {
                Some(selected) => selected.set(RowSelection::all(rows)),
                None => return,
            },
            (Command::Menu, Some(row)) if model.on_menu.is_some() => menu(row, place_of(row).unwrap_or_default()),
            (Command::NextRow | Command::PreviousRow, None) => choose(from.min(last)),
            (Command::NextRow, _) => choose((from + 1).min(last)),
            (Command::PreviousRow, _) => choose(from.saturating_sub(1)),
            (Command::NextPage, _) => choose(page_on),
            (Command::PreviousPage, _) => choose(from.saturating_sub(page)),
            (Command::FirstRow, _) => choose(0),
            (Command::LastRow, _) => choose(last),
            (Command::Choose, Some(row)) => choose(row),
            (Command::Expand | Command::Collapse | Command::ToggleExpanded, Some(row)) => match model.on_expand {
                Some(on_expand) => on_expand.run((row, command)),
                None => return,
            },
            (Command::ExpandAll, row) => match model.on_expand {
                Some(on_expand) => on_expand.run((row.unwrap_or(rows), command)),
                None => return,
            },
            // Selected text has precedence.
            (Command::CopyText, _) if !is_text_selected() => match model.on_copy {
                Some(on_copy) => on_copy.run(()),
                None => return,
            },
            _ => return,
        }
        event.prevent_default();
    };

    let slot = move |index: usize| {
        let row_of_slot = Memo::new(move |_| {
            let (first, end) = seen.get();
            let count = slots.get().max(1) as u64;
            let row = first + (index as u64 + count - first % count) % count;
            (row < end).then_some(row)
        });
        let transform = move || {
            let below = row_of_slot.get()?.saturating_sub(anchor.get());
            Some(format!("translateY({}px)", below as f64 * ROW_PX))
        };
        let tree_row = Memo::new(move |_| model.tree.zip(row_of_slot.get()).map(|(tree, row)| tree.run(row)));
        let is_cursor = move || row_of_slot.get().is_some_and(|row| model.cursor.get() == Some(row));
        let chosen = move || match (model.selected, row_of_slot.get()) {
            (Some(selected), Some(row)) => selected.with(|selected| selected.contains(row)),
            _ => is_cursor(),
        };
        let on_menu = move |event: MouseEvent| {
            if let (Some(row), true) = (row_of_slot.get_untracked(), model.on_menu.is_some()) {
                event.prevent_default();
                menu(row, (f64::from(event.client_x()), f64::from(event.client_y())));
            }
        };
        view! {
            <div
                class=format!("row {columns}")
                class:cursor=move || model.selected.is_some() && is_cursor()
                role="row"
                id=format!("{testid}-{index}")
                hidden=move || row_of_slot.get().is_none()
                style:transform=transform
                aria-rowindex=move || row_of_slot.get().map(|row| (row + 2).to_string())
                aria-selected=move || chosen().to_string()
                {..custom_attribute("aria-level", move || tree_row.get().map(|tree| tree.level.to_string()))}
                aria-expanded=move || tree_row.get().and_then(|tree| tree.expanded).map(|open| open.to_string())
                data-testid=format!("{testid}-row")
                on:mousedown=move |event| keep_text_unselected(&event, model)
                on:contextmenu=on_menu
                on:click=move |event| {
                    if let Some(row) = row_of_slot.get_untracked() {
                        reach(row, Reach::of_click(&event));
                    }
                }
            >
                {row.run(row_of_slot)}
            </div>
        }
    };
    let active = move || {
        let row = model.cursor.get()?;
        let (first, end) = seen.get();
        let count = slots.get().max(1) as u64;
        (first..end).contains(&row).then(|| format!("{testid}-{}", row % count))
    };
    view! {
        <div
            class="vtable"
            class:tree=model.tree.is_some()
            role=if model.tree.is_some() { "treegrid" } else { "grid" }
            tabindex="0"
            aria-label=label
            aria-multiselectable=model.selected.is_some().then_some("true")
            aria-rowcount=move || (model.rows.get() + 1).to_string()
            aria-activedescendant=active
            data-testid=testid
            data-rows=move || model.rows.get().to_string()
            on:keydown=on_key
        >
            <div role="rowgroup">
                <div class=format!("colhead {columns}") role="row" aria-rowindex="1">{head}</div>
            </div>
            <div class="viewport" role="rowgroup" node_ref=viewport on:scroll=on_scroll on:wheel=on_wheel>
                <div class="extent" node_ref=extent aria-hidden="true"></div>
                <div
                    class="window"
                    role="presentation"
                    style:transform=move || format!("translateY({}px)", scroll.with(|scroll| scroll.offset_px(anchor.get())))
                >
                    <For each=move || 0..slots.get() key=|index| *index children=slot/>
                </div>
            </div>
        </div>
    }
    .into_any()
}

/// Prevents selecting text across rows if rows can be selected.
fn keep_text_unselected(event: &MouseEvent, model: TableModel) {
    if !event.shift_key() || model.selected.is_none() {
        return;
    }
    event.prevent_default();
    let row = event.current_target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    let table = row.and_then(|row| row.closest("[role=grid]").ok().flatten());
    if let Some(table) = table.and_then(|table| table.dyn_into::<HtmlElement>().ok()) {
        // A table that can't be focused is being removed.
        let _ = table.focus();
    }
}
