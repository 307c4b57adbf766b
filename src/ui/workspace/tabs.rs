//! The views of the filtered events.

use crate::ui::state::{App, Tab};
use crate::view::format;
use crate::view::keymap::Command;
use leptos::html;
use leptos::prelude::*;
use web_sys::KeyboardEvent;

fn title(tab: Tab) -> &'static str {
    match tab {
        Tab::Summary => "Summary",
        Tab::Stacks => "Stacks",
        Tab::Events => "Events",
        Tab::Metadata => "Metadata",
    }
}

/// What shows a tab.
fn tab_command(tab: Tab) -> Command {
    let place = Tab::ALL.iter().position(|other| *other == tab).unwrap_or(0);
    Command::ShowTab(place as u8 + 1)
}

/// The row of tabs.
#[component]
pub fn Tabs() -> impl IntoView {
    let app = expect_context::<App>();
    let row = NodeRef::<html::Div>::new();
    let on_key = move |event: KeyboardEvent| {
        let last = Tab::ALL.len() - 1;
        let now = Tab::ALL.iter().position(|tab| *tab == app.tab.get_untracked()).unwrap_or(0);
        let next = match event.key().as_str() {
            "ArrowRight" => (now + 1) % (last + 1),
            "ArrowLeft" => (now + last) % (last + 1),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        app.tab.set(Tab::ALL[next]);
        if let Some(row) = row.get_untracked() {
            crate::ui::widgets::focus_child(&row, next as u32);
        }
    };
    let number = move |tab| match tab {
        Tab::Events => app.matches.get().map(|matches| view! { <span class="n">{format::count(matches)}</span> }),
        _ => None,
    };
    view! {
        <div class="tabs" role="tablist" aria-label="Views of the filtered events" node_ref=row on:keydown=on_key>
            {Tab::ALL
                .into_iter()
                .map(|tab| {
                    let open = move || app.tab.get() == tab;
                    view! {
                        <button
                            role="tab"
                            id=format!("tab-{}", tab.slug())
                            data-testid=format!("tab-{}", tab.slug())
                            data-command=tab_command(tab).name()
                            aria-selected=move || open().to_string()
                            aria-controls="panel"
                            tabindex=move || if open() { "0" } else { "-1" }
                            on:click=move |_| app.tab.set(tab)
                        >
                            {title(tab)}
                            {move || number(tab)}
                        </button>
                    }
                })
                .collect_view()}
        </div>
    }
}
