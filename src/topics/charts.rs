//! Charts of a report.

use super::chart::ChartView;
use super::report::ShownReport;
use crate::app::state::App;
use leptos::prelude::*;
use protocol::base::time::Span;
use protocol::topics::report::Chart;
use std::sync::Arc;
use view::report::chart::in_order;

/// Number of charts that don't scroll; the style sheet has the same.
const MANY: usize = 4;

#[component]
pub fn Charts(
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
    view! {
        <div class="charts" role="group" aria-label="Charts" tabindex=scrolls hidden=move || charts.with(Vec::is_empty)>
            {move || charts.with(|charts| in_order(charts).into_iter().map(one).collect_view())}
        </div>
    }
}
