//! When the events of the table happened: a strip of bars above it.

use crate::protocol::Request;
use crate::protocol::tables::Overview;
use crate::ui::follow::{follow, table};
use crate::ui::state::App;
use crate::view::histogram::Histogram;
use leptos::prelude::*;

/// Bars of the strip.
const BARS: u32 = 240;

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
    move || {
        histogram.get().map(|histogram| {
            let words = histogram.words(app.face());
            let label = words.clone();
            view! {
                <svg class="histogram" role="img" aria-label=label viewBox=histogram.view_box()
                    preserveAspectRatio="none" data-testid="event-histogram">
                    <title>{words}</title>
                    <path d=histogram.outline()></path>
                </svg>
            }
        })
    }
}
