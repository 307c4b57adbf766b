//! The conditions that every panel obeys, one chip each.

use crate::protocol::request::{EventOrder, Filter, FrameName, Label};
use crate::protocol::{Request, tables};
use crate::ui::follow::{follow, table};
use crate::ui::state::{App, Selection};
use crate::ui::widgets::icon::{CLOSE, FILTER, Icon, REDO, UNDO};
use crate::view::format;
use crate::view::level::level_limit;
use leptos::prelude::*;

#[derive(Clone, PartialEq)]
struct Chip {
    kind: String,
    value: String,
    remove: Removal,
}

#[derive(Clone, PartialEq)]
enum Removal {
    Range,
    Process(u32),
    Thread(crate::model::ids::ThreadId),
    Provider(String),
    Type(crate::model::ids::TypeId),
    Text,
    Label(Label),
    Frame(FrameName),
    Level,
}

impl Removal {
    fn key(&self) -> String {
        match self {
            Removal::Range => "time".to_owned(),
            Removal::Process(process) => format!("process-{process}"),
            Removal::Thread(thread) => format!("thread-{}", thread.0),
            Removal::Provider(provider) => format!("provider-{provider}"),
            Removal::Type(event_type) => format!("type-{}", event_type.0),
            Removal::Text => "text".to_owned(),
            Removal::Label(label) => format!("label-{}", label.name()),
            Removal::Frame(frame) => format!("stack-{}", frame.name),
            Removal::Level => "level".to_owned(),
        }
    }

    fn carry_out(&self, app: App) {
        match self {
            Removal::Range => app.set_range(None),
            Removal::Process(process) => app.toggle_process(*process),
            Removal::Thread(thread) => app.toggle_thread(*thread),
            Removal::Provider(provider) => app.toggle_provider(provider),
            Removal::Type(event_type) => app.toggle_type(*event_type),
            Removal::Text => app.set_text(""),
            Removal::Label(label) => app.toggle_label(label),
            Removal::Frame(frame) => app.toggle_frame(frame),
            Removal::Level => app.set_level(None),
        }
    }
}

/// What a filter says, in words.
pub fn filter_words(app: App, filter: &Filter) -> String {
    let words: Vec<String> =
        chips(app, filter.clone()).into_iter().map(|chip| format!("{} {}", chip.kind, chip.value)).collect();
    if words.is_empty() { "the whole trace".to_owned() } else { words.join(", ") }
}

fn chips(app: App, filter: Filter) -> Vec<Chip> {
    let chip = |kind: &str, value: String, remove| Chip { kind: kind.to_owned(), value, remove };
    let mut chips = Vec::new();
    if let Some(span) = filter.span {
        chips.push(chip("Time", format::range(span.start.0, span.end.0), Removal::Range));
    }
    for process in filter.processes {
        chips.push(chip("Process", app.process_label(process), Removal::Process(process)));
    }
    for thread in filter.threads {
        chips.push(chip("Thread", app.thread_label(thread), Removal::Thread(thread)));
    }
    for provider in filter.providers {
        chips.push(chip("Provider", provider.clone(), Removal::Provider(provider)));
    }
    for event_type in filter.types {
        chips.push(chip("Event", app.type_label(event_type), Removal::Type(event_type)));
    }
    for label in filter.labels {
        chips.push(chip(label.name(), label.value().to_owned(), Removal::Label(label.clone())));
    }
    for frame in filter.frames {
        chips.push(chip("Stack contains", frame.name.clone(), Removal::Frame(frame)));
    }
    if let Some(level) = filter.level {
        chips.push(chip("Level", level_limit(level), Removal::Level));
    }
    if !filter.text.is_empty() {
        chips.push(chip("Contains", format!("“{}”", filter.text), Removal::Text));
    }
    chips
}

