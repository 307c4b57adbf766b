//! Menu at a position: opened by a button, right-click, or the menu key.

use crate::commands::shortcuts::is_mac;
use leptos::html;
use leptos::prelude::*;
use view::keys::keymap::{Command, Scope, binding};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

/// Margin between a menu and the edges of the window in CSS pixels.
const MARGIN: f64 = 8.0;
/// Number of options from which a menu has a search field.
const SEARCHED: usize = 15;

/// Menu line.
#[derive(Clone)]
pub struct MenuEntry {
    command: Command,
    words: String,
    /// Shortcut; may be empty.
    keys: String,
    /// True if it is the chosen option; `None` for other lines.
    chosen: Option<bool>,
    /// Whether it is on, for a line that turns something on and off, and leaves the menu open.
    checked: Option<Signal<bool>>,
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
            checked: None,
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

    /// Returns the line as one that turns something on and off, and leaves the menu open.
    pub fn checked(self, is_on: Signal<bool>) -> Self {
        Self { checked: Some(is_on), ..self }
    }

    fn is_option(&self) -> bool {
        self.chosen.is_some() || self.checked.is_some()
    }

    /// Returns the line with the reason why it can't run now.
    pub fn refused(self, why: Option<&'static str>) -> Self {
        Self { refused: why, ..self }
    }
}

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
    below(button.as_ref())
}

/// Returns the position of a menu below an element.
pub fn below(element: Option<&HtmlElement>) -> (f64, f64) {
    let place = element.map(|element| element.get_bounding_client_rect());
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
    let put = |left: f64, top: f64| {
        for (side, pixels) in [("left", left), ("top", top)] {
            // Setting a style can't fail.
            let _ = menu.style().set_property(side, &format!("{pixels:.0}px"));
        }
    };
    put(left, top);
    // Inside of a size container, some browsers position relative to that.
    let found = menu.get_bounding_client_rect();
    if (found.left() - left).abs() > 1.0 || (found.top() - top).abs() > 1.0 {
        put(2.0 * left - found.left(), 2.0 * top - found.top());
    }
}

/// Returns the lines of a menu that are visible, and its search field.
fn stops(menu: &HtmlElement) -> Vec<HtmlElement> {
    let found = menu.query_selector_all("input, button:not([hidden])");
    let all = found.map(|found| (0..found.length()).filter_map(move |at| found.item(at)));
    all.into_iter().flatten().filter_map(|node| node.dyn_into().ok()).collect()
}

fn focus(stop: Option<&HtmlElement>) {
    if let Some(stop) = stop {
        // An element that can't be focused leaves the focus unchanged.
        let _ = stop.focus();
    }
}

/// Open menu, if there is one. Closing it restores the focus.
#[component]
pub fn Menu(open: RwSignal<Option<OpenMenu>>) -> impl IntoView {
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
            focus(stops(&list).first());
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
        let stops = list.get_untracked().map(|list| stops(&list)).unwrap_or_default();
        let Some(last) = stops.len().checked_sub(1) else { return };
        let active = document().active_element();
        let now = stops.iter().position(|stop| active.as_ref() == Some(stop)).unwrap_or(0);
        let is_field = stops.get(now).is_some_and(|stop| stop.tag_name() == "INPUT");
        let next = match event.key().as_str() {
            "ArrowDown" => (now + 1) % stops.len(),
            "ArrowUp" => (now + last) % stops.len(),
            "Home" if !is_field => 0,
            "End" if !is_field => last,
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
        focus(stops.get(next));
    };
    move || {
        open.get().map(|menu| {
            let is_searched =
                menu.entries.len() > SEARCHED && menu.entries.iter().all(MenuEntry::is_option);
            let (label, find) = (menu.label, RwSignal::new(String::new()));
            let entries = menu.entries.into_iter().map(|entry| {
                let (is_refused, checked) = (entry.refused.is_some(), entry.checked);
                let act = move |event: leptos::ev::MouseEvent| {
                    event.stop_propagation();
                    if is_refused {
                        return;
                    }
                    if checked.is_none() {
                        close();
                    }
                    entry.act.run(());
                };
                let role = match (entry.chosen, checked) {
                    (Some(_), _) => "menuitemradio",
                    (None, Some(_)) => "menuitemcheckbox",
                    (None, None) => "menuitem",
                };
                let is_on = move || entry.chosen.or_else(|| checked.map(|is_on| is_on.get())).map(|is_on| is_on.to_string());
                let lowercase = entry.words.to_lowercase();
                let is_hidden = move || find.with(|find| !lowercase.contains(find.as_str()));
                view! {
                    <button role=role tabindex="-1" aria-checked=is_on aria-disabled=is_refused.then_some("true")
                        hidden=is_hidden data-testid=entry.testid data-command=entry.command.name() on:click=act>
                        <span>{entry.words} {entry.refused.map(|why| view! { <small>{why}</small> })}</span>
                        {(!entry.keys.is_empty()).then(|| view! { <kbd aria-hidden="true">{entry.keys}</kbd> })}
                    </button>
                }
            });
            let field = is_searched.then(|| view! {
                <input type="search" placeholder="Find" aria-label="Search this menu" autocomplete="off" spellcheck="false"
                    data-testid="find-in-menu"
                    on:input:target=move |event| find.set(event.target().value().trim().to_lowercase())/>
            });
            view! {
                <div class="menu-veil" on:pointerdown=move |_| close()
                    on:contextmenu=move |event| { event.prevent_default(); close(); }></div>
                // A menu can't contain a field.
                <div class="menu" role=(!is_searched).then_some("menu") aria-label=(!is_searched).then(|| label.clone())
                    node_ref=list data-testid="menu" on:keydown=on_key on:contextmenu=move |event| event.prevent_default()>
                    {field}
                    <div class="lines" role=if is_searched { "menu" } else { "presentation" }
                        aria-label=is_searched.then(|| label.clone())>{entries.collect_view()}</div>
                </div>
            }
        })
    }
}
