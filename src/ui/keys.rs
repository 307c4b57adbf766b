//! Keys that work everywhere. Parts of the page that take a key for themselves prevent its default first.

use super::shell::Shell;
use super::start::drop_zone::Picker;
use super::state::{App, Screen, Selection, Tab};
use super::theme;
use crate::view::keymap::{Command, KeyPress, Scope, command_for, works_while_typing};
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;

/// The field that [`Command::Search`] goes to.
pub const SEARCH_FIELD: &str = "search";

/// What a key event means in a part of the page.
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

/// Starts listening. `others` carries out what only some programs and screens can; whether it did.
pub fn listen(shell: Shell, picker: Picker, others: impl Fn(Command) -> bool + 'static) {
    let handle = window_event_listener(ev::keydown, move |event| {
        if event.default_prevented() || event.is_composing() {
            return;
        }
        let Some(command) = meaning(Scope::Everywhere, &event) else { return };
        if a_dialog_is_open() && command != Command::Help {
            return;
        }
        let is_done = match command {
            Command::Help => {
                shell.help.update(|open| *open = !*open);
                true
            }
            Command::Open => {
                picker.open();
                true
            }
            Command::ToggleTheme => {
                theme::cycle(shell);
                true
            }
            other => others(other),
        };
        if is_done {
            event.prevent_default();
        }
    });
    on_cleanup(move || handle.remove());
}

/// Carries out what needs a trace that is open or being opened; whether it did.
pub fn carry_out(app: App, command: Command) -> bool {
    let in_workspace = app.screen.with_untracked(|screen| *screen == Screen::Workspace);
    match command {
        Command::Search if in_workspace => focus_search(),
        Command::ShowTab(place) if in_workspace => match Tab::ALL.get(usize::from(place).wrapping_sub(1)) {
            Some(tab) => app.tab.set(*tab),
            None => return false,
        },
        Command::FindTrack if in_workspace => app.timeline.finder.set(true),
        Command::Clear => return clear(app),
        _ => return false,
    }
    true
}

fn clear(app: App) -> bool {
    match app.screen.get_untracked() {
        Screen::Loading => app.cancel(),
        Screen::Choice(_) => app.close(),
        Screen::Workspace if app.selection.get_untracked() != Selection::None => app.select(Selection::None),
        _ => return false,
    }
    true
}

fn focus_search() {
    let field = document().get_element_by_id(SEARCH_FIELD);
    if let Some(field) = field.and_then(|field| field.dyn_into::<web_sys::HtmlInputElement>().ok()) {
        // A field that cannot take the focus is hidden: there is nothing to search then.
        let _ = field.focus();
        field.select();
    }
}

fn a_dialog_is_open() -> bool {
    document().query_selector("dialog[open]").is_ok_and(|dialog| dialog.is_some())
}

fn is_typing(event: &KeyboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlElement>().ok());
    target.is_some_and(|target| {
        let text_field = target.dyn_ref::<web_sys::HtmlInputElement>().is_some_and(|input| input.type_() != "radio");
        text_field || target.is_content_editable()
    })
}
