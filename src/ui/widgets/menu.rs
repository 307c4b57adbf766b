//! A menu at a place: opened by a button, by the pointer's second button, or by the keyboard's menu key.

use crate::ui::keys::is_mac;
use crate::view::keymap::{Command, Scope, binding};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

/// A menu wider than this beside the window's edge opens to the other side, CSS pixels.
const MOST_WIDTH: f64 = 260.0;
/// Height of a line, CSS pixels.
const LINE_HEIGHT: f64 = 27.0;

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
        if open.with(Option::is_some)
            && let Some(list) = list.get()
        {
            let active = document().active_element().and_then(|element| element.dyn_into::<HtmlElement>().ok());
            before.set_value(active.filter(|element| element.tag_name() != "BODY"));
            super::focus_child(&list, 0);
        }
    });
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
    let edges = move |at: (f64, f64), lines: usize| {
        let size = |value: Result<wasm_bindgen::JsValue, _>| value.ok().and_then(|value| value.as_f64()).unwrap_or(0.0);
        let (width, height) = (size(window().inner_width()), size(window().inner_height()));
        let pixels = |value: f64| format!("{value:.0}px");
        let across = if at.0 + MOST_WIDTH > width { ("right", width - at.0) } else { ("left", at.0) };
        // One that has room neither below nor above stands at the top.
        let needed = lines as f64 * LINE_HEIGHT + 16.0;
        let down = match (at.1 + needed > height, needed > at.1) {
            (false, _) => ("top", at.1),
            (true, false) => ("bottom", height - at.1),
            (true, true) => ("top", (height - needed).max(8.0)),
        };
        format!("{}: {}; {}: {}", across.0, pixels(across.1), down.0, pixels(down.1))
    };
    move || {
        open.get().map(|menu| {
            let lines = menu.entries.len();
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
                <div class="menu" role="menu" aria-label=menu.label style=edges(menu.at, lines) node_ref=list
                    data-testid="menu" on:keydown=on_key on:contextmenu=move |event| event.prevent_default()>
                    {entries.collect_view()}
                </div>
            }
        })
    }
}
