//! Widgets that several parts of the page use.

pub mod canvas;
pub mod copy;
pub mod dialog;
pub mod dropdown;
mod event_target;
pub mod exclude_button;
pub mod grid;
pub mod icon;
pub mod list_keys;
pub mod menu;
pub mod picture;
pub mod progress;
pub mod radio_group;
pub mod range_drag;
pub mod resize;
pub mod save_file;
pub mod separator;
pub mod switch;
pub mod tip;

pub mod wrapping_name;

use view::draw::units::CssPx;
use wasm_bindgen::JsCast;
use web_sys::{Element, PointerEvent};

/// Maximum pointer movement that counts as a click.
pub const CLICK_REACH: CssPx = 5.0;

/// Focuses a child, by index.
pub fn focus_child(parent: &web_sys::Element, index: u32) {
    let child = parent.children().item(index).and_then(|child| child.dyn_into::<web_sys::HtmlElement>().ok());
    if let Some(child) = child {
        // An element that can't be focused leaves the focus unchanged.
        let _ = child.focus();
    }
}

/// Captures the pointer, so that its events continue outside the element.
pub fn capture(event: &PointerEvent) {
    let element = event.current_target().and_then(|target| target.dyn_into::<Element>().ok());
    if let Some(element) = element {
        // Without capture, a drag ends at the edge of the element.
        let _ = element.set_pointer_capture(event.pointer_id());
    }
}
