//! Connections of the selected event: the span that it starts or stops, and links to other threads and requests.

use crate::app::state::{App, Selection};
use crate::summary::role_times::{state_bar, state_lines};
use crate::trace::live_query::follow;
use crate::widgets::exclude_button::ExcludeButton;
use crate::widgets::wrapping_name::breakable;
use leptos::prelude::*;
use protocol::base::ids::{EventId, FunctionId};
use protocol::base::time::Span;
use protocol::events::connections::{Connections, Link, Moment, SharedLabel, SpanDetail};
use protocol::queries::{RanOnThread, ThreadRan};
use protocol::timeline::thread_state::ThreadState;
use std::sync::Arc;
use view::draw::tooltip::{DECIMALS, moment_words};
use view::format;

/// Maximum number of functions, of waits and of event types that are shown for a span.
const MAX_RAN: u32 = 5;

/// Sections about connections; empty until they are loaded.
#[component]
pub fn ConnectionsOf() -> impl IntoView {
    let app = expect_context::<App>();
    let ran = follow(app, move || ran_between(&*app.details.connections.get()?));
    move || {
        let connections: Arc<Connections> = app.details.connections.get()?;
        let is_shown = app.selection.get() == Selection::Event(connections.event);
        is_shown.then(|| {
            view! {
                {connections.span.as_ref().map(|span| span_view(app, span))}
                {ran_between(&connections).map(|query| move || ran_view(app, &query, &*ran.value.get()?))}
                {links_view(app, &connections.links)}
                {shared_view(app, &connections.shared)}
            }
        })
    }
}

fn span_view(app: App, span: &SpanDetail) -> impl IntoView + use<> {
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
    let is_whole = span.start.is_some() && span.stop.is_some();
    let duration = format::duration(span.end.saturating_sub(span.begin));
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
            <h3>{span.name.clone()}<span class="sp">{span.source.clone()}</span></h3>
            <dl class="kv">
                <dt>"Duration"</dt>
                <dd data-testid="span-duration">{if is_whole { duration } else { format!("at least {duration}") }}</dd>
                {end("Start", "span-start", span.start.as_ref())}
                {end("Stop", "span-stop", span.stop.as_ref())}
                {owner}
            </dl>
        </section>
    }
}

/// Returns the query for what ran between the two events of a span; `None` if they are on different threads.
fn ran_between(connections: &Connections) -> Option<RanOnThread> {
    let span = connections.span.as_ref()?;
    let (start, stop) = (span.start.as_ref()?, span.stop.as_ref()?);
    let span = Span::new(span.begin, span.end);
    let query = RanOnThread { thread: start.thread, span, limit: MAX_RAN };
    (start.thread == stop.thread).then_some(query)
}

/// Returns what ran on the thread of a span: time by state, then functions, waits and event types, with links.
fn ran_view(app: App, query: &RanOnThread, ran: &ThreadRan) -> Option<impl IntoView + use<>> {
    // The previous answer stays until the next one has arrived.
    let is_of_span =
        ran.thread.first() == Some(&query.thread.0) && ran.bounds == [query.span.start.0, query.span.end.0];
    let times = ran.times();
    let has_time = times.sum(|_| true) > 0;
    if !is_of_span || !has_time && ran.event_name.is_empty() {
        return None;
    }
    let row = move |name: String, value: String, to: Selection| {
        let title = name.clone();
        view! {
            <tr>
                <td><button class="link" title=title on:click=move |_| app.select(to)>{name}</button></td>
                <td class="num">{value}</td>
            </tr>
        }
    };
    let functions = ran.function_name.iter().zip(&ran.function).zip(&ran.function_nanos).map(|((name, id), nanos)| {
        row(name.to_owned(), format::duration(*nanos as i64), Selection::Function(FunctionId(*id)))
    });
    let waits = (0..ran.wait_event.len()).map(|at| {
        let name = ThreadState::from_u8(ran.wait_state[at]).map_or("Wait", ThreadState::name);
        let duration = format::duration(ran.wait_end[at].saturating_sub(ran.wait_start[at]));
        row(name.to_owned(), duration, Selection::Event(EventId(ran.wait_event[at])))
    });
    let events = ran.event_name.iter().zip(&ran.event_first).zip(&ran.event_count).map(|((name, id), count)| {
        row(name.to_owned(), format::counted(*count, "event"), Selection::Event(EventId(*id)))
    });
    let parts = [
        ("Functions, by self time", functions.collect_view().into_any(), ran.function.len()),
        ("Longest waits", waits.collect_view().into_any(), ran.wait_event.len()),
        ("Events", events.collect_view().into_any(), ran.event_name.len()),
    ];
    let parts = parts.into_iter().filter(|(.., rows)| *rows > 0).map(|(head, rows, _)| {
        view! {
            <table class="fields neighbors">
                <thead><tr><th scope="col" colspan="2">{head}</th></tr></thead>
                <tbody>{rows}</tbody>
            </table>
        }
    });
    Some(view! {
        <section data-testid="ran-on-thread">
            <h3>"Thread during span"</h3>
            {has_time.then(|| view! { <div class="role">{state_bar(times)} {state_lines(times)}</div> })}
            {parts.collect_view()}
        </section>
    })
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
