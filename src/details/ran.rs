//! Where the time of a span or slice went: states of its thread, then functions, waits and events with links.

use crate::app::state::{App, Selection};
use crate::summary::role_times::{state_bar, state_lines};
use crate::trace::live_query::follow;
use leptos::prelude::*;
use protocol::base::ids::{EventId, FunctionId};
use protocol::queries::{RanOnThread, ThreadRan};
use protocol::timeline::thread_state::ThreadState;
use view::format;
use view::stacks::function_name::split_name;

/// Maximum number of functions, of waits and of event types.
pub const MAX_RAN: u32 = 5;

/// What ran on a thread for a time.
#[component]
pub fn Ran(
    /// Thread and time; `None` if there is nothing to show.
    #[prop(into)]
    of: Signal<Option<RanOnThread>>,
    /// True if the states are visible elsewhere.
    #[prop(optional)]
    is_known: Signal<bool>,
    #[prop(default = "Where the time went")] head: &'static str,
    /// Test ID.
    #[prop(default = "ran-on-thread")]
    testid: &'static str,
) -> impl IntoView {
    let app = expect_context::<App>();
    let ran = follow(app, move || of.get());
    move || {
        let with_states = !is_known.get();
        let head = if with_states { head } else { "What the thread ran" };
        ran_view(app, &of.get()?, &*ran.value.get()?, (head, testid), with_states)
    }
}

fn ran_view(
    app: App,
    query: &RanOnThread,
    ran: &ThreadRan,
    (head, testid): (&'static str, &'static str),
    with_states: bool,
) -> Option<impl IntoView + use<>> {
    // The previous answer stays until the next one has arrived.
    let is_of_span =
        ran.thread.first() == Some(&query.thread.0) && ran.bounds == [query.span.start.0, query.span.end.0];
    let times = ran.times();
    let has_time = with_states && times.sum(|_| true) > 0;
    // Without functions, the events are hardly more than those of the span itself.
    if !is_of_span || !has_time && ran.function.is_empty() {
        return None;
    }
    let row = move |name: String, title: String, value: String, to: Selection| {
        view! {
            <tr>
                <td><button class="link" title=title on:click=move |_| app.select(to)>{name}</button></td>
                <td class="num">{value}</td>
            </tr>
        }
    };
    let functions = ran.function_name.iter().zip(&ran.function).zip(&ran.function_nanos).map(|((name, id), nanos)| {
        let short = split_name(name).1.to_owned();
        row(short, name.to_owned(), format::duration(*nanos as i64), Selection::Function(FunctionId(*id)))
    });
    // A wait that lasts all the time is what the details are about.
    let is_part = |at: &usize| [ran.wait_start[*at], ran.wait_end[*at]] != ran.bounds[..];
    let waits: Vec<usize> = (0..ran.wait_event.len()).filter(is_part).collect();
    let wait_count = waits.len();
    let waits = waits.into_iter().map(|at| {
        let name = ThreadState::from_u8(ran.wait_state[at]).map_or("Wait", ThreadState::name).to_owned();
        let duration = format::duration(ran.wait_end[at].saturating_sub(ran.wait_start[at]));
        row(name.clone(), name, duration, Selection::Event(EventId(ran.wait_event[at])))
    });
    let events = ran.event_name.iter().zip(&ran.event_first).zip(&ran.event_count).map(|((name, id), count)| {
        // After the provider.
        let short = name.split_once('/').map_or(name, |(_, short)| short);
        row(short.to_owned(), name.to_owned(), format::counted(*count, "event"), Selection::Event(EventId(*id)))
    });
    let parts = [
        ("Functions, by self time", functions.collect_view().into_any(), ran.function.len()),
        ("Longest waits", waits.collect_view().into_any(), wait_count),
        ("Events", events.collect_view().into_any(), ran.event_name.len()),
    ];
    let parts = parts.into_iter().filter(|(.., rows)| *rows > 0).map(|(head, rows, _)| {
        view! {
            <table class="fields neighbors">
                <thead><tr><th scope="col" colspan="2">{head}</th></tr></thead>
                <tbody>{rows}</tbody>
            </table>
        }
    });
    Some(view! {
        <section data-testid=testid>
            <h3>{head}<span class="sp">{format::duration(query.span.duration())}</span></h3>
            {has_time.then(|| view! { <div class="role">{state_bar(times)} {state_lines(times)}</div> })}
            {parts.collect_view()}
        </section>
    })
}
