//! Findings, most costly first, with links to their evidence.

use crate::app::state::{App, Selection, Tab};
use crate::trace::live_query::{LiveQuery, Trouble};
use crate::widgets::icon::{CHIP, CLOCK, GLOBE, Icon, LOCK, MEMORY, QUEUE, RECYCLE, WARNING};
use leptos::prelude::*;
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::request::{EventName, StackSource, Weight};
use protocol::topics::finding::{Finding, FindingKind, FindingLink, FindingPart, FindingTarget, Narrowing};
use protocol::topics::no_findings::{Recorded, no_findings};
use view::format;
use view::url::report::ReportView;

/// List of findings.
#[component]
pub fn Findings(
    /// Findings for the filter.
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
    let words = move || match app.filtering.matches.get() {
        Some(0) => "No events match the filter.".to_owned(),
        _ => app.topics.with(|topics| {
            let recorded = app.trace.with(|trace| {
                trace.as_ref().map_or(Recorded::default(), |trace| Recorded {
                    samples: trace.samples > 0,
                    losses: trace.lost.is_some(),
                })
            });
            no_findings(topics, recorded)
        }),
    };
    view! {
        <p class="none" data-testid="no-findings">
            {words}
        </p>
    }
}

fn entry(app: App, finding: &Finding) -> impl IntoView + use<> {
    let Finding { kind, title, sentence, cost, times, threads, parts, links, advice, .. } = finding.clone();
    let evidence = StoredValue::new((threads, times.clone()));
    view! {
        <li class="finding" class:doubt=kind.is_about_trace() data-testid="finding" data-finding=kind.slug()>
            <Icon shape=shape(kind)/>
            <div>
                <h3>{title}</h3>
                <p>{sentence}</p>
                <p class="advice">{advice}</p>
                {methods(&parts)}
                <p class="links">{links.into_iter().map(|link| leading(app, link, evidence)).collect_view()}</p>
            </div>
            <div class="cost">
                <b>{cost.size()}</b>
                <small>{cost.words.clone()}</small>
                {strip(app, &times)}
            </div>
        </li>
    }
}

/// Threads and times of a finding.
type Evidence = StoredValue<(Vec<ThreadId>, Vec<Span>)>;

fn leading(app: App, link: FindingLink, evidence: Evidence) -> impl IntoView {
    let FindingLink { words, to } = link;
    view! { <button class="link" data-testid="finding-link" on:click=move |_| go(app, &to, evidence)>{words}</button> }
}

/// Lists methods with their shares as bars; `None` without methods.
fn methods(parts: &[FindingPart]) -> Option<impl IntoView + use<>> {
    let largest = parts.iter().map(|part| part.share).fold(f64::MIN_POSITIVE, f64::max);
    let line = |part: &FindingPart| {
        let width = format!("{:.1}%", part.share / largest * 100.0);
        view! {
            <li>
                <span class="part">{part.name.clone()}</span>
                <span class="bar" aria-hidden="true"><i style:width=width></i></span>
                <span class="num">{format::percent(part.share, 1.0)}</span>
            </li>
        }
    };
    (!parts.is_empty())
        .then(|| view! { <ol class="shares" data-testid="finding-parts">{parts.iter().map(line).collect_view()}</ol> })
}

/// Follows a link.
fn go(app: App, to: &FindingTarget, evidence: Evidence) {
    if let Some(of) = to.narrowing() {
        narrow(app, of);
    }
    match to {
        FindingTarget::Timeline(span) => {
            evidence.with_value(|(threads, times)| app.show_evidence(*span, threads.clone(), times.clone()));
        }
        FindingTarget::Topic(topic) => app.tab.set(Tab::Topic(*topic)),
        FindingTarget::Narrow(_) => app.tab.set(Tab::Events),
        FindingTarget::Event(event) => app.select(Selection::Event(*event)),
        FindingTarget::ThreadTime(samples, _) => {
            app.stacks.update(|look| {
                (look.source, look.samples, look.weight) = (StackSource::Samples, *samples, Weight::Time);
            });
            app.tab.set(Tab::Stacks);
        }
        FindingTarget::Stacks { provider, event, .. } => {
            let name = EventName { provider: provider.clone(), name: event.clone() };
            app.stacks.update(|look| (look.source, look.weight) = (StackSource::Events(name), Weight::Time));
            app.tab.set(Tab::Stacks);
        }
        FindingTarget::Rows { topic, table, column, .. } => {
            let look =
                ReportView { table: table.clone(), column: column.clone(), descending: true, ..ReportView::default() };
            app.reports.update(|looks| _ = looks.insert(*topic, look));
            app.tab.set(Tab::Topic(*topic));
        }
    }
}

/// Applies a link's time range and condition to the filter, unless it already ends with the condition.
fn narrow(app: App, of: &Narrowing) {
    if of.span.is_some() {
        app.set_range(of.span);
    }
    if !of.condition.is_empty() && !app.filter.with_untracked(|filter| filter.query.ends_with(&of.condition)) {
        app.add_condition(&of.condition);
    }
}

/// Returns a strip with the times of a finding within the trace. The sentence describes it in words.
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
        K::LockContention | K::OffCpuLocks => LOCK,
        K::PoolStarvation | K::SyncOverAsync => QUEUE,
        K::LongPause
        | K::PauseShare
        | K::SlowSuspension
        | K::InducedGcs
        | K::LargeObjectChurn
        | K::FinalizerBacklog => RECYCLE,
        K::HotAllocations | K::HeapKeeper => MEMORY,
        K::SlowRequests
        | K::DelayedRequests
        | K::ColdStart
        | K::FailedRequests
        | K::RepeatedCommands
        | K::ConnectionChurn
        | K::SlowConnecting
        | K::FailedConnections => GLOBE,
        K::CompilingHeavy => CLOCK,
        K::CpuHotSpot | K::CpuSaturation | K::MachineSaturation => CHIP,
        K::ExceptionStorm
        | K::NoEvents
        | K::IncompleteRecording
        | K::LostEvents
        | K::OversizedEvents
        | K::NoNames
        | K::SamplingGap
        | K::EventSourceError
        | K::ProviderFlood
        | K::PayloadMisfit
        | K::UnpairedEvents => WARNING,
    }
}
