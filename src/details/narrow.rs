//! Actions of the details, as icons in their header.

use crate::widgets::exclude_button::ExcludeButton;
use crate::widgets::icon::{EXCLUDE, FILTER, Icon};
use crate::widgets::menu::{Menu, MenuEntry, OpenMenu, below_button};
use leptos::prelude::*;
use view::keys::keymap::{Command, Scope};

/// Button that filters, with another one beside it that excludes.
#[component]
pub fn Narrow(
    /// Description of the filter command.
    words: &'static str,
    /// Description of the exclude command.
    without: &'static str,
    /// Test ID; that of the second button has the prefix `without-`.
    testid: &'static str,
    /// Sets or removes the filter.
    #[prop(into)]
    only: Callback<()>,
    #[prop(into)] exclude: Callback<()>,
) -> impl IntoView {
    view! {
        <Action icon=FILTER words testid=testid run=only/>
        <ExcludeButton words=without testid=format!("without-{testid}") run=exclude/>
    }
}

/// Button with an icon.
#[component]
pub fn Action(
    icon: &'static str,
    /// Description for screen readers and the tooltip.
    words: &'static str,
    testid: &'static str,
    #[prop(into)] run: Callback<()>,
) -> impl IntoView {
    view! {
        <button class="btn icon" aria-label=words title=words data-testid=testid on:click=move |_| run.run(())>
            <Icon shape=icon class="s"/>
        </button>
    }
}

/// Property of an event that it can be filtered to, or excluded by.
#[derive(Clone)]
pub struct Property {
    /// Its commands with their test IDs: filter, exclude.
    pub commands: [(Command, &'static str); 2],
    /// Texts of lines whose command has a more general one.
    pub words: Option<[&'static str; 2]>,
    /// Sets or removes the filter.
    pub only: Callback<()>,
    pub exclude: Callback<()>,
}

/// Two buttons: menus of what to filter to, and what to exclude.
#[component]
pub fn NarrowMenus(
    /// Lines of the menus.
    properties: Vec<Property>,
) -> impl IntoView {
    let menu = RwSignal::new(None::<OpenMenu>);
    let properties = StoredValue::new(properties);
    let open = move |event: &web_sys::MouseEvent, at: usize, label: &'static str| {
        let line = |property: Property| {
            let (command, testid) = property.commands[at];
            let run = if at == 0 { property.only } else { property.exclude };
            let entry = MenuEntry::of(Scope::Events, command, testid, move || run.run(()));
            match property.words {
                Some(words) => entry.called(words[at]),
                None => entry,
            }
        };
        let entries = properties.get_value().into_iter().map(line).collect();
        menu.set(Some(OpenMenu { at: below_button(event), label: label.to_owned(), entries }));
    };
    let button = move |at: usize, icon: &'static str, label: &'static str, testid: &'static str| {
        view! {
            <button class="btn icon" aria-haspopup="menu" aria-label=label title=label data-testid=testid
                on:click=move |event| open(&event, at, label)>
                <Icon shape=icon class="s"/>
            </button>
        }
    };
    view! {
        {button(0, FILTER, "Filter to…", "filter-by-event")}
        {button(1, EXCLUDE, "Exclude…", "exclude-by-event")}
        <Menu open=menu/>
    }
}
