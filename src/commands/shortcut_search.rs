//! List of shortcuts with a search field. The shortcuts of the focused panel are first.

use super::shortcut_sheet::{hints, section};
use super::shortcuts::is_mac;
use crate::app::state::{App, Tab};
use crate::widgets::dialog::Dialog;
use crate::widgets::icon::{Icon, SEARCH};
use crate::widgets::list_keys::focused_field;
use leptos::ev;
use leptos::prelude::*;
use view::keys::keymap::Scope;
use view::keys::shortcut_list::listed;
use wasm_bindgen::JsCast;
use web_sys::{Element, FocusEvent, KeyboardEvent};

/// Panels by their selectors, inner ones first.
const PANELS: [(&str, Scope); 9] = [
    (".heads", Scope::Tracks),
    (".lanes", Scope::Timeline),
    (".colhead", Scope::Columns),
    (".stacks", Scope::Stacks),
    (".vtable.events", Scope::Events),
    (".topic", Scope::Topics),
    (".bytes", Scope::Bytes),
    (".strip, .treemap", Scope::Metadata),
    ("[role=grid], [role=treegrid]", Scope::Tables),
];

/// List of shortcuts, visible while [`crate::app::shell::Shell::help`] is set.
#[component]
pub fn SearchableHelp(app: App) -> impl IntoView {
    // The dialog takes the focus before its content is created.
    let panel = StoredValue::new(None::<Scope>);
    let handle = window_event_listener(ev::focusin, move |event: FocusEvent| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if let Some(target) = target.filter(|target| !is_inside(target, "dialog")) {
            panel.set_value(PANELS.into_iter().find(|(panel, _)| is_inside(&target, panel)).map(|(_, scope)| scope));
        }
    });
    on_cleanup(move || handle.remove());
    let first = move || panel.get_value().or_else(|| scope_of(app.tab.get_untracked()));
    view! {
        <Dialog open=app.shell.help title="Keyboard shortcuts" testid="help" wide=true>
            <Content app first=first()/>
        </Dialog>
    }
}

fn is_inside(element: &Element, selector: &str) -> bool {
    element.closest(selector).is_ok_and(|found| found.is_some())
}

/// Returns the part of the page that a tab is, for the time before anything has the focus.
fn scope_of(tab: Tab) -> Option<Scope> {
    match tab {
        Tab::Summary | Tab::Compare => None,
        Tab::Stacks => Some(Scope::Stacks),
        Tab::Events => Some(Scope::Events),
        Tab::Metadata => Some(Scope::Metadata),
        Tab::Topic(_) => Some(Scope::Topics),
    }
}

#[component]
fn Content(app: App, first: Option<Scope>) -> impl IntoView {
    let typed = RwSignal::new(String::new());
    let field = focused_field();
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "?" {
            event.prevent_default();
            event.stop_propagation();
            app.shell.help.set(false);
        }
    };
    let sections = move || {
        let found = typed.with(|typed| listed(typed, first, is_mac()));
        if found.is_empty() {
            return view! { <p role="status">"No matching shortcuts"</p> }.into_any();
        }
        found.into_iter().map(|(scope, bindings)| section(scope, bindings.into_iter())).collect_view().into_any()
    };
    view! {
        <label class="field keys-find">
            <Icon shape=SEARCH/>
            <span class="sr">"Find a shortcut"</span>
            <input node_ref=field type="search" placeholder="Find a key or command" autocomplete="off" spellcheck="false"
                data-testid="find-shortcut" on:input:target=move |event| typed.set(event.target().value()) on:keydown=on_key/>
        </label>
        <div class="keys" tabindex="0" data-testid="shortcuts">{sections}</div>
        {hints()}
    }
}
