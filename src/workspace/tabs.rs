//! Row of tabs; those that don't fit are in a menu.

use super::maximize::{listen_to_second_click, place_of};
use crate::app::signals::SetChanged;
use crate::app::state::{App, Tab};
use crate::widgets::icon::{DOWN, Icon};
use crate::widgets::menu::{Menu, MenuEntry, OpenMenu, below_button};
use crate::widgets::resize::on_resize;
use leptos::html;
use leptos::prelude::*;
use protocol::reply::Summary;
use std::sync::Arc;
use view::draw::units::CssPx;
use view::format;
use view::keys::keymap::Scope;
use view::page::tab::{TabRoom, seen};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent, MouseEvent};

/// Width of the button that opens the menu.
const MORE: CssPx = 140.0;

/// Returns all tabs of the open trace, and the open one in any case, which may come from a URL.
fn tabs_of(app: App) -> Vec<Tab> {
    let open = app.tab.get();
    app.topics.with(|topics| {
        let is_listed = |tab: Tab| topics.iter().any(|one| Tab::Topic(one.topic) == tab);
        let other = match open {
            Tab::Topic(topic) if !is_listed(open) => Some(topic),
            _ => None,
        };
        let mut tabs = Tab::all(topics.iter().map(|one| one.topic).chain(other));
        if app.compare.is_used() || open == Tab::Compare {
            tabs.insert(0, Tab::Compare);
        }
        tabs
    })
}

/// Returns whether the trace has no data for a tab.
fn is_without(app: App, tab: Tab) -> bool {
    app.topics.with(|topics| topics.iter().any(|one| Tab::Topic(one.topic) == tab && one.missing.is_some()))
}

/// Count on a tab.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// Number of items in the whole trace.
    pub whole: u64,
    /// Number of items that match the filter; `None` without a filter, or while it is unknown.
    pub matching: Option<u64>,
    /// Whether events were lost that the analysis would count.
    is_least: bool,
}

pub fn count_of(app: App, tab: Tab) -> Option<Count> {
    let is_filtered = app.is_filtered();
    match tab {
        Tab::Events => {
            let rows = |trace: &Arc<Summary>| trace.indexed.as_ref().map_or(trace.events, |indexed| indexed.rows);
            let whole = app.trace.with(|trace| trace.as_ref().map(rows))?;
            let matching = app.filtering.matches.get().filter(|_| is_filtered);
            Some(Count { whole, matching, is_least: false })
        }
        Tab::Topic(topic) => {
            let of_topic =
                app.topics.with(|topics| topics.iter().find(|one| one.topic == topic).and_then(|one| one.count));
            let matching = app.filtering.item_counts.with(|counts| {
                counts.topics.iter().find(|one| one.topic == topic).map(|one| one.count).filter(|_| is_filtered)
            });
            let has_losses =
                app.trace.with(|trace| trace.as_ref().is_some_and(|trace| trace.lost.is_some_and(|lost| lost > 0)));
            Some(Count { whole: of_topic?, matching, is_least: has_losses })
        }
        _ => None,
    }
}

impl Count {
    /// Returns the number in the whole trace: "1,670", or "≥1,670" if events were lost.
    fn whole_words(self) -> String {
        format!("{}{}", if self.is_least { "≥" } else { "" }, format::count(self.whole))
    }

    /// Returns the number of matching items, and that of the whole trace if a filter is set: "12", " of 1,670".
    fn parts(self) -> (String, Option<String>) {
        let whole = self.whole_words();
        match self.matching {
            Some(matching) => (format::count(matching), Some(format!(" of {whole}"))),
            None => (whole, None),
        }
    }

    fn words(self) -> String {
        let (count, of) = self.parts();
        count + &of.unwrap_or_default()
    }

    /// Returns the longest text with any filter, whose width the tab has.
    fn widest_words(self) -> String {
        let whole = self.whole_words();
        format!("{whole} of {whole}")
    }
}

