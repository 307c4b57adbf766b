//! Tooltip of a flame graph.

use super::Graph;
use crate::app::state::StackView;
use crate::stacks::{compared, measure};
use crate::trace::live_query::follow;
use leptos::html;
use leptos::prelude::*;
use protocol::base::ids::FunctionId;
use protocol::queries;
use protocol::tables::frame_flag::{IDLE, NO_FUNCTION, UNRESOLVED};
use protocol::timeline::thread_state::ThreadState;
use view::format;
use view::stacks::code_place::heaviest_place;

const TIP_OFFSET_PX: i32 = 14;

/// Tooltip for the frame under the pointer.
#[component]
pub fn Tip(graph: Graph) -> impl IntoView {
    let tip = NodeRef::<html::Div>::new();
    let place = move || {
        let hover = graph.hover.get()?;
        let (width, height) = tip.get().map_or((0, 0), |tip| (tip.offset_width(), tip.offset_height()));
        let inner =
            |value: Result<wasm_bindgen::JsValue, _>| value.ok().and_then(|value| value.as_f64()).unwrap_or(1e4) as i32;
        let (right, bottom) = (inner(window().inner_width()), inner(window().inner_height()));
        let x = if hover.x + TIP_OFFSET_PX + width > right {
            hover.x - TIP_OFFSET_PX - width
        } else {
            hover.x + TIP_OFFSET_PX
        };
        let y = if hover.y + TIP_OFFSET_PX + height > bottom {
            hover.y - TIP_OFFSET_PX - height
        } else {
            hover.y + TIP_OFFSET_PX
        };
        Some(format!("translate({}px, {}px)", x.max(0), y.max(0)))
    };
    // Data from the worker arrives after the first tooltip.
    let pointed = Memo::new(move |_| {
        let (hover, boxes) = (graph.hover.get()?, graph.boxes.get()?);
        let is_group = boxes.table.flags.get(hover.index).is_some_and(|flags| flags & NO_FUNCTION != 0);
        let function = boxes.table.function.get(hover.index).copied().filter(|id| *id != u32::MAX && !is_group)?;
        Some(FunctionId(function))
    });
    let detail = follow(graph.app, move || pointed.get().map(|function| queries::FunctionDetail { function }));
    // Hot locations, regardless of folding.
    let places = follow(graph.app, move || {
        let function = pointed.get()?;
        let query = graph.app.stacks.with(|look| look.query(compared(graph.app), StackView::Functions));
        Some(queries::CodePlaces { query, function })
    });
    let mostly = move || {
        let (places, function) = (places.value.get()?, pointed.get()?);
        heaviest_place(&places).filter(|_| places.function.first() == Some(&function.0))
    };
    let known = move |name: &str| {
        let detail = detail.value.get().filter(|detail| pointed.get().is_some() && detail.name == name)?;
        let (tiers, code) =
            (detail.tiers.join(", "), detail.ranges.first().map(|(address, _)| format!("{address:#x}")));
        let line = |head: &'static str, words: String| {
            (!words.is_empty()).then(|| view! { <dt>{head}</dt> <dd class="mono">{words}</dd> })
        };
        Some(view! {
            {line("Full name", detail.raw_name.clone())}
            {line("Tier", tiers)}
            {line("Code address", code.unwrap_or_default())}
            {line("Hot location", mostly().unwrap_or_default())}
            {line("Source", detail.source.clone())}
            {(!detail.unresolved.is_empty()).then(|| view! { <dt>"Unresolved"</dt> <dd>{detail.unresolved.clone()}</dd> })}
        })
    };
    let content = move || {
        let (hover, boxes) = (graph.hover.get()?, graph.boxes.get()?);
        let index = hover.index;
        let inclusive = boxes.table.inclusive.get(index).copied()?;
        let exclusive = boxes.table.exclusive.get(index).copied()?;
        let measure = measure(graph.app);
        let share = |value| format!("{} · {}", measure.words(value), format::percent(value, boxes.total()));
        let of_baseline = boxes.of_baseline(index).map(|of_baseline| {
            view! {
                <dt>"Baseline"</dt>
                <dd>{measure.words(of_baseline)}</dd>
                <dt>"Difference"</dt>
                <dd>{measure.difference(inclusive - of_baseline)}</dd>
            }
        });
        let is_idle = boxes.table.flags.get(index).is_some_and(|flags| flags & IDLE != 0);
        let merged = (boxes.is_merged(index) && !is_idle)
            .then(|| view! { <p>"Several frames too narrow to draw. Zoom in."</p> });
        let idle =
            is_idle.then(|| view! { <p>"Threads that sleep or have no work. Choose Idle to see their stacks."</p> });
        let state = boxes.table.state.get(index).and_then(|state| ThreadState::from_u8(*state));
        let state = state.filter(|_| !is_idle).map(|state| view! { <dt>"Main state"</dt> <dd>{state.name()}</dd> });
        let family = boxes.family(index).to_owned();
        let is_unresolved = boxes.table.flags.get(index).is_some_and(|flags| flags & UNRESOLVED != 0);
        let folded = match is_unresolved {
            true => graph.unresolved.words(boxes.module(index)),
            false => (!family.is_empty()).then(|| folded_words(&family)),
        };
        let folded = folded.map(|words| view! { <p>{words}</p> });
        Some(view! {
            <div class="tip-head">{if merged.is_some() { "Merged".to_owned() } else { graph.name(&boxes, index) }}</div>
            <dl>
                {(!boxes.module(index).is_empty()).then(|| view! {
                    <dt>"Module"</dt>
                    <dd>{boxes.module(index).to_owned()}</dd>
                })}
                <dt>"Total"</dt>
                <dd>{share(inclusive)}</dd>
                <dt>"Self"</dt>
                <dd>{share(exclusive)}</dd>
                {of_baseline}
                {state}
                {known(boxes.name(index))}
            </dl>
            {merged}
            {idle}
            {folded}
        })
    };
    view! {
        <div
            class="tip over-page"
            role="presentation"
            hidden=move || graph.hover.get().is_none()
            style:transform=place
            node_ref=tip
            data-testid=graph.testid("tip")
        >
            {content}
        </div>
    }
}

fn folded_words(family: &str) -> String {
    format!("Includes framework callees. Press E to expand {family}.")
}
