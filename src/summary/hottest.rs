//! Hottest functions of the app, with a small flame graph beside them.

use crate::app::state::{App, Selection, Tab};
use crate::commands::shortcuts::name as name_of;
use crate::trace::live_query::{Trouble, follow, follow_as};
use crate::widgets::resize::on_resize;
use leptos::html;
use leptos::prelude::*;
use protocol::base::ids::FunctionId;
use protocol::queries;
use protocol::request::{Filter, FunctionOrder, TreeQuery};
use protocol::tables::frame_flag::{FRAMEWORK, IDLE, NO_FUNCTION, UNRESOLVED};
use protocol::tables::{Functions, RoleTimes};
use protocol::timeline::thread_state::ThreadState;
use std::sync::Arc;
use view::events::filter_text::joined;
use view::format;
use view::keys::keymap::{Command, Scope};
use view::stacks::flame_boxes::FlameBoxes;
use view::stacks::function_name::fitting;
use view::summary::small_flame::{LEVEL_PX, SmallBox, small_boxes};
use view::url::stacks::{Compared, StackView, StacksView};

const FUNCTIONS: usize = 6;
/// Functions that are requested, because some aren't the app's.
const REQUESTED: u32 = 60;
/// Characters of a function's name; the tooltip has all of it.
const NAME_ROOM: usize = 20;
const LEVELS: u16 = 9;
/// Narrowest frame of the graph, as a share of its width.
const MIN_SHARE: f64 = 1.0 / 256.0;

/// Hottest functions and small flame graph.
#[component]
pub fn Hottest(
    /// Filter; `None` while the tab isn't visible.
    filter: Signal<Option<Filter>>,
    /// Times by role.
    times: RwSignal<Option<Arc<RoleTimes>>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    // The program that recorded a machine-wide trace isn't what users look for.
    let without_recorders = move || app.trace.with(|trace| trace.as_ref().map(|trace| trace.without_recorders.clone()));
    let filter = move || {
        let (filter, condition) = (filter.get()?, without_recorders()?);
        Some(match condition.as_str() {
            "" => filter,
            condition => Filter { query: joined(&filter.query, condition), ..filter },
        })
    };
    let functions = follow(app, move || {
        let mut query = running(filter()?, StackView::Functions);
        // As in the finding about CPU use: .NET code counts for the code that calls it.
        query.shape.without_callees = true;
        Some(queries::Functions { query, order: FunctionOrder::Exclusive, limit: REQUESTED })
    });
    let flame = follow_as(
        app,
        move || {
            let query = running(filter()?, StackView::Flame);
            Some(queries::Flame { query, path: Vec::new(), min_share: MIN_SHARE, max_depth: LEVELS })
        },
        FlameBoxes::new,
    );
    let ran = move || {
        let total = functions.value.with(|functions| functions.as_ref()?.total.first().copied())?;
        // As on the Stacks tab, which has no stacks of time without samples.
        let all = times.with(|times| times.as_ref().map(|times| times.all().known()))?;
        (all > 0).then(|| format!("{} running of {}", format::duration(total as i64), format::duration(all)))
    };
    let clock = move || match app.trace.with(|trace| trace.as_ref().is_some_and(|trace| trace.samples_processors)) {
        true => "self + .NET callees, CPU time",
        false => "self + .NET callees",
    };
    view! {
        <section class="hottest" aria-labelledby="h-hottest" data-testid="hottest">
            <h2 id="h-hottest">
                "Hottest user functions"<span class="n">{clock} {move || ran().map(|ran| format!(" · {ran}"))}</span>
                <button class="link" data-testid="open-stacks" data-command=Command::ShowStacks.id() on:click=move |_| app.tab.set(Tab::Stacks)>
                    {name_of(Scope::Everywhere, Command::ShowStacks)}
                </button>
            </h2>
            <Trouble failure=functions.failure/>
            <div class="beside">
                {move || functions.value.get().map(|functions| list(app, &functions))}
                <SmallFlame boxes=flame.value/>
            </div>
        </section>
    }
}

/// Returns the query of the Stacks tab as it opens: running time, with framework code folded.
fn running(filter: Filter, view: StackView) -> TreeQuery {
    StacksView::default().query(Compared { filter, kept: Filter::default() }, view)
}

