//! Dialog fields for root frames, grouping and folding.

use crate::app::state::App;
use crate::widgets::dropdown::Pick;
use crate::widgets::switch::Switch;
use leptos::prelude::*;
use protocol::stacks::shape::{Grouping, Roots, Shape};
use view::url::stacks::StacksView;

/// Fields of the dialog.
#[component]
pub fn FoldFields() -> impl IntoView {
    let app = expect_context::<App>();
    view! {
        <div class="content fields">
            <ListRow head="Group stacks" testid="pick-roots" options=Roots::ALL.map(|one| (one, one.slug(), one.title())).to_vec() now=|shape| shape.roots
                choose=|shape, roots| shape.roots = roots/>
            <SwitchRow head="Async" testid="stitch" is_on=|shape| shape.stitched turn=|shape| shape.stitched ^= true
                words="Attach tasks to the stack that scheduled them"
                title="Places task work under the stack that scheduled or awaited it, where TPL events have stacks"/>
            <SwitchRow head="Awaits" testid="await-chains" is_on=|shape| shape.awaits turn=|shape| shape.awaits ^= true
                words="Collapse await chains"
                title="Removes async builders, state-machine boxes and continuations between async methods"/>
            <SwitchRow head="Unresolved" testid="merge-unresolved" is_on=|shape| shape.unresolved turn=|shape| shape.unresolved ^= true
                words="Merge unresolved frames by module"/>
            <ListRow head="Frame granularity" testid="pick-grouping" options=Grouping::ALL.map(|one| (one, one.slug(), one.title())).to_vec() now=|shape| shape.grouping
                choose=|shape, grouping| shape.grouping = grouping/>
            <SwitchRow head="Recursion" testid="merge-recursion" is_on=|shape| shape.without_recursion
                turn=|shape| shape.without_recursion ^= true words="Collapse recursion"/>
            <TextRow head="Framework code" testid="fold-framework" placeholder=".NET framework assemblies (default)"
                now=|shape| shape.framework.join(", ") set=|shape, value| shape.framework = prefixes(&value)/>
            <p class="help">"Comma-separated namespace or module prefixes, such as System, Microsoft, Shop.Plumbing."</p>
            <TextRow head="Group frames" testid="fold-groups" placeholder="{%}!->module $1"
                now=|shape| shape.patterns.groups.clone() set=|shape, value| shape.patterns.groups = value/>
            <TextRow head="Fold frames" testid="fold-folds" placeholder="Enumerator;^System.Linq!"
                now=|shape| shape.patterns.folds.clone() set=|shape, value| shape.patterns.folds = value/>
            <p class="help">
                "PerfView patterns separated by semicolons, matched anywhere in Module!Namespace.Type.Method(…). "
                <code>"*"</code>" matches anything, "<code>"%"</code>" matches a dotted name, and "<code>"{…}"</code>" captures a part as "
                <code>"$1"</code>"; "<code>"->"</code>" groups, "<code>"=>"</code>" keeps the entry frames; after "<code>"@"</code>
                ", use a regular expression."
            </p>
            <button class="btn line" data-testid="fold-reset" on:click=move |_| app.stacks.update(|look| reset(&mut look.shape))>"Reset"</button>
        </div>
    }
}

fn reset(shape: &mut Shape) {
    let fresh = StacksView::default().shape;
    shape.roots = fresh.roots;
    shape.stitched = fresh.stitched;
    shape.awaits = fresh.awaits;
    shape.unresolved = fresh.unresolved;
    shape.grouping = fresh.grouping;
    shape.without_recursion = fresh.without_recursion;
    shape.framework = fresh.framework;
    shape.patterns = fresh.patterns;
}

fn prefixes(text: &str) -> Vec<String> {
    let prefixes = text.split([',', ';', ' ']).map(str::trim).filter(|prefix| !prefix.is_empty());
    prefixes.map(|prefix| prefix.trim_end_matches(['.', '*']).to_owned()).collect()
}

#[component]
fn SwitchRow(
    head: &'static str,
    testid: &'static str,
    is_on: fn(&Shape) -> bool,
    /// Toggles it.
    turn: fn(&mut Shape),
    /// Text of the switch.
    words: &'static str,
    #[prop(optional)] title: &'static str,
) -> impl IntoView {
    let app = expect_context::<App>();
    let on = Memo::new(move |_| app.stacks.with(|look| is_on(&look.shape)));
    let turn = Callback::new(move |()| app.stacks.update(|look| turn(&mut look.shape)));
    view! {
        <div class="row"><span>{head}</span>
            <Switch on turn testid title words/>
        </div>
    }
}

/// Row with a dropdown.
#[component]
fn ListRow<T>(
    head: &'static str,
    testid: &'static str,
    /// Options with their values and texts.
    options: Vec<(T, &'static str, &'static str)>,
    /// Returns the chosen option.
    now: fn(&Shape) -> T,
    /// Chooses an option.
    choose: fn(&mut Shape, T),
) -> impl IntoView
where
    T: Copy + PartialEq + Send + Sync + 'static,
{
    let app = expect_context::<App>();
    let now = Memo::new(move |_| app.stacks.with(|look| now(&look.shape)));
    let option = move |(value, name, words): (T, &'static str, &'static str)| {
        view! { <option value=name selected=move || now.get() == value>{words}</option> }
    };
    let list = options.iter().copied().map(option).collect_view();
    let pick = Callback::new(move |value: String| {
        if let Some((chosen, ..)) = options.iter().find(|(_, name, _)| *name == value) {
            app.stacks.update(|look| choose(&mut look.shape, *chosen));
        }
    });
    view! {
        <label class="row"><span>{head}</span>
            <Pick label=head testid pick>{list}</Pick>
        </label>
    }
}

/// Row with a text field.
#[component]
fn TextRow(
    head: &'static str,
    testid: &'static str,
    /// Placeholder: an example, or the meaning of an empty field.
    placeholder: &'static str,
    now: fn(&Shape) -> String,
    set: fn(&mut Shape, String),
) -> impl IntoView {
    let app = expect_context::<App>();
    let now = Memo::new(move |_| app.stacks.with(|look| now(&look.shape)));
    view! {
        <label class="row"><span>{head}</span>
            <span class="field">
                <input type="text" placeholder=placeholder spellcheck="false" prop:value=now data-testid=testid
                    on:change:target=move |event| {
                        let value = event.target().value();
                        app.stacks.update(|look| set(&mut look.shape, value));
                    }/>
            </span>
        </label>
    }
}
