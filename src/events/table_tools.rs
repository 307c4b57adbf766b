//! Tools at the end of the row above a table of events.

use super::group_menu::GroupMenus;
use super::save::SaveEvents;
use super::table_text::EventTable;
use crate::app::state::App;
use crate::widgets::grid::{ColumnChooser, Layout};
use crate::widgets::icon::{Icon, MORE};
use crate::widgets::menu::{MenuEntry, OpenMenu, below_button};
use leptos::prelude::*;
use protocol::tables::FieldNames;
use std::sync::Arc;
use view::keys::keymap::{Command, Scope};
use web_sys::MouseEvent;

/// Grouping, columns, and a menu of actions.
#[component]
pub fn TableTools(
    table: EventTable,
    /// Number of events.
    #[prop(into)]
    total: Signal<u64>,
    /// Payload fields of the matching events.
    fields: Signal<Option<Arc<FieldNames>>>,
    /// True while groups are shown instead of events.
    is_grouped: Memo<bool>,
    /// Columns of the events.
    layout: Layout,
    menu: RwSignal<Option<OpenMenu>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let more = move |event: MouseEvent| {
        let entry = |command: Command, testid| {
            MenuEntry::of(Scope::Events, command, testid, move || _ = app.actions.run(Scope::Events, command))
        };
        let entries = vec![entry(Command::StacksOfThese, "events-stacks"), entry(Command::SaveEvents, "save-events")];
        menu.set(Some(OpenMenu { at: below_button(&event), label: "More actions".to_owned(), entries }));
    };
    view! {
        <span class="sp"></span>
        <GroupMenus fields menu/>
        <Show when=move || !is_grouped.get()>
            <ColumnChooser layout testid="pick-column"/>
        </Show>
        <button class="btn icon" aria-label="More actions" title="More actions" aria-haspopup="menu"
            data-testid="events-more" on:click=more>
            <Icon shape=MORE/>
        </button>
        <SaveEvents table total/>
    }
}
