//! Card with the time of threads by role.

use crate::app::state::App;
use leptos::prelude::*;
use protocol::request::Filter;
use protocol::tables::{CpuPart, RoleTimes, StateTimes};
use protocol::timeline::thread_state::ThreadState;
use std::sync::Arc;
use view::format;

/// Maximum number of visible roles.
const ROLES: usize = 3;

const PROCESSES: usize = 6;

/// Bar with the states of each role.
#[component]
pub fn RoleTimesCard(
    /// Times by role, most time first.
    times: RwSignal<Option<Arc<RoleTimes>>>,
) -> impl IntoView {
    let roles = move || {
        let table = times.get()?;
        if table.threads.is_empty() {
            return Some(view! { <p class="none">"Needs samples (Microsoft-DotNETCore-SampleProfiler) or context switches. This trace has none."</p> }.into_any());
        }
        let processes = (!table.process_threads.is_empty()).then(|| process_table(&table));
        let roles = (0..table.threads.len().min(ROLES)).map(|row| role(&table, row)).collect_view();
        let others = ROLES..table.threads.len();
        let more = (!others.is_empty()).then(|| {
            let threads = others.clone().map(|row| u64::from(table.threads[row])).sum();
            let nanos = others.clone().map(|row| table.of_role(row).sum(|_| true)).fold(0, i64::saturating_add);
            let (roles, threads) = (format::counted(others.len() as u64, "more role"), format::counted(threads, "thread"));
            view! { <p class="none" data-testid="more-roles">{format!("{roles}: {threads}, {}", format::duration(nanos))}</p> }
        });
        Some(view! { {processes} {roles} {more} }.into_any())
    };
    let app = expect_context::<App>();
    let of_what = move || {
        let is = |of: fn(&RoleTimes) -> bool| times.with(|table| table.as_deref().is_some_and(of));
        let source = match (is(RoleTimes::is_of_cpus), is(RoleTimes::has_switches)) {
            (false, _) => "by thread role, wall clock",
            (true, false) => "on CPU",
            (true, true) => "on CPU and off CPU",
        };
        let all = if app.filter.with(Filter::is_about_events) { ", all threads in range" } else { "" };
        format!("{source}{all}")
    };
    view! {
        <section class="role-times" aria-labelledby="h-times" data-testid="role-times">
            <h2 id="h-times">"Where the time went"<span class="n">{of_what}</span></h2>
            {roles}
        </section>
    }
}

fn role(table: &RoleTimes, row: usize) -> impl IntoView + use<> {
    let times = table.of_role(row);
    let threads = format::counted(table.threads[row].into(), "thread");
    view! {
        <div class="role" data-testid="role">
            <h3>{table.role.get(row).to_owned()}<span class="n">{format!("{threads}, {} of thread time", format::duration(times.sum(|_| true)))}</span></h3>
            {state_bar(times)}
            {state_lines(times)}
        </div>
    }
}

/// The shares of states as one bar.
pub fn state_bar(times: StateTimes) -> impl IntoView {
    let whole = times.sum(|_| true).max(1) as f64;
    let parts = ThreadState::ALL.into_iter().filter(move |state| times.of(*state) > 0);
    let part = move |state: ThreadState| {
        let width = format!("{:.2}%", times.of(state) as f64 / whole * 100.0);
        view! { <i class=format!("part {}", state.slug()) style:width=width></i> }
    };
    view! { <div class="bar" aria-hidden="true">{parts.map(part).collect_view()}</div> }
}

/// The states with their durations and shares.
pub fn state_lines(times: StateTimes) -> impl IntoView {
    let whole = times.sum(|_| true) as f64;
    let parts = ThreadState::ALL.into_iter().filter(move |state| times.of(*state) > 0);
    let line = move |state: ThreadState| {
        let nanos = times.of(state);
        view! {
            <li class="plain-row" data-testid=format!("time-{}", state.slug())>
                <span class="name"><i class=format!("sw part {}", state.slug()) aria-hidden="true"></i><span>{state.name()}</span></span>
                <span class="value">{format::duration(nanos)}</span>
                <span class="share">{format::percent(nanos as f64, whole)}</span>
            </li>
        }
    };
    view! { <ul class="items">{parts.map(line).collect_view()}</ul> }
}

/// Returns the table of a machine-wide trace's processes, with their on-CPU and off-CPU time.
fn process_table(table: &RoleTimes) -> impl IntoView + use<> {
    let rows = (0..table.process_threads.len().min(PROCESSES)).map(|row| {
        let nanos = table.of_process(row);
        let words = |nanos: Option<i64>| match nanos {
            None => "–".to_owned(),
            Some(0) => "0".to_owned(),
            Some(nanos) => format::duration(nanos),
        };
        let cells = nanos.into_iter().map(|nanos| view! { <td>{words(nanos)}</td> });
        view! { <tr><th scope="row" title=table.process.get(row).to_owned()>{table.process.get(row).to_owned()}</th>{cells.collect_view()}</tr> }
    });
    let more = table.process_threads.len().saturating_sub(PROCESSES);
    let heads = CpuPart::ALL.into_iter().map(|part| view! { <th scope="col">{part.name()}</th> });
    view! {
        <table class="processes" data-testid="cpu-by-process">
            <thead><tr><th scope="col">"CPU by process"</th>{heads.collect_view()}</tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
        {(more > 0).then(|| view! { <p class="none">{format!("{} more with less CPU time", format::count(more as u64))}</p> })}
    }
}
