//! Cards of the Summary tab, whose lines filter or navigate.

use crate::app::state::{App, Selection, Tab};
use crate::commands::shortcuts::name as name_of;
use crate::widgets::exclude_button::ExcludeButton;
use leptos::prelude::*;
use protocol::base::ids::ThreadId;
use protocol::base::sort::{sort_by, sort_by_key};
use protocol::base::time::Span;
use protocol::filter::{Name, word};
use protocol::tables::{Exceptions, Gcs, RoleTimes, Threads};
use protocol::timeline::thread_state::Activity;
use protocol::topics::topic::Topic;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use view::events::filter_text::opposite;
use view::format;
use view::keys::keymap::{Command, Scope};
use view::url::selection::GcLink;

/// Maximum number of lines of a card; one more line counts the rest.
const LINES: usize = 8;

/// Line with an action.
#[component]
pub fn Line(
    #[prop(into)] name: String,
    /// Additional text.
    #[prop(into, optional)]
    id: String,
    #[prop(into)] value: String,
    /// Noun after the value, visible if there is room.
    #[prop(into, optional)]
    noun: String,
    /// Secondary value.
    #[prop(into, optional)]
    share: String,
    /// True if it is part of the filter.
    #[prop(into, optional)]
    pressed: Signal<bool>,
    /// Description of the action.
    #[prop(into)]
    does: String,
    /// Test ID.
    testid: &'static str,
    #[prop(into)] run: Callback<()>,
    /// Excludes events like those of the line, if it filters.
    #[prop(into, optional)]
    exclude: Option<Callback<()>>,
) -> impl IntoView {
    let is_narrowing = exclude.is_some();
    let without = exclude.map(|exclude| {
        let words = format!("Exclude {name}");
        view! {
            <ExcludeButton words testid=format!("{testid}-without") class="without" run=exclude/>
        }
    });
    view! {
        <li class:two=is_narrowing>
            <button
                title=format!("{name}\n{does}")
                aria-pressed=move || pressed.get().to_string()
                data-testid=testid
                on:click=move |_| run.run(())
            >
                <span class="name"><span>{name.clone()}</span><span class="id">{id}</span></span>
                <span class="value">{value}{(!noun.is_empty()).then(|| view! { <span class="noun">" " {noun}</span> })}</span>
                <span class="share">{share}</span>
            </button>
            {without}
        </li>
    }
}

/// Threads by running time; by events without samples.
#[component]
pub fn ThreadsCard(
    threads: RwSignal<Option<Arc<Threads>>>,
    /// Time of threads by role and state.
    times: RwSignal<Option<Arc<RoleTimes>>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let lines = move || {
        let threads = threads.get()?;
        let times = times.get().unwrap_or_default();
        let busy = times.all().activity(Activity::Running);
        let running: Vec<i64> =
            threads.thread.iter().map(|thread| times.of_thread(*thread).activity(Activity::Running)).collect();
        let mut rows: Vec<usize> = (0..threads.thread.len()).collect();
        sort_by_key(&mut rows, |row| (Reverse(running[*row]), Reverse(threads.events[*row])));
        let is_timed = busy > 0;
        let line = |row: usize| {
            let thread = ThreadId(threads.thread.get(row).copied().unwrap_or_default());
            let ran = running.get(row).copied().unwrap_or_default();
            let events = threads.events.get(row).copied().unwrap_or_default();
            let value = if is_timed { format::duration(ran) } else { format::counted(events, "event") };
            let share = if is_timed { format::percent(ran as f64, busy as f64) } else { String::new() };
            view! {
                <Line
                    name=threads.label.get(row)
                    id=threads.number.get(row).to_owned()
                    value
                    share
                    pressed=Signal::derive(move || app.filter.with(|filter| filter.threads.contains(&thread)))
                    does="Filter to this thread"
                    testid="summary-thread"
                    run=move |()| app.toggle_thread(thread)
                    exclude=Callback::new(move |()| app.exclude_thread(thread))
                />
            }
        };
        let more = threads.thread.len().saturating_sub(LINES);
        Some(view! {
            <ul class="items">{rows.into_iter().take(LINES).map(line).collect_view()}</ul>
            {(more > 0).then(|| view! { <p class="none">{format!("{} more in the timeline", format::count(more as u64))}</p> })}
        })
    };
    let measure = move || {
        let is_timed = |times: &Arc<RoleTimes>| times.all().activity(Activity::Running) > 0;
        if times.get().as_ref().is_none_or(is_timed) { "running time" } else { "by events" }
    };
    view! {
        <section aria-labelledby="h-threads">
            <h2 id="h-threads">"Busiest threads"<span class="n">{measure}</span></h2>
            {lines}
        </section>
    }
}

