//! Panels about one of the traces on the timeline, and the switch between them.

use super::state::Traces;
use crate::app::state::App;
use crate::compare::TraceLetter;
use crate::widgets::focus_child;
use crate::widgets::radio_group::stepped;
use leptos::context::Provider;
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use view::traces::letter;

/// Part of the page about the trace that is shown, with its state as the context.
#[component]
pub fn OfShown(children: ChildrenFn) -> impl IntoView {
    let first = expect_context::<App>();
    let shown = Memo::new(move |_| first.traces.shown().map_or(first.number, |app| app.number));
    let children = StoredValue::new(children);
    move || {
        shown.get();
        let app = untrack(|| first.traces.shown()).unwrap_or(first);
        view! { <Provider value=app>{children.with_value(|children| children())}</Provider> }
    }
}

/// Switch between the traces, which decides what the panels are about.
#[component]
pub fn TraceSwitch() -> impl IntoView {
    let traces = expect_context::<App>().traces;
    move || traces.are_several().then(|| view! { <Letters traces/> })
}

#[component]
fn Letters(traces: Traces) -> impl IntoView {
    let group = NodeRef::<html::Div>::new();
    let on_key = move |event: KeyboardEvent| {
        let all = untrack(|| traces.all());
        let now = all.iter().position(|app| untrack(|| traces.is_shown(*app))).unwrap_or(0);
        let Some(next) = stepped(&event, now, all.len()) else { return };
        if let Some(app) = all.get(next) {
            traces.show(*app);
        }
        if let Some(group) = group.get_untracked() {
            focus_child(&group, next as u32);
        }
    };
    let option = move |(position, app): (usize, App)| {
        let is_shown = move || traces.is_shown(app);
        let name = move || app.opening.opened.with(|opened| opened.name.clone());
        view! {
            <button
                role="radio"
                aria-label=move || format!("{} {}", letter(position), name())
                aria-checked=move || is_shown().to_string()
                tabindex=move || if is_shown() { "0" } else { "-1" }
                title=name
                data-testid=format!("show-trace-{position}")
                on:click=move |_| traces.show(app)
            >
                <TraceLetter position/>
            </button>
        }
    };
    view! {
        <div class="seg trace-switch" role="radiogroup" aria-label="Trace in the panels" data-testid="trace-switch"
            node_ref=group on:keydown=on_key>
            {move || traces.all().into_iter().enumerate().map(option).collect_view()}
        </div>
    }
}
