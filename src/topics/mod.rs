//! Tab of an analysis: summary, metrics, charts, tables.

mod chart;
mod charts;
mod headline;
mod not_recorded;
mod report;
mod row_actions;
mod row_filter;
mod rows;
pub(crate) mod state;
mod table;

use crate::app::state::{App, Tab};
use crate::compare::TraceLetter;
use crate::pictures::charts::draw as charts_picture;
use crate::pictures::offer_pictures;
use crate::trace::live_query::{Trouble, follow};
use crate::traces::AcrossServices;
use charts::Charts;
use headline::Headline;
use leptos::context::Provider;
use leptos::prelude::*;
use not_recorded::HowToRecord;
use protocol::base::time::Span;
use protocol::queries;
use protocol::topics::topic::Topic;
use report::ShownReport;
use table::ReportTables;
use view::keys::keymap::{Command, Scope};
use view::url::report::ReportView;

impl App {
    /// Returns the state of an analysis's report.
    fn look_of(self, topic: Topic) -> ReportView {
        self.reports.with(|looks| looks.get(&topic).cloned().unwrap_or_default())
    }
}

/// Updates [`App::topics`] while the trace is being read.
pub fn follow_topics(app: App) {
    let topics = follow(app, || Some(queries::Topics));
    Effect::new(move |_| {
        if let Some(topics) = topics.value.get() {
            app.topics.set(topics.to_vec());
        }
    });
}

/// Report of the open analysis about the shown trace, or reports about all traces side by side.
#[component]
pub fn TopicReports() -> impl IntoView {
    let app = expect_context::<App>();
    let are_all = Memo::new(move |_| app.traces.are_all());
    let is_hidden = move || !matches!(app.tab.get(), Tab::Topic(_));
    move || match are_all.get() {
        false => view! { <TopicReport/> }.into_any(),
        true => view! {
            <div class="topics-of-all" hidden=is_hidden data-testid="topics-of-all">
                <For each=move || app.traces.all_open() key=|one| one.number let:one>
                    <Provider value=one><ReportOfOne/></Provider>
                </For>
            </div>
        }
        .into_any(),
    }
}

/// Report of one of several traces, below its name.
#[component]
fn ReportOfOne() -> impl IntoView {
    let app = expect_context::<App>();
    let name = move || app.trace_name();
    view! {
        <section aria-label=name data-testid="topic-of-one">
            <h2>{move || view! { <TraceLetter position=app.traces.position(app)/> }} " " {name}</h2>
            <TopicReport/>
        </section>
    }
}

/// Report of the open analysis.
#[component]
fn TopicReport() -> impl IntoView {
    let app = expect_context::<App>();
    // The report stays while other tabs are open, so that users find it unchanged.
    let topic = Memo::new(move |before: Option<&Option<Topic>>| match app.tab.get() {
        Tab::Topic(topic) => Some(topic),
        _ => before.copied().flatten(),
    });
    move || topic.get().map(|topic| view! { <Panel topic/> })
}

#[component]
fn Panel(topic: Topic) -> impl IntoView {
    let app = expect_context::<App>();
    let open = app.is_open(Tab::Topic(topic));
    let report = ShownReport::follow(app, topic, open);
    // Time range of the selected row.
    let marked = RwSignal::new(None::<Span>);
    let as_tables = RwSignal::new(false);
    let is_there = move || report.with(|head| head.not_recorded.is_none()) == Some(true);
    let missing = move || report.with(|head| head.not_recorded.clone()).flatten();
    let has_charts = move || report.with(|head| !head.charts.is_empty()) == Some(true);
    let reading = move || (report.is_unknown() && report.failure.with(Option::is_none)).then_some("Reading events…");
    let turn_charts = Callback::new(move |()| as_tables.update(|as_tables| *as_tables = !*as_tables));
    let can_turn = move || open.get_untracked() && untrack(has_charts);
    app.actions.on_if(Scope::Topics, Command::ChartsAsTables, can_turn, move || turn_charts.run(()));
    let has_pictures = move || open.get() && has_charts() && !as_tables.get();
    offer_pictures(app, Scope::Topics, topic.slug(), has_pictures, move || charts_picture(app, topic));
    let is_there = Memo::new(move |_| is_there());
    view! {
        <div class=format!("topic of-{}", topic.slug()) hidden=move || !open.get() data-testid="topic-panel"
            aria-busy=move || report.is_behind().to_string()>
            <Trouble failure=report.failure/>
            <p class="reading-topic" role="status">{reading}</p>
            {move || missing().map(|missing| view! { <HowToRecord topic missing/> })}
            <Show when=move || is_there.get()>
                <Headline report open/>
                {move || (topic == Topic::Http && (app.number == 0 || !app.traces.are_all())).then(|| view! { <AcrossServices/> })}
                <Charts report marked as_tables/>
                <ReportTables report open marked as_tables turn_charts/>
            </Show>
        </div>
    }
}