/// Providers with their shares of the file.
#[component]
pub fn ProvidersCard() -> impl IntoView {
    let app = expect_context::<App>();
    let all = RwSignal::new(false);
    let lines = move || {
        let trace = app.trace.get()?;
        let shown = if all.get() { trace.providers.len() } else { trace.providers.len().min(LINES) };
        let line = |provider: &protocol::reply::ProviderCount| {
            let (pressed, toggled, excluded) = (provider.name.clone(), provider.name.clone(), provider.name.clone());
            view! {
                <Line
                    name=provider.name.clone()
                    value=format::count(provider.events)
                    share=format::bytes(provider.payload_bytes)
                    pressed=Signal::derive(move || app.filter.with(|filter| filter.providers.contains(&pressed)))
                    does="Filter to this provider"
                    testid="summary-provider"
                    run=move |()| app.toggle_provider(&toggled)
                    exclude=Callback::new(move |()| app.exclude(Name::Provider, &excluded))
                />
            }
        };
        let more = trace.providers.len() - shown;
        Some(view! {
            <ul class="items">{trace.providers.iter().take(shown).map(line).collect_view()}</ul>
            {(more > 0).then(|| view! {
                <button class="link none" on:click=move |_| all.set(true)>{format!("{} more", format::count(more as u64))}</button>
            })}
        })
    };
    let count = move || {
        app.trace.get().map(|trace| format!("{} in the whole trace", format::count(trace.providers.len() as u64)))
    };
    view! {
        <section aria-labelledby="h-providers">
            <h2 id="h-providers">"Providers"<span class="n">{count}</span></h2>
            {lines}
        </section>
    }
}

/// Returns the reason for an empty card: `otherwise`, unless the trace has no events about its topic.
fn none_of(app: App, topic: Topic, otherwise: &'static str) -> String {
    missing_words(app, topic).map_or_else(|| otherwise.to_owned(), |words| format!("Not recorded. {words}"))
}

/// Returns what a topic without events needs; `None` for a recorded one.
pub fn missing_words(app: App, topic: Topic) -> Option<String> {
    app.topics.with(|topics| {
        let missing = topics.iter().find(|one| one.topic == topic).and_then(|one| one.missing.as_ref());
        missing.map(|missing| missing.words.clone())
    })
}

#[component]
pub fn GcCard(gcs: RwSignal<Option<Arc<Gcs>>>) -> impl IntoView {
    let app = expect_context::<App>();
    let lines = move || {
        let gcs = gcs.get()?;
        if gcs.number.is_empty() {
            return Some(view! { <p class="none">{none_of(app, Topic::Gc, "No GCs in this range.")}</p> }.into_any());
        }
        let pause = |row: &usize| gcs.pause_total.get(*row).copied().unwrap_or_default();
        let mut rows: Vec<usize> = (0..gcs.number.len()).collect();
        sort_by_key(&mut rows, |row| std::cmp::Reverse(pause(row)));
        rows.truncate(LINES);
        let spans = gcs.spans();
        let line = |row: usize| {
            let number = gcs.number.get(row).copied().unwrap_or_default();
            let selection = GcLink::of(&gcs, row).map_or(Selection::None, Selection::Gc);
            let generation = gcs.generation.get(row).copied().unwrap_or_default();
            let start = spans.get(row).map_or(0, |span| span.start.0);
            let end = gcs.end.get(row).copied().unwrap_or_default();
            let background = if gcs.kind.get(row) == Some(&1) { ", background" } else { "" };
            view! {
                <Line
                    name=format!("#{number} gen {generation}{background} · {}", gcs.reason.get(row))
                    value=format::duration(pause(&row))
                    share=app.face().moment(start, 2)
                    pressed=Signal::derive(move || app.selection.get() == selection)
                    does=name_of(Scope::Events, Command::ShowOnTimeline)
                    testid="summary-collection"
                    run=move |()| {
                        app.select(selection);
                        app.show_on_timeline(Span::new(start, end));
                    }
                />
            }
        };
        Some(view! { <ul class="items">{rows.into_iter().map(line).collect_view()}</ul> }.into_any())
    };
    view! {
        <section aria-labelledby="h-collections">
            <h2 id="h-collections">"Longest GC pauses"<span class="n">"total pause, start"</span></h2>
            {lines}
        </section>
    }
}

