//! Findings, costliest first, with links to their evidence.

use crate::app::state::{App, Selection, Tab};
use crate::share::copy_view::{self, CopyAs};
use crate::trace::live_query::{LiveQuery, Trouble};
use crate::widgets::icon::{CHIP, CLOCK, GLOBE, Icon, LOCK, MEMORY, QUEUE, RECYCLE, RIGHT, WARNING};
use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::request::{EventName, StackSource, Weight};
use protocol::topics::finding::{Finding, FindingKind, FindingLink, FindingPart, FindingTarget, Narrowing};
use protocol::topics::finding_text;
use protocol::topics::no_findings::{Recorded, no_findings};
use std::time::Duration;
use view::format;
use view::summary::time_strip::bars;
use view::url::report::ReportView;
use view::url::selection::GcLink;

/// Rest of the timeline after which strips show its range: they aren't drawn anew in every frame of a gesture.
const REST: Duration = Duration::from_millis(150);
/// Links beside the title of a finding.
const SHORT_LINKS: usize = 2;

#[component]
pub fn Findings(findings: LiveQuery<Vec<Finding>>) -> impl IntoView {
    let app = expect_context::<App>();
    let number = move || {
        let count = findings.value.with(|found| found.as_ref().map(|found| found.len() as u64));
        count.filter(|count| *count > 0).map(|count| format!("{}, costliest first", format::count(count)))
    };
    let range = resting_range(app);
    let lines = move || match findings.value.get() {
        Some(found) if found.is_empty() => Some(quiet(app).into_any()),
        Some(found) => {
            let entries = found.iter().map(|one| entry(app, one, range)).collect_view();
            Some(view! { <ul>{entries}</ul> }.into_any())
        }
        None => {
            Some(view! { <p class="none">"Analyzing…"</p> }.into_any()).filter(|_| findings.failure.get().is_none())
        }
    };
    let open = app.is_open(Tab::Summary);
    let found = move || findings.value.get_untracked().filter(|found| !found.is_empty());
    copy_view::offer(
        app,
        move || open.get_untracked() && found().is_some(),
        move |format| {
            copy(app, format, found().iter().flat_map(|found| found.iter()), "Findings");
        },
    );
    view! {
        <section class="findings" aria-labelledby="h-findings" data-testid="findings">
            <h2 id="h-findings">"Findings"<span class="n">{number}</span></h2>
            <Trouble failure=findings.failure/>
            {lines}
        </section>
    }
}

/// Copies findings.
fn copy<'f>(app: App, format: CopyAs, findings: impl Iterator<Item = &'f Finding>, what: &str) {
    let text = match format {
        CopyAs::Text => finding_text::text(findings),
        CopyAs::Markdown => finding_text::markdown(findings),
    };
    format.copy(app, text, what);
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
            let found = no_findings(topics, recorded);
            match app.is_filtered() {
                true => format!("Findings cover only matching events. Clear the filter to check all events. {found}"),
                false => found,
            }
        }),
    };
    view! {
        <p class="none" data-testid="no-findings">
            {words}
        </p>
    }
}

fn entry(app: App, finding: &Finding, range: RwSignal<Span>) -> impl IntoView + use<> {
    let Finding { kind, title, sentence, cost, times, threads, parts, links, advice, details, .. } = finding.clone();
    let (color, icon) = look(kind);
    let evidence = StoredValue::new((threads, times.clone()));
    let is_open = RwSignal::new(false);
    let on_timeline = links.iter().find(|link| matches!(link.to, FindingTarget::Timeline(_))).cloned();
    let strip = on_timeline.and_then(|link| strip(app, &title, times, range, link.to, evidence));
    let whole = StoredValue::new(finding.clone());
    let copies = [
        (CopyAs::Text, "Copy as text", "copy-finding"),
        (CopyAs::Markdown, "Copy as Markdown", "copy-finding-markdown"),
    ];
    let copies = copies.map(|(format, words, testid)| {
        let copy = move |_| whole.with_value(|finding| copy(app, format, std::iter::once(finding), "Finding"));
        view! { <button class="link" hidden=move || !is_open.get() data-testid=testid on:click=copy>{words}</button> }
    });
    let turn = move |_| is_open.update(|open| *open = !*open);
    let label = format!("Details: {title}");
    let all = format!("{sentence} {advice} {details}");
    let more = (!details.is_empty()).then(|| view! { <span hidden=move || !is_open.get()>" " {details}</span> });
    view! {
        <li class=format!("finding {color}") class:open=is_open data-testid="finding" data-finding=kind.slug()>
            <button
                class="expand"
                aria-label=label
                aria-expanded=move || is_open.get().to_string()
                data-testid="finding-details"
                on:click=turn
            >
                <Icon shape=icon/>
                <Icon shape=RIGHT class="s"/>
            </button>
            <div class="claim">
                <h3 title=title.clone() on:click=turn>{title.clone()}</h3>
                <p class="links">{leading(app, links, is_open, evidence)} {copies}</p>
            </div>
            <p class="evidence" title=all>{sentence} " " <span class="advice">{advice}</span> {more}</p>
            {strip}
            <div class="cost">
                // “at least” and “about” don't fit here; the title has them.
                <b>{cost.sign()}{cost.number()}</b>
                <small title=cost.words.clone()>{cost.words.clone()}</small>
            </div>
            {methods(&parts)}
        </li>
    }
}

/// Threads and times of a finding.
type Evidence = StoredValue<(Vec<ThreadId>, Vec<Span>)>;

