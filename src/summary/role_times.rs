//! Card with the time of threads by role.

use crate::app::state::App;
use leptos::prelude::*;
use protocol::request::Filter;
use protocol::tables::{RoleTimes, state};
use protocol::timeline::thread_state::ThreadState;
use std::sync::Arc;
use view::format;

/// Maximum number of visible roles.
const ROLES: usize = 3;

/// Bar with the states of each role.
#[component]
pub fn RoleTimesCard(
    /// Times by role, most time first.
    times: RwSignal<Option<Arc<RoleTimes>>>,
) -> impl IntoView {
    let roles = move || {
        let table = times.get()?;
        if table.threads.is_empty() {
            return Some(view! { <p class="none">"Needs wall-clock samples (Microsoft-DotNETCore-SampleProfiler). This trace has none."</p> }.into_any());
        }
        Some((0..table.threads.len().min(ROLES)).map(|row| role(&table, row)).collect_view().into_any())
    };
    let app = expect_context::<App>();
    let of_what = move || match app.filter.with(Filter::is_about_events) {
        false => "by thread role, wall clock",
        true => "by thread role, wall clock, all threads in range",
    };
    view! {
        <section class="role-times" aria-labelledby="h-times" data-testid="role-times">
            <h2 id="h-times">"Where the time went"<span class="n">{of_what}</span></h2>
            {roles}
        </section>
    }
}

fn role(table: &RoleTimes, row: usize) -> impl IntoView + use<> {
    let nanos = table.nanos.get(row * state::COUNT..(row + 1) * state::COUNT).unwrap_or_default().to_vec();
    let whole: i64 = nanos.iter().sum();
    let of = move |state: ThreadState| nanos.get(usize::from(state as u8)).copied().unwrap_or(0);
    let threads = format::counted(table.threads[row].into(), "thread");
    let parts = ThreadState::ALL.into_iter().map(|state| (of(state), state.name(), state.slug()));
    let parts: Vec<_> = parts.filter(|part| part.0 > 0).collect();
    let bar = parts.clone().into_iter().map(|(nanos, _, class)| {
        view! { <i class=format!("part {class}") style:width=format!("{:.2}%", nanos as f64 / whole.max(1) as f64 * 100.0)></i> }
    });
    let lines = parts.into_iter().map(|(nanos, words, class)| {
        view! {
            <li class="plain-row">
                <span class="name"><i class=format!("sw part {class}") aria-hidden="true"></i><span>{words}</span></span>
                <span class="value">{format::duration(nanos)}</span>
                <span class="share">{format::percent(nanos as f64, whole as f64)}</span>
            </li>
        }
    });
    view! {
        <div class="role" data-testid="role">
            <h3>{table.role.get(row).to_owned()}<span class="n">{format!("{threads}, {} of thread time", format::duration(whole))}</span></h3>
            <div class="bar" aria-hidden="true">{bar.collect_view()}</div>
            <ul class="items">{lines.collect_view()}</ul>
        </div>
    }
}