#[component]
pub fn ExceptionsCard(exceptions: RwSignal<Option<Arc<Exceptions>>>) -> impl IntoView {
    let app = expect_context::<App>();
    let lines = move || {
        let exceptions = exceptions.get()?;
        let read = exceptions.time.len() as u64;
        let total = exceptions.total.first().copied().unwrap_or(0);
        if read == 0 {
            return Some(
                view! { <p class="none">{none_of(app, Topic::Exceptions, "No exceptions in this range.")}</p> }
                    .into_any(),
            );
        }
        let mut types: HashMap<&str, u64> = HashMap::new();
        for name in exceptions.type_name.iter() {
            *types.entry(name).or_default() += 1;
        }
        let mut types: Vec<(&str, u64)> = types.into_iter().collect();
        sort_by(&mut types, |one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
        let more = types.len().saturating_sub(LINES);
        let line = |(name, count): (&str, u64)| {
            let (text, excluded) = (name.to_owned(), opposite(&word(name)));
            view! {
                <Line
                    name=name
                    value=format::count(count)
                    share=format::percent(count as f64, read as f64)
                    does="Find events with this type"
                    testid="summary-exception"
                    run=move |()| {
                        app.add_condition(&word(&text));
                        app.tab.set(Tab::Events);
                    }
                    exclude=Callback::new(move |()| app.add_condition(&excluded))
                />
            }
        };
        Some(view! {
            <ul class="items">{types.into_iter().take(LINES).map(line).collect_view()}</ul>
            {(more > 0).then(|| view! { <p class="none">{format::counted(more as u64, "more type")}</p> })}
            {(total > read).then(|| view! {
                <p class="none">{format!("Based on the first {} of {}.", format::count(read), format::count(total))}</p>
            })}
        }.into_any())
    };
    view! {
        <section aria-labelledby="h-exceptions">
            <h2 id="h-exceptions">"Exceptions"<span class="n">"thrown, by type"</span></h2>
            {lines}
        </section>
    }
}

/// Rundown, losses and other facts about the recording.
#[component]
pub fn RecordingCard() -> impl IntoView {
    let app = expect_context::<App>();
    let lines = move || {
        let trace = app.trace.get()?;
        let rundown = Span { start: trace.user_span.end, end: trace.full_span.end }.duration();
        let lost = match trace.lost {
            None => "unknown (format has no sequence numbers)".to_owned(),
            Some(lost) => format::count(lost),
        };
        let row = |name: &'static str, value: String| {
            view! { <li class="plain-row"><span class="name"><span>{name}</span></span><span class="value">{value}</span></li> }
        };
        Some(view! {
            <ul class="items">
                {row("Trace without rundown", app.face().range(trace.user_span.start.0, trace.user_span.end.0))}
                {row("Rundown", match trace.rundown_events {
                    0 => "None".to_owned(),
                    events => format!("{}, {}", format::counted(events, "event"), format::duration(rundown)),
                })}
                {row("Lost events", lost)}
                {row("Parse issues", format::count(trace.diagnostic_count))}
                {row("Load time", format::duration((trace.load_ms * 1e6) as i64))}
            </ul>
            <button class="link none" data-command=Command::ShowMetadata.id() on:click=move |_| app.tab.set(Tab::Metadata)>{name_of(Scope::Everywhere, Command::ShowMetadata)}</button>
        })
    };
    view! {
        <section aria-labelledby="h-recording-facts">
            <h2 id="h-recording-facts">"Recording"</h2>
            {lines}
        </section>
    }
}