/// Returns the tabs in the menu, after their widths are known: those without data, and those that don't fit.
fn hidden_tabs(app: App, row: &HtmlElement, tabs: &[Tab], room: CssPx) -> Vec<Tab> {
    let open = app.tab.get_untracked();
    let width = |tab: Tab| {
        let tab = tabs.iter().position(|one| *one == tab).and_then(|at| row.children().item(at as u32));
        tab.and_then(|tab| tab.dyn_into::<HtmlElement>().ok()).map_or(0.0, |tab| f64::from(tab.offset_width()))
    };
    let is_in_row = |tab: &&Tab| **tab == open || !untrack(|| is_without(app, **tab));
    let in_row: Vec<Tab> = tabs.iter().filter(is_in_row).copied().collect();
    let rank = |tab: Tab| u8::from(tab != open && matches!(tab, Tab::Topic(_)));
    let rooms: Vec<TabRoom> = in_row.iter().map(|tab| TabRoom { width: width(*tab), rank: rank(*tab) }).collect();
    let seen = match in_row.len() < tabs.len() {
        true => seen(&rooms, room - MORE, 0.0),
        false => seen(&rooms, room, MORE),
    };
    let is_seen = |tab: &Tab| in_row.iter().zip(&seen).any(|(one, is_seen)| one == tab && *is_seen);
    tabs.iter().filter(|tab| !is_seen(tab)).copied().collect()
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
        // Widths don't depend on the filter, or on which tab is open.
        app.topics.track();
        app.trace.track();
        app.tab.track();
        // After the texts are updated.
        request_animation_frame(move || {
            // The screen may have been removed.
            let Some(row) = row.try_get_untracked().flatten().filter(|_| room > 0.0) else { return };
            let now = hidden_tabs(app, &row, &tabs, room);
            hidden.set_changed(now);
        });
    });
    let hides_recorded = move || hidden.with(|hidden| hidden.iter().any(|tab| !is_without(app, *tab)));
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
    let last_click = StoredValue::new(None);
    listen_to_second_click(app, last_click);
    let tab_view = move |tab: Tab| {
        let open = move || app.tab.get() == tab;
        let count = Memo::new(move |_| count_of(app, tab));
        view! {
            <button
                role="tab"
                id=format!("tab-{}", tab.slug())
                class:out=move || is_hidden(tab)
                data-testid=format!("tab-{}", tab.slug())
                data-command=tab.command().name()
                class:without=move || is_without(app, tab)
                aria-selected=move || open().to_string()
                aria-controls="panel"
                tabindex=move || if open() { "0" } else { "-1" }
                title=move || count.get().filter(|count| count.matching.is_some()).map(Count::words)
                on:click=move |event| {
                    last_click.set_value(Some(place_of(&event)));
                    app.tab.set(tab);
                }
            >
                <span class="t">{tab.title()}</span>
                {move || count.get().map(|count| {
                    let (words, of) = count.parts();
                    let is_filtered = of.is_some();
                    view! {
                        <span class="n" class:filtered=is_filtered data-words=count.widest_words() data-whole=count.whole_words()>
                            <span>{words}<span class="of">{of}</span></span>
                        </span>
                    }
                })}
                {move || is_without(app, tab).then(|| view! { <span class="sr">", not recorded"</span> })}
            </button>
        }
    };
    let open_menu = move |event: MouseEvent| {
        let entry = |tab: Tab| {
            let words = match (is_without(app, tab), count_of(app, tab)) {
                (true, _) => format!("{} (not recorded)", tab.title()),
                (false, Some(count)) => format!("{} {}", tab.title(), count.words()),
                (false, None) => tab.title().to_owned(),
            };
            let show = move || app.tab.set(tab);
            MenuEntry::of(Scope::Everywhere, tab.command(), tab.slug(), show).called(words)
        };
        let entries = untrack(|| {
            let (without, recorded): (Vec<Tab>, Vec<Tab>) =
                hidden.get().into_iter().partition(|tab| is_without(app, *tab));
            recorded.into_iter().chain(without).map(entry).collect()
        });
        menu.set(Some(OpenMenu { at: below_button(&event), label: "More tabs".to_owned(), entries }));
    };
    view! {
        <div class="tab-frame" node_ref=frame>
            <div class="tabs" role="tablist" aria-label="Views of the filtered events" node_ref=row on:keydown=on_key>
                <For each=move || tabs.get() key=|tab| *tab children=tab_view/>
            </div>
            <Show when=move || hidden.with(|hidden| !hidden.is_empty())>
                <button class="btn more-tabs" aria-haspopup="menu" aria-expanded=move || menu.with(Option::is_some).to_string()
                    data-testid="more-tabs" on:click=open_menu>
                    {move || if hides_recorded() { "More" } else { "More · not recorded" }} <Icon shape=DOWN class="xs"/></button>
            </Show>
            <Menu open=menu/>
        </div>
    }
}
