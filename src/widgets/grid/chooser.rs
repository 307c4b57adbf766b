//! Button that opens the menu of columns.

use super::heads::columns_menu;
use super::model::Layout;
use crate::commands::shortcuts::name;
use crate::widgets::icon::{COLUMNS, Icon};
use crate::widgets::menu::{Menu, below_button};
use leptos::prelude::*;
use view::keys::keymap::{Command, Scope};
use web_sys::MouseEvent;

/// Button that opens a menu which shows and hides the columns of a grid.
#[component]
pub fn ColumnChooser(layout: Layout, testid: &'static str) -> impl IntoView {
    let menu = RwSignal::new(None);
    let open = move |event: MouseEvent| menu.set(Some(columns_menu(layout, below_button(&event))));
    let name = name(Scope::Columns, Command::ShowColumns);
    view! {
        <button class="btn icon" aria-haspopup="menu" aria-label=name title=name data-testid=testid
            data-command=Command::ShowColumns.id() on:click=open><Icon shape=COLUMNS class="s"/></button>
        <Menu open=menu/>
    }
}
