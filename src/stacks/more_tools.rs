//! Tools at the end of the toolbar. In a narrow panel, they are below a button.

use crate::widgets::icon::{Icon, MORE};
use leptos::ev::{FocusEvent, KeyboardEvent};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Node;

const ID: &str = "stack-more";

/// Tools that the style sheet shows in the toolbar, or in a panel below a button.
#[component]
pub fn MoreTools(children: Children) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let (group, button) = (NodeRef::<html::Div>::new(), NodeRef::<html::Button>::new());
    let close_behind = move |event: FocusEvent| {
        let to = event.related_target().and_then(|target| target.dyn_into::<Node>().ok());
        let is_inside = |node: &Node| group.get_untracked().is_some_and(|group| group.contains(Some(node)));
        let is_button = |node: &Node| button.get_untracked().is_some_and(|button| button.contains(Some(node)));
        if !to.is_some_and(|node| is_inside(&node) || is_button(&node)) {
            is_open.set(false);
        }
    };
    let toggle = move |_| {
        is_open.update(|open| *open = !*open);
        if is_open.get_untracked() {
            // After the style sheet has shown it.
            request_animation_frame(move || {
                let first = group.get_untracked().and_then(|group| group.query_selector("select").ok().flatten());
                if let Some(first) = first.and_then(|first| first.dyn_into::<web_sys::HtmlElement>().ok()) {
                    // A visible list can be focused.
                    let _ = first.focus();
                }
            });
        }
    };
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Escape" && is_open.get_untracked() {
            event.prevent_default();
            event.stop_propagation();
            is_open.set(false);
            if let Some(button) = button.get_untracked() {
                // A visible button can be focused.
                let _ = button.focus();
            }
        }
    };
    view! {
        <button class="btn icon more-key" node_ref=button aria-label="Stack source and weight" title="Stack source and weight"
            aria-controls=ID aria-expanded=move || is_open.get().to_string() data-testid="stack-more"
            on:click=toggle on:focusout=close_behind on:keydown=on_key>
            <Icon shape=MORE/>
        </button>
        <div class="stack-more" id=ID node_ref=group class:open=move || is_open.get() on:focusout=close_behind on:keydown=on_key>
            {children()}
        </div>
    }
}
