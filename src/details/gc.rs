//! Details of a GC.

use super::narrow::{Action, Narrow};
use crate::app::state::{App, Selection};
use crate::trace::live_query::{Trouble, follow};
use crate::widgets::icon::TARGET;
use crate::widgets::wrapping_name::breakable;
use leptos::prelude::*;
use protocol::base::ids::{EventId, ThreadId};
use protocol::reply::GcTrigger;
use protocol::request::Filter;
use protocol::{queries, tables};
use std::sync::Arc;
use view::draw::tooltip::DECIMALS;
use view::events::filter_text::{condition_text, of_range};
use view::format;
use view::url::selection::GcLink;

/// Details of the selected GC.
#[component]
pub fn GcDetails() -> impl IntoView {
    let app = expect_context::<App>();
    let gcs = follow(app, move || Some(queries::Gcs { filter: Filter::default() }));
    let chosen = move || match app.selection.get() {
        Selection::Gc(gc) => Some(gc),
        _ => None,
    };
    let trigger = follow(app, move || {
        let gc = chosen()?;
        let event = gcs.value.with(|gcs| gcs.as_ref().and_then(|gcs| gcs.event.get(gc.row(gcs)?).copied()))?;
        Some(queries::GcTrigger { event: EventId(event) })
    });
    let content = move || {
        let gcs = gcs.value.get()?;
        collection_view(app, &gcs, chosen()?, trigger.value)
    };
    view! {
        <Trouble failure=gcs.failure/>
        <Trouble failure=trigger.failure/>
        {content}
    }
}

fn collection_view(
    app: App,
    table: &tables::Gcs,
    gc: GcLink,
    trigger: RwSignal<Option<Arc<Option<GcTrigger>>>>,
) -> Option<impl IntoView + use<>> {
    let row = gc.row(table)?;
    let number = gc.number;
    let process = (gc.process != 0).then(|| app.process_label(gc.process));
    let nanos = |column: &Vec<i64>| column.get(row).copied().unwrap_or_default();
    let (start, end) = (nanos(&table.start), nanos(&table.end));
    let pauses: Vec<String> = table.stops_of(row).map(|stop| format::duration(table.pause(stop))).collect();
    let resume = table.resume_total(row).map_or_else(|| "not recorded".to_owned(), format::duration);
    let generation = table.generation.get(row).copied().unwrap_or_default();
    let kind = match table.kind.get(row) {
        Some(1) => "background",
        Some(2) => "foreground, during a background GC",
        _ => "blocking",
    };
    let span = *table.spans().get(row)?;
    let thread = ThreadId(table.thread.get(row).copied().unwrap_or_default());
    let event = EventId(table.event.get(row).copied().unwrap_or_default());
    let color = match generation {
        0 => "sw k-gc0",
        1 => "sw k-gc1",
        _ => "sw k-gc2",
    };
    Some(view! {
        <section class="title">
            <h3 data-testid="detail-name">
                {format!("GC #{number} · gen {generation} · {}", format::duration(nanos(&table.pause_total)))}
            </h3>
            <p class="sub"><i class=color></i><span>{kind}</span></p>
            <div class="do">
                <Action icon=TARGET words="Show on timeline" testid="show-on-timeline" run=move |()| app.show_on_timeline(span)/>
                <Narrow words="Set as time range" without="Exclude this time range" testid="filter-to-collection"
                    only=move |()| app.set_range(Some(span))
                    exclude=move |()| app.add_condition(&condition_text(of_range(span), true))/>
            </div>
        </section>
        {pause_view(table, row, color)}
        <section>
            <dl class="kv">
                {process.map(|process| view! { <dt>"Process"</dt><dd>{process}</dd> })}
                <dt>"Reason"</dt>
                <dd>{table.reason.get(row).to_owned()}</dd>
                {move || {
                    // Until the answer arrives, it is that of the last GC.
                    let known = trigger.get().and_then(|trigger| (*trigger).clone());
                    known.filter(|known| known.gc == event).map(|known| trigger_view(app, known))
                }}
                <dt>"Total pause"</dt>
                <dd data-testid="collection-pause">{format::duration(nanos(&table.pause_total))}</dd>
                <dt>"Pauses"</dt>
                <dd>{pauses.join(", ")}</dd>
                <dt>"Suspend time"</dt>
                <dd>{format::duration(table.suspend_total(row))}</dd>
                <dt>"GC work"</dt>
                <dd>{format::duration(table.work_total(row))}</dd>
                <dt>"Resume time"</dt>
                <dd>{resume}</dd>
                <dt>"Time"</dt>
                <dd data-testid="collection-time">
                    {format!("{}, {}", app.face().range(span.start.0, span.end.0), format::duration(span.duration()))}
                </dd>
                <dt>"GC start"</dt>
                <dd>{app.face().moment(start, DECIMALS)}</dd>
                <dt>"GC duration"</dt>
                <dd>{format::duration(end.saturating_sub(start))}</dd>
                <dt>"GC thread"</dt>
                <dd><button class="link" on:click=move |_| app.select(Selection::Thread(thread))>{app.thread_label(thread)}</button></dd>
                <dt>"Start event"</dt>
                <dd><button class="link" on:click=move |_| app.select(Selection::Event(event))>"Show event"</button></dd>
            </dl>
        </section>
    })
}

fn trigger_view(app: App, GcTrigger { site, thread, event, .. }: GcTrigger) -> impl IntoView {
    let show = move |_| app.select(Selection::Event(event));
    let site = (!site.is_empty()).then(|| {
        view! {
            <dt>"Triggered in"</dt>
            <dd data-testid="collection-trigger"><button class="link" title="Show event" on:click=show>{breakable(&site)}</button></dd>
        }
    });
    view! {
        {site}
        <dt>"Trigger thread"</dt>
        <dd><button class="link" on:click=move |_| app.select(Selection::Thread(thread))>{app.thread_label(thread)}</button></dd>
    }
}

/// Returns where the time of the pauses went.
fn pause_view(table: &tables::Gcs, row: usize, color: &'static str) -> impl IntoView + use<> {
    let parts: [(&str, &str, i64); 2] = [
        ("Suspending threads", "sw k-data", table.suspend_total(row).max(0)),
        ("GC work", color, table.work_total(row)),
    ];
    let whole = parts.iter().map(|(.., nanos)| *nanos).sum::<i64>().max(1) as f64;
    let seen = move || parts.into_iter().filter(|(.., nanos)| *nanos > 0);
    let bar = seen().map(|(_, class, nanos)| {
        view! { <i class=class.replace("sw ", "part ") style:width=format!("{:.2}%", nanos as f64 / whole * 100.0)></i> }
    });
    let lines = seen().map(|(name, class, nanos)| {
        view! {
            <li class="plain-row">
                <span class="name"><i class=class aria-hidden="true"></i><span>{name}</span></span>
                <span class="value">{format::duration(nanos)}</span>
                <span class="share">{format::percent(nanos as f64, whole)}</span>
            </li>
        }
    });
    view! {
        <section>
            <h3>"Where the time went"</h3>
            <div class="role">
                <div class="bar" aria-hidden="true">{bar.collect_view()}</div>
                <ul class="items">{lines.collect_view()}</ul>
            </div>
        </section>
    }
}
