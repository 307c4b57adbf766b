//! Field for going to an offset in the file.

use super::cursor::FileCursor;
use crate::widgets::icon::{Icon, SEARCH};
use leptos::html;
use leptos::prelude::*;
use view::file::offset_text::parse_offset;
use view::keys::keymap::{Command, Scope};
use web_sys::KeyboardEvent;

/// Field for an offset, decimal or hexadecimal.
#[component]
pub fn OffsetField(
    /// Cursor to move.
    cursor: FileCursor,
) -> impl IntoView {
    let field = NodeRef::<html::Input>::new();
    let typed = RwSignal::new(String::new());
    let is_wrong = move || typed.with(|typed| !typed.trim().is_empty() && parse_offset(typed).is_none());
    let focus = move || {
        if let Some(field) = field.get_untracked() {
            // A field that can't be focused is hidden.
            let _ = field.focus();
            field.select();
        }
    };
    cursor.app.actions.on_if(Scope::Bytes, Command::GoToOffset, move || cursor.open.get_untracked(), focus);
    let on_key = move |event: KeyboardEvent| {
        if event.key() != "Enter" {
            return;
        }
        event.prevent_default();
        let file_bytes = untrack(|| cursor.file_bytes());
        match typed.with_untracked(|typed| parse_offset(typed)) {
            Some(offset) if offset < file_bytes => cursor.go(offset),
            Some(_) => cursor
                .app
                .shell
                .say(format!("Past the end of the file (last offset {}).", file_bytes.saturating_sub(1))),
            None => cursor.app.shell.say("Enter an offset, such as 20838932 or 0x13DFA14.".to_owned()),
        }
    };
    view! {
        <label class="field offset" class:wrong=is_wrong>
            <Icon shape=SEARCH class="s"/>
            <span class="sr">"Go to offset"</span>
            <input node_ref=field type="text" placeholder="Go to offset" autocomplete="off" spellcheck="false"
                aria-invalid=move || is_wrong().then_some("true") data-testid="go-to-offset"
                on:input:target=move |event| typed.set(event.target().value()) on:keydown=on_key/>
        </label>
    }
}
