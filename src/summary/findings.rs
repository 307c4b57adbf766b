//! What is wrong with the program, what costs most first; each with evidence that can be followed.

use crate::app::state::{App, Selection, Tab};
use crate::stacks::show_stacks_of;
use crate::trace::live_query::{LiveQuery, Trouble};
use crate::widgets::icon::{CHIP, CLOCK, GLOBE, Icon, LOCK, QUEUE, RECYCLE, WARNING};
use leptos::prelude::*;
use protocol::base::time::Span;
use protocol::request::{StackSource, Weight};
use protocol::topics::finding::{Finding, FindingKind, FindingLink, FindingTarget};
use view::format;
use view::report::no_findings::no_findings;

/// The list of findings.
#[component]
pub fn Findings(
    /// What was found for the filter.
    findings: LiveQuery<Vec<Finding>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let number = move || {
        let count = findings.value.with(|found| found.as_ref().map(|found| found.len() as u64));
        count.filter(|count| *count > 0).map(|count| format!("{}, most costly first", format::count(count)))
    };
    let lines = move || match findings.value.get() {
        Some(found) if found.is_empty() => Some(quiet(app).into_any()),
        Some(found) => Some(view! { <ul>{found.iter().map(|one| entry(app, one)).collect_view()}</ul> }.into_any()),
        None => {
            Some(view! { <p class="none">"Analyzing…"</p> }.into_any()).filter(|_| findings.failure.get().is_none())
        }
    };
    view! {
        <section class="findings" aria-labelledby="h-findings" data-testid="findings">
            <h2 id="h-findings">"Findings"<span class="n">{number}</span></h2>
            <Trouble failure=findings.failure/>
            {lines}
        </section>
    }
}

fn quiet(app: App) -> impl IntoView {
    let words = move || match app.matches.get() {
        Some(0) => "No events match the filter.".to_owned(),
        _ => app.topics.with(|topics| no_findings(topics)),
    };
    view! {
        <p class="none" data-testid="no-findings">
            {words}
        </p>
    }
}

fn entry(app: App, finding: &Finding) -> impl IntoView + use<> {
    let Finding { kind, title, sentence, cost, unit, cost_words, times, links, advice, .. } = finding.clone();
    view! {
        <li class="finding" class:doubt=kind.is_about_trace() data-testid="finding" data-finding=kind.slug()>
            <Icon shape=shape(kind)/>
            <div>
                <h3>{title}</h3>
                <p>{sentence}</p>
                <p class="advice">{advice}</p>
                <p class="links">{links.into_iter().map(|link| leading(app, link)).collect_view()}</p>
            </div>
            <div class="cost">
                <b>{unit.words(cost)}</b>
                <small>{cost_words}</small>
                {strip(app, &times)}
            </div>
        </li>
    }
}

fn leading(app: App, link: FindingLink) -> impl IntoView {
    let FindingLink { words, to } = link;
    view! { <button class="link" data-testid="finding-link" on:click=move |_| go(app, &to)>{words}</button> }
}

/// Shows what a link leads to.
fn go(app: App, to: &FindingTarget) {
    match to {
        FindingTarget::Timeline(span) => app.show_on_timeline(*span),
        FindingTarget::Topic(topic) => app.tab.set(Tab::Topic(*topic)),
        FindingTarget::Narrow { condition, span } => {
            if span.is_some() {
                app.set_range(*span);
            }
            if !condition.is_empty() {
                app.add_condition(condition);
            }
            app.tab.set(Tab::Events);
        }
        FindingTarget::Event(event) => app.select(Selection::Event(*event)),
        FindingTarget::ThreadTime(samples) => {
            app.stacks.update(|look| {
                (look.source, look.samples, look.weight) = (StackSource::Samples, *samples, Weight::Time);
            });
            app.tab.set(Tab::Stacks);
        }
        FindingTarget::Stacks { provider, event } => show_stacks_of(app, vec![format!("{provider}/{event}")]),
    }
}

/// When it happened, within the time that was recorded. The sentence says it in words.
fn strip(app: App, times: &[Span]) -> Option<impl IntoView + use<>> {
    let whole = app.trace.with_untracked(|trace| trace.as_ref().map(|trace| trace.user_span))?;
    let share = |at: i64| (at - whole.start.0) as f64 / whole.duration().max(1) as f64 * 100.0;
    let bar = |time: &Span| {
        let time = time.intersect(whole)?;
        let (left, width) = (share(time.start.0), (share(time.end.0) - share(time.start.0)).max(1.0));
        Some(view! { <rect x=format!("{left:.2}%") y="0" width=format!("{width:.2}%") height="8"></rect> })
    };
    let bars: Vec<_> = times.iter().filter_map(bar).collect();
    (!bars.is_empty()).then(|| view! { <svg class="times" width="100%" height="9" aria-hidden="true">{bars}</svg> })
}

fn shape(kind: FindingKind) -> &'static str {
    use FindingKind as K;
    match kind {
        K::LockContention => LOCK,
        K::PoolStarvation | K::SyncOverAsync => QUEUE,
        K::LongPause
        | K::PauseShare
        | K::SlowSuspension
        | K::InducedGcs
        | K::LargeObjectChurn
        | K::FinalizerBacklog => RECYCLE,
        K::HotAllocations => CHIP,
        K::SlowRequests
        | K::DelayedRequests
        | K::ColdStart
        | K::FailedRequests
        | K::RepeatedCommands
        | K::ConnectionChurn
        | K::SlowConnecting => GLOBE,
        K::CompilingHeavy => CLOCK,
        K::CpuHotSpot | K::CpuSaturation => CHIP,
        K::ExceptionStorm | K::LostEvents | K::NoNames | K::SamplingGap | K::EventSourceError => WARNING,
    }
}
