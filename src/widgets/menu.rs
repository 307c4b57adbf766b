//! Menu at a position: opened by a button, right-click, or the menu key.

use crate::commands::shortcuts::is_mac;
use leptos::html;
use leptos::prelude::*;
use view::keys::keymap::{Command, Scope, binding};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

/// Margin between a menu and the edges of the window in CSS pixels.
const MARGIN: f64 = 8.0;

/// Menu line.
#[derive(Clone)]
pub struct MenuEntry {
    command: Command,
    words: String,
    /// Shortcut; may be empty.
    keys: String,
    /// True if it is the chosen option; `None` for other lines.
    chosen: Option<bool>,
    /// Reason why it can't run now; `None` if it can.
    refused: Option<&'static str>,
    testid: &'static str,
    act: Callback<()>,
}

impl MenuEntry {
    /// Returns the line of a command in a part of the page, with its text, shortcut and test ID.
    pub fn of(scope: Scope, command: Command, testid: &'static str, act: impl Fn() + Send + Sync + 'static) -> Self {
        let found = binding(scope, command);
        Self {
            command,
            words: found.map(|binding| binding.name.to_owned()).unwrap_or_default(),
            keys: found.map(|binding| binding.keys(is_mac())).unwrap_or_default(),
            chosen: None,
            refused: None,
            testid,
            act: Callback::new(move |()| act()),
        }
    }

    /// Returns the line with another text, which names the object.
    pub fn called(self, words: impl Into<String>) -> Self {
        Self { words: words.into(), ..self }
    }

    /// Returns the line as one of several options, chosen or not.
    pub fn chosen(self, is_chosen: bool) -> Self {
        Self { chosen: Some(is_chosen), ..self }
    }

    /// Returns the line with the reason why it can't run now.
    pub fn refused(self, why: Option<&'static str>) -> Self {
        Self { refused: why, ..self }
    }
}

/// Open menu.
#[derive(Clone)]
pub struct OpenMenu {
    /// Position in the window.
    pub at: (f64, f64),
    /// Subject, for screen readers.
    pub label: String,
    /// Lines.
    pub entries: Vec<MenuEntry>,
}

/// Returns the position of a menu below the button of an event.
pub fn below_button(event: &web_sys::MouseEvent) -> (f64, f64) {
    let button = event.current_target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    let place = button.map(|button| button.get_bounding_client_rect());
    place.map_or((0.0, 0.0), |place| (place.left(), place.bottom()))
}

/// Positions a menu as near to a point as it fits. A menu that fits neither below nor above it is at the top.
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
        // Setting a style can't fail.
        let _ = menu.style().set_property(side, &format!("{pixels:.0}px"));
    }
}

/// Open menu, if there is one. Closing it restores the focus.
#[component]
pub fn Menu(
    /// Menu to show.
    open: RwSignal<Option<OpenMenu>>,
) -> impl IntoView {
    let list = NodeRef::<html::Div>::new();
    let before = StoredValue::new_local(None::<HtmlElement>);
    let close = move || {
        open.set(None);
        if let Some(before) = before.try_update_value(Option::take).flatten() {
            // The element that had the focus may be gone.
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
    // The element of the menu moves when the window is resized.
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
            // Enter and Space press the focused button; other keys must not reach the page below.
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
