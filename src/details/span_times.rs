//! Where the time of a span went on all its threads, and its phases.

use crate::app::state::{App, Selection};
use crate::widgets::wrapping_name::breakable;
use leptos::prelude::*;
use protocol::base::time::Span;
use protocol::events::span_times::{Phase, RequestFacts, SpanTimes, TimePart};
use std::sync::Arc;
use view::format;

/// Indent of a phase within another one.
const INDENT_PX: u8 = 10;
/// Deepest visible indent.
const MAX_INDENT: u8 = 5;

/// Times and phases of the selected event's span; empty until they are known.
#[component]
pub fn SpanTimesOf(
    /// Times of the selected event's span.
    times: Signal<Option<Arc<SpanTimes>>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    move || {
        let times = times.get()?;
        Some(view! {
            {(!times.parts.is_empty()).then(|| parts_view(&times))}
            {(!times.phases.is_empty()).then(|| phases_view(app, &times))}
        })
    }
}

fn parts_view(times: &SpanTimes) -> impl IntoView + use<> {
    let whole = times.span.duration().max(1) as f64;
    let part = |part: &TimePart| {
        let width = format!("{:.2}%", part.nanos as f64 / whole * 100.0);
        view! { <i class=format!("part {}", part.kind.slug()) style:width=width></i> }
    };
    let line = |part: &TimePart| {
        view! {
            <li class="plain-row">
                <span class="name"><i class=format!("sw part {}", part.kind.slug()) aria-hidden="true"></i><span>{part.name.clone()}</span></span>
                <span class="value">{format::duration(part.nanos)}</span>
                <span class="share">{format::percent(part.nanos as f64, whole)}</span>
            </li>
        }
    };
    let threads = (times.threads > 1).then(|| format!(", {}", format::counted(times.threads.into(), "thread")));
    view! {
        <section data-testid="span-times">
            <h3>"Where the time went"<span class="sp">{format::duration(times.span.duration())}{threads}</span></h3>
            <div class="role">
                <div class="bar" aria-hidden="true">{times.parts.iter().map(part).collect_view()}</div>
                <ul class="items">{times.parts.iter().map(line).collect_view()}</ul>
            </div>
            {(!times.caught_in.is_empty()).then(|| view! {
                <dl class="kv">
                    <dt>"Caught in"</dt>
                    <dd data-testid="caught-in">{breakable(&times.caught_in)}</dd>
                </dl>
            })}
        </section>
    }
}

fn phases_view(app: App, times: &SpanTimes) -> impl IntoView + use<> {
    let span = times.span;
    let more = (times.phases_omitted > 0)
        .then(|| view! { <p class="muted">{format!("{} shorter", format::count(times.phases_omitted.into()))}</p> });
    view! {
        <section data-testid="phases">
            <h3>"Phases"</h3>
            <ol class="phases">
                <li class="axis" aria-hidden="true"><span></span><span class="lane">"0"<b>{format::duration(span.duration())}</b></span></li>
                {times.phases.iter().map(|phase| phase_view(app, phase, span)).collect_view()}
            </ol>
            {more}
        </section>
    }
}

fn phase_view(app: App, phase: &Phase, span: Span) -> impl IntoView + use<> {
    let whole = span.duration().max(1) as f64;
    // Events of a phase may be written a little before or after those of its span.
    let share = |time: i64| (time.saturating_sub(span.start.0) as f64 / whole * 100.0).clamp(0.0, 100.0);
    let (left, right) = (share(phase.start), share(phase.end));
    let indent = format!("{}px", phase.depth.min(MAX_INDENT) * INDENT_PX);
    let duration = format::duration(phase.end.saturating_sub(phase.start));
    let title =
        format!("{}\n{duration}, after {}", phase.name, format::duration(phase.start.saturating_sub(span.start.0)));
    let event = phase.event;
    view! {
        <li>
            <button title=title data-testid="phase" on:click=move |_| app.select(Selection::Event(event))>
                <span class="name" style:padding-left=indent>{phase.name.clone()}</span>
                <span class="lane" aria-hidden="true">
                    <i class=format!("part {}", phase.kind.slug()) style:left=format!("{left:.2}%") style:width=format!("{:.2}%", right - left)></i>
                </span>
                <span class="num">{duration}</span>
            </button>
        </li>
    }
}

/// Line about a request.
pub struct RequestLine {
    pub name: &'static str,
    pub value: String,
    /// Condition that filters to the value; may be empty.
    pub condition: String,
}

/// Returns what several events report about a request.
pub fn request_lines(facts: &RequestFacts) -> Vec<RequestLine> {
    let line =
        |name, value: Option<String>| RequestLine { name, value: value.unwrap_or_default(), condition: String::new() };
    let route = line("Route", Some(facts.route.clone()));
    let lines = [
        line("Status", facts.status.map(|status| status.to_string())),
        RequestLine { condition: facts.route_condition.clone(), ..route },
        line("Before processing", facts.before_server.map(format::duration)),
        line("Error", Some(facts.failure.clone())),
        line("Exception", Some(facts.exception.clone())),
    ];
    lines.into_iter().filter(|line| !line.value.is_empty()).collect()
}