fn list(app: App, functions: &Functions) -> impl IntoView + use<> {
    let is_of_user = |row: &usize| {
        let flags = functions.flags.get(*row).copied().unwrap_or(0);
        flags & (FRAMEWORK | NO_FUNCTION | UNRESOLVED | IDLE) == 0
            && functions.exclusive.get(*row).is_some_and(|nanos| *nanos > 0.0)
    };
    let rows: Vec<usize> = (0..functions.function.len()).filter(is_of_user).take(FUNCTIONS).collect();
    let line = |row: usize| {
        let function = FunctionId(functions.function.get(row).copied().unwrap_or_default());
        let name = functions.name.get(row).to_owned();
        let short = fitting(&name, NAME_ROOM).into_owned();
        let own = functions.exclusive.get(row).copied().unwrap_or_default();
        let state = functions.state.get(row).and_then(|state| ThreadState::from_u8(*state));
        let swatch = format!("sw part {}", state.unwrap_or(ThreadState::Managed).slug());
        view! {
            <li>
                <button
                    title=format!("{name}\n{}\nSelect in Stacks", functions.module.get(row))
                    aria-pressed=move || (app.selection.get() == Selection::Function(function)).to_string()
                    data-testid="hot-function"
                    on:click=move |_| show(app, function)
                >
                    <span class="name"><i class=swatch aria-hidden="true"></i><span>{short}</span></span>
                    <span class="value">{format::duration(own as i64)}</span>
                </button>
            </li>
        }
    };
    if rows.is_empty() {
        let has_samples = app.trace.with_untracked(|trace| trace.as_ref().is_some_and(|trace| trace.samples > 0));
        let is_filtered = untrack(|| app.is_filtered());
        let words = if has_samples && is_filtered {
            "No running time of your code matches the filter."
        } else if has_samples {
            "No running time of your code."
        } else {
            "Needs samples (Microsoft-DotNETCore-SampleProfiler). This trace has none."
        };
        return view! { <p class="none">{words}</p> }.into_any();
    }
    view! { <ul class="items" aria-label="Self time, including .NET callees">{rows.into_iter().map(line).collect_view()}</ul> }.into_any()
}

/// Selects a function and opens the stacks.
fn show(app: App, function: FunctionId) {
    app.select(Selection::Function(function));
    app.tab.set(Tab::Stacks);
}

/// Flame graph of a few levels. The list beside it and the Stacks tab have its content for the keyboard.
#[component]
fn SmallFlame(boxes: RwSignal<Option<Arc<FlameBoxes>>>) -> impl IntoView {
    let app = expect_context::<App>();
    let element = NodeRef::<html::Div>::new();
    let width = RwSignal::new(0.0_f64);
    element.on_load(move |element| on_resize(&element, move |wide, _| width.set(wide)));
    let drawn = move || {
        let boxes = boxes.get()?;
        let shown = small_boxes(&boxes, width.get(), usize::from(LEVELS));
        let height = shown.iter().map(|one| one.top + LEVEL_PX).fold(0.0, f64::max);
        Some(view! {
            <svg width="100%" height=height role="img" aria-label="Flame graph of running time">
                {shown.into_iter().map(|one| frame(app, &boxes, one)).collect_view()}
            </svg>
        })
    };
    view! { <div class="small-flame" node_ref=element data-testid="small-flame">{drawn}</div> }
}

fn frame(app: App, boxes: &FlameBoxes, one: SmallBox) -> impl IntoView + use<> {
    let SmallBox { index, left, top, width, label, color } = one;
    let function = boxes.table.function.get(index).copied();
    let is_function =
        boxes.table.flags.get(index).is_some_and(|flags| flags & NO_FUNCTION == 0) && !boxes.is_merged(index);
    let name = if boxes.is_merged(index) { "Narrow frames".to_owned() } else { boxes.label(index) };
    let weight = boxes.table.inclusive.get(index).copied().unwrap_or(0.0);
    let share = format::percent(weight, boxes.total());
    let tip = format!("{name}\n{} · {share}", format::duration(weight as i64));
    let click = move |_| match function.filter(|_| is_function) {
        Some(function) => show(app, FunctionId(function)),
        None => app.tab.set(Tab::Stacks),
    };
    view! {
        <g class=color on:click=click>
            <title>{tip}</title>
            <rect x=left y=top width=width height=LEVEL_PX - 1.0></rect>
            {(!label.is_empty()).then(|| view! { <text x=left + 4.0 y=top + 11.5>{label}</text> })}
        </g>
    }
}
