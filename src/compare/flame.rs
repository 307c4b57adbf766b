//! Differential flame graph over both traces: stacks are matched by the names of their frames.

use super::run::range_filter;
use super::sides::Letter;
use crate::app::state::{App, StackView};
use crate::stacks::GraphOfOtherTrace;
use crate::trace::client::Client;
use leptos::prelude::*;
use protocol::compare::{Comparison, Per};
use protocol::queries::{OtherStacks, TraceStacks};
use protocol::request::{Baseline, BaselineOf, TreeQuery};
use protocol::{EncodedRequest, Failure, FailureCode};
use std::sync::Arc;
use view::url::stacks::Compared;
use wasm_bindgen_futures::spawn_local;

/// What the graph depends on: queries of the open and of the other trace, whether the other one is newer, and the factor
/// of its weights.
type Wanted = (TreeQuery, TreeQuery, bool, f64);

/// Section with the flame graph.
#[component]
pub fn Difference(
    /// True if the tab is open.
    open: Memo<bool>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let query = RwSignal::new(None::<TreeQuery>);
    let failure = RwSignal::new(None::<Failure>);
    let wanted = Memo::new(move |_| open.get().then(|| wanted(app)).flatten());
    let latest = StoredValue::new(0_u32);
    Effect::new(move |_| {
        let number = latest.get_value() + 1;
        latest.set_value(number);
        app.revision.track();
        let Some((own, of_other, is_newer, factor)) = wanted.get() else { return query.set(None) };
        let Some(other) = app.compare.other.get_untracked() else { return };
        spawn_local(async move {
            let stacks = stacks_of(app, &other.client, of_other, factor).await;
            if latest.try_get_value() != Some(number) {
                return;
            }
            match stacks {
                Ok(stacks) => {
                    failure.set(None);
                    let of = BaselineOf::OtherTrace { stacks, is_newer };
                    query.set(Some(TreeQuery { baseline: Some(Baseline { of, is_scaled: false }), ..own }));
                }
                Err(problem) if problem.code == FailureCode::Cancelled => {}
                Err(problem) => failure.set(Some(problem)),
            }
        });
    });
    let per = move || match app.compare.view.with(|view| view.per) {
        Per::Second => "scaled to the same duration",
        Per::Request => "scaled to the same number of requests",
        Per::Total => "unscaled",
    };
    view! {
        <section class="compare-flame" aria-labelledby="h-flame" data-testid="compare-flame">
            <h2 id="h-flame">
                "Stacks" <span class="n">{per} ", width is A + B"</span>
                <span class="compared"><span class="key less">"less in "<Letter is_old=false/></span> <span class="key more">"more in "<Letter is_old=false/></span></span>
            </h2>
            <crate::trace::live_query::Trouble failure/>
            <GraphOfOtherTrace query/>
        </section>
    }
}

fn wanted(app: App) -> Option<Wanted> {
    let comparison = app.compare.comparison()?;
    let view = app.compare.view.get();
    let query = |range: &str| {
        let of = Compared { filter: range_filter(range), kept: Default::default() };
        let query = app.stacks.with(|look| look.query(of, StackView::Flame));
        TreeQuery { baseline: None, ..query }
    };
    let [own, of_other] = view.ranges.each_ref().map(|range| query(range));
    Some((own, of_other, view.is_open_old, factor(&comparison, view.is_open_old, view.per)))
}

/// Returns the factor that makes the other trace's weights comparable with those of the open trace.
fn factor(comparison: &Arc<Comparison>, is_open_old: bool, per: Per) -> f64 {
    let sides = [&comparison.old, &comparison.new];
    let [open, other] = if is_open_old { sides } else { [sides[1], sides[0]] };
    let ratio = match per {
        Per::Second => open.seconds / other.seconds,
        Per::Request => open.requests / other.requests,
        Per::Total => 1.0,
    };
    if ratio.is_finite() && ratio > 0.0 { ratio } else { 1.0 }
}

/// Passes the stacks of the other trace to the worker of the open one, and returns their number there.
async fn stacks_of(app: App, other: &Client, query: TreeQuery, factor: f64) -> Result<u64, Failure> {
    let asked = EncodedRequest::new(&TraceStacks { query });
    let stacks = other.ask_as(other.next_id(), asked).await?.packed()?;
    app.ask(OtherStacks { stacks, factor }).await
}
