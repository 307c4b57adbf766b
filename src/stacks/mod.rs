//! Stacks tab: time and other weights by call stack.

mod activity;
mod compare;
mod find;
mod flame;
mod fold_fields;
mod folding;
mod frame_rows;
mod functions;
mod list_split;
mod more_tools;
mod of_events;
mod sandwich;
mod save;
mod source;
pub(crate) mod state;
pub(crate) mod sum;
mod target;
mod time_chart;
mod time_order;
mod transforms;
mod tree;
mod unresolved;
mod when;

use super::widgets::icon::{INFO, Icon};
use super::widgets::menu::{Menu, OpenMenu};
use crate::app::state::{App, StackView, Tab};
use crate::trace::live_query::Trouble;
use crate::widgets::radio_group::Choice;
use activity::{ActivityChoice, StateTotals, totals_words};
use compare::{CompareButton, CompareRow};
use find::Finder;
use flame::{FlameGraph, GraphKind};
use folding::{FoldButton, MyCodeSwitch};
use functions::FunctionTable;
use leptos::prelude::*;
use list_split::ListSplit;
use more_tools::MoreTools;
pub use of_events::show_stacks_of;
use protocol::request::{Filter, SampleChoice, StackSource, TreeQuery, Weight};
use protocol::tables::frame_flag::NO_FUNCTION;
use protocol::tables::source_kind;
use protocol::timeline::thread_state::Activity;
use sandwich::Sandwich;
use save::SaveButton;
use source::{SourcePick, WeightPick, follow_sources, shown_kind};
use sum::{are_of_one, has_view, with_other_traces};
use time_order::TimeOrder;
use transforms::Steps;
use tree::CallTree;
use unresolved::{Unresolved, UnresolvedRow};
use view::keys::keymap::{Command, Scope};
use view::stacks::function_name::split_name;
use view::stacks::measure::Measure;
use view::url::stacks::{Compared, StacksView};

/// Menu of a frame, if it is open.
#[derive(Clone, Copy)]
struct StackMenu(RwSignal<Option<OpenMenu>>);

/// Returns the query of a view; `None` while it isn't visible, or the stacks of other traces aren't known.
fn query(app: App, open: Memo<bool>, view: StackView) -> Option<TreeQuery> {
    let query = open.get().then(|| app.stacks.with(|look| look.query(compared(app), view)))?;
    with_other_traces(app, query)
}

/// Returns the visible view.
fn shown_view(app: App) -> StackView {
    let view = app.stacks.with(|look| look.view);
    if has_view(app, view) { view } else { StackView::Flame }
}

/// Returns the filters of the events and of the baseline. Tracks the baseline only during a comparison.
fn compared(app: App) -> Compared {
    let is_kept = app.stacks.with(|look| look.comparison.is_some_and(|comparison| comparison.with_kept));
    Compared { filter: app.filter.get(), kept: if is_kept { app.baseline.filter.get() } else { Filter::default() } }
}

/// Returns the format of weights.
fn measure(app: App) -> Measure {
    app.stacks.with(|look| Measure::of(&look.source, &look.weight))
}

/// Returns the name of a function or group. If it doesn't fit, the namespace is cut first.
fn function_name(name: &str, flags: u8) -> impl IntoView + use<> {
    let is_group = flags & NO_FUNCTION != 0;
    let (namespace, rest, parameters) = if is_group { ("", name, "") } else { split_name(name) };
    view! {
        <span class="namespace">{namespace.to_owned()}</span>
        <span class="rest">
            {rest.to_owned()}
            <span class="parameters">{parameters.to_owned()}</span>
        </span>
    }
}

