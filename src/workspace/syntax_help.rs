//! Dialog with the filter syntax.

use crate::app::state::App;
use crate::widgets::dialog::Dialog;
use leptos::prelude::*;
use view::events::filter_syntax::EXAMPLES;

/// Examples of the filter syntax, visible while [`crate::workspace::state::WorkspaceState::syntax_help`] is set.
#[component]
pub fn SyntaxHelp() -> impl IntoView {
    let app = expect_context::<App>();
    let line = |(example, words): (&'static str, &'static str)| {
        view! { <div><dt><code>{example}</code></dt><dd>{words}</dd></div> }
    };
    view! {
        <Dialog open=app.workspace.syntax_help title="Filter syntax" testid="syntax-help">
            <div class="content">
                <p>"Separate conditions with spaces; all of them must match. Filters apply to every view. Suggestions appear as you type."</p>
                <dl class="syntax" tabindex="0">{EXAMPLES.map(line).collect_view()}</dl>
            </div>
        </Dialog>
    }
}
