//! Histogram above the event table, on which a time range can be drawn.

use crate::app::state::{App, Selection};
use crate::trace::live_query::follow;
use crate::widgets::range_drag::{Drawn, RangeDrag};
use crate::widgets::resize::on_resize;
use leptos::html;
use leptos::prelude::*;
use protocol::base::ids::EventId;
use protocol::base::time::Span;
use protocol::request::Filter;
use protocol::{Failure, queries};
use view::events::histogram::Histogram;
use view::format;
use view::timeline::clock::ClockFace;
use wasm_bindgen_futures::spawn_local;
use web_sys::PointerEvent;

const BARS: u32 = 240;

/// Histogram of the matching events over time.
#[component]
pub fn EventHistogram(
    /// True if it is visible.
    open: Memo<bool>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let question = move || {
        let filter = open.get().then(|| app.filter.get())?;
        let whole = app.trace.with(|trace| trace.as_ref().map(|trace| trace.user_span));
        let span = filter.span.or(whole)?;
        Some(queries::Density { filter, span, buckets: BARS })
    };
    let density = follow(app, question);
    let histogram = Memo::new(move |_| density.value.with(|density| Some(Histogram::new(density.as_ref()?))));
    let drag = RangeDrag::default();
    let up = move |_: PointerEvent| {
        let (Some(drawn), Some(histogram)) = (drag.up(), histogram.get_untracked()) else { return };
        match drawn {
            Drawn::Range(from, to) => histogram.between(from, to).iter().for_each(|span| app.choose_range(Some(*span))),
            Drawn::Click(at) => spawn_local(select_first(app, histogram.from_bar(at))),
        }
    };
    // The time range while it is drawn.
    let range = move || {
        let (from, to) = drag.drawing()?;
        let span = histogram.with(|histogram| histogram.as_ref()?.between(from, to))?;
        Some(app.face().range(span.start.0, span.end.0))
    };
    let (plot, width) = (NodeRef::<html::Div>::new(), RwSignal::new(0.0));
    plot.on_load(move |plot| on_resize(&plot, move |across, _| width.set(across)));
    let read = move |read: fn(&Histogram, ClockFace) -> String| {
        move || histogram.with(|histogram| histogram.as_ref().map(|histogram| read(histogram, app.face())))
    };
    let words = read(|histogram, face| histogram.words(face));
    let title =
        move || words().map(|words| format!("{words}. Drag to select a range; click to jump to the first event."));
    let peak = read(|histogram, _| format::count(histogram.peak().0));
    let each = read(|histogram, _| format!("in {}", format::duration(histogram.peak().1)));
    let axis = move || {
        let labels = histogram.with(|histogram| Some(histogram.as_ref()?.axis(&app.face(), width.get())));
        let label = |(at, text)| view! { <span style:left=format!("{at:.2}%")>{text}</span> };
        labels.filter(|_| width.get() > 0.0).map(|labels| labels.into_iter().map(label).collect_view())
    };
    view! {
        <div class="histogram" hidden=move || histogram.with(Option::is_none)>
            <p class="peak" aria-hidden="true"><span>"max "</span><b data-testid="histogram-peak">{peak}</b> <span>{each}</span></p>
            <div class="plot" title=title node_ref=plot on:pointerdown=move |event| drag.down(&event)
                on:pointermove=move |event| drag.moved(&event) on:pointerup=up on:pointercancel=move |_| drag.cancel()>
                <svg role="img" aria-label=words viewBox=read(|histogram, _| histogram.view_box()) preserveAspectRatio="none"
                    data-testid="event-histogram">
                    <path d=read(|histogram, _| histogram.outline())></path>
                </svg>
                <div class="axis" aria-hidden="true" data-testid="histogram-axis">{axis}</div>
                {move || drag.band()}
                <span class="range" data-testid="histogram-range">{range}</span>
            </div>
        </div>
    }
}

/// Selects the first matching event from a time on.
async fn select_first(app: App, span: Span) {
    match first_in(app, span).await {
        Ok(Some(event)) => app.select(Selection::Event(event)),
        Ok(None) => app.shell.say("No more events".to_owned()),
        Err(failure) => app.shell.say(failure.to_string()),
    }
}

async fn first_in(app: App, span: Span) -> Result<Option<EventId>, Failure> {
    let filter = Filter { span: Some(span), ..app.filter.get_untracked() };
    let rows = app.events_in_order(filter, 0, 1).await?;
    Ok(rows.event.first().map(|event| EventId(*event)))
}