/// Stacks tab.
#[component]
pub fn Stacks() -> impl IntoView {
    let app = expect_context::<App>();
    let open = app.is_open(Tab::Stacks);
    let total = RwSignal::new(None::<f64>);
    let shown = Memo::new(move |_| shown_view(app));
    let is_one = move || are_of_one(app);
    let view_is = move |view| Memo::new(move |_| open.get() && shown.get() == view);
    let (flame, sandwich) = (view_is(StackView::Flame), view_is(StackView::Sandwich));
    let (tree, bottom_up) = (view_is(StackView::Tree), view_is(StackView::BottomUp));
    let time_order = view_is(StackView::TimeOrder);
    let is_beside = Memo::new(move |_| flame.get() || sandwich.get());
    let functions = Memo::new(move |_| is_beside.get() || open.get() && shown.get() == StackView::Functions);
    let menu = RwSignal::new(None);
    provide_context(StackMenu(menu));
    provide_context(Finder::new(app, open));
    provide_context(Unresolved::new(app, open));
    let flame_query = Signal::derive(move || query(app, flame, StackView::Flame));
    let nothing = move || total.get() == Some(0.0);
    let sources = follow_sources(app, open);
    let without_stacks = move || sources.get().is_some_and(|sources| sources.count.is_empty());
    let has_states =
        move || matches!(shown_kind(app, sources), Some(source_kind::WALL_CLOCK | source_kind::ON_PROCESSOR));
    let totals = StateTotals::new(app, open);
    let is_time_of_threads = move || {
        has_states() && app.stacks.with(|look| look.weight == Weight::Time) && !app.filter.with(Filter::is_about_events)
    };
    let list_width = RwSignal::new(None::<f64>);
    let noun = Signal::derive(move || app.stacks.with(|look| total_words(look, shown_kind(app, sources))));
    let of_all = move || is_time_of_threads().then(|| totals_words(totals)).flatten();
    view! {
        <div class="body" hidden=move || !open.get() data-testid="stacks-panel">
            <div class="tools stack-tools" role="toolbar" aria-label="Stacks">
                {move || view! {
                    <Choice
                        label="View"
                        value=shown
                        choose=Callback::new(move |view| app.stacks.update(|look| look.view = view))
                        options=views(app)
                    />
                }}
                <Show when=has_states>
                    <ActivityChoice totals/>
                </Show>
                <MoreTools>
                    <SourcePick sources/>
                    <WeightPick sources/>
                </MoreTools>
                <MyCodeSwitch/>
            </div>
            <div class="stack-line">
                <span class="measured">
                    <span class="total">
                        <b data-testid="stacks-total">
                            {move || total.get().map(|total| measure(app).words(total))}
                        </b>
                        <span>{noun}</span>
                    </span>
                    <span class="note" hidden=is_one data-testid="stacks-of-traces">"all traces, by name"</span>
                    <span class="note" hidden=move || !is_one() || shown_kind(app, sources) != Some(source_kind::WALL_CLOCK) title="The sampler captures every managed thread about once per millisecond, running or not.">
                        <Icon shape=INFO class="xs"/>
                        <span data-testid="stacks-of-all">{move || of_all().unwrap_or_else(|| "wall clock".to_owned())}</span>
                    </span>
                </span>
                <Show when=is_one><UnresolvedRow/></Show>
                <span class="note hint" hidden=move || !flame.get()>"Double-click to zoom · Right-click for more"</span>
                <span class="stack-acts">
                    <FoldButton/>
                    <Show when=is_one><CompareButton/> <SaveButton/></Show>
                </span>
            </div>
            <Show when=is_one><CompareRow/></Show>
            <Steps/>
            <Trouble failure=app.sums.failure/>
            <Show when=nothing>
                <div class="blank" data-testid="stacks-empty">
                    {move || if without_stacks() {
                        view! {
                            <h2>"No stacks in this trace"</h2>
                            <p>"Stack samples come from Microsoft-DotNETCore-SampleProfiler. To record them:"</p>
                            <div class="cmd"><code>"dotnet-trace collect --process-id 4127"</code></div>
                        }.into_any()
                    } else {
                        view! {
                            <h2>"No stacks for this weight"</h2>
                            <p>"Choose another thread activity, stack source or weight, or remove a filter."</p>
                        }.into_any()
                    }}
                </div>
            </Show>
            <div
                class="stacks"
                class:single=move || !is_beside.get()
                style=("--list-width", move || list_width.get().map(|percent| format!("{percent:.1}%")))
                hidden=nothing
            >
                <div class="body" hidden=move || !flame.get()><FlameGraph query=flame_query kind=GraphKind::WHOLE noun/></div>
                <div class="body" hidden=move || !tree.get()><CallTree open=tree view=StackView::Tree total/></div>
                <div class="body" hidden=move || !bottom_up.get()><CallTree open=bottom_up view=StackView::BottomUp total/></div>
                <div class="body" hidden=move || !sandwich.get()><Sandwich open=sandwich/></div>
                <div class="body" hidden=move || !time_order.get()><TimeOrder open=time_order total/></div>
                <Show when=move || is_beside.get()><ListSplit width=list_width/></Show>
                <div class="functions" data-testid="functions-panel" hidden=move || !functions.get()><FunctionTable open=functions total/></div>
            </div>
            <Menu open=menu/>
        </div>
    }
}