/// The row of chips.
#[component]
pub fn Filters() -> impl IntoView {
    let app = expect_context::<App>();
    let chips = Memo::new(move |_| chips(app, app.filter.get()));
    let none = move || chips.with(Vec::is_empty);
    let count = move || {
        let trace = app.trace.get()?;
        let of_whole = match &trace.indexed {
            Some(_) if none() => format!(" indexed of {} events", format::count(trace.events)),
            None if none() => " events".to_owned(),
            Some(indexed) => format!(" of {} indexed events", format::count(indexed.rows)),
            None => format!(" of {} events", format::count(trace.events)),
        };
        app.matches.get().map(|matches| {
            view! { <b data-testid="matches">{format::count(matches)}</b> {of_whole} }
        })
    };
    // The filter is part of the address: its history is the browser's.
    let step = |back: bool| {
        let history = window().history();
        // At the end of the history nothing happens, which is right.
        let _ = history.and_then(|history| if back { history.back() } else { history.forward() });
    };
    view! {
        <div class="filters" role="region" aria-label="Filters">
            <h2><Icon shape=FILTER class="s"/><span class="lbl-opt">"Filters"</span></h2>
            <ul>
                <Show when=none>
                    <li class="muted">"none, the whole trace is shown"</li>
                </Show>
                <For
                    each=move || chips.get()
                    key=|chip| (chip.remove.key(), chip.value.clone())
                    children=move |chip| chip_view(app, chip)
                />
                <ProvisionalChip/>
            </ul>
            <p class="sum" aria-live="polite">{count}</p>
            <div class="acts">
                <button class="btn icon" aria-label="Undo: back to the previous view" title="Back (undo)" on:click=move |_| step(true)>
                    <Icon shape=UNDO class="s"/>
                </button>
                <button class="btn icon" aria-label="Redo: forward to the next view" title="Forward (redo)" on:click=move |_| step(false)>
                    <Icon shape=REDO class="s"/>
                </button>
                <button class="btn" disabled=none data-testid="clear-filters" on:click=move |_| app.clear_filter()>
                    "Clear"
                </button>
            </div>
        </div>
    }
}

/// The selected function: what has it on the stack is marked, and would stay if the chip were kept.
#[component]
fn ProvisionalChip() -> impl IntoView {
    let app = expect_context::<App>();
    let provisional = Memo::new(move |_| app.provisional());
    let order = EventOrder::default;
    let events = follow(
        app,
        move || {
            let (_, filter) = provisional.get()?;
            Some(Request::Events { filter, order: order(), first: 0, count: 0 })
        },
        table(tables::EventRows::unpack),
    );
    let name = move || provisional.get().map(|(frame, _)| frame.name);
    let count = move || {
        let total = events.value.get()?.total.first().copied()?;
        Some(format!("in {}", format::counted(total, "event")))
    };
    let keep = move |_| {
        if let Some((frame, _)) = provisional.get_untracked() {
            app.toggle_frame(&frame);
        }
    };
    view! {
        <Show when=move || provisional.with(Option::is_some)>
            <li class="chip provisional" data-testid="chip-selected" title="Marked on the timeline while it is selected. Keep narrows everything to it.">
                <span class="k">"Selected"</span>
                <span class="v" title=name>{name}</span>
                <span class="n" data-testid="chip-selected-count">{count}</span>
                <button class="keep" data-testid="keep-selected" on:click=keep>"Keep"</button>
                <button class="x" aria-label="Deselect" on:click=move |_| app.select(Selection::None)><Icon shape=CLOSE class="xs"/></button>
            </li>
        </Show>
    }
}

fn chip_view(app: App, chip: Chip) -> impl IntoView {
    let Chip { kind, value, remove } = chip;
    let in_range = remove == Removal::Range;
    let testid = format!("chip-{}", remove.key());
    view! {
        <li class="chip" class:on=in_range data-testid=testid>
            <span class="k">{kind.clone()}</span>
            <span class="v" title=value.clone()>{value.clone()}</span>
            <button
                class="x"
                aria-label=format!("Remove filter {kind} {value}")
                on:click=move |_| remove.carry_out(app)
            >
                <Icon shape=CLOSE class="xs"/>
            </button>
        </li>
    }
}
