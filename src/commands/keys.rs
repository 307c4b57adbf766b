//! Keys that work everywhere. Parts of the page that take a key for themselves prevent its default first.

use crate::app::boot::is_saved;
use crate::app::shell::Shell;
use crate::app::state::{App, Screen, Selection, Tab};
use crate::app::theme;
use crate::share::{SaveAs, copy_link};
use crate::start::drop_zone::Picker;
use crate::workspace::invert;
use leptos::ev;
use leptos::prelude::*;
use protocol::request::Filter;
use view::keys::keymap::{Command, KeyPress, Scope, command_for, works_while_typing};
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;

/// The field that [`Command::Search`] goes to.
pub const SEARCH_FIELD: &str = "search";

/// Whether keys are called as on a Mac.
pub fn is_mac() -> bool {
    window().navigator().platform().is_ok_and(|platform| platform.starts_with("Mac") || platform.starts_with("iP"))
}

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
        if carry_out_anywhere(shell, picker, command) || others(command) {
            event.prevent_default();
        }
    });
    on_cleanup(move || handle.remove());
}

/// Carries out what every screen can; whether the command is such.
pub fn carry_out_anywhere(shell: Shell, picker: Picker, command: Command) -> bool {
    match command {
        Command::Help => shell.help.update(|open| *open = !*open),
        Command::Open => picker.open(),
        Command::OpenAddress => shell.ask_url.set(true),
        Command::ToggleTheme => theme::cycle(shell),
        _ => return false,
    }
    true
}

/// Whether a command that works everywhere could be carried out now.
pub fn can(app: App, command: Command) -> bool {
    match command {
        // A page that was saved is passed on as it is.
        Command::SavePage => !is_saved(),
        Command::InvertFilters | Command::ClearFilters => {
            app.filter.with_untracked(|filter| *filter != Filter::default())
        }
        Command::ShowTopic(topic) => app.topics.with_untracked(|topics| topics.iter().any(|one| one.topic == topic)),
        _ => true,
    }
}

/// Carries out what needs a trace that is open or being opened; whether it did.
pub fn carry_out(app: App, command: Command) -> bool {
    let in_workspace = app.screen.with_untracked(|screen| *screen == Screen::Workspace);
    match command {
        Command::Search if in_workspace => focus_search(),
        Command::ShowTab(place) if in_workspace => match Tab::OF_EVERY_TRACE.get(usize::from(place).wrapping_sub(1)) {
            Some(tab) => app.tab.set(*tab),
            None => return false,
        },
        Command::ShowTopic(topic) if in_workspace => app.tab.set(Tab::Topic(topic)),
        Command::FindTrack if in_workspace => app.timeline.finder.set(true),
        Command::Palette if in_workspace => app.palette.set(true),
        Command::CloseTrace if in_workspace => app.close(),
        Command::CopyLink if in_workspace => copy_link(app),
        Command::SavePage if in_workspace => app.saving.open(SaveAs::Page),
        Command::SavePart if in_workspace => app.saving.open(SaveAs::Trace),
        Command::GoBack | Command::GoForward if in_workspace => {
            // The filter is part of the address: its history is the browser's. At its end nothing happens, which is right.
            let _ = window().history().and_then(|history| match command {
                Command::GoBack => history.back(),
                _ => history.forward(),
            });
        }
        Command::InvertFilters if in_workspace => invert(app),
        Command::ClearFilters if in_workspace => app.clear_filter(),
        Command::FilterSyntax if in_workspace => app.syntax_help.set(true),
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
