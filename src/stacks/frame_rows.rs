//! Shortcuts and menu of the frames in a table.

use super::StackMenu;
use super::target::Target;
use super::transforms::{act, can, open_menu};
use crate::app::state::App;
use crate::commands::shortcuts::meaning;
use crate::widgets::grid::GridModel;
use leptos::prelude::*;
use view::keys::keymap::Scope;
use wasm_bindgen::JsCast;

/// `aria-rowindex` of the first row; that of the headings is 1.
const FIRST_ROW: u64 = 2;

/// Body of a panel with a table of frames.
#[component]
pub fn FrameRows<T>(
    model: GridModel,
    /// Returns the frame in a row.
    target: T,
    /// True if it is visible.
    open: Memo<bool>,
    children: Children,
) -> impl IntoView
where
    T: Fn(u64) -> Option<Target> + Copy + 'static,
{
    let app = expect_context::<App>();
    let menu = expect_context::<StackMenu>();
    let at_cursor = move || untrack(|| model.cursor.get().and_then(target));
    let on_key = move |event: web_sys::KeyboardEvent| {
        if let Some(command) = meaning(Scope::Stacks, &event).filter(|_| !event.default_prevented())
            && act(app, command, at_cursor())
        {
            event.prevent_default();
        }
    };
    app.actions.offer(
        Scope::Stacks,
        move |command| open.get_untracked() && at_cursor().is_some_and(|target| can(app, command, Some(&target))),
        move |command| act(app, command, at_cursor()),
    );
    let on_menu = move |event: web_sys::MouseEvent| {
        event.prevent_default();
        if let Some(row) = row_under(&event) {
            model.cursor.set(Some(row));
        }
        open_menu(app, menu, (event.client_x().into(), event.client_y().into()), at_cursor());
    };
    view! { <div class="body" on:keydown=on_key on:contextmenu=on_menu>{children()}</div> }
}

/// Returns the `aria-rowindex` of the row under the pointer.
fn row_under(event: &web_sys::MouseEvent) -> Option<u64> {
    let element: web_sys::Element = event.target()?.dyn_into().ok()?;
    let row = element.closest("[role=row]").ok()??;
    let number: u64 = row.get_attribute("aria-rowindex")?.parse().ok()?;
    number.checked_sub(FIRST_ROW)
}
