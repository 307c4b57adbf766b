//! Modal dialog: the browser's own, which traps and restores the focus.

use super::icon::{CLOSE, Icon};
use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// Modal dialog, visible while `open` is set.
#[component]
pub fn Dialog(
    /// True if it is visible; cleared when it is closed by any means.
    open: RwSignal<bool>,
    /// Heading.
    title: &'static str,
    testid: &'static str,
    /// True if it is wide, for content in columns.
    #[prop(optional)]
    wide: bool,
    /// Content, created whenever it opens.
    children: ChildrenFn,
) -> impl IntoView {
    let element = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let (Some(dialog), open) = (element.get(), open.get()) else { return };
        if open && !dialog.open() {
            // It fails only for a dialog outside the document.
            let _ = dialog.show_modal();
        } else if !open && dialog.open() {
            dialog.close();
        }
    });
    let close_on_backdrop = move |event: MouseEvent| {
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlDialogElement>().ok());
        let on_backdrop = target.is_some() && target == element.get_untracked();
        if on_backdrop {
            open.set(false);
        }
    };
    // WebKit passes Escape to a focused search field, and leaves the dialog open.
    let close_on_escape = move |event: KeyboardEvent| {
        if event.key() == "Escape" && !event.default_prevented() {
            event.prevent_default();
            event.stop_propagation();
            open.set(false);
        }
    };
    view! {
        <dialog
            node_ref=element
            class="dialog"
            class:wide=wide
            aria-label=title
            data-testid=testid
            on:close=move |_| open.set(false)
            on:mousedown=close_on_backdrop
            on:keydown=close_on_escape
        >
            <header>
                <h2>{title}</h2>
                <button class="btn icon" aria-label="Close" on:click=move |_| open.set(false)>
                    <Icon shape=CLOSE/>
                </button>
            </header>
            <Show when=move || open.get()>{children()}</Show>
        </dialog>
    }
}
