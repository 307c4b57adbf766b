//! Grid of any number of rows, with only as many row elements as fit on the screen, reused while scrolling.

mod cells;
mod chooser;
mod heads;
mod model;

pub use cells::{bar_cell, cell, tree_cell};
pub use chooser::ColumnChooser;
pub use model::{GridModel, HeadTool, Layout, Sorting, TreeRow, sorted_records};

use super::copy::copy_text;
use super::event_target::{is_of_button, is_text_selected};
use super::menu::Menu;
use super::resize::on_resize;
use crate::app::state::App;
use crate::commands::shortcuts::meaning;
use heads::Heads;
use leptos::attr::custom::custom_attribute;
use leptos::html;
use leptos::prelude::*;
use view::events::row_selection::RowSelection;
use view::keys::keymap::{Command, Scope};
use view::page::vscroll::VirtualScroll;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent, MouseEvent, WheelEvent};

/// Height of a row in CSS pixels until that of the style sheet is known.
const ROW_PX: f64 = 22.0;
/// Distance that a key scrolls across, in CSS pixels.
const STEP_ACROSS: i32 = 80;

/// Unknown scroll bar, farther from every position than a pixel.
const UNKNOWN_BAR: (f64, f64) = (f64::NEG_INFINITY, f64::NEG_INFINITY);

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

/// Grid of any number of rows, whose columns users sort, move, resize, hide and show.
#[component]
pub fn Grid<C>(
    /// State and callbacks.
    model: GridModel,
    /// Label for screen readers.
    label: &'static str,
    /// Test ID; rows have the suffix `-row`.
    testid: &'static str,
    /// Additional class.
    #[prop(default = "")]
    class: &'static str,
    layout: Layout,
    /// Order of the rows.
    #[prop(default = Sorting::none())]
    sorting: Sorting,
    /// Returns the cell of a column in the row in a slot.
    cell: C,
) -> impl IntoView
where
    C: Fn(&str, Memo<Option<u64>>) -> AnyView + Copy + Send + Sync + 'static,
{
    // Non-generic, so that all grids share the compiled code.
    let cell = Callback::new(move |(key, row): (String, Memo<Option<u64>>)| cell(&key, row));
    grid(model, (label, testid, class), layout, sorting, cell)
}

