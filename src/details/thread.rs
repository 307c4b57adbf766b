//! Details of a thread.

use super::narrow::{Action, Narrow};
use crate::app::state::{App, Selection};
use crate::labels::row_of_thread;
use crate::summary::role_times::{state_bar, state_lines};
use crate::trace::live_query::{Trouble, follow};
use crate::widgets::icon::TARGET;
use leptos::prelude::*;
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::request::Filter;
use protocol::tables::StateTimes;
use protocol::{queries, tables};
use view::draw::tooltip::DECIMALS;
use view::format;

/// Details of the selected thread.
#[component]
pub fn ThreadDetails() -> impl IntoView {
    let app = expect_context::<App>();
    // One table contains the totals of all threads in the visible range, so selecting another one needs no request.
    let threads = follow(app, move || {
        let whole = app.trace.with(|trace| trace.as_ref().map(|trace| trace.full_span)).unwrap_or_default();
        let span = app.filter.with(|filter| filter.span_within(whole));
        Some(queries::Threads { filter: Filter { span, ..Filter::default() } })
    });
    let times = follow(app, move || {
        let whole = app.trace.with(|trace| trace.as_ref().map(|trace| trace.full_span)).unwrap_or_default();
        let span = app.filter.with(|filter| filter.span_within(whole));
        Some(queries::RoleTimes { filter: Filter { span, ..Filter::default() } })
    });
    let thread = move || match app.selection.get() {
        Selection::Thread(thread) => Some(thread),
        _ => None,
    };
    let content = move || {
        let threads = threads.value.get()?;
        let thread = thread()?;
        let times = times.value.with(|times| times.as_ref().map(|times| times.of_thread(thread.0)));
        thread_view(app, &threads, thread, times.unwrap_or_default())
    };
    view! {
        <Trouble failure=threads.failure/>
        {content}
    }
}

fn thread_view(
    app: App,
    threads: &tables::Threads,
    thread: ThreadId,
    times: StateTimes,
) -> Option<impl IntoView + use<>> {
    let row = row_of_thread(threads, thread)?;
    let label = threads.label.get(row).to_owned();
    let reason = threads.reason.get(row).to_owned();
    let count = |column: &Vec<u64>| format::count(column.get(row).copied().unwrap_or_default());
    let nanos = |column: &Vec<i64>| column.get(row).copied().unwrap_or_default();
    let (first, last) = (nanos(&threads.first), nanos(&threads.last));
    let place = match threads.number.get(row) {
        "" => format!("in {}", threads.process_label.get(row)),
        number => format!("thread {number} in {}", threads.process_label.get(row)),
    };
    let facts = threads.facts.get(row).to_owned();
    let lost = threads.lost.get(row).copied().unwrap_or_default();
    Some(view! {
        <section class="title">
            <h3 data-testid="detail-name">{label}</h3>
            <p class="sub"><span>{place}</span></p>
            <p class="sub"><span>{reason}</span></p>
            {(!facts.is_empty()).then(|| view! { <p class="sub" data-testid="thread-facts"><span>{facts}</span></p> })}
            <div class="do">
                <Action icon=TARGET words="Show on timeline" testid="show-on-timeline"
                    run=move |()| app.show_on_timeline(Span::new(first, last.saturating_add(1)))/>
                <Narrow words="Filter to this thread" without="Exclude this thread" testid="filter-to-thread"
                    only=move |()| app.toggle_thread(thread) exclude=move |()| app.exclude_thread(thread)/>
            </div>
        </section>
        <section>
            <h3>"Time in range"</h3>
            {(times.sum(|_| true) == 0).then(|| view! { <p class="sub">"No samples in this range."</p> })}
            <div class="role" data-testid="thread-times">
                {(times.sum(|_| true) > 0).then(|| state_bar(times))}
                {state_lines(times)}
            </div>
        </section>
        <section>
            <dl class="kv">
                <dt>"Events"</dt>
                <dd data-testid="thread-events">{count(&threads.events)}</dd>
                <dt>"Samples"</dt>
                <dd>{count(&threads.samples)}</dd>
                <dt>"Deepest stack"</dt>
                <dd>{threads.max_depth.get(row).map(|depth| format::counted(u64::from(*depth), "frame"))}</dd>
                <dt>"Lost events"</dt>
                <dd>{format::count(lost)}</dd>
                <dt>"First event"</dt>
                <dd>{app.face().moment(first, DECIMALS)}</dd>
                <dt>"Last event"</dt>
                <dd>{app.face().moment(last, DECIMALS)}</dd>
            </dl>
        </section>
    })
}
