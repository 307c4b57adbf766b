//! Dialog for a second trace: compare it with the open one, or replace that.

use super::sides::Letter;
use crate::app::shell::Chosen;
use crate::app::state::App;
use crate::widgets::dialog::Dialog;
use crate::widgets::focus_child;
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use protocol::format::bytes;

/// Picture of both traces above their difference.
const COMPARED: &str = r#"<path class="line" d="M8 6h104v46H8zM128 6h104v46H128zM60 52v8H180V52M120 60v8M8 68h224v34H8z"/>
<path class="grey" d="M16 12h76v9H16zM136 12h76v9h-76zM16 76h110v8H16z"/>
<path class="blue" d="M16 23h60v8H16zM16 33h34v8H16zM136 23h76v8h-76zM136 33h50v8h-50zM98 86h26v8H98z"/>
<path class="orange" d="M16 86h78v8H16z"/>"#;
/// Picture of one trace instead of another.
const REPLACED: &str = r#"<path class="line" d="M8 20h84v66H8zM148 20h84v66h-84zM104 53h30M128 47l6 6-6 6"/>
<path class="grey" d="M20 32h40v9H20zM34 47h46v9H34zM20 62h30v9H20z"/>
<path class="blue" d="M160 32h40v9h-40zM174 47h46v9h-46zM160 62h30v9h-30z"/>"#;

/// Dialog for a trace that was chosen while another one is open.
#[component]
pub fn SecondTrace() -> impl IntoView {
    let app = expect_context::<App>();
    let open = app.compare.is_asking;
    Effect::new(move |before: Option<bool>| {
        let is_open = open.get();
        // The next one of several traces. Another task, because the dialog closes first.
        if before == Some(true) && !is_open {
            set_timeout(move || app.ask_about_next(), std::time::Duration::ZERO);
        }
        is_open
    });
    view! {
        <Dialog open title="Open a second trace" testid="second-trace" wide=true>
            <Ask/>
        </Dialog>
    }
}

#[component]
fn Ask() -> impl IntoView {
    let app = expect_context::<App>();
    let cards = NodeRef::<html::Div>::new();
    cards.on_load(|cards| focus_child(&cards, 0));
    let (name, size) = untrack(|| {
        app.compare.asked.with(|asked| match asked {
            Some(Chosen::File(file)) => (file.name(), Some(bytes(file.size() as u64))),
            Some(chosen) => (chosen.name(), None),
            None => Default::default(),
        })
    });
    let act = move |replaces: bool| {
        app.compare.is_asking.set(false);
        let Some(chosen) = app.compare.asked.try_update(Option::take).flatten() else { return };
        if replaces { app.replace_with(chosen) } else { app.compare_with(chosen) }
    };
    let on_key = move |event: KeyboardEvent| {
        let of_card = |at: u32| {
            event.prevent_default();
            if let Some(cards) = cards.get_untracked() {
                focus_child(&cards, at);
            }
        };
        match event.key().as_str() {
            "ArrowLeft" | "ArrowUp" => of_card(0),
            "ArrowRight" | "ArrowDown" => of_card(1),
            "c" | "C" if !event.ctrl_key() && !event.meta_key() => act(false),
            "r" | "R" if !event.ctrl_key() && !event.meta_key() => act(true),
            _ => {}
        }
    };
    let open_name = app.opening.opened.get_untracked().name;
    let replace_words = format!("Close {open_name} and open {name}.");
    view! {
        <div class="content second-trace" on:keydown=on_key>
            <div class="traces">
                <p><Letter is_old=true/> <strong class="ell">{open_name}</strong> <span class="muted">"open"</span></p>
                <p><Letter is_old=false/> <strong class="ell" data-testid="second-name">{name}</strong> <span class="muted">{size}</span></p>
            </div>
            <div class="second-cards" node_ref=cards>
                <button data-testid="second-compare" on:click=move |_| act(false)>
                    <svg viewBox="0 0 240 108" aria-hidden="true" inner_html=COMPARED></svg>
                    <b>"Compare" <kbd>"C"</kbd></b>
                    <span>"Before and after: significant changes in requests, functions, allocations and GCs."</span>
                </button>
                <button data-testid="second-replace" on:click=move |_| act(true)>
                    <svg viewBox="0 0 240 108" aria-hidden="true" inner_html=REPLACED></svg>
                    <b>"Replace" <kbd>"R"</kbd></b>
                    <span>{replace_words}</span>
                </button>
            </div>
        </div>
        <footer>"Both files stay on this computer."</footer>
    }
}
