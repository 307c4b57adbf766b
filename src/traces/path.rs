//! Path of the selected request through the traces, in the details.

use crate::app::state::{App, Selection};
use crate::compare::TraceLetter;
use leptos::prelude::*;
use protocol::base::ids::EventId;
use view::draw::tooltip::DECIMALS;
use view::format;
use view::traces::{Crossing, Part, letter, path};

/// Maximum number of listed paths of one request.
const MAX_PATHS: usize = 5;

/// Paths of the selected event, if it starts a request between traces; else empty.
#[component]
pub fn PathOf() -> impl IntoView {
    let app = expect_context::<App>();
    let found = Memo::new(move |_| match app.selection.get() {
        Selection::Event(event) if app.traces.are_several() => app.traces.crossings_of(app, event.0),
        _ => Vec::new(),
    });
    let more = move || {
        let more = found.with(Vec::len).saturating_sub(MAX_PATHS);
        (more > 0).then(|| view! { <p class="muted">{format!("{} more", format::counted(more as u64, "request"))}</p> })
    };
    move || {
        let paths: Vec<_> = found.get().into_iter().take(MAX_PATHS).map(|one| path_view(app, &one)).collect();
        (!paths.is_empty()).then(|| view! { {paths} {more} })
    }
}

fn path_view(app: App, crossing: &Crossing) -> Option<impl IntoView + use<>> {
    let traces = app.traces;
    let all = traces.all();
    let (client, server) = (*all.get(crossing.client.trace)?, *all.get(crossing.server.trace)?);
    let parts = path(crossing, traces.shift(server, client));
    let (start, end) =
        parts.iter().fold((i64::MAX, i64::MIN), |(start, end), part| (start.min(part.start), end.max(part.end)));
    let length = end.saturating_sub(start).max(1) as f64;
    let part_view = move |part: Part| {
        let share = |nanos: i64| format!("{:.1}%", nanos as f64 / length * 100.0);
        let of = part.trace.and_then(|trace| all.get(trace).copied());
        let name = match (of, part.event) {
            (Some(trace), Some(event)) => {
                let go = move |_| {
                    trace.select(Selection::Event(EventId(event)));
                    traces.show(trace);
                };
                view! { <button class="link ell" data-testid="path-part" on:click=go>{part.name}</button> }.into_any()
            }
            _ => view! { <span class="ell" data-testid="path-part">{part.name}</span> }.into_any(),
        };
        let class = match (part.trace, part.event) {
            (None, _) => "network",
            (_, None) => "rest",
            _ => "request",
        };
        view! {
            <li>
                <span class="who">{part.trace.map_or_else(|| ().into_any(), |position| view! { <TraceLetter position/> }.into_any())}</span>
                {name}
                <span class="num" data-testid="path-note">{part.note}</span>
                <i class=class style:margin-left=share(part.start - start) style:width=share((part.end - part.start).max(0))></i>
            </li>
        }
    };
    let between = format!("{} to {}", letter(crossing.client.trace), letter(crossing.server.trace));
    let sent = client.face().moment(crossing.client.start, DECIMALS);
    let offset = traces.offset(if server.number > 0 { server } else { client });
    Some(view! {
        <section class="path" data-testid="path">
            <h3>"Path "<span class="sp">{between}</span></h3>
            <ol>{parts.into_iter().map(part_view).collect_view()}</ol>
            <dl class="kv">
                <dt>"Sent at"</dt>
                <dd>{sent}</dd>
                <dt>"Offset"</dt>
                <dd>{offset.words()}</dd>
            </dl>
        </section>
    })
}
