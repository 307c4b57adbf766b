//! Choice of the thread time that counts: running, blocked, idle, or all.

use super::sum::are_of_one;
use crate::app::state::App;
use crate::trace::live_query::follow;
use crate::widgets::radio_group::Choice;
use leptos::prelude::*;
use protocol::queries;
use protocol::request::{Filter, SampleChoice};
use protocol::tables::{RoleTimes, StateTimes};
use protocol::timeline::thread_state::{Activity, ThreadState};
use std::sync::Arc;
use view::format;

/// Nanoseconds of thread time by state, for the threads and time range of the filter.
#[derive(Clone, Copy)]
pub struct StateTotals(RwSignal<Option<Arc<RoleTimes>>>);

impl StateTotals {
    /// Requests the totals after the tab has been opened.
    pub fn new(app: App, open: Memo<bool>) -> Self {
        let request = move || {
            let filter = open.get().then(|| app.filter.get())?;
            Some(queries::RoleTimes { filter })
        };
        Self(follow(app, request).value)
    }

    fn all(self) -> Option<StateTimes> {
        self.0.with(|table| table.as_ref().map(|table| table.all()))
    }

    fn of(self, choice: SampleChoice) -> Option<i64> {
        match choice.activity() {
            Some(activity) => self.all().map(|times| times.activity(activity)),
            None => self.all().map(|times| times.known()),
        }
    }
}

/// Choice of thread time, with totals.
#[component]
pub fn ActivityChoice(
    /// Thread time by state.
    totals: StateTotals,
) -> impl IntoView {
    let app = expect_context::<App>();
    let chosen = Signal::derive(move || app.stacks.with(|look| look.samples));
    // Totals depend on threads and time only; conditions on events also filter samples.
    let figure = move |choice| {
        let nanos = totals.of(choice).filter(|_| are_of_one(app) && !app.filter.with(Filter::is_about_events))?;
        Some(format::duration(nanos))
    };
    view! {
        <Choice
            label="Thread activity"
            value=chosen
            choose=Callback::new(move |samples| app.stacks.update(|look| look.samples = samples))
            options=vec![
                (SampleChoice::Running, "Running", "activity-running"),
                (SampleChoice::Blocked, "Blocked", "activity-blocked"),
                (SampleChoice::Idle, "Idle", "activity-idle"),
                (SampleChoice::All, "All", "activity-all"),
            ]
            figure=Callback::new(figure)
            swatch=swatch_of
        />
    }
}

fn swatch_of(choice: SampleChoice) -> Option<&'static str> {
    choice.activity().map(|activity| match activity {
        Activity::Running => "sw part managed",
        Activity::Blocked => "sw part blocked",
        Activity::Idle => "sw part idle",
    })
}

/// Describes the total: "of 215 s of thread time; 471 ms paused by the GC; 9.4 s waiting for a CPU".
pub fn totals_words(totals: StateTotals) -> Option<String> {
    let all = totals.of(SampleChoice::All).filter(|all| *all > 0)?;
    let part = |state: ThreadState, words: &str| {
        let nanos = totals.all().map(|times| times.of(state)).filter(|nanos| *nanos > 0);
        nanos.map_or_else(String::new, |nanos| format!("; {} {words}", format::duration(nanos)))
    };
    let paused = part(ThreadState::Gc, "paused by the GC");
    let ready = part(ThreadState::Ready, "waiting for a CPU");
    Some(format!("of {} of thread time{paused}{ready}", format::duration(all)))
}
