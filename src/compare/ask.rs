//! Dialog for a second trace: compare it with the open one, add it to the timeline, or replace the open one.

use crate::app::shell::Chosen;
use crate::app::state::App;
use crate::widgets::dialog::Dialog;
use crate::widgets::focus_child;
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use protocol::format::{bytes, counted};

/// Picture of both traces above their difference.
const COMPARED: &str = r#"<path class="line" d="M8 6h104v46H8zM128 6h104v46H128zM60 52v8H180V52M120 60v8M8 68h224v34H8z"/>
<path class="grey" d="M16 12h76v9H16zM136 12h76v9h-76zM16 76h110v8H16z"/>
<path class="blue" d="M16 23h60v8H16zM16 33h34v8H16zM136 23h76v8h-76zM136 33h50v8h-50zM98 86h26v8H98z"/>
<path class="orange" d="M16 86h78v8H16z"/>"#;
/// Picture of both traces below one axis, with a request from one to the other.
const ADDED: &str = r#"<path class="line" d="M8 6h224v10H8zM8 20h224v38H8zM8 64h224v38H8zM64 6v10M120 6v10M176 6v10"/>
<path class="grey" d="M16 26h60v9H16zM132 26h76v9h-76zM24 88h40v8H24zM150 88h60v8h-60z"/>
<path class="blue" d="M60 42h96v9H60zM76 72h64v9H76z"/>
<path class="arrow" d="M66 51l10 18M150 51l-10 18"/>"#;
/// Picture of one trace instead of another.
const REPLACED: &str = r#"<path class="line" d="M8 20h84v66H8zM148 20h84v66h-84zM104 53h30M128 47l6 6-6 6"/>
<path class="grey" d="M20 32h40v9H20zM34 47h46v9H34zM20 62h30v9H20z"/>
<path class="blue" d="M160 32h40v9h-40zM174 47h46v9h-46zM160 62h30v9h-30z"/>"#;

/// What to do with the trace.
#[derive(Clone, Copy)]
enum Answer {
    Compare,
    Add,
    Replace,
}

impl Answer {
    /// Number of answers.
    const COUNT: u32 = 3;
}

/// Returns the position of the card that has the focus.
fn focused_child(cards: &web_sys::Element) -> u32 {
    let focused = document().active_element();
    let children = cards.children();
    (0..children.length()).find(|at| children.item(*at) == focused).unwrap_or(0)
}

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
    let act = move |choice: Answer| {
        app.compare.is_asking.set(false);
        let Some(chosen) = app.compare.asked.try_update(Option::take).flatten() else { return };
        match choice {
            Answer::Compare => app.compare_with(chosen),
            Answer::Add => app.add_all_to_timeline(chosen),
            Answer::Replace => app.replace_with(chosen),
        }
    };
    let on_key = move |event: KeyboardEvent| {
        let by = |step: u32| {
            event.prevent_default();
            if let Some(cards) = cards.get_untracked() {
                let now = focused_child(&cards);
                focus_child(&cards, (now + step) % Answer::COUNT);
            }
        };
        match event.key().as_str() {
            "ArrowLeft" | "ArrowUp" => by(Answer::COUNT - 1),
            "ArrowRight" | "ArrowDown" => by(1),
            "c" | "C" if !event.ctrl_key() && !event.meta_key() => act(Answer::Compare),
            "a" | "A" if !event.ctrl_key() && !event.meta_key() => act(Answer::Add),
            "r" | "R" if !event.ctrl_key() && !event.meta_key() => act(Answer::Replace),
            _ => {}
        }
    };
    let open_name = untrack(|| app.trace_name());
    let more = app.compare.waiting.with_value(Vec::len);
    let others = match more {
        0 => String::new(),
        more => format!(" Also adds {} more.", counted(more as u64, "file")),
    };
    let add_words = format!("Same time: all traces on one timeline, aligned by UTC.{others}");
    let replace_words = format!("Close {open_name} and open {name}.");
    view! {
        <div class="content second-trace" on:keydown=on_key>
            <div class="traces">
                <p><strong class="ell">{open_name}</strong> <span class="muted">"open"</span></p>
                <p><strong class="ell" data-testid="second-name">{name}</strong> <span class="muted">{size}</span></p>
            </div>
            <div class="second-cards" node_ref=cards>
                <button data-testid="second-compare" on:click=move |_| act(Answer::Compare)>
                    <svg viewBox="0 0 240 108" aria-hidden="true" inner_html=COMPARED></svg>
                    <b>"Compare" <kbd>"C"</kbd></b>
                    <span>"Before and after: significant changes in requests, functions, allocations and GCs."</span>
                </button>
                <button data-testid="second-add" on:click=move |_| act(Answer::Add)>
                    <svg viewBox="0 0 240 108" aria-hidden="true" inner_html=ADDED></svg>
                    <b>"Add to timeline" <kbd>"A"</kbd></b>
                    <span>{add_words}</span>
                </button>
                <button data-testid="second-replace" on:click=move |_| act(Answer::Replace)>
                    <svg viewBox="0 0 240 108" aria-hidden="true" inner_html=REPLACED></svg>
                    <b>"Replace" <kbd>"R"</kbd></b>
                    <span>{replace_words}</span>
                </button>
            </div>
        </div>
        <footer>"Both files stay on this computer."</footer>
    }
}
