//! Targets of keys and clicks.

use leptos::prelude::window;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

/// Returns whether a key was pressed on a button.
pub fn is_of_button(event: &KeyboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    target.is_some_and(|target| target.closest("button").ok().flatten().is_some())
}

pub fn is_text_selected() -> bool {
    window().get_selection().ok().flatten().is_some_and(|selection| !selection.is_collapsed())
}
