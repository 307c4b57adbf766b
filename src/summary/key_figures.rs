//! Strip of key figures, which lead to their tabs.

use crate::app::state::App;
use crate::commands::shortcuts::name as name_of;
use crate::trace::live_query::follow;
use leptos::prelude::*;
use protocol::queries;
use protocol::reply::ReportHead;
use protocol::request::Filter;
use protocol::tables::RoleTimes;
use protocol::topics::topic::Topic;
use std::sync::Arc;
use view::keys::keymap::{Command, Scope};
use view::summary::key_figures::{KeyFigure, Known};

/// Returns the report of an analysis, if the trace has its events.
fn report(
    app: App,
    topic: Topic,
    filter: impl Fn() -> Option<Filter> + 'static,
) -> impl Fn() -> Option<Arc<ReportHead>> + Copy + Send + Sync + 'static {
    let is_recorded =
        Memo::new(move |_| app.topics.with(|all| all.iter().any(|one| one.topic == topic && one.missing.is_none())));
    let followed = follow(app, move || {
        let filter = filter()?;
        is_recorded.get().then_some(queries::Report { topic, filter })
    });
    move || followed.value.get().filter(|_| is_recorded.get())
}

/// Strip of key figures for the filter.
#[component]
pub fn KeyFigures(
    /// Filter; `None` while the tab isn't visible.
    filter: Signal<Option<Filter>>,
    /// Times by role.
    times: RwSignal<Option<Arc<RoleTimes>>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let [http, gc, exceptions] =
        [Topic::Http, Topic::Gc, Topic::Exceptions].map(|topic| report(app, topic, move || filter.get()));
    let figures = Memo::new(move |_| {
        let trace = app.trace.get()?;
        let (times, http, gc, exceptions) = (times.get(), http(), gc(), exceptions());
        let known = |filter: &Filter| {
            let (times, http) = (times.as_deref(), http.as_deref());
            let (gc, exceptions) = (gc.as_deref(), exceptions.as_deref());
            Known { trace: &trace, filter, times, http, gc, exceptions }.figures()
        };
        Some(app.filter.with(known))
    });
    let shown = move || figures.get().unwrap_or_default();
    view! {
        <ul class="key-figures" aria-label="Key figures" data-testid="key-figures">
            <For each=shown key=|figure| figure.clone() let:figure>{entry(app, figure)}</For>
        </ul>
    }
}

fn entry(app: App, figure: KeyFigure) -> impl IntoView {
    let KeyFigure { key, name, value, note, is_minimum, is_warning, leads_to } = figure;
    let does = match leads_to {
        Some(tab) => name_of(Scope::Everywhere, tab.command()),
        None => name_of(Scope::Events, Command::ShowOnTimeline),
    };
    let follow = move |_| match leads_to {
        Some(tab) => app.tab.set(tab),
        None => {
            let whole = app.trace.with_untracked(|trace| trace.as_ref().map(|trace| trace.seen_span()));
            let range = app.filter.with_untracked(|filter| filter.span);
            if let Some(span) = range.or(whole) {
                app.show_on_timeline(span);
            }
        }
    };
    view! {
        <li class=key>
            <button title=does class:warn=is_warning data-testid=format!("key-{key}") on:click=follow>
                <span class="name">{name}</span>
                " "
                <span class="value">
                    {is_minimum.then(|| view! { <small>"at least "</small> })}
                    <b data-testid=format!("metric-{key}")>{value}</b>
                    {(!note.is_empty()).then(|| view! { " " <small>{note}</small> })}
                </span>
            </button>
        </li>
    }
}
