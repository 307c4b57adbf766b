//! Head of a trace's group on the timeline: name, memory, offset, and progress while it is read.

use crate::app::state::{App, Screen};
use crate::compare::TraceLetter;
use crate::widgets::capture;
use crate::widgets::icon::{CLOSE, Icon, RIGHT};
use crate::widgets::progress::Bar;
use leptos::prelude::*;
use view::format;
use view::traces::Offset;
use wasm_bindgen::JsCast;
use web_sys::{Element, PointerEvent};

/// Head of the group of the trace in the context.
#[component]
pub fn GroupHead() -> impl IntoView {
    let app = expect_context::<App>();
    let traces = app.traces;
    let position = Memo::new(move |_| traces.position(app));
    let name = move || app.trace_name();
    let letter = move || view! { <TraceLetter position=position.get()/> };
    let drag = OffsetDrag { app, from: StoredValue::new(None), by: RwSignal::new(None) };
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
            <div class="what" class:drags=move || drag.can() on:pointerdown=move |event| drag.down(&event)
                on:pointermove=move |event| drag.moved(&event) on:pointerup=move |_| drag.end(false)
                on:pointercancel=move |_| drag.end(true)>
                <Progress/>
                <span class="muted">{process}</span>
                <span class="muted" data-testid=testid("memory")>{memory}</span>
                {move || drag.can().then(|| view! { <OffsetField app/> })}
                <Apart app/>
                {move || drag.by.get().map(|nanos| {
                    view! { <output data-testid="trace-offset-moved">{format!("moved by {:+.3} ms", nanos as f64 / 1e6)}</output> }
                })}
            </div>
        </div>
    }
}

/// Drag of the head of an added trace, which moves its tracks in time. Copies are handles to the same state.
#[derive(Clone, Copy)]
struct OffsetDrag {
    app: App,
    /// Position of the pointer and offset at the start, and nanoseconds per pixel.
    from: StoredValue<Option<(f64, Offset, f64)>>,
    /// Nanoseconds so far.
    by: RwSignal<Option<i64>>,
}

impl OffsetDrag {
    fn can(self) -> bool {
        self.app.number > 0 && self.app.trace.with(Option::is_some)
    }

    fn down(self, event: &PointerEvent) {
        let is_on_field = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let is_on_field = is_on_field.is_some_and(|target| target.closest("label, button").ok().flatten().is_some());
        let (app, traces) = (self.app, self.app.traces);
        let stage = traces.stages().into_iter().find(|stage| stage.app.number == app.number);
        if let Some(stage) = stage.filter(|_| untrack(|| self.can()) && event.button() == 0 && !is_on_field) {
            capture(event);
            let per_px = stage.state.borrow().viewport.scale().nanos_per_px();
            self.from.set_value(Some((f64::from(event.client_x()), untrack(|| traces.offset(app)), per_px)));
        }
    }

    fn moved(self, event: &PointerEvent) {
        let Some((x, before, per_px)) = self.from.get_value() else { return };
        let by = ((f64::from(event.client_x()) - x) * per_px) as i64;
        if by != 0 || self.by.get_untracked().is_some() {
            self.by.set(Some(by));
            let nanos = before.nanos.saturating_add(by);
            self.app.traces.set_offset(self.app, Some(Offset::by_hand(nanos)));
        }
    }

    /// Ends the drag; a canceled one has no effect.
    fn end(self, is_canceled: bool) {
        let from = self.from.try_update_value(Option::take).flatten();
        if let Some((_, before, _)) = from.filter(|_| is_canceled && self.by.get_untracked().is_some()) {
            self.app.traces.set_offset(self.app, Some(before));
        }
        self.by.set(None);
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

/// Hint that a trace overlaps none of the others, in every head, because the other heads may be out of view.
#[component]
fn Apart(app: App) -> impl IntoView {
    let traces = app.traces;
    let is_apart = Memo::new(move |_| traces.is_apart(app));
    view! {
        <Show when=move || is_apart.get()>
            <span class="apart" role="status" data-testid="trace-apart">"Doesn't overlap the other traces"</span>
            <button class="btn xs" title="Let all traces start at the same time" data-testid="trace-align"
                on:click=move |_| traces.align_starts()>"Align starts"</button>
        </Show>
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
            traces.set_offset(app, Some(Offset::by_hand(nanos)));
        }
        _ => traces.reset_offset(app),
    };
    let is_by_hand = move || offset.get().nanos_by_hand().is_some();
    view! {
        <label class="offset" title="Time of this trace relative to the first one. Drag the head to change it">
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
