//! Charts of a report.

use super::chart::ChartView;
use super::report::ShownReport;
use crate::app::state::App;
use leptos::prelude::*;
use protocol::base::time::Span;
use protocol::topics::report::Chart;
use std::sync::Arc;
use view::report::chart::{beside_lanes, explains};

/// Number of charts that don't scroll; the style sheet has the same.
const MANY: usize = 4;

#[component]
pub fn Charts(
    /// Report.
    report: ShownReport,
    /// Time range of the selected row.
    marked: RwSignal<Option<Span>>,
    /// True if they are shown as tables.
    as_tables: RwSignal<bool>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let charts = Memo::new(move |_| report.with(|head| head.charts.clone()).unwrap_or_default());
    // The report belongs to its filter's range, which may have changed since.
    let span = Memo::new(move |_| {
        let range = report.latest.with(|latest| latest.as_ref().and_then(|latest| latest.filter.span));
        let whole = || app.trace.with(|trace| trace.as_ref().map(|trace| trace.user_span));
        range.or_else(whole).unwrap_or_default()
    });
    // Many charts scroll, also with the keyboard.
    let scrolls = move || charts.with(|charts| (charts.len() > MANY).then_some("0"));
    let one = move |(chart, has_legend): (&Chart, bool)| {
        view! { <ChartView chart=Arc::new(chart.clone()) has_legend span marked as_tables/> }
    };
    // A chart over time has the place of the lanes, and a histogram that of the heads beside them.
    let all = move || {
        charts.with(|charts| match beside_lanes(charts) {
            Some([histogram, over_time]) => {
                [(histogram, !explains(over_time, histogram)), (over_time, true)].map(one).collect_view()
            }
            None => charts.iter().map(|chart| (chart, true)).map(one).collect_view(),
        })
    };
    view! {
        <div class="charts" class:beside-lanes=move || charts.with(|charts| beside_lanes(charts).is_some())
            role="group" aria-label="Charts" tabindex=scrolls hidden=move || charts.with(Vec::is_empty)>
            {all}
        </div>
    }
}
