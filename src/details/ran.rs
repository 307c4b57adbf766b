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
) -> impl IntoView {
    let app = expect_context::<App>();
    let ran = follow(app, move || of.get());
    move || ran_view(app, &of.get()?, &*ran.value.get()?)
}

fn ran_view(app: App, query: &RanOnThread, ran: &ThreadRan) -> Option<impl IntoView + use<>> {
    // The previous answer stays until the next one has arrived.
    let is_of_span =
        ran.thread.first() == Some(&query.thread.0) && ran.bounds == [query.span.start.0, query.span.end.0];
    let times = ran.times();
    let has_time = times.sum(|_| true) > 0;
    if !is_of_span || !has_time && ran.event_name.is_empty() {
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
    let waits = (0..ran.wait_event.len()).map(|at| {
        let name = ThreadState::from_u8(ran.wait_state[at]).map_or("Wait", ThreadState::name).to_owned();
        let duration = format::duration(ran.wait_end[at].saturating_sub(ran.wait_start[at]));
        row(name.clone(), name, duration, Selection::Event(EventId(ran.wait_event[at])))
    });
    let events = ran.event_name.iter().zip(&ran.event_first).zip(&ran.event_count).map(|((name, id), count)| {
        let name = name.to_owned();
        row(name.clone(), name, format::counted(*count, "event"), Selection::Event(EventId(*id)))
    });
    let parts = [
        ("Functions, by self time", functions.collect_view().into_any(), ran.function.len()),
        ("Longest waits", waits.collect_view().into_any(), ran.wait_event.len()),
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
        <section data-testid="ran-on-thread">
            <h3>"Where the time went"<span class="sp">{format::duration(query.span.duration())}</span></h3>
            {has_time.then(|| view! { <div class="role">{state_bar(times)} {state_lines(times)}</div> })}
            {parts.collect_view()}
        </section>
    })
}
