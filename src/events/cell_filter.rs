//! Buttons on the cell under the pointer, which filter to its value or exclude it. With keys, the menu of a row does the
//! same.

use super::row_menu::RowActions;
use crate::app::signals::SetChanged;
use crate::widgets::icon::{EXCLUDE, FILTER, Icon};
use leptos::prelude::*;
use view::keys::keymap::Command;
use wasm_bindgen::JsCast;
use web_sys::{Element, MouseEvent};

/// Width of the buttons in CSS pixels.
const WIDTH: f64 = 48.0;
/// Minimum distance of the buttons from the start of the cell, whose text stays clickable.
const CLEAR: f64 = 72.0;

/// Commands for the values of a column, by the test ID of its cells.
const COLUMNS: [(&str, Command, Option<Command>); 4] = [
    ("event-thread", Command::OnlyThread, Some(Command::WithoutThread)),
    ("event-provider", Command::OnlyProvider, Some(Command::WithoutProvider)),
    ("event-name", Command::OnlyEvent, Some(Command::WithoutEvent)),
    ("event-level", Command::OnlyLevel, None),
];

/// Cell under the pointer.
#[derive(Clone, PartialEq)]
struct Hovered {
    row: u64,
    only: Command,
    without: Option<Command>,
    /// Text of the cell.
    value: String,
    /// Position of the buttons in the window.
    at: (f64, f64),
}

/// Cell of the event table under the pointer. Copies are handles to the same state.
#[derive(Clone, Copy, Default)]
pub struct CellFilter(RwSignal<Option<Hovered>>);

impl CellFilter {
    /// Handles the pointer over an element of the table.
    pub fn over(self, event: &MouseEvent) {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let is_own = |target: &Element| target.closest(".cell-filter").is_ok_and(|own| own.is_some());
        if let Some(target) = target.filter(|target| !is_own(target)) {
            self.set(cell_of(&target));
        }
    }

    /// Hides the buttons.
    pub fn hide(self) {
        self.set(None);
    }

    fn set(self, now: Option<Hovered>) {
        self.0.set_changed(now);
    }

    /// Returns the buttons.
    pub fn view(self, actions: RowActions) -> impl IntoView {
        let button = move |command: Command, row: u64, words: String, icon: &'static str| {
            let act = move |_| {
                self.hide();
                actions.act(command, Some(row));
            };
            view! {
                <button class="btn icon" tabindex="-1" aria-label=words.clone() title=words data-command=command.id() on:click=act>
                    <Icon shape=icon class="xs"/>
                </button>
            }
        };
        move || {
            self.0.get().map(|Hovered { row, only, without, value, at }| {
                view! {
                    <span class="cell-filter" style:left=format!("{:.0}px", at.0) style:top=format!("{:.0}px", at.1)>
                        {button(only, row, format!("Filter to {value}"), FILTER)}
                        {without.map(|without| button(without, row, format!("Exclude {value}"), EXCLUDE))}
                    </span>
                }
            })
        }
    }
}

/// Returns the cell around an element, if its column has filters.
fn cell_of(target: &Element) -> Option<Hovered> {
    let cell = target.closest("[role=gridcell]").ok()??;
    let testid = cell.get_attribute("data-testid")?;
    let (_, only, without) = COLUMNS.into_iter().find(|(of, ..)| *of == testid)?;
    let value = cell.text_content().filter(|text| !text.is_empty())?;
    // The first row of a grid is that of its headings.
    let row = cell.parent_element()?.get_attribute("aria-rowindex")?.parse::<u64>().ok()?.checked_sub(2)?;
    let area = cell.get_bounding_client_rect();
    Some(Hovered { row, only, without, value, at: ((area.right() - WIDTH).max(area.left() + CLEAR), area.top()) })
}
