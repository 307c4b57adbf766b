//! Keyboard navigation of a list below a field, which keeps the focus.

use leptos::html;
use leptos::prelude::*;
use web_sys::KeyboardEvent;

/// Returns a field that is focused whenever it is created.
pub fn focused_field() -> NodeRef<html::Input> {
    let field = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        // A field in an open dialog can be focused.
        let _ = field.get().map(|field| field.focus());
    });
    field
}

/// Returns a handler for keys of the field: arrows move `at` cyclically among `count` lines, Enter takes the line.
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
