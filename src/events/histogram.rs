//! Histogram above the event table, on which a time range can be drawn.

use crate::app::state::{App, Selection};
use crate::trace::live_query::follow;
use crate::widgets::range_drag::{Drawn, RangeDrag};
use leptos::prelude::*;
use protocol::base::ids::EventId;
use protocol::base::time::Span;
use protocol::request::Filter;
use protocol::{Failure, queries};
use view::events::histogram::Histogram;
use wasm_bindgen_futures::spawn_local;
use web_sys::PointerEvent;

/// Number of bars.
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
    move || {
        histogram.get().map(|histogram| {
            let words = histogram.words(app.face());
            let title = format!("{words}. Drag to select a range; click to jump to the first event.");
            view! {
                <div class="histogram" title=title on:pointerdown=move |event| drag.down(&event)
                    on:pointermove=move |event| drag.moved(&event) on:pointerup=up on:pointercancel=move |_| drag.cancel()>
                    <svg role="img" aria-label=words viewBox=histogram.view_box() preserveAspectRatio="none"
                        data-testid="event-histogram">
                        <path d=histogram.outline()></path>
                    </svg>
                    {move || drag.band()}
                    <span class="range" data-testid="histogram-range">{range}</span>
                </div>
            }
        })
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
