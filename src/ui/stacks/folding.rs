//! Just my code, and what is one frame.

use crate::protocol::stack_shape::Grouping;
use crate::ui::state::App;
use leptos::prelude::*;

const GROUPINGS: [(Grouping, &str, &str); 3] = [
    (Grouping::Functions, "functions", "by function"),
    (Grouping::Namespaces, "namespaces", "by namespace"),
    (Grouping::Modules, "modules", "by module"),
];

/// What is folded.
#[component]
pub fn FoldingChoices() -> impl IntoView {
    let app = expect_context::<App>();
    let mine = Memo::new(move |_| app.stacks.with(|look| look.shape.just_my_code));
    let grouping = Memo::new(move |_| app.stacks.with(|look| look.shape.grouping));
    let options = GROUPINGS.map(|(value, name, words)| {
        view! { <option value=name selected=move || grouping.get() == value>{words}</option> }
    });
    let pick = move |value: String| {
        if let Some((grouping, ..)) = GROUPINGS.into_iter().find(|(_, name, _)| *name == value) {
            app.stacks.update(|look| look.shape.grouping = grouping);
        }
    };
    view! {
        <button
            class="switch"
            role="switch"
            aria-checked=move || mine.get().to_string()
            title="Of .NET's own frames only those are shown that your code calls (J)"
            data-testid="just-my-code"
            on:click=move |_| app.stacks.update(|look| look.shape.just_my_code ^= true)
        >
            <i aria-hidden="true"></i>
            "Just my code"
        </button>
        <select class="btn line" aria-label="What is one frame" data-testid="pick-grouping"
            on:change:target=move |event| pick(event.target().value())>
            {options.collect_view()}
        </select>
    }
}
