//! Text filter for the rows of a report's table.

use super::report::ShownReport;
use crate::app::state::App;
use crate::widgets::icon::{CLOSE, Icon, SEARCH};
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use view::url::report::ReportView;

/// Field that filters the table to rows with its words. Escape clears it.
#[component]
pub fn RowFilter(report: ShownReport) -> impl IntoView {
    let app = expect_context::<App>();
    let field = NodeRef::<html::Input>::new();
    let text = Memo::new(move |_| app.look_of(report.topic).find);
    let find = move |find: String| {
        let look = ReportView { find, ..untrack(|| app.look_of(report.topic)) };
        app.reports.update(|looks| _ = looks.insert(report.topic, look));
    };
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Escape" && text.with_untracked(|text| !text.is_empty()) {
            event.prevent_default();
            event.stop_propagation();
            find(String::new());
        }
    };
    let clear = move |_| {
        find(String::new());
        if let Some(field) = field.get_untracked() {
            // A field that can't be focused is being removed.
            let _ = field.focus();
        }
    };
    view! {
        <label class="field small row-filter">
            <Icon shape=SEARCH class="xs"/>
            <span class="sr">"Find rows"</span>
            <input
                type="search"
                placeholder="Find rows"
                title="Search all columns, including hidden ones"
                autocomplete="off"
                spellcheck="false"
                prop:value=move || text.get()
                data-testid="find-rows"
                node_ref=field
                on:input:target=move |event| find(event.target().value())
                on:keydown=on_key
            />
            <button class="x" aria-label="Clear search" data-testid="clear-find-rows" hidden=move || text.with(String::is_empty) on:click=clear>
                <Icon shape=CLOSE class="xs"/>
            </button>
        </label>
    }
}
