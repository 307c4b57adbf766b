//! Occurrence of a function on a thread's stack: when, for how long, in which states, and below which callers.

use super::ran::{MAX_RAN, Ran};
use super::state::Occurrence;
use crate::app::state::{App, Selection};
use leptos::prelude::*;
use protocol::base::ids::FunctionId;
use protocol::queries::RanOnThread;
use protocol::tables::frame_flag::{FRAMEWORK, NO_FUNCTION};
use view::draw::tooltip::DECIMALS;
use view::format;
use view::stacks::function_name::split_name;
use view::timeline::tracks::lane_frame::SliceRow;

/// Occurrence that was selected; nothing if the function was selected elsewhere.
#[component]
pub fn OccurrenceOf() -> impl IntoView {
    let app = expect_context::<App>();
    let shown = Memo::new(move |_| {
        let occurrence = app.details.occurrence.get()?;
        (app.selection.get() == Selection::Function(occurrence.function)).then_some(occurrence)
    });
    let of = Signal::derive(move || {
        let Occurrence { thread, span, .. } = shown.get()?;
        Some(RanOnThread { thread, span, limit: MAX_RAN })
    });
    view! {
        {move || shown.get().map(|occurrence| times_view(app, &occurrence))}
        <Ran of/>
        {move || shown.get().and_then(|occurrence| callers_view(app, &occurrence))}
    }
}

fn times_view(app: App, occurrence: &Occurrence) -> impl IntoView + use<> {
    let Occurrence { thread, span, .. } = *occurrence;
    view! {
        <section data-testid="occurrence">
            <h3>"This occurrence"</h3>
            <dl class="kv">
                <dt>"Start"</dt>
                <dd>{app.face().moment(span.start.0, DECIMALS)}</dd>
                <dt>"Duration"</dt>
                <dd data-testid="occurrence-duration">{format::duration(span.duration())}</dd>
                <dt>"Thread"</dt>
                <dd><button class="link" on:click=move |_| app.select(Selection::Thread(thread))>{app.thread_label(thread)}</button></dd>
            </dl>
        </section>
    }
}

fn callers_view(app: App, occurrence: &Occurrence) -> Option<impl IntoView + use<>> {
    let line = move |(slice, name): &(SliceRow, String)| {
        let (function, short) = (FunctionId(slice.function), split_name(name).1.to_owned());
        let content = match slice.flags & NO_FUNCTION {
            0 => view! { <button on:click=move |_| app.select(Selection::Function(function))>{short}</button> }
                .into_any(),
            _ => view! { <span>{name.clone()}</span> }.into_any(),
        };
        view! { <li class:framework=slice.flags & FRAMEWORK != 0 title=name.clone()>{content}</li> }
    };
    (!occurrence.callers.is_empty()).then(|| {
        view! {
            <section data-testid="occurrence-stack">
                <h3>"Called by"<span class="sp">{format::counted(occurrence.callers.len() as u64, "frame")}</span></h3>
                <ol class="frames">{occurrence.callers.iter().map(line).collect_view()}</ol>
            </section>
        }
    })
}
