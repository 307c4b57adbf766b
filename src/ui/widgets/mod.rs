//! Parts that several areas of the page use.

pub mod choice;
pub mod copy;
pub mod dialog;
pub mod icon;
pub mod menu;
pub mod pick;
pub mod progress;
pub mod resize;
pub mod save_file;
pub mod switch;
pub mod virtual_table;

use wasm_bindgen::JsCast;

/// Puts the focus on a child, by position.
pub fn focus_child(parent: &web_sys::Element, index: u32) {
    let child = parent.children().item(index).and_then(|child| child.dyn_into::<web_sys::HtmlElement>().ok());
    if let Some(child) = child {
        // An element that cannot take the focus keeps it where it is.
        let _ = child.focus();
    }
}
