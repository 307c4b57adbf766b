//! A list below a field: the field keeps the focus, its keys walk the lines.

use leptos::html;
use leptos::prelude::*;
use web_sys::KeyboardEvent;

/// A field that takes the focus as soon as it is there.
pub fn focused_field() -> NodeRef<html::Input> {
    let field = NodeRef::<html::Input>::new();
    field.on_load(|field| {
        // A field that was just put into an open dialog can take the focus.
        let _ = field.focus();
    });
    field
}

/// Keys of the field: arrows go round the lines, of which there are `count` and `at` is the one that is meant; Enter takes it.
pub fn walk_lines(at: RwSignal<usize>, count: impl Fn() -> usize, take: impl Fn(usize)) -> impl Fn(KeyboardEvent) {
    move |event| {
        let count = count().max(1);
        match event.key().as_str() {
            "ArrowDown" => at.update(|at| *at = (*at + 1) % count),
            "ArrowUp" => at.update(|at| *at = (*at + count - 1) % count),
            "Enter" => take(at.get_untracked()),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }
}
