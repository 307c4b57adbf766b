//! Where the time went, by call stack.

mod flame;
mod flame_canvas;
mod functions;
mod tree;

use super::state::{App, StackView, Tab};
use super::widgets::choice::Choice;
use super::widgets::icon::{INFO, Icon};
use super::workspace::is_open;
use crate::protocol::request::{SampleChoice, TreeQuery, Weight};
use crate::view::format;
use crate::view::function_name::split_namespace;
use flame::FlameGraph;
use functions::FunctionTable;
use leptos::prelude::*;
use tree::CallTree;

/// The question that every view of the tab asks about: none while the tab is closed.
fn query(app: App, open: Memo<bool>) -> Option<TreeQuery> {
    open.get().then(|| TreeQuery { filter: app.filter.get(), samples: app.samples.get(), weight: app.weight.get() })
}

/// A weight in words.
fn weight_words(weight: Weight, value: f64) -> String {
    match weight {
        Weight::Time => format::duration(value as i64),
        Weight::Samples => format::counted(value as u64, "sample"),
    }
}

/// A weight in a column whose head names the unit of samples.
fn weight_number(weight: Weight, value: f64) -> String {
    match weight {
        Weight::Time => format::duration(value as i64),
        Weight::Samples => format::count(value as u64),
    }
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
    let view_is = move |view| Memo::new(move |_| open.get() && app.stack_view.get() == view);
    let (flame, tree, functions) = (view_is(StackView::Flame), view_is(StackView::Tree), view_is(StackView::Functions));
    let beside = Memo::new(move |_| flame.get() || functions.get());
    let nothing = move || total.get() == Some(0.0);
    let without_samples = move || app.trace.with(|trace| trace.as_ref().is_some_and(|trace| trace.samples == 0));
    view! {
        <div class="body" hidden=move || !open.get() data-testid="stacks-panel">
            <div class="tools" role="toolbar" aria-label="Stacks">
                <Choice
                    label="View"
                    value=app.stack_view
                    options=vec![
                        (StackView::Flame, "Flame graph", "view-flame"),
                        (StackView::Tree, "Call tree", "view-tree"),
                        (StackView::Functions, "Functions", "view-functions"),
                    ]
                />
                <Choice
                    label="Samples"
                    value=app.samples
                    options=vec![
                        (SampleChoice::All, "All", "samples-all"),
                        (SampleChoice::Managed, "Managed", "samples-managed"),
                        (SampleChoice::External, "External", "samples-external"),
                    ]
                />
                <Choice
                    label="Weight"
                    value=app.weight
                    options=vec![(Weight::Time, "Time", "weight-time"), (Weight::Samples, "Samples", "weight-samples")]
                />
                <span class="total">
                    <b data-testid="stacks-total">
                        {move || total.get().map(|total| weight_words(app.weight.get(), total))}
                    </b>
                    {move || match app.samples.get() {
                        SampleChoice::All => " of thread time",
                        SampleChoice::Managed => " in managed code",
                        SampleChoice::External => " outside managed code",
                    }}
                </span>
                <span class="note sp" title="The sampler records every managed thread about each millisecond, whether it runs or waits.">
                    <Icon shape=INFO class="xs"/>
                    "Wall clock, not CPU: waiting threads are sampled too."
                </span>
            </div>
            <Show when=nothing>
                <div class="blank" data-testid="stacks-empty">
                    {move || if without_samples() {
                        view! {
                            <h2>"This trace holds no stack samples"</h2>
                            <p>"They come from the provider Microsoft-DotNETCore-SampleProfiler. Record with it:"</p>
                            <div class="cmd"><code>"dotnet-trace collect --process-id 4127"</code></div>
                        }.into_any()
                    } else {
                        view! {
                            <h2>"No sample matches"</h2>
                            <p>"Remove a filter, or choose All samples."</p>
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
