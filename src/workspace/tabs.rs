//! Row of tabs; those that don't fit are in a menu.

use crate::app::state::{App, Tab};
use crate::widgets::icon::{DOWN, Icon};
use crate::widgets::menu::{Menu, MenuEntry, OpenMenu, below_button};
use crate::widgets::resize::on_resize;
use leptos::html;
use leptos::prelude::*;
use protocol::request::Filter;
use view::draw::units::CssPx;
use view::format;
use view::keys::keymap::Scope;
use view::page::tab::{TabRoom, seen};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent, MouseEvent};

/// Width of the button that opens the menu.
const MORE: CssPx = 84.0;

/// Returns all tabs of the open trace, and the open one in any case, which may come from a URL.
fn tabs_of(app: App) -> Vec<Tab> {
    let open = app.tab.get();
    app.topics.with(|topics| {
        let is_listed = |tab: Tab| topics.iter().any(|one| Tab::Topic(one.topic) == tab);
        let other = match open {
            Tab::Topic(topic) if !is_listed(open) => Some(topic),
            _ => None,
        };
        Tab::all(topics.iter().map(|one| one.topic).chain(other))
    })
}

/// Returns whether the trace has no data for a tab.
fn is_without(app: App, tab: Tab) -> bool {
    app.topics.with(|topics| topics.iter().any(|one| Tab::Topic(one.topic) == tab && one.missing.is_some()))
}

/// Returns the count in a tab. Counts of analyses cover the whole trace, regardless of the filter.
fn number(app: App, tab: Tab) -> Option<u64> {
    match tab {
        Tab::Events => app.filtering.matches.get(),
        Tab::Topic(_) if app.filter.with(|filter| *filter != Filter::default()) => None,
        Tab::Topic(topic) => {
            app.topics.with(|topics| topics.iter().find(|one| one.topic == topic).and_then(|one| one.count))
        }
        _ => None,
    }
}

/// Returns the text of a tab's count: "1,670", or "≥1,670" if events were lost that the analysis would count.
fn count_words(app: App, tab: Tab) -> Option<String> {
    let has_losses =
        app.trace.with(|trace| trace.as_ref().is_some_and(|trace| trace.lost.is_some_and(|lost| lost > 0)));
    let least = if has_losses && matches!(tab, Tab::Topic(_)) { "≥" } else { "" };
    number(app, tab).map(|number| format!("{least}{}", format::count(number)))
}

/// Returns the tabs that don't fit into the row, after their widths are known.
fn hidden_tabs(app: App, row: &HtmlElement, tabs: &[Tab], room: CssPx) -> Vec<Tab> {
    let open = app.tab.get_untracked();
    let width = |at: usize| {
        let tab = row.children().item(at as u32).and_then(|tab| tab.dyn_into::<HtmlElement>().ok());
        tab.map_or(0.0, |tab| f64::from(tab.offset_width()))
    };
    let rank = |tab: Tab| match tab {
        Tab::Topic(_) if tab == open => 0,
        Tab::Topic(_) => 1 + u8::from(untrack(|| is_without(app, tab))),
        _ => 0,
    };
    let rooms: Vec<TabRoom> =
        tabs.iter().enumerate().map(|(at, tab)| TabRoom { width: width(at), rank: rank(*tab) }).collect();
    let seen = seen(&rooms, room, MORE);
    tabs.iter().zip(seen).filter(|(_, seen)| !seen).map(|(tab, _)| *tab).collect()
}

/// Row of tabs.
#[component]
pub fn Tabs() -> impl IntoView {
    let app = expect_context::<App>();
    let (frame, row) = (NodeRef::<html::Div>::new(), NodeRef::<html::Div>::new());
    let tabs = Memo::new(move |_| tabs_of(app));
    let room = RwSignal::new(0.0);
    let hidden = RwSignal::new(Vec::<Tab>::new());
    let menu = RwSignal::new(None::<OpenMenu>);
    frame.on_load(move |frame| {
        on_resize(&frame, move |width, _| room.set(width));
    });
    Effect::new(move |_| {
        let (tabs, room) = (tabs.get(), room.get());
        tabs.iter().for_each(|tab| _ = number(app, *tab));
        app.tab.track();
        // After the texts are updated.
        request_animation_frame(move || {
            // The screen may have been removed.
            let Some(row) = row.try_get_untracked().flatten().filter(|_| room > 0.0) else { return };
            let now = hidden_tabs(app, &row, &tabs, room);
            if hidden.with_untracked(|before| *before != now) {
                hidden.set(now);
            }
        });
    });
    let is_hidden = move |tab: Tab| hidden.with(|hidden| hidden.contains(&tab));
    let on_key = move |event: KeyboardEvent| {
        let all = tabs.get_untracked();
        let in_row: Vec<Tab> = all.iter().copied().filter(|tab| !untrack(|| is_hidden(*tab))).collect();
        let last = in_row.len().saturating_sub(1);
        let now = in_row.iter().position(|tab| *tab == app.tab.get_untracked()).unwrap_or(0);
        let next = match event.key().as_str() {
            "ArrowRight" => (now + 1) % (last + 1),
            "ArrowLeft" => (now + last) % (last + 1),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        let Some(tab) = in_row.get(next) else { return };
        app.tab.set(*tab);
        if let (Some(row), Some(place)) = (row.get_untracked(), all.iter().position(|one| one == tab)) {
            crate::widgets::focus_child(&row, place as u32);
        }
    };
    let tab_view = move |tab: Tab| {
        let open = move || app.tab.get() == tab;
        view! {
            <button
                role="tab"
                id=format!("tab-{}", tab.slug())
                class:out=move || is_hidden(tab)
                class:without=move || is_without(app, tab)
                data-testid=format!("tab-{}", tab.slug())
                data-command=tab.command().name()
                aria-selected=move || open().to_string()
                aria-controls="panel"
                tabindex=move || if open() { "0" } else { "-1" }
                on:click=move |_| app.tab.set(tab)
            >
                {tab.title()}
                {move || count_words(app, tab).map(|words| view! { <span class="n">{words}</span> })}
                {move || is_without(app, tab).then(|| view! {
                    <span class="n" aria-hidden="true">"◦"</span>
                    <span class="sr">", not recorded"</span>
                })}
            </button>
        }
    };
    let open_menu = move |event: MouseEvent| {
        let entry = |tab: Tab| {
            let words = match (is_without(app, tab), count_words(app, tab)) {
                (true, _) => format!("{} (not recorded)", tab.title()),
                (false, Some(count)) => format!("{} {count}", tab.title()),
                (false, None) => tab.title().to_owned(),
            };
            let show = move || app.tab.set(tab);
            MenuEntry::of(Scope::Everywhere, tab.command(), tab.slug(), show).called(words)
        };
        let entries = untrack(|| hidden.get().into_iter().map(entry).collect());
        menu.set(Some(OpenMenu { at: below_button(&event), label: "More tabs".to_owned(), entries }));
    };
    view! {
        <div class="tab-frame" node_ref=frame>
            <div class="tabs" role="tablist" aria-label="Views of the filtered events" node_ref=row on:keydown=on_key>
                <For each=move || tabs.get() key=|tab| *tab children=tab_view/>
            </div>
            <Show when=move || hidden.with(|hidden| !hidden.is_empty())>
                <button class="btn more-tabs" aria-haspopup="menu" aria-expanded=move || menu.with(Option::is_some).to_string()
                    data-testid="more-tabs" on:click=open_menu>"More" <Icon shape=DOWN class="xs"/></button>
            </Show>
            <Menu open=menu/>
        </div>
    }
}
