//! What changed, in sentences, most important first.

use super::sides::{Letter, name_of};
use crate::app::state::App;
use leptos::prelude::*;
use protocol::compare::{Change, ChangeKind, Comparison};
use protocol::format::counted;
use std::sync::Arc;
use view::compare::groups::{headline, names_of, unchanged_of_trace, unmatched};
use view::compare::interval::interval;
use view::compare::links::target;

/// Number of changes that are visible at first.
const FIRST: usize = 12;
/// Maximum number of names in a list of what is new or gone.
const NAMES: usize = 8;

/// Section with the sentences.
#[component]
pub fn Changes() -> impl IntoView {
    let app = expect_context::<App>();
    let is_all = RwSignal::new(false);
    let comparison = Memo::new(move |_| app.compare.comparison());
    let significant = move || {
        let comparison = comparison.get()?;
        let most = if is_all.get() { usize::MAX } else { FIRST };
        let significant = comparison.changes.iter().filter(|change| change.is_significant()).take(most);
        Some(significant.map(|change| row(app, change.clone())).collect_view())
    };
    let hidden = move || {
        let significant =
            |comparison: &Comparison| comparison.changes.iter().filter(|change| change.is_significant()).count();
        let number = comparison.get().map_or(0, |comparison| significant(&comparison)).saturating_sub(FIRST);
        (number > 0 && !is_all.get()).then_some(number)
    };
    let is_none =
        move || comparison.get().is_some_and(|comparison| !comparison.changes.iter().any(Change::is_significant));
    let unchanged = move || {
        let comparison = comparison.get()?;
        let [possible, others] = unchanged_of_trace(&comparison);
        let section = |id: &'static str, values: Vec<&Change>, title: String| {
            let rows = values.iter().map(|change| row(app, (*change).clone())).collect_view();
            (!values.is_empty()).then(|| {
                view! { <details data-testid=id><summary>{title}</summary><ul class="changes">{rows}</ul></details> }
            })
        };
        let of_possible = counted(possible.len() as u64, "possible change");
        let of_others = counted(others.len() as u64, "value");
        Some((
            section("changes-possible", possible, format!("{of_possible}, not significant after correction")),
            section("changes-unchanged", others, format!("{of_others} without a significant change")),
        ))
    };
    view! {
        <section class="compare-changes" aria-labelledby="h-changes">
            <h2 id="h-changes">
                "What changed" <span class="n" data-testid="changes-headline">{move || comparison.get().map(|comparison| headline(&comparison))}</span>
            </h2>
            <p class="none" hidden=move || !is_none() data-testid="changes-none">
                "No significant changes."
            </p>
            <ul class="changes" data-testid="changes-significant">{significant}</ul>
            {move || hidden().map(|number| view! {
                <button class="link more" data-testid="changes-more" on:click=move |_| is_all.set(true)>{format!("Show {number} more")}</button>
            })}
            {unchanged}
            {move || comparison.get().map(|comparison| view! { <Lists comparison/> })}
        </section>
    }
}

/// Row of a change: direction, sentence, confidence interval, and both traces to open.
pub fn row(app: App, change: Change) -> impl IntoView {
    let class = match change.kind {
        ChangeKind::Grew | ChangeKind::New => "grew",
        ChangeKind::Shrank | ChangeKind::Gone => "shrank",
        ChangeKind::Same => "same",
    };
    let title = change.name.clone();
    view! {
        <li class=class data-testid="change">
            <span class="sign" aria-hidden="true">{change.sign()}</span>
            <span class="what" title=title>{change.sentence.clone()}</span>
            {picture(&change)}
            <b class="size num">{change.size_words()}</b>
            <span class="interval num" title="95% confidence interval">{change.interval_words()}</span>
            {open_buttons(app, change)}
        </li>
    }
}

/// Buttons that open what a change is about in either trace.
pub fn open_buttons(app: App, change: Change) -> impl IntoView {
    let tab = target(&change).0;
    let change = StoredValue::new(change);
    let button = move |is_old: bool| {
        let label = move || format!("Open {} of {}", tab.title(), name_of(app, is_old));
        view! {
            <button class="btn icon" aria-label=label title=label data-testid=if is_old { "open-before" } else { "open-after" }
                on:click=move |event| {
                    event.stop_propagation();
                    change.with_value(|change| open(app, change, is_old));
                }>
                <Letter is_old/>
            </button>
        }
    };
    view! { <span class="opens">{button(true)}{button(false)}</span> }
}

/// Opens what a change is about in either trace.
pub fn open(app: App, change: &Change, is_old: bool) {
    let (tab, condition) = target(change);
    let show = move || {
        app.refilter(|filter| {
            *filter = protocol::request::Filter { query: condition, ..Default::default() };
        });
        app.workspace.is_maximized.set(false);
        app.tab.set(tab);
    };
    match app.compare.view.with_untracked(|view| view.is_open_old == is_old) {
        true => show(),
        false => app.switch_traces(show),
    }
}

/// Picture of a confidence interval; the line in its middle marks zero change.
fn picture(change: &Change) -> impl IntoView + use<> {
    const WIDTH: f64 = 80.0;
    let at = interval(change);
    let place = |share: f64| format!("{:.1}", share * WIDTH);
    view! {
        <svg class="ci" viewBox="-4 0 88 12" aria-hidden="true">
            <path class="zero" d="M40 0v12"/>
            {at.map(|at| view! {
                <path d=format!("M{} 6H{}", place(at.low), place(at.high))/>
                <circle cx=place(at.at) cy="6" r="3"/>
            })}
        </svg>
    }
}

/// What is new or gone, functions with self time in one trace only, and what one trace only recorded.
#[component]
fn Lists(comparison: Arc<Comparison>) -> impl IntoView {
    let names = |kind: ChangeKind| {
        let names = names_of(&comparison, kind);
        let more = names.len().saturating_sub(NAMES);
        let listed = names[..names.len() - more].join(", ");
        match (names.is_empty(), more) {
            (true, _) => "None".to_owned(),
            (false, 0) => listed,
            (false, more) => format!("{listed} and {more} more"),
        }
    };
    let [only_old, only_new] = unmatched(&comparison).map(|one| one.words());
    let recorded: Vec<String> = ["trace A", "trace B"]
        .into_iter()
        .zip(&comparison.only)
        .filter_map(|(trace, only)| only.sentence(trace))
        .collect();
    let recorded = (!recorded.is_empty()).then(|| {
        view! { <dt>"Recorded with other providers"</dt><dd data-testid="only-recorded">{recorded.join(" ")}</dd> }
    });
    view! {
        <dl class="compare-lists">
            <dt>"New in B"</dt><dd data-testid="names-new">{names(ChangeKind::New)}</dd>
            <dt>"Gone in B"</dt><dd data-testid="names-gone">{names(ChangeKind::Gone)}</dd>
            <dt>"Self time only in A"</dt><dd data-testid="only-before">{only_old}</dd>
            <dt>"Self time only in B"</dt><dd data-testid="only-after">{only_new}</dd>
            {recorded}
        </dl>
    }
}
