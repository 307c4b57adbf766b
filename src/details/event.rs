//! Details of an event.

use super::connections::ConnectionsOf;
use super::hex::Hex;
use super::{Action, Narrow};
use crate::app::state::{App, Selection};
use crate::metadata::named_values;
use crate::trace::live_query::{Trouble, follow};
use crate::widgets::copy::copy_text;
use crate::widgets::exclude_button::ExcludeButton;
use crate::widgets::icon::{COPY, FILTER, HEX, Icon, TARGET};
use crate::widgets::wrapping_name::breakable;
use leptos::prelude::*;
use protocol::base::ids::FunctionId;
use protocol::base::time::Span;
use protocol::filter::{Condition, Name};
use protocol::queries;
use protocol::reply::{EventDetail, FieldValue, FrameLine};
use view::events::filter_text::{condition_text, of_field, of_trace_context};
use view::format;
use view::stacks::code_place::file_and_line;
use view::timeline::clock::ClockFace;
use view::url::selection::SelectionLink;

/// Bit of `flags`: framework code.
const FRAMEWORK: u8 = 2;
const INDENT_PX: u32 = 12;
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
    let content = move || detail.value.get().map(|event| event_view(app, &event));
    view! {
        <Trouble failure=detail.failure/>
        <Trouble failure=connections.failure/>
        {content}
    }
}