fn grid(
    model: GridModel,
    (label, testid, class): (&'static str, &'static str, &'static str),
    layout: Layout,
    sorting: Sorting,
    cell: Callback<(String, Memo<Option<u64>>), AnyView>,
) -> AnyView {
    let app = expect_context::<App>();
    let viewport = NodeRef::<html::Div>::new();
    let extent = NodeRef::<html::Div>::new();
    let head_box = NodeRef::<html::Div>::new();
    let scroll = RwSignal::new(VirtualScroll::new(ROW_PX));
    let row_px = Memo::new(move |_| scroll.with(VirtualScroll::row_px));
    let slots = RwSignal::new(0_usize);
    let is_seen = RwSignal::new(false);
    // Width for columns; unknown while it isn't visible.
    let width = RwSignal::new(0.0);
    // Height of the scrolled element, and scroll position in CSS pixels; unknown while it isn't visible.
    let bar = StoredValue::new(UNKNOWN_BAR);
    let keys = Memo::new(move |_| layout.with(|arrangement, all| arrangement.fitting(all, width.get())));
    let least = Memo::new(move |_| layout.with(|at, all| keys.with(|keys| at.least_width(all, keys))));
    let tracks = move || {
        let tracks = layout.with(|arrangement, all| keys.with(|keys| arrangement.tracks(all, keys)));
        // The buttons of a row are above its last cells.
        if model.actions.is_some() { format!("{tracks} 0px") } else { tracks }
    };
    let is_wide = Memo::new(move |_| width.get() > 0.0 && least.get() > width.get());
    let heads = Heads::new(testid, layout, sorting, keys, is_seen, model);

    viewport.on_load(move |element| {
        let measured = element.clone();
        on_resize(&element, move |across, height| {
            let row_px = row_height(&measured).unwrap_or(ROW_PX);
            let needed = (height / row_px).ceil() as usize + 1;
            if height > 0.0 && needed > slots.get_untracked() {
                slots.set(needed);
            }
            if height == 0.0 {
                bar.set_value(UNKNOWN_BAR);
            }
            // The current row stays in view.
            let cursor = model.cursor.get_untracked();
            let cursor = cursor.filter(|row| scroll.with_untracked(|scroll| scroll.visible().contains(row)));
            scroll.update(|scroll| {
                scroll.set_row(row_px);
                scroll.set_viewport(height);
                cursor.filter(|_| height > 0.0).into_iter().for_each(|row| scroll.reveal(row));
            });
            if across > 0.0 && width.get_untracked() != across {
                width.set(across);
            }
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
    Effect::new(move |_| {
        if let Some(row) = model.lead.get().filter(|_| is_seen.get()) {
            let rows = model.rows.get();
            scroll.update(|scroll| {
                // The row may be one of the new rows.
                scroll.set_rows(rows);
                scroll.lead(row);
            });
            model.lead.set(None);
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
            if is_wide.get_untracked() {
                scroll_along(&viewport, head_box);
            }
        }
    };
    // The focus scrolls to a heading.
    let on_head_scroll = move |_| {
        if let Some(head) = head_box.get_untracked() {
            scroll_along(&head, viewport);
        }
    };
    let scroll_across = move |onward: bool| {
        if let Some(viewport) = viewport.get_untracked() {
            viewport.set_scroll_left(viewport.scroll_left() + if onward { STEP_ACROSS } else { -STEP_ACROSS });
        }
    };
    let on_wheel = move |event: WheelEvent| {
        if event.ctrl_key() || !scroll.with_untracked(VirtualScroll::is_scaled) {
            return;
        }
        event.prevent_default();
        let row_px = row_px.get_untracked();
        let unit = match event.delta_mode() {
            WheelEvent::DOM_DELTA_LINE => row_px,
            WheelEvent::DOM_DELTA_PAGE => scroll.with_untracked(VirtualScroll::rows_per_page) as f64 * row_px,
            _ => 1.0,
        };
        scroll.update(|scroll| scroll.scroll_by(event.delta_y() * unit));
        if let Some(viewport) = viewport.get_untracked().filter(|_| event.delta_x() != 0.0) {
            viewport.set_scroll_left(viewport.scroll_left() + (event.delta_x() * unit) as i32);
        }
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
    let step_to = move |row: u64| match model.on_step {
        None => choose(row),
        Some(on_step) => {
            model.cursor.set(Some(row));
            scroll.update(|scroll| scroll.reveal(row));
            on_step.run(row);
        }
    };
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
    let element_of = move |row: u64| {
        let slot = row % slots.get_untracked().max(1) as u64;
        document().get_element_by_id(&format!("{testid}-{slot}"))
    };
    let place_of = move |row: u64| {
        let area = element_of(row)?.get_bounding_client_rect();
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
            (Command::Expand | Command::Collapse, _) if model.tree.is_none() && is_wide.get_untracked() => {
                scroll_across(command == Command::Expand);
            }
            (Command::Expand | Command::Collapse | Command::ToggleExpanded, Some(row)) => {
                let (Some(tree), Some(on_toggle)) = (model.tree, model.on_toggle) else { return };
                match (command, untrack(|| tree.run(row).expanded)) {
                    (Command::Expand, Some(true)) => step_to((row + 1).min(last)),
                    (Command::Expand | Command::ToggleExpanded, None) => {}
                    (Command::Collapse, None | Some(false)) => model.parent(row).into_iter().for_each(step_to),
                    _ => on_toggle.run(row),
                }
            }
            (Command::ExpandAll, row) => match model.on_expand_all {
                Some(on_expand_all) => on_expand_all.run(row.unwrap_or(rows)),
                None => return,
            },
            // Selected text has precedence.
            (Command::CopyText, _) if !is_text_selected() => match model.on_copy {
                Some(on_copy) => on_copy.run(()),
                None => match now.and_then(element_of).map(|row| row_text(&row)) {
                    Some(text) => copy_text(app.shell, text, "Row"),
                    None => return,
                },
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
            Some(format!("translateY({}px)", below as f64 * row_px.get()))
        };
        let is_hot = move || model.is_hot.zip(row_of_slot.get()).is_some_and(|(is_hot, row)| is_hot.run(row));
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
                class="row"
                class:cursor=move || model.selected.is_some() && is_cursor()
                class:hot=is_hot
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
                on:mouseenter=move |_| model.on_hover.into_iter().for_each(|hover| hover.run(row_of_slot.get_untracked()))
                on:click=move |event| {
                    if let Some(row) = row_of_slot.get_untracked() {
                        reach(row, Reach::of_click(&event));
                    }
                }
            >
                <For each=move || keys.get() key=Clone::clone let:key>{cell.run((key, row_of_slot))}</For>
                {model.actions.map(|actions| view! { <span role="gridcell" class="row-acts">{actions.run(row_of_slot)}</span> })}
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
            class=format!("vtable {class}")
            class:tree=model.tree.is_some()
            class:wide=move || is_wide.get()
            style:--columns=tracks
            style:--least=move || format!("{:.0}px", least.get())
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
            <div class="head-box" role="rowgroup" node_ref=head_box on:scroll=on_head_scroll>
                <div class="colhead" role="row" aria-rowindex="1">
                    {heads.view()}
                    {model.actions.map(|_| view! { <span role="columnheader"><span class="sr">"Actions"</span></span> })}
                </div>
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
        <Menu open=heads.menu/>
    }
    .into_any()
}

/// Returns the height of a row in CSS pixels, `--h-row` in the style sheet: less in a low window.
fn row_height(viewport: &Element) -> Option<f64> {
    let style = window().get_computed_style(viewport).ok().flatten()?;
    style.get_property_value("--h-row").ok()?.trim().trim_end_matches("px").parse().ok()
}

/// Returns the cells of a row as tab-separated values.
fn row_text(row: &Element) -> String {
    let cells = row.children();
    let cells = (0..cells.length()).filter_map(|at| cells.item(at)).filter(|cell| cell.class_name() != "row-acts");
    let text = |cell: Element| cell.text_content().unwrap_or_default().trim().replace(['\t', '\n'], " ");
    cells.map(text).collect::<Vec<_>>().join("\t")
}

/// Scrolls one part of a grid across like another one.
fn scroll_along(like: &HtmlElement, other: NodeRef<html::Div>) {
    if let Some(other) = other.get_untracked().filter(|other| other.scroll_left() != like.scroll_left()) {
        other.set_scroll_left(like.scroll_left());
    }
}

/// Prevents selecting text across rows if rows can be selected.
fn keep_text_unselected(event: &MouseEvent, model: GridModel) {
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
