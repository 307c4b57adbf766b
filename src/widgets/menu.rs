//! A menu at a place: opened by a button, by the pointer's second button, or by the keyboard's menu key.

use crate::commands::shortcuts::is_mac;
use leptos::html;
use leptos::prelude::*;
use view::keys::keymap::{Command, Scope, binding};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

/// Between a menu and the window's edges, CSS pixels.
const MARGIN: f64 = 8.0;

/// A line of a menu.
#[derive(Clone)]
pub struct MenuEntry {
    command: Command,
    words: String,
    /// Keys that do the same; may be empty.
    keys: String,
    /// Whether it is the chosen one; none for what is no choice.
    chosen: Option<bool>,
    /// Why it cannot be done now; none if it can.
    refused: Option<&'static str>,
    testid: &'static str,
    act: Callback<()>,
}

impl MenuEntry {
    /// What a command does in a part of the page, with its words and its keys; under a stable name for tests.
    pub fn of(scope: Scope, command: Command, testid: &'static str, act: impl Fn() + Send + Sync + 'static) -> Self {
        let found = binding(scope, command);
        Self {
            command,
            words: found.map(|binding| binding.words.to_owned()).unwrap_or_default(),
            keys: found.map(|binding| binding.keys(is_mac())).unwrap_or_default(),
            chosen: None,
            refused: None,
            testid,
            act: Callback::new(move |()| act()),
        }
    }

    /// The same in other words, which name what it is done to.
    pub fn called(self, words: impl Into<String>) -> Self {
        Self { words: words.into(), ..self }
    }

    /// One of several that exclude each other: whether it is the chosen one.
    pub fn chosen(self, is_chosen: bool) -> Self {
        Self { chosen: Some(is_chosen), ..self }
    }

    /// Why it cannot be done now, if it cannot.
    pub fn refused(self, why: Option<&'static str>) -> Self {
        Self { refused: why, ..self }
    }
}

/// A menu that is open.
#[derive(Clone)]
pub struct OpenMenu {
    /// Where, in the window.
    pub at: (f64, f64),
    /// What it is about, for people who listen.
    pub label: String,
    /// Its lines.
    pub entries: Vec<MenuEntry>,
}

/// Where a menu opens that belongs to the button of an event.
pub fn below_button(event: &web_sys::MouseEvent) -> (f64, f64) {
    let button = event.current_target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    let place = button.map(|button| button.get_bounding_client_rect());
    place.map_or((0.0, 0.0), |place| (place.left(), place.bottom()))
}

/// Puts a menu where it was asked for, or as near as it is whole there. One that has room neither below nor above that
/// place stands at the top.
fn place(menu: &HtmlElement, at: (f64, f64)) {
    let Some(root) = document().document_element() else { return };
    let (width, height) = (f64::from(root.client_width()), f64::from(root.client_height()));
    let size = menu.get_bounding_client_rect();
    let left = at.0.min(width - size.width() - MARGIN).max(MARGIN);
    let top = match (at.1 + size.height() <= height, size.height() <= at.1) {
        (true, _) => at.1,
        (false, true) => at.1 - size.height(),
        (false, false) => (height - size.height() - MARGIN).max(MARGIN),
    };
    for (side, pixels) in [("left", left), ("top", top)] {
        // Every element takes a style.
        let _ = menu.style().set_property(side, &format!("{pixels:.0}px"));
    }
}

/// Shows the menu that is open, if any. Closing gives the focus back.
#[component]
pub fn Menu(
    /// What is open.
    open: RwSignal<Option<OpenMenu>>,
) -> impl IntoView {
    let list = NodeRef::<html::Div>::new();
    let before = StoredValue::new_local(None::<HtmlElement>);
    let close = move || {
        open.set(None);
        if let Some(before) = before.try_update_value(Option::take).flatten() {
            // What had the focus may be gone; then nobody has it, as after any click.
            let _ = before.focus();
        }
    };
    Effect::new(move |_| {
        if let Some(at) = open.with(|menu| menu.as_ref().map(|menu| menu.at))
            && let Some(list) = list.get()
        {
            place(&list, at);
            let active = document().active_element().and_then(|element| element.dyn_into::<HtmlElement>().ok());
            before.set_value(active.filter(|element| element.tag_name() != "BODY"));
            super::focus_child(&list, 0);
        }
    });
    // What it belongs to stands elsewhere in a window of another size.
    let resized = window_event_listener(leptos::ev::resize, move |_| {
        if open.with_untracked(Option::is_some) {
            close();
        }
    });
    on_cleanup(move || resized.remove());
    let on_key = move |event: KeyboardEvent| {
        let count = open.with_untracked(|open| open.as_ref().map_or(0, |menu| menu.entries.len()));
        let Some(list) = list.get_untracked().filter(|_| count > 0) else { return };
        let children = list.children();
        let active = document().active_element();
        let now = (0..count).find(|index| children.item(*index as u32) == active).unwrap_or(0);
        let next = match event.key().as_str() {
            "ArrowDown" => (now + 1) % count,
            "ArrowUp" => (now + count - 1) % count,
            "Home" => 0,
            "End" => count - 1,
            "Escape" | "Tab" => {
                event.prevent_default();
                event.stop_propagation();
                return close();
            }
            // Enter and Space press the button that has the focus; no other key is meant for what lies below.
            _ => return event.stop_propagation(),
        };
        event.prevent_default();
        event.stop_propagation();
        super::focus_child(&list, next as u32);
    };
    move || {
        open.get().map(|menu| {
            let entries = menu.entries.into_iter().map(|entry| {
                let is_refused = entry.refused.is_some();
                let act = move |event: leptos::ev::MouseEvent| {
                    event.stop_propagation();
                    if is_refused {
                        return;
                    }
                    close();
                    entry.act.run(());
                };
                view! {
                    <button role=if entry.chosen.is_some() { "menuitemradio" } else { "menuitem" } tabindex="-1"
                        aria-checked=entry.chosen.map(|chosen| chosen.to_string()) aria-disabled=is_refused.then_some("true")
                        data-testid=entry.testid data-command=entry.command.name() on:click=act>
                        <span>{entry.words} {entry.refused.map(|why| view! { <small>{why}</small> })}</span>
                        {(!entry.keys.is_empty()).then(|| view! { <kbd aria-hidden="true">{entry.keys}</kbd> })}
                    </button>
                }
            });
            view! {
                <div class="menu-veil" on:pointerdown=move |_| close()
                    on:contextmenu=move |event| { event.prevent_default(); close(); }></div>
                <div class="menu" role="menu" aria-label=menu.label node_ref=list
                    data-testid="menu" on:keydown=on_key on:contextmenu=move |event| event.prevent_default()>
                    {entries.collect_view()}
                </div>
            }
        })
    }
}
