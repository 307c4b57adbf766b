//! Where the time went, by call stack.

mod flame;
mod flame_canvas;
mod functions;
mod source;
mod tree;

use super::state::{App, StackView, Tab};
use super::widgets::choice::Choice;
use super::widgets::icon::{INFO, Icon};
use super::workspace::is_open;
use crate::protocol::request::{SampleChoice, StackSource, TreeQuery, Weight};
use crate::view::function_name::split_namespace;
use crate::view::stack_link::StackLook;
use crate::view::stack_measure::Measure;
use flame::FlameGraph;
use functions::FunctionTable;
use leptos::prelude::*;
use source::{SourcePick, WeightPick, follow_sources};
use tree::CallTree;

/// The question that every view of the tab asks about: none while the tab is closed.
fn query(app: App, open: Memo<bool>) -> Option<TreeQuery> {
    open.get().then(|| app.stacks.with(|look| look.query(app.filter.get())))
}

/// How weights are written.
fn measure(app: App) -> Measure {
    app.stacks.with(|look| Measure::of(&look.source, &look.weight))
}

/// A function's name, whose namespace gives way first where there is little room.
fn function_name(name: &str) -> impl IntoView + use<> {
    let (namespace, rest) = split_namespace(name);
    view! {
        <span class="namespace">{namespace.to_owned()}</span>
        <span class="rest">{rest.to_owned()}</span>
    }
}

/// The tab with the call stacks.
#[component]
pub fn Stacks() -> impl IntoView {
    let app = expect_context::<App>();
    let open = is_open(app, Tab::Stacks);
    let total = RwSignal::new(None::<f64>);
    let shown = Memo::new(move |_| app.stacks.with(|look| look.view));
    let view_is = move |view| Memo::new(move |_| open.get() && shown.get() == view);
    let (flame, tree, functions) = (view_is(StackView::Flame), view_is(StackView::Tree), view_is(StackView::Functions));
    let beside = Memo::new(move |_| flame.get() || functions.get());
    let nothing = move || total.get() == Some(0.0);
    let sources = follow_sources(app, open);
    let without_stacks = move || sources.get().is_some_and(|sources| sources.count.is_empty());
    let of_samples = move || app.stacks.with(|look| look.source == StackSource::Samples);
    view! {
        <div class="body" hidden=move || !open.get() data-testid="stacks-panel">
            <div class="tools" role="toolbar" aria-label="Stacks">
                <Choice
                    label="View"
                    value=shown
                    choose=Callback::new(move |view| app.stacks.update(|look| look.view = view))
                    options=vec![
                        (StackView::Flame, "Flame graph", "view-flame"),
                        (StackView::Tree, "Call tree", "view-tree"),
                        (StackView::Functions, "Functions", "view-functions"),
                    ]
                />
                <SourcePick sources/>
                <WeightPick sources/>
                <span class="total">
                    <b data-testid="stacks-total">
                        {move || total.get().map(|total| measure(app).words(total))}
                    </b>
                    {move || app.stacks.with(total_words)}
                </span>
                <span class="note sp" hidden=move || !of_samples() title="The sampler records every managed thread about each millisecond, whether it runs or waits.">
                    <Icon shape=INFO class="xs"/>
                    "Wall clock, not CPU: waiting threads are sampled too."
                </span>
            </div>
            <Show when=nothing>
                <div class="blank" data-testid="stacks-empty">
                    {move || if without_stacks() {
                        view! {
                            <h2>"This trace holds no stacks"</h2>
                            <p>"Samples of what threads do come from the provider Microsoft-DotNETCore-SampleProfiler. Record with it:"</p>
                            <div class="cmd"><code>"dotnet-trace collect --process-id 4127"</code></div>
                        }.into_any()
                    } else {
                        view! {
                            <h2>"Nothing here has this weight"</h2>
                            <p>"Remove a filter, or choose other stacks or another weight."</p>
                        }.into_any()
                    }}
                </div>
            </Show>
            <div class="stacks" class:single=move || !flame.get() hidden=nothing>
                <div class="body" hidden=move || !flame.get()><FlameGraph open=flame/></div>
                <div class="body" hidden=move || !tree.get()><CallTree open=tree total/></div>
                <div class="functions" hidden=move || !beside.get()><FunctionTable open=beside total/></div>
            </div>
        </div>
    }
}

/// What a total is a total of.
fn total_words(look: &StackLook) -> &'static str {
    match (&look.source, &look.weight, look.samples) {
        (StackSource::Samples, Weight::Time, SampleChoice::All) => " of thread time",
        (StackSource::Samples, _, SampleChoice::Managed) => " in managed code",
        (StackSource::Samples, _, SampleChoice::External) => " outside managed code",
        (StackSource::Events(_), Weight::Time, _) => " between start and stop",
        _ => "",
    }
}