fn event_view(app: App, event: &EventDetail) -> impl IntoView + use<> {
    let (time, thread, event_type, byte) = (event.time, event.thread, event.event_type, event.byte());
    let text = as_text(event, &app.face());
    let (only, without) = (event.provider.clone(), event.provider.clone());
    let name = if event.name.is_empty() { format!("Event {}", event.event_id) } else { event.name.clone() };
    view! {
        <section class="title">
            <h3 data-testid="detail-name" title=event.description.clone()>{breakable(&name)}</h3>
            {(!event.message.is_empty()).then(|| view! { <p class="sub" data-testid="detail-message">{event.message.clone()}</p> })}
            <p class="sub">
                <span data-testid="detail-provider">{event.provider.clone()}</span>
                <span>{format!("id {}, version {}", event.event_id, event.version)}</span>
            </p>
            <div class="do">
                <Action icon=TARGET words="Show on timeline" testid="show-on-timeline"
                    run=move |()| app.show_on_timeline(Span::new(time, time.saturating_add(1)))/>
                <Narrow words="Filter to this event type" without="Exclude this event type" testid="filter-to-type"
                    only=move |()| app.toggle_type(event_type) exclude=move |()| app.exclude_type(event_type)/>
                <Narrow words="Filter to this provider" without="Exclude this provider" testid="filter-to-provider"
                    only=move |()| app.toggle_provider(&only)
                    exclude=move |()| app.exclude(Name::Provider, &without)/>
                <Narrow words="Filter to this thread" without="Exclude this thread" testid="filter-to-thread"
                    only=move |()| app.toggle_thread(thread) exclude=move |()| app.exclude_thread(thread)/>
                {trace_buttons(app, event)}
                <Action icon=HEX words="Show bytes" testid="bytes-of-event" run=move |()| app.show_byte(byte)/>
                <Action icon=COPY words="Copy" testid="copy-event" run=move |()| copy_text(app.shell, text.clone(), "Event")/>
            </div>
        </section>
        <section>
            <dl class="kv">
                <dt>"Time"</dt>
                <dd data-testid="detail-time">{app.face().moment(time, ALL_DECIMALS)}</dd>
                <dt>"Thread"</dt>
                <dd>
                    <button class="link" data-testid="detail-thread" on:click=move |_| app.select(Selection::Thread(thread))>
                        {thread_words(event)}
                    </button>
                </dd>
            </dl>
        </section>
        <ConnectionsOf/>
        {payload_view(app, event)}
        {stack_view(app, &event.frames)}
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

/// Buttons that filter to the trace and the span that the payload names.
fn trace_buttons(app: App, event: &EventDetail) -> impl IntoView + use<> {
    const WORDS: [[&str; 3]; 2] = [
        ["Filter to this trace", "Exclude this trace", "filter-to-trace"],
        ["Filter to this span", "Exclude this span", "filter-to-span"],
    ];
    let found = of_trace_context(&event.provider, &event.fields);
    let button = |(condition, [words, without, testid]): (Option<Condition>, [&'static str; 3])| {
        let condition = condition?;
        let (only, other) = (condition_text(condition.clone(), false), condition_text(condition, true));
        Some(view! {
            <Narrow words without testid
                only=move |()| app.add_condition(&only) exclude=move |()| app.add_condition(&other)/>
        })
    };
    found.into_iter().zip(WORDS).filter_map(button).collect_view()
}

fn payload_view(app: App, event: &EventDetail) -> impl IntoView + use<> {
    let source = match event.schema_source.as_str() {
        "" => String::new(),
        "none" => "no schema".to_owned(),
        source => format!("schema: {source}"),
    };
    let row = |(index, field): (usize, &FieldValue)| {
        let indent = format!("{}px", field.depth * INDENT_PX);
        let raw = (!field.raw.is_empty()).then(|| view! { " " <span class="raw">{field.raw.clone()}</span> });
        let error = (!field.error.is_empty()).then(|| view! { " " <span class="error">{field.error.clone()}</span> });
        view! {
            <tr data-testid="payload-field">
                <th scope="row" style:padding-left=indent>
                    {breakable(&field.name)} " " <span class="type">{field.type_name.clone()}</span>
                </th>
                <td data-testid="payload-value">{breakable(&field.value)} {raw} {error}</td>
                <td class="act">{of_field(&event.fields, index).map(|condition| narrow_buttons(app, &field.name, condition))}</td>
            </tr>
        }
    };
    let content = if event.fields.is_empty() {
        let words = if event.payload_bytes == 0 {
            "This event has no payload."
        } else {
            "Payload couldn't be decoded; raw bytes below."
        };
        view! { <p class="muted">{words}</p> }.into_any()
    } else {
        view! { <table class="fields"><tbody>{event.fields.iter().enumerate().map(row).collect_view()}</tbody></table> }
            .into_any()
    };
    view! {
        <section>
            <h3>"Payload"<span class="sp">{source}</span></h3>
            {content}
        </section>
    }
}

/// Returns buttons that filter to the value of a field, or exclude it.
fn narrow_buttons(app: App, name: &str, condition: Condition) -> impl IntoView + use<> {
    let (text, without) = (condition_text(condition.clone(), false), condition_text(condition, true));
    let value = text.trim_start_matches("payload.");
    let (only_words, without_words) = (format!("Filter to {value}"), format!("Exclude {value}"));
    view! {
        <button class="btn icon" aria-label=only_words.clone() title=only_words data-testid=format!("only-{name}")
            on:click=move |_| app.add_condition(&text)>
            <Icon shape=FILTER class="s"/>
        </button>
        <ExcludeButton words=without_words testid=format!("without-{name}") run=move |()| app.add_condition(&without)/>
    }
}

fn stack_view(app: App, frames: &[FrameLine]) -> Option<impl IntoView + use<>> {
    if frames.is_empty() {
        return None;
    }
    let line = |frame: &FrameLine| {
        let function = FunctionId(frame.function);
        let tier = (!frame.tier.is_empty()).then(|| view! { <span class="tag">{frame.tier.clone()}</span> });
        let il = frame.il_offset.map_or_else(String::new, |offset| format!(" · IL offset {offset:#x}"));
        let title = format!("{}\n{:#x}{il}", frame.raw_name, frame.address);
        let source = (!frame.source.is_empty()).then(|| {
            view! { <span class="source" title=frame.source.clone() data-testid="frame-source">{file_and_line(&frame.source).to_owned()}</span> }
        });
        view! {
            <li class:framework=frame.flags & FRAMEWORK != 0 data-testid="stack-frame">
                <button title=title on:click=move |_| app.select(Selection::Function(function))>{frame.name.clone()}</button>
                {tier}
                {source}
                <span class="module" title=frame.module.clone()>{frame.module.clone()}</span>
            </li>
        }
    };
    Some(view! {
        <section>
            <h3>"Stack"<span class="sp">{format!("{}, leaf first", format::counted(frames.len() as u64, "frame"))}</span></h3>
            <ol class="frames">{frames.iter().map(line).collect_view()}</ol>
        </section>
    })
}

fn thread_words(event: &EventDetail) -> String {
    format!("{} {}", event.thread_label, event.thread_number).trim_end().to_owned()
}

/// Returns the event as text.
fn as_text(event: &EventDetail, face: &ClockFace) -> String {
    let mut lines = vec![
        format!("{} / {} (id {}, version {})", event.provider, event.name, event.event_id, event.version),
        format!("{} on {}", face.moment(event.time, ALL_DECIMALS), thread_words(event)),
    ];
    lines.extend(event.header.iter().map(|value| format!("{}: {}", value.name, value.value)));
    lines.extend(event.fields.iter().map(|field| {
        format!("{}{}: {} ({})", "  ".repeat(field.depth as usize + 1), field.name, field.value, field.type_name)
    }));
    lines.extend(event.frames.iter().map(|frame| format!("   at {} in {}", frame.name, frame.module)));
    lines.join("\n")
}
