//! Head of a trace's group on the timeline: name, memory, offset, and progress while it is read.

use crate::app::state::{App, Screen};
use crate::compare::TraceLetter;
use crate::widgets::icon::{CLOSE, Icon, RIGHT};
use crate::widgets::progress::Bar;
use leptos::prelude::*;
use view::format;
use view::traces::{Offset, OffsetSource};

/// Head of the group of the trace in the context.
#[component]
pub fn GroupHead() -> impl IntoView {
    let app = expect_context::<App>();
    let traces = app.traces;
    let position = Memo::new(move |_| traces.position(app));
    let name = move || app.opening.opened.with(|opened| opened.name.clone());
    let letter = move || view! { <TraceLetter position=position.get()/> };
    let process = move || {
        let trace = app.trace.get()?;
        let pid = (trace.processes == 1 && trace.os_process > 0).then(|| format!("PID {}", trace.os_process));
        pid.or_else(|| (trace.processes > 1).then(|| format::counted(trace.processes.into(), "process")))
    };
    let memory = move || app.trace.get().map(|trace| format!("{} memory", format::bytes(trace.memory_bytes)));
    let testid = move |part: &'static str| move || format!("trace-{}-{part}", position.get());
    view! {
        <div class="trace-head" class:shown=move || traces.is_shown(app) role="group" aria-label=name data-testid=testid("head")>
            <div class="who">
                <button class="twist" aria-expanded=move || (!traces.is_collapsed(app)).to_string()
                    aria-label=move || format!("Tracks of {}", name()) data-testid=testid("twist")
                    on:click=move |_| traces.toggle(app)><Icon shape=RIGHT class="xs"/></button>
                {letter}
                <button class="link ell" title="Show this trace in the panels" aria-pressed=move || traces.is_shown(app).to_string()
                    disabled=move || app.screen.with(|screen| *screen != Screen::Workspace)
                    data-testid=testid("name") on:click=move |_| traces.show(app)>{name}</button>
                <button class="btn icon xs" title="Close this trace" aria-label=move || format!("Close {}", name())
                    data-testid=testid("close") on:click=move |_| app.close_one()>
                    <Icon shape=CLOSE class="s"/>
                </button>
            </div>
            <div class="what">
                <Progress/>
                <span class="muted">{process}</span>
                <span class="muted" data-testid=testid("memory")>{memory}</span>
                {move || (app.number > 0 && app.trace.with(Option::is_some)).then(|| view! { <OffsetField app/> })}
            </div>
        </div>
    }
}

/// What the trace waits for while it isn't open.
#[component]
fn Progress() -> impl IntoView {
    let app = expect_context::<App>();
    let progress = app.opening.progress;
    move || {
        match app.screen.get() {
        Screen::Loading => Some(
            view! {
                <span role="status">
                    {move || progress.with(|read| format!("Reading: {}, {} events", format::bytes(read.bytes), format::count(read.events)))}
                </span>
                {move || view! { <Bar share=progress.with(|read| read.share()) label="Reading progress"/> }}
            }
            .into_any(),
        ),
        Screen::Choice(entries) => {
            let entry = |path: &String| {
                let open = path.clone();
                view! { <button class="link" on:click=move |_| app.open_entry(open.clone())>{path.clone()}</button> }
            };
            let entries = entries.iter().map(|one| entry(&one.path)).collect_view();
            Some(view! { <span>"Choose a trace:"</span> {entries} }.into_any())
        }
        Screen::Failed(failure) => {
            Some(view! { <span class="danger" role="alert">{failure.to_string()}</span> }.into_any())
        }
        Screen::Landing | Screen::Workspace => None,
    }
    }
}

/// Offset of an added trace: by the clocks, or set by hand.
#[component]
fn OffsetField(app: App) -> impl IntoView {
    let traces = app.traces;
    let offset = Memo::new(move |_| traces.offset(app));
    let value = move || format!("{:.3}", offset.get().nanos as f64 / 1e6);
    let set = move |text: String| match text.trim().parse::<f64>() {
        Ok(millis) if millis.is_finite() => {
            let nanos = (millis * 1e6).round() as i64;
            traces.set_offset(app, Some(Offset { nanos, source: OffsetSource::Hand }));
        }
        _ => traces.reset_offset(app),
    };
    let is_by_hand = move || offset.get().source == OffsetSource::Hand;
    view! {
        <label class="offset" title="Time of this trace relative to the first one">
            "Offset "
            <input type="number" step="0.1" data-testid="trace-offset" prop:value=value
                on:change:target=move |event| set(event.target().value())/>
            " ms"
        </label>
        <span class="muted" data-testid="trace-offset-source">{move || offset.get().source_words()}</span>
        <Show when=is_by_hand>
            <button class="link" data-testid="trace-offset-reset" on:click=move |_| traces.reset_offset(app)>"Reset offset"</button>
        </Show>
    }
}
