//! When the events of the table happened: a strip of bars above it, along which a range is drawn.

use crate::model::ids::EventId;
use crate::model::time::Span;
use crate::protocol::request::Filter;
use crate::protocol::tables::Overview;
use crate::protocol::{Failure, Request};
use crate::ui::follow::{follow, table};
use crate::ui::state::{App, Selection};
use crate::ui::widgets::capture;
use crate::view::histogram::Histogram;
use crate::view::units::CssPx;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, PointerEvent};

/// Bars of the strip.
const BARS: u32 = 240;
/// A pointer that moved less than this has clicked.
const CLICK_REACH: CssPx = 5.0;

/// A pointer that is down: where it was pressed and where it is, as parts of the strip's width.
#[derive(Clone, Copy, PartialEq)]
struct Drag {
    from: f64,
    to: f64,
    /// Whether it went far enough to draw a range.
    is_range: bool,
}

/// A strip of bars: how many of the events that match happened when.
#[component]
pub fn EventHistogram(
    /// Whether it is seen.
    open: Memo<bool>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let question = move || {
        let filter = open.get().then(|| app.filter.get())?;
        let whole = app.trace.with(|trace| trace.as_ref().map(|trace| trace.user_span));
        let span = filter.span.or(whole)?;
        Some(Request::Density { filter, span, buckets: BARS })
    };
    let density = follow(app, question, table(Overview::unpack));
    let histogram = Memo::new(move |_| density.value.with(|density| Some(Histogram::new(density.as_ref()?))));
    let drag = RwSignal::new(None::<Drag>);
    let down = move |event: PointerEvent| {
        if let Some((at, _)) = place_of(&event).filter(|_| event.button() == 0) {
            capture(&event);
            drag.set(Some(Drag { from: at, to: at, is_range: false }));
        }
    };
    let moved = move |event: PointerEvent| {
        let (Some(now), Some((at, width))) = (drag.get_untracked(), place_of(&event)) else { return };
        let is_range = now.is_range || (at - now.from).abs() * width >= CLICK_REACH;
        drag.set(Some(Drag { to: at, is_range, ..now }));
    };
    let up = move |_: PointerEvent| {
        let (Some(end), Some(histogram)) = (drag.get_untracked(), histogram.get_untracked()) else { return };
        drag.set(None);
        if end.is_range {
            histogram.between(end.from, end.to).iter().for_each(|span| app.choose_range(Some(*span)));
        } else {
            spawn_local(select_first(app, histogram.from_bar(end.to)));
        }
    };
    let drawn = move || {
        let Drag { from, to, .. } = drag.get().filter(|drag| drag.is_range)?;
        let (from, to) = (from.clamp(0.0, 1.0), to.clamp(0.0, 1.0));
        let place = format!("left: {:.3}%; width: {:.3}%", from.min(to) * 100.0, (to - from).abs() * 100.0);
        Some(view! { <i class="drawn" style=place aria-hidden="true"></i> })
    };
    // The range while it is drawn.
    let told = move || {
        let Drag { from, to, .. } = drag.get().filter(|drag| drag.is_range)?;
        let span = histogram.with(|histogram| histogram.as_ref()?.between(from, to))?;
        Some(app.face().range(span.start.0, span.end.0))
    };
    move || {
        histogram.get().map(|histogram| {
            let words = histogram.words(app.face());
            let title = format!("{words}. Drag for a range; click for the first event there.");
            view! {
                <div class="histogram" title=title on:pointerdown=down on:pointermove=moved on:pointerup=up
                    on:pointercancel=move |_| drag.set(None)>
                    <svg role="img" aria-label=words viewBox=histogram.view_box() preserveAspectRatio="none"
                        data-testid="event-histogram">
                        <path d=histogram.outline()></path>
                    </svg>
                    {drawn}
                    <span class="told" data-testid="histogram-range">{told}</span>
                </div>
            }
        })
    }
}

/// Where a pointer is on the strip, as a part of its width, and that width.
fn place_of(event: &PointerEvent) -> Option<(f64, CssPx)> {
    let area = event.current_target()?.dyn_into::<Element>().ok()?.get_bounding_client_rect();
    (area.width() > 0.0).then(|| ((f64::from(event.client_x()) - area.left()) / area.width(), area.width()))
}

/// Selects the first of the events that match from a moment on.
async fn select_first(app: App, span: Span) {
    match first_in(app, span).await {
        Ok(Some(event)) => app.select(Selection::Event(event)),
        Ok(None) => app.shell.say("Nothing later here.".to_owned()),
        Err(failure) => app.shell.say(failure.to_string()),
    }
}

async fn first_in(app: App, span: Span) -> Result<Option<EventId>, Failure> {
    let filter = Filter { span: Some(span), ..app.filter.get_untracked() };
    let rows = app.events_in_order(filter, 0, 1).await?;
    Ok(rows.event.first().map(|event| EventId(*event)))
}
