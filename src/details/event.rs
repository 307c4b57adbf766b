//! Details of an event.

use super::connections::{LinksOf, SpanOf};
use super::fields::payload_view;
use super::frames::stack_view;
use super::hex::Hex;
use super::narrow::{Action, NarrowMenus, Property};
use super::span_times::SpanTimesOf;
use crate::app::state::{App, Selection};
use crate::metadata::named_values;
use crate::trace::live_query::{Trouble, follow, follow_as};
use crate::traces::PathOf;
use crate::widgets::copy::copy_text;
use crate::widgets::icon::{COPY, HEX, TARGET};
use crate::widgets::wrapping_name::breakable;
use leptos::prelude::*;
use protocol::base::time::Span;
use protocol::events::connections::Connections;
use protocol::events::span_times::SpanTimes;
use protocol::filter::Name;
use protocol::queries;
use protocol::reply::EventDetail;
use std::sync::Arc;
use view::details::title::event_title;
use view::events::filter_text::{condition_text, of_trace_context};
use view::format;
use view::keys::keymap::Command;
use view::timeline::clock::ClockFace;
use view::url::selection::SelectionLink;

/// Decimals of a time in nanoseconds.
const ALL_DECIMALS: usize = 9;

/// Details of the selected event.
#[component]
pub fn EventDetails() -> impl IntoView {
    let app = expect_context::<App>();
    let detail = follow(app, move || match app.selection.get() {
        Selection::Event(event) => Some(queries::EventDetail { event }),
        _ => None,
    });
    Effect::new(move |_| {
        let Some(event) = detail.value.get() else { return };
        if app.selection.get_untracked() == Selection::Event(event.event) {
            app.details.link.set(Some(SelectionLink::Event {
                time: event.time,
                os_thread: event.os_thread,
                event_id: event.event_id,
                provider: event.provider.clone(),
            }));
        }
    });
    let connections = follow(app, move || match app.selection.get() {
        Selection::Event(event) => Some(queries::Connections { event }),
        _ => None,
    });
    Effect::new(move |_| app.details.connections.set(connections.value.get()));
    let times = follow_as(
        app,
        move || match app.selection.get() {
            Selection::Event(event) => Some(queries::SpanTimes { event }),
            _ => None,
        },
        Option::unwrap_or_default,
    );
    let times = Signal::derive(move || {
        let times: Arc<SpanTimes> = times.value.get()?;
        (app.selection.get() == Selection::Event(times.event)).then_some(times)
    });
    let title = move |event: &EventDetail| {
        let connections: Option<Arc<Connections>> = app.details.connections.get();
        let connections = connections.filter(|connections| connections.event == event.event);
        let span = connections.as_ref().and_then(|connections| connections.span.as_ref());
        event_title(&name_of(event), &event.fields, span, times.get().as_deref())
    };
    let content = move || {
        let event = detail.value.get()?;
        let shown = event.clone();
        Some(event_view(app, &event, times, move || title(&shown)))
    };
    view! {
        <Trouble failure=detail.failure/>
        <Trouble failure=connections.failure/>
        {content}
    }
}

fn name_of(event: &EventDetail) -> String {
    if event.name.is_empty() { format!("Event {}", event.event_id) } else { event.name.clone() }
}