/// Returns the views to choose from.
fn views(app: App) -> Vec<(StackView, &'static str, &'static str)> {
    let mut views = vec![
        (StackView::Flame, "Flame graph", "view-flame"),
        (StackView::Tree, "Call tree", "view-tree"),
        (StackView::BottomUp, "Bottom-up", "view-bottom-up"),
        (StackView::Functions, "Functions", "view-functions"),
        (StackView::Sandwich, "Sandwich", "view-sandwich"),
        (StackView::TimeOrder, "Over time", "view-time"),
    ];
    views.retain(|(view, ..)| has_view(app, *view));
    views
}

/// Offers the command that opens a dialog of the tab.
fn offer_dialog(app: App, opens: Command, open: RwSignal<bool>) {
    app.actions.on(Scope::Stacks, opens, move || {
        app.tab.set(Tab::Stacks);
        open.set(true);
    });
}

const VIEWS: [(Command, StackView); 6] = [
    (Command::ViewFlame, StackView::Flame),
    (Command::ViewTree, StackView::Tree),
    (Command::ViewBottomUp, StackView::BottomUp),
    (Command::ViewFunctions, StackView::Functions),
    (Command::ViewSandwich, StackView::Sandwich),
    (Command::ViewOverTime, StackView::TimeOrder),
];

/// Offers the commands for all stacks. They also open the tab.
pub fn offer_actions(app: App) {
    for (command, view) in VIEWS {
        let can = move || untrack(|| has_view(app, view));
        app.actions.on_if(Scope::Stacks, command, can, move || {
            app.tab.set(Tab::Stacks);
            app.stacks.update(|look| look.view = view);
        });
    }
    let can = move |command| compare::can(app, command) || transforms::can(app, command, None);
    let act = move |command| {
        app.tab.set(Tab::Stacks);
        compare::act(app, command) || transforms::act(app, command, None)
    };
    app.actions.offer(Scope::Stacks, can, act);
}

/// Returns the noun of the total.
fn total_words(look: &StacksView, kind: Option<u8>) -> &'static str {
    match (&look.source, &look.weight, look.samples) {
        (_, Weight::Time, SampleChoice::Running) if kind == Some(source_kind::ON_PROCESSOR) => " on CPU",
        (_, Weight::Time, _) if kind == Some(source_kind::OFF_PROCESSOR) => " off CPU",
        (StackSource::Samples, Weight::Time, SampleChoice::All) => " of thread time",
        (StackSource::Samples, _, samples) if samples.activity().is_some() => {
            samples.activity().map_or("", Activity::words)
        }
        (StackSource::Samples, _, SampleChoice::Managed) => " in managed code",
        (StackSource::Samples, _, SampleChoice::External) => " in native code",
        (StackSource::Events(_), Weight::Time, _) => " between start and stop",
        _ => "",
    }
}

/// Flame graph of a query that isn't the tab's own: for stacks of two traces.
#[component]
pub fn GraphOfOtherTrace(
    /// Query; `None` while the graph isn't visible.
    #[prop(into)]
    query: Signal<Option<TreeQuery>>,
) -> impl IntoView {
    const KIND: GraphKind = GraphKind {
        testid: "difference",
        label: "Differential flame graph",
        nothing: "No stacks.",
        ..GraphKind::WHOLE
    };
    let app = expect_context::<App>();
    let menu = RwSignal::new(None);
    provide_context(StackMenu(menu));
    // Search and the reasons of unresolved frames belong to the Stacks tab.
    let never = Memo::new(|_| false);
    provide_context(Finder::new(app, never));
    provide_context(Unresolved::new(app, never));
    view! {
        <FlameGraph query kind=KIND/>
        <Menu open=menu/>
    }
}
