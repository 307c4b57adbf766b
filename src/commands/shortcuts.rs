//! Maps keyboard events to commands.

use leptos::prelude::*;
use view::keys::keymap::{Command, KeyPress, Scope, binding, command_for, works_while_typing};
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;

/// Element ID of the field for [`Command::Search`].
pub const SEARCH_FIELD: &str = "search";

/// Returns whether keys have the names of a Mac.
pub fn is_mac() -> bool {
    window().navigator().platform().is_ok_and(|platform| platform.starts_with("Mac") || platform.starts_with("iP"))
}

/// Returns the name of a command in a part of the page.
pub fn name(scope: Scope, command: Command) -> &'static str {
    binding(scope, command).map_or("", |binding| binding.name)
}

/// Returns the tooltip of a button for a command: its name and its shortcut.
pub fn title(scope: Scope, command: Command) -> String {
    binding(scope, command).map(|binding| binding.title(is_mac())).unwrap_or_default()
}

/// Returns the command of a keyboard event in a part of the page.
pub fn meaning(scope: Scope, event: &KeyboardEvent) -> Option<Command> {
    let (code, key) = (event.code(), event.key());
    let press = KeyPress {
        code: &code,
        key: &key,
        control: event.ctrl_key() || event.meta_key(),
        shift: event.shift_key(),
        alt: event.alt_key(),
    };
    if is_typing(event) && !works_while_typing(&press) { None } else { command_for(scope, &press) }
}

fn is_typing(event: &KeyboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlElement>().ok());
    target.is_some_and(|target| {
        let text_field = target.dyn_ref::<web_sys::HtmlInputElement>().is_some_and(|input| input.type_() != "radio");
        text_field || target.has_type::<web_sys::HtmlTextAreaElement>() || target.is_content_editable()
    })
}
