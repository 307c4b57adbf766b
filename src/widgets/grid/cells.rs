//! Cells that several grids have.

use crate::widgets::icon::{Icon, RIGHT};
use leptos::prelude::*;

/// Indentation per level in CSS pixels.
const INDENT_PX: u32 = 14;

/// Returns a cell with a text, which is also its tooltip unless it is a number.
pub fn cell(
    class: &'static str,
    testid: impl Into<String>,
    text: impl Fn() -> Option<String> + Copy + Send + Sync + 'static,
) -> AnyView {
    let title = move || (!class.contains("num")).then(text).flatten();
    view! { <span role="gridcell" class=class title=title data-testid=testid.into()>{text}</span> }.into_any()
}

/// Returns a cell with a bar of a length in percent; no bar if there is none.
pub fn bar_cell(class: &'static str, percent: impl Fn() -> Option<f64> + Copy + Send + Sync + 'static) -> AnyView {
    let width = move || percent().map(|percent| format!("{:.2}%", percent.clamp(0.0, 100.0)));
    view! {
        <span role="gridcell">
            <span class="bar" aria-hidden="true" hidden=move || percent().is_none()><i class=class style:width=width></i></span>
        </span>
    }
    .into_any()
}

/// Returns the first cell of a tree, with a button that expands or collapses the row.
pub fn tree_cell(
    level: impl Fn() -> Option<u32> + Send + Sync + 'static,
    expands: impl Fn() -> bool + Copy + Send + Sync + 'static,
    toggle: impl Fn() + Send + Sync + 'static,
    content: AnyView,
) -> AnyView {
    let indent = move || level().map(|level| format!("{}px", level.saturating_sub(1) * INDENT_PX));
    let on_twist = move |event: web_sys::MouseEvent| {
        event.stop_propagation();
        toggle();
    };
    view! {
        <span role="gridcell" class="ind">
            <span class="indent" style:width=indent></span>
            <button class="twist" tabindex="-1" aria-label="Expand or collapse" hidden=move || !expands() on:click=on_twist>
                <Icon shape=RIGHT/>
            </button>
            <span class="twist" hidden=expands></span>
            {content}
        </span>
    }
    .into_any()
}
