//! Connections of the selected event: the span that it starts or stops, and links to other threads and requests.

use super::narrow::Narrow;
use super::ran::{MAX_RAN, Ran};
use super::span_times::{RequestLine, request_lines};
use crate::app::state::{App, Selection};
use crate::widgets::exclude_button::ExcludeButton;
use crate::widgets::wrapping_name::breakable;
use leptos::prelude::*;
use protocol::base::time::Span;
use protocol::events::connections::{Connections, Link, Moment, SharedLabel, SpanDetail};
use protocol::events::span_times::SpanTimes;
use protocol::queries::RanOnThread;
use std::sync::Arc;
use view::details::title::span_duration;
use view::draw::tooltip::{DECIMALS, moment_words};
use view::events::filter_text::opposite;
use view::format;

/// Returns the connections of the selected event, when they are loaded.
fn known(app: App) -> Option<Arc<Connections>> {
    let connections: Arc<Connections> = app.details.connections.get()?;
    (app.selection.get() == Selection::Event(connections.event)).then_some(connections)
}

/// Span of the event, and what ran on its thread; for a lock, also on that of the owner. Empty without a span.
#[component]
pub fn SpanOf(
    /// Times of the span on all its threads; empty if its events have no activity.
    times: Signal<Option<Arc<SpanTimes>>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let of = Signal::derive(move || ran_between(&*known(app)?, times.get().as_deref()));
    let owner = Signal::derive(move || ran_on_owner(&*known(app)?));
    let has_times =
        Signal::derive(move || times.with(|times| times.as_ref().is_some_and(|times| !times.parts.is_empty())));
    view! {
        <Ran of is_known=has_times/>
        <Ran of=owner head="What the owner ran" testid="owner-ran"/>
        {move || {
            let times = times.get();
            known(app)?.span.as_ref().map(|span| span_view(app, span, times.as_deref()))
        }}
    }
}

/// Links to other threads and requests, and labels that other events have; empty until they are loaded.
#[component]
pub fn LinksOf() -> impl IntoView {
    let app = expect_context::<App>();
    move || {
        let connections = known(app)?;
        Some(view! {
            {links_view(app, &connections.links)}
            {shared_view(app, &connections.shared)}
        })
    }
}

fn span_view(app: App, span: &SpanDetail, times: Option<&SpanTimes>) -> impl IntoView + use<> {
    let request = times.and_then(|times| times.request.as_ref());
    let end = |name: &'static str, testid: &'static str, moment: Option<&Moment>| {
        let moment = moment.cloned();
        view! {
            <dt>{name}</dt>
            <dd data-testid=testid>
                {match moment {
                    None => view! { <span class="muted">"not in trace"</span> }.into_any(),
                    Some(moment) => moment_view(app, &moment, format!("{} on {}", app.face().moment(moment.time, DECIMALS), moment.thread_label)).into_any(),
                }}
            </dd>
        }
    };
    let owner = span.owner.as_ref().map(|owner| {
        let thread = owner.thread;
        let label = owner.thread_label.clone();
        view! {
            <dt>"Held by"</dt>
            <dd data-testid="span-owner">
                <button class="link" on:click=move |_| app.select(Selection::Thread(thread))>{label}</button>
            </dd>
        }
    });
    view! {
        <section data-testid="span">
            <h3>{if request.is_some() { "Request" } else { "Span" }}<span class="sp">{span.source.clone()}</span></h3>
            <dl class="kv">
                {request.map(request_lines).into_iter().flatten().map(|line| request_line(app, line)).collect_view()}
                <dt>"Duration"</dt>
                <dd data-testid="span-duration">{span_duration(span, times)}</dd>
                {end("Start", "span-start", span.start.as_ref())}
                {end("Stop", "span-stop", span.stop.as_ref())}
                {owner}
            </dl>
        </section>
    }
}

fn request_line(app: App, RequestLine { name, value, condition }: RequestLine) -> impl IntoView + use<> {
    let buttons = (!condition.is_empty()).then(|| {
        let without = opposite(&condition);
        view! {
            <Narrow words="Filter to this route" without="Exclude this route" testid="filter-to-route"
                only=move |()| app.add_condition(&condition) exclude=move |()| app.add_condition(&without)/>
        }
    });
    view! {
        <dt>{name}</dt>
        <dd data-testid="request-fact">{breakable(&value)} {buttons}</dd>
    }
}

/// Returns the query for what ran between the two events of a span, or until its times show that it ended; `None` if
/// they are on different threads.
fn ran_between(connections: &Connections, times: Option<&SpanTimes>) -> Option<RanOnThread> {
    let span = connections.span.as_ref()?;
    let start = span.start.as_ref()?;
    let time = match &span.stop {
        Some(stop) => (stop.thread == start.thread).then(|| Span::new(span.begin, span.end)),
        None => times.map(|times| times.span),
    };
    time.map(|span| RanOnThread { thread: start.thread, span, limit: MAX_RAN })
}

/// Returns the query for what the owner of a lock did while a thread waited for it.
fn ran_on_owner(connections: &Connections) -> Option<RanOnThread> {
    let span = connections.span.as_ref()?;
    let thread = span.owner.as_ref()?.thread;
    Some(RanOnThread { thread, span: Span::new(span.begin, span.end), limit: MAX_RAN })
}

fn links_view(app: App, links: &[Link]) -> Option<impl IntoView + use<>> {
    if links.is_empty() {
        return None;
    }
    let line = |link: &Link| {
        let words = moment_words(link.other(), &app.face());
        let along = Arc::new(link.clone());
        view! {
            <dt>{link.words()}</dt>
            <dd data-testid="link">
                <button class="link" title="Show both ends on timeline"
                    on:click=move |_| app.timeline.along.set(Some(along.clone()))>{breakable(&words)}</button>
            </dd>
        }
    };
    Some(view! {
        <section>
            <h3>"Related events"</h3>
            <dl class="kv">{links.iter().map(line).collect_view()}</dl>
        </section>
    })
}

/// Returns the numbers of events with the same labels; each label filters to them.
fn shared_view(app: App, shared: &[SharedLabel]) -> Option<impl IntoView + use<>> {
    if shared.is_empty() {
        return None;
    }
    let line = |shared: &SharedLabel| {
        let (label, excluded) = (shared.label.clone(), shared.label.clone());
        let without = format!("Exclude {} {}", label.name(), label.value());
        let words = format!("{}, {}", label.value(), format::counted(shared.events, "event"));
        view! {
            <dt>{label.name().to_owned()}</dt>
            <dd data-testid="shared-label">
                <button class="link" title="Filter to this label"
                    on:click=move |_| app.toggle_label(&label)>{words}</button>
                <ExcludeButton words=without run=move |()| app.exclude_label(&excluded)/>
            </dd>
        }
    };
    Some(view! {
        <section>
            <h3>"Shared labels"<span class="sp">"across threads and processes"</span></h3>
            <dl class="kv">{shared.iter().map(line).collect_view()}</dl>
        </section>
    })
}

/// Returns a button that goes to the event, or to the thread.
fn moment_view(app: App, moment: &Moment, words: String) -> impl IntoView + use<> {
    let selection = moment.event.map_or(Selection::Thread(moment.thread), Selection::Event);
    view! { <button class="link" on:click=move |_| app.select(selection)>{words}</button> }
}
