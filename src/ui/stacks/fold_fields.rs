//! What stacks begin with, what is one frame, what is folded: the fields of the dialog.

use crate::protocol::stack_shape::{Grouping, Roots, Shape};
use crate::ui::state::App;
use crate::view::stack_link::StackLook;
use leptos::prelude::*;

const ROOTS: [(Roots, &str, &str); 5] = [
    (Roots::None, "none", "all together"),
    (Roots::Process, "process", "by process"),
    (Roots::Thread, "thread", "by thread"),
    (Roots::Role, "role", "by what threads are for"),
    (Roots::Work, "work", "by request or activity"),
];
const GROUPINGS: [(Grouping, &str, &str); 4] = [
    (Grouping::Functions, "functions", "a function"),
    (Grouping::Classes, "classes", "a class"),
    (Grouping::Namespaces, "namespaces", "a namespace"),
    (Grouping::Modules, "modules", "a module"),
];

/// The fields.
#[component]
pub fn FoldFields() -> impl IntoView {
    let app = expect_context::<App>();
    let change = move |act: &dyn Fn(&mut Shape)| app.stacks.update(|look| act(&mut look.shape));
    let roots = Memo::new(move |_| app.stacks.with(|look| look.shape.roots));
    let grouping = Memo::new(move |_| app.stacks.with(|look| look.shape.grouping));
    let recursion = Memo::new(move |_| app.stacks.with(|look| look.shape.without_recursion));
    let awaits = Memo::new(move |_| app.stacks.with(|look| look.shape.awaits));
    let nameless = Memo::new(move |_| app.stacks.with(|look| look.shape.nameless));
    let stitched = Memo::new(move |_| app.stacks.with(|look| look.shape.stitched));
    let framework = move || app.stacks.with(|look| look.shape.framework.join(", "));
    let groups = move || app.stacks.with(|look| look.shape.patterns.groups.clone());
    let folds = move || app.stacks.with(|look| look.shape.patterns.folds.clone());
    let pick_roots = move |value: String| {
        if let Some((roots, ..)) = ROOTS.into_iter().find(|(_, name, _)| *name == value) {
            change(&|shape| shape.roots = roots);
        }
    };
    let pick_grouping = move |value: String| {
        if let Some((grouping, ..)) = GROUPINGS.into_iter().find(|(_, name, _)| *name == value) {
            change(&|shape| shape.grouping = grouping);
        }
    };
    let set_framework = move |value: String| {
        let prefixes = || value.split([',', ';', ' ']).map(str::trim).filter(|prefix| !prefix.is_empty());
        change(&|shape| {
            shape.framework = prefixes().map(|prefix| prefix.trim_end_matches(['.', '*']).to_owned()).collect()
        });
    };
    view! {
        <div class="content fields">
            <label class="row"><span>"Stacks are"</span>
                <select class="btn line" data-testid="pick-roots" on:change:target=move |event| pick_roots(event.target().value())>
                    {ROOTS.map(|(value, name, words)| view! {
                        <option value=name selected=move || roots.get() == value>{words}</option>
                    }).collect_view()}
                </select>
            </label>
            <div class="row"><span>"Async"</span>
                <button class="switch" role="switch" aria-checked=move || stitched.get().to_string() data-testid="stitch"
                    title="Where events of the task library have stacks, what a thread runs for a task stands below what scheduled or awaited it"
                    on:click=move |_| change(&|shape| shape.stitched ^= true)>
                    <i aria-hidden="true"></i>
                    "Below the stack that scheduled or awaited it"
                </button>
            </div>
            <div class="row"><span>"Awaits"</span>
                <button class="switch" role="switch" aria-checked=move || awaits.get().to_string() data-testid="await-chains"
                    title="Async methods that start one another or go on after one another stand in one chain, without builders, boxes and continuations between them"
                    on:click=move |_| change(&|shape| shape.awaits ^= true)>
                    <i aria-hidden="true"></i>
                    "Async methods in one chain"
                </button>
            </div>
            <div class="row"><span>"No name"</span>
                <button class="switch" role="switch" aria-checked=move || nameless.get().to_string() data-testid="nameless-together"
                    on:click=move |_| change(&|shape| shape.nameless ^= true)>
                    <i aria-hidden="true"></i>
                    "Addresses without a name are one frame a module"
                </button>
            </div>
            <label class="row"><span>"One frame is"</span>
                <select class="btn line" data-testid="pick-grouping" on:change:target=move |event| pick_grouping(event.target().value())>
                    {GROUPINGS.map(|(value, name, words)| view! {
                        <option value=name selected=move || grouping.get() == value>{words}</option>
                    }).collect_view()}
                </select>
            </label>
            <div class="row"><span>"Recursion"</span>
                <button class="switch" role="switch" aria-checked=move || recursion.get().to_string() data-testid="merge-recursion"
                    on:click=move |_| change(&|shape| shape.without_recursion ^= true)>
                    <i aria-hidden="true"></i>
                    "A frame that calls itself is one frame"
                </button>
            </div>
            <label class="row"><span>"Not my code"</span>
                <span class="field"><input type="text" placeholder="what .NET itself is known to be" spellcheck="false" prop:value=framework
                    data-testid="fold-framework" on:change:target=move |event| set_framework(event.target().value())/></span>
            </label>
            <p class="help">"Namespaces and modules with all below them, such as System, Microsoft, Shop.Plumbing."</p>
            <label class="row"><span>"Group frames"</span>
                <span class="field"><input type="text" placeholder="{%}!->module $1" spellcheck="false" prop:value=groups
                    data-testid="fold-groups" on:change:target=move |event| {
                        let value = event.target().value();
                        change(&|shape| value.clone_into(&mut shape.patterns.groups));
                    }/></span>
            </label>
            <label class="row"><span>"Fold frames"</span>
                <span class="field"><input type="text" placeholder="Enumerator;^System.Linq!" spellcheck="false" prop:value=folds
                    data-testid="fold-folds" on:change:target=move |event| {
                        let value = event.target().value();
                        change(&|shape| value.clone_into(&mut shape.patterns.folds));
                    }/></span>
            </label>
            <p class="help">
                "Patterns as in PerfView, with semicolons between them: they match a part of Module!Namespace.Type.Method(…). "
                <code>"*"</code>" is anything, "<code>"%"</code>" a word with dots, "<code>"{…}"</code>" a part that the group names as "
                <code>"$1"</code>"; "<code>"->"</code>" groups, "<code>"=>"</code>" keeps what enters the group; behind "<code>"@"</code>
                " stands a regular expression."
            </p>
            <button class="btn line" data-testid="fold-reset" on:click=move |_| change(&|shape| {
                let fresh = StackLook::default().shape;
                shape.roots = fresh.roots;
                shape.stitched = fresh.stitched;
                shape.awaits = fresh.awaits;
                shape.nameless = fresh.nameless;
                shape.grouping = fresh.grouping;
                shape.without_recursion = fresh.without_recursion;
                shape.framework = fresh.framework;
                shape.patterns = fresh.patterns;
            })>"As at first"</button>
        </div>
    }
}
