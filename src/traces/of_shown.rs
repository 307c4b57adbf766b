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
    view! { <Of trace=Traces::shown children/> }
}

/// Part of the page about the trace that the details are about, with its state as the context.
#[component]
pub fn OfDetailed(children: ChildrenFn) -> impl IntoView {
    view! { <Of trace=Traces::detailed children/> }
}

#[component]
fn Of(trace: fn(Traces) -> Option<App>, children: ChildrenFn) -> impl IntoView {
    let around = expect_context::<App>();
    let number = Memo::new(move |_| trace(around.traces).map_or(around.number, |app| app.number));
    let children = StoredValue::new(children);
    move || {
        number.get();
        let app = untrack(|| trace(around.traces)).unwrap_or(around);
        view! { <Provider value=app>{children.with_value(|children| children())}</Provider> }
    }
}

/// Switch between the traces, which decides what the panels are about.
#[component]
pub fn TraceSwitch() -> impl IntoView {
    let traces = expect_context::<App>().traces;
    let is_all = move || traces.are_all();
    move || {
        traces.are_several().then(|| {
            view! {
                <Letters traces/>
                <button class="btn" class:on=is_all aria-pressed=move || is_all().to_string() data-testid="show-all-traces"
                    title="Filter all traces, and show the events, stacks and analyses of all"
                    on:click=move |_| traces.show_all(!untrack(is_all))>"All"</button>
            }
        })
    }
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
        let name = move || app.trace_name();
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
