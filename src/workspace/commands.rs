//! Commands that are available everywhere while a trace is open or loading.

use crate::app::boot::is_saved;
use crate::app::state::{App, Screen, Selection, Tab};
use crate::commands::shortcuts::SEARCH_FIELD;
use crate::embed::is_of_host;
use crate::filtering::chips::invert;
use crate::share::copy_link;
use crate::share::saving::SaveAs;
use leptos::prelude::*;
use view::keys::keymap::Command;
use wasm_bindgen::JsCast;

/// Returns whether a command can run now.
pub fn can(app: App, command: Command) -> bool {
    match command {
        command if app.embedding.is_some() && is_of_host(command) => false,
        // A saved page can be shared as it is.
        Command::SavePage => !is_saved(),
        Command::InvertFilters | Command::ClearFilters => untrack(|| app.is_filtered()),
        Command::ShowTopic(topic) => app.topics.with_untracked(|topics| topics.iter().any(|one| one.topic == topic)),
        // Views with tables offer these.
        Command::CopyView | Command::CopyMarkdown => false,
        Command::ShowComparison | Command::SwapTraces => untrack(|| app.compare.is_used()),
        Command::CloseSecondTrace => app.traces.are_several_now() || untrack(|| app.compare.is_used()),
        _ => true,
    }
}

/// Runs a command that needs an open or loading trace; returns whether it did.
pub fn carry_out(app: App, command: Command) -> bool {
    if command == Command::Clear {
        return clear(app);
    }
    if app.screen.with_untracked(|screen| *screen != Screen::Workspace) {
        return false;
    }
    match command {
        command if app.embedding.is_some() && is_of_host(command) => return false,
        Command::Search => focus_search(),
        Command::FindTrack => app.timeline.finder.set(true),
        Command::Palette => app.workspace.palette.set(true),
        Command::CloseTrace => app.close_one(),
        Command::CopyLink => copy_link(app),
        Command::SavePage => app.saving.open(SaveAs::Page),
        Command::SavePart => app.saving.open(SaveAs::Trace),
        Command::GoBack | Command::GoForward => {
            if let Some(embedding) = app.embedding {
                embedding.go(command);
                return true;
            }
            // The filter is part of the URL, so its history is the browser's. At its end, nothing happens.
            let _ = window().history().and_then(|history| match command {
                Command::GoBack => history.back(),
                _ => history.forward(),
            });
        }
        Command::InvertFilters => invert(app),
        Command::ClearFilters => app.clear_filter(),
        Command::SwapTraces => app.compare.swap(),
        Command::CloseSecondTrace => match app.traces.added.with_untracked(|added| added.last().copied()) {
            Some(last) => last.app.close(),
            None => app.close_other(),
        },
        Command::FilterSyntax => app.workspace.syntax_help.set(true),
        Command::MaximizeTab => app.workspace.is_maximized.update(|is_maximized| *is_maximized = !*is_maximized),
        command => match Tab::opened_by(command) {
            Some(tab) => app.tab.set(tab),
            None => return false,
        },
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
        // A field that can't be focused is hidden, so there is nothing to search.
        let _ = field.focus();
        field.select();
    }
}
