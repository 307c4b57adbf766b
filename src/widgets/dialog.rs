//! Dialog that keeps the focus, and gives it back.
//!
//! It is a popover, not the browser's modal dialog: that makes everything behind it inert, for which the browser computes
//! all styles of the page again. With a large trace, this takes as long as several frames.

use super::icon::{CLOSE, Icon};
use leptos::ev::{self, KeyboardEvent, MouseEvent};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{FocusOptions, HtmlDialogElement, HtmlElement};

/// Elements that Tab may reach.
const STOPS: &str =
    ":is(a[href], button, input, select, textarea, summary, [tabindex='0']):not(.edge, :disabled, [tabindex='-1'])";

/// Dialog, visible while `open` is set.
#[component]
pub fn Dialog(
    /// True if it is visible; cleared when it is closed by any means.
    open: RwSignal<bool>,
    title: &'static str,
    testid: &'static str,
    /// True if it is wide, for content in columns.
    #[prop(optional)]
    wide: bool,
    /// Content, created whenever it opens.
    children: ChildrenFn,
) -> impl IntoView {
    let element = NodeRef::<html::Dialog>::new();
    let before = StoredValue::new_local(None::<HtmlElement>);
    Effect::new(move |_| {
        let (Some(dialog), open) = (element.get(), open.get()) else { return };
        if open && !dialog.open() {
            before.set_value(focused());
            // A browser without popovers shows it among the other elements.
            let _ = dialog.show_popover();
            dialog.set_open(true);
            focus_stop(&dialog, false);
        } else if !open && dialog.open() {
            let is_inside = focused().is_none_or(|focused| dialog.contains(Some(&focused)));
            dialog.close();
            let _ = dialog.hide_popover();
            if let Some(before) = before.try_update_value(Option::take).flatten().filter(|_| is_inside) {
                let options = FocusOptions::new();
                options.set_prevent_scroll(true);
                // The element that had the focus may be gone.
                let _ = before.focus_with_options(&options);
            }
        }
    });
    let close_on_backdrop = move |event: MouseEvent| {
        let target = event.target().and_then(|target| target.dyn_into::<HtmlDialogElement>().ok());
        let on_backdrop = target.is_some() && target == element.get_untracked();
        if on_backdrop {
            event.prevent_default();
            open.set(false);
        }
    };
    let close_on_escape = move |event: KeyboardEvent| {
        if event.key() == "Escape" && !event.default_prevented() {
            event.prevent_default();
            event.stop_propagation();
            open.set(false);
        }
    };
    // The element that had the focus may be gone.
    let keys = window_event_listener(ev::keydown, move |event| {
        if open.get_untracked() && focused().is_none() {
            close_on_escape(event);
        }
    });
    on_cleanup(move || keys.remove());
    // Tab goes on at the other end.
    let edge = move |to_last: bool| {
        let pass_on = move |_| {
            element.get_untracked().into_iter().for_each(|dialog| focus_stop(&dialog, to_last));
        };
        view! { <span class="edge" tabindex="0" on:focus=pass_on></span> }
    };
    view! {
        <dialog
            node_ref=element
            class="dialog"
            class:wide=wide
            popover="manual"
            aria-modal="true"
            aria-label=title
            tabindex="-1"
            data-testid=testid
            on:close=move |_| open.set(false)
            on:mousedown=close_on_backdrop
            on:keydown=close_on_escape
        >
            {edge(true)}
            <header>
                <h2>{title}</h2>
                <button class="btn icon" aria-label="Close" on:click=move |_| open.set(false)>
                    <Icon shape=CLOSE/>
                </button>
            </header>
            <Show when=move || open.get()>{children()}</Show>
            {edge(false)}
        </dialog>
    }
}

/// Returns the focused element, if there is one.
fn focused() -> Option<HtmlElement> {
    let focused = document().active_element().filter(|element| element.tag_name() != "BODY");
    focused.and_then(|element| element.dyn_into().ok())
}

/// Focuses the first or last element of a dialog that can be focused.
fn focus_stop(dialog: &HtmlElement, last: bool) {
    let Ok(stops) = dialog.query_selector_all(STOPS) else { return };
    let mut stops = (0..stops.length()).filter_map(|at| stops.item(at)?.dyn_into::<HtmlElement>().ok());
    // Hidden elements leave the focus unchanged.
    let takes = |stop: &HtmlElement| stop.focus().is_ok() && focused().as_ref() == Some(stop);
    let _ = if last { stops.rfind(takes) } else { stops.find(takes) };
}