/// Links beside the title: the first few with short names, because the strip leads to the timeline; all of them if the
/// finding is open.
fn leading(app: App, links: Vec<FindingLink>, is_open: RwSignal<bool>, evidence: Evidence) -> impl IntoView {
    let mut before: Vec<String> = Vec::new();
    let link = move |FindingLink { words, to }: FindingLink| {
        let (full, short) = (words.clone(), short_words(&words));
        let is_new = before.len() < SHORT_LINKS && !before.contains(&short);
        let is_short = !matches!(to, FindingTarget::Timeline(_)) && is_new;
        let is_second = !before.is_empty();
        if is_short {
            before.push(short.clone());
        }
        let shown = move || if is_open.get() { full.clone() } else { short.clone() };
        view! {
            <button
                class="link"
                class:second=is_second
                aria-label=words
                hidden=move || !is_short && !is_open.get()
                data-testid="finding-link"
                on:click=move |_| go(app, &to, evidence)
            >
                {shown}
            </button>
        }
    };
    links.into_iter().map(link).collect_view()
}

/// Returns the text of a link without its verb: "View 17 requests" is "17 requests".
fn short_words(words: &str) -> String {
    let verbs = ["View all ", "View ", "Open ", "Filter to "];
    let rest = verbs.into_iter().find_map(|verb| words.strip_prefix(verb)).unwrap_or(words);
    let mut letters = rest.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
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
        FindingTarget::Gc { process, number } => {
            app.select(Selection::Gc(GcLink { process: *process, number: *number }));
        }
        FindingTarget::ThreadTime(samples, _) => {
            app.link_stacks((StackSource::Samples, *samples, Weight::Time));
            app.tab.set(Tab::Stacks);
        }
        FindingTarget::Stacks { provider, event, .. } => {
            let name = EventName { provider: provider.clone(), name: event.clone() };
            let samples = app.stacks.with_untracked(|look| look.samples);
            app.link_stacks((StackSource::Events(name), samples, Weight::Time));
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
    let whole = app.trace.with_untracked(|trace| trace.as_ref().map(|trace| trace.user_span));
    // A range of the whole trace would exclude nothing.
    let is_whole = |span: &Span| whole.is_some_and(|whole| span.start <= whole.start && span.end >= whole.end);
    if let Some(span) = of.span.filter(|span| !is_whole(span)) {
        app.set_range(Some(span));
    }
    if !of.condition.is_empty() && !app.filter.with_untracked(|filter| filter.query.ends_with(&of.condition)) {
        app.add_condition(&of.condition);
    }
}

/// Returns the visible time range of the timeline, a moment after it was last changed.
fn resting_range(app: App) -> RwSignal<Span> {
    let resting = RwSignal::new(app.visible.get_untracked());
    let timer = StoredValue::new(None::<TimeoutHandle>);
    let stop = move || timer.update_value(|timer| _ = timer.take().map(|timer| timer.clear()));
    Effect::new(move |_| {
        let visible = app.visible.get();
        stop();
        if resting.with_untracked(|resting| *resting != visible) {
            let update = move || _ = resting.try_set(visible);
            timer.set_value(set_timeout_with_handle(update, REST).ok());
        }
    });
    on_cleanup(stop);
    resting
}

/// Returns a strip with the times of a finding, which shows the same range as the timeline, and leads to it.
fn strip(
    app: App,
    title: &str,
    times: Vec<Span>,
    range: RwSignal<Span>,
    to: FindingTarget,
    evidence: Evidence,
) -> Option<impl IntoView + use<>> {
    let bar = |(left, width): (f64, f64)| {
        let (left, width) = (format!("{:.2}%", left * 100.0), format!("{:.2}%", width * 100.0));
        view! { <rect x=left y="0" width=width height="100%"></rect> }
    };
    let label = format!("Show on timeline: {title}");
    (!times.is_empty()).then(|| {
        let bars = move || bars(&times, range.get()).into_iter().map(bar).collect_view();
        view! {
            <button class="times" title="Show on timeline" aria-label=label data-testid="finding-times" on:click=move |_| go(app, &to, evidence)>
                <svg width="100%" height="100%" aria-hidden="true">{bars}</svg>
            </button>
        }
    })
}

/// Returns the class of a finding's color, by the state or track that it is about, and its icon.
fn look(kind: FindingKind) -> (&'static str, &'static str) {
    use FindingKind as K;
    match kind {
        K::LockContention | K::OffCpuLocks => ("lock", LOCK),
        K::SyncOverAsync => ("blocked", QUEUE),
        K::PoolStarvation => ("pool", QUEUE),
        K::LongPause
        | K::PauseShare
        | K::SlowSuspension
        | K::InducedGcs
        | K::LargeObjectChurn
        | K::FinalizerBacklog => ("gc", RECYCLE),
        K::HotAllocations | K::HeapKeeper | K::EventHandlers => ("gc", MEMORY),
        K::SlowRequests
        | K::DelayedRequests
        | K::ColdStart
        | K::FailedRequests
        | K::RepeatedCommands
        | K::ConnectionChurn
        | K::SlowConnecting
        | K::FailedConnections => ("io", GLOBE),
        K::CompilingHeavy => ("jit", CLOCK),
        K::CpuHotSpot | K::CpuSaturation | K::MachineSaturation => ("managed", CHIP),
        K::ExceptionStorm => ("exception", WARNING),
        K::NoEvents
        | K::IncompleteRecording
        | K::LostEvents
        | K::OversizedEvents
        | K::NoNames
        | K::SamplingGap
        | K::EventSourceError
        | K::ProviderFlood
        | K::PayloadMisfit
        | K::UnpairedEvents => ("doubt", WARNING),
    }
}