fn event_view<T>(
    app: App,
    event: &EventDetail,
    times: Signal<Option<Arc<SpanTimes>>>,
    title: T,
) -> impl IntoView + use<T>
where
    T: Fn() -> String + Send + Sync + 'static,
{
    let (time, thread, byte) = (event.time, event.thread, event.byte());
    let text = as_text(event, &app.face());
    view! {
        <section class="title">
            <h3 data-testid="detail-title">{move || breakable(&title())}</h3>
            {(!event.message.is_empty()).then(|| view! { <p class="sub" data-testid="detail-message">{event.message.clone()}</p> })}
            <p class="sub">
                <span data-testid="detail-time">{app.face().moment(time, ALL_DECIMALS)}</span>
                <span>"on"</span>
                <button class="link" data-testid="detail-thread" on:click=move |_| app.select(Selection::Thread(thread))>
                    {thread_words(event)}
                </button>
            </p>
            <p class="sub">
                <span data-testid="detail-name" title=event.description.clone()>{name_of(event)}</span>
                <span data-testid="detail-provider">{event.provider.clone()}</span>
                <span>{format!("ID {}, version {}", event.event_id, event.version)}</span>
            </p>
            <div class="do">
                <Action icon=TARGET words="Show on timeline" testid="show-on-timeline"
                    run=move |()| app.show_on_timeline(Span::new(time, time.saturating_add(1)))/>
                <NarrowMenus properties=properties(app, event)/>
                <Action icon=HEX words="Show bytes" testid="bytes-of-event" run=move |()| app.show_byte(byte)/>
                <Action icon=COPY words="Copy" testid="copy-event" run=move |()| copy_text(app.shell, text.clone(), "Event")/>
            </div>
        </section>
        <SpanTimesOf times/>
        <PathOf/>
        <SpanOf times/>
        {payload_view(app, event)}
        {stack_view(app, &event.frames)}
        <LinksOf/>
        <section>
            <h3>"Header"</h3>
            {named_values(app, &event.header)}
        </section>
        {(!event.bytes.is_empty()).then(|| view! {
            <section>
                <h3>"Bytes"<span class="sp">{format!("{} at {:#x}", format::counted(u64::from(event.payload_bytes), "byte"), event.payload_offset)}</span></h3>
                <Hex bytes=event.bytes.clone() offset=event.payload_offset/>
            </section>
        })}
    }
}

/// Returns what the event can be filtered to: its type, provider and thread, and the trace and span in its payload.
fn properties(app: App, event: &EventDetail) -> Vec<Property> {
    const TRACE_CONTEXT: [([&str; 2], [&str; 2]); 2] = [
        (["Filter to this trace", "Exclude this trace"], ["filter-to-trace", "without-filter-to-trace"]),
        (["Filter to this span", "Exclude this span"], ["filter-to-span", "without-filter-to-span"]),
    ];
    let (thread, event_type) = (event.thread, event.event_type);
    let (only, without) = (event.provider.clone(), event.provider.clone());
    let mut properties = vec![
        Property {
            commands: [(Command::OnlyEvent, "filter-to-type"), (Command::WithoutEvent, "without-filter-to-type")],
            words: None,
            only: Callback::new(move |()| app.toggle_type(event_type)),
            exclude: Callback::new(move |()| app.exclude_type(event_type)),
        },
        Property {
            commands: [
                (Command::OnlyProvider, "filter-to-provider"),
                (Command::WithoutProvider, "without-filter-to-provider"),
            ],
            words: None,
            only: Callback::new(move |()| app.toggle_provider(&only)),
            exclude: Callback::new(move |()| app.exclude(Name::Provider, &without)),
        },
        Property {
            commands: [(Command::OnlyThread, "filter-to-thread"), (Command::WithoutThread, "without-filter-to-thread")],
            words: None,
            only: Callback::new(move |()| app.toggle_thread(thread)),
            exclude: Callback::new(move |()| app.exclude_thread(thread)),
        },
    ];
    let found = of_trace_context(&event.provider, &event.fields).into_iter().zip(TRACE_CONTEXT);
    properties.extend(found.filter_map(|(condition, (words, [only_id, without_id]))| {
        let condition = condition?;
        let (only, without) = (condition_text(condition.clone(), false), condition_text(condition, true));
        Some(Property {
            commands: [(Command::OnlyValue, only_id), (Command::WithoutValue, without_id)],
            words: Some(words),
            only: Callback::new(move |()| app.add_condition(&only)),
            exclude: Callback::new(move |()| app.add_condition(&without)),
        })
    }));
    properties
}

fn thread_words(event: &EventDetail) -> String {
    format!("{} {}", event.thread_label, event.thread_number).trim_end().to_owned()
}

fn as_text(event: &EventDetail, face: &ClockFace) -> String {
    let mut lines = vec![
        format!("{} / {} (ID {}, version {})", event.provider, event.name, event.event_id, event.version),
        format!("{} on {}", face.moment(event.time, ALL_DECIMALS), thread_words(event)),
    ];
    lines.extend(event.header.iter().map(|value| format!("{}: {}", value.name, value.value)));
    lines.extend(event.fields.iter().map(|field| {
        format!("{}{}: {} ({})", "  ".repeat(field.depth as usize + 1), field.name, field.value, field.type_name)
    }));
    lines.extend(event.frames.iter().map(|frame| format!("   at {} in {}", frame.name, frame.module)));
    lines.join("\n")
}
