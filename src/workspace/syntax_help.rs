//! How filters are written.

use crate::app::state::App;
use crate::widgets::dialog::Dialog;
use leptos::prelude::*;
use view::events::filter_syntax::EXAMPLES;

/// Examples of the language of filters, shown while [`App::syntax_help`] holds.
#[component]
pub fn SyntaxHelp() -> impl IntoView {
    let app = expect_context::<App>();
    let line = |(example, words): (&'static str, &'static str)| {
        view! { <div><dt><code>{example}</code></dt><dd>{words}</dd></div> }
    };
    view! {
        <Dialog open=app.syntax_help title="How filters are written" testid="syntax-help">
            <div class="content">
                <p>"Conditions that stand beside each other all have to hold, and every panel obeys them. While you type, names of this trace are offered."</p>
                <dl class="syntax" tabindex="0">{EXAMPLES.map(line).collect_view()}</dl>
            </div>
        </Dialog>
    }
}
