//! Dropdowns above the event table for filters and columns.

use super::column_headers::words;
use crate::app::state::App;
use crate::widgets::action_dropdown::ActionPick;
use leptos::prelude::*;
use protocol::base::ids::ThreadId;
use protocol::tables::FieldNames;
use std::sync::Arc;
use view::draw::tooltip::thread_name;
use view::events::columns::style_name;
use view::events::level::{LIMITS, level_limit};
use view::format;

/// Prefix of the values of columns other than fields, which no field name has.
const KNOWN: char = ':';

/// Dropdown of hidden columns and of fields that can become columns.
#[component]
pub fn ColumnPick(
    /// Payload fields of the matching events.
    fields: Signal<Option<Arc<FieldNames>>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let options = Signal::derive(move || {
        let names =
            fields.get().into_iter().flat_map(|fields| fields.name.iter().map(str::to_owned).collect::<Vec<_>>());
        let others =
            app.events.columns.with(|columns| names.filter(|name| !columns.has_field(name)).collect::<Vec<_>>());
        let hidden = app.events.columns.with(|columns| columns.hidden());
        let hidden = hidden.iter().map(|column| (format!("{KNOWN}{}", style_name(column)), words(app, column)));
        hidden.chain(others.into_iter().map(|name| (name.clone(), name))).collect::<Vec<_>>()
    });
    let pick = Callback::new(move |picked: String| {
        app.events.columns.update(|columns| match picked.strip_prefix(KNOWN) {
            None => columns.add_field(&picked),
            Some(known) => {
                let hidden = columns.hidden().into_iter().find(|column| style_name(column) == known);
                hidden.iter().for_each(|column| columns.show(column));
            }
        });
    });
    view! {
        <ActionPick label="Add or restore columns, including payload fields" words="Columns…"
            testid="pick-column" options pick/>
    }
}

/// Dropdown that filters by level.
#[component]
pub fn LevelPick() -> impl IntoView {
    let app = expect_context::<App>();
    let options: Vec<_> = LIMITS.iter().map(|level| (level.to_string(), level_limit(*level))).collect();
    let pick = Callback::new(move |level: String| app.set_level(level.parse().ok()));
    view! {
        <ActionPick label="Filter by level" words="Level…" testid="pick-level" class="sp"
            options=Signal::stored(options) pick/>
    }
}

/// Dropdown that filters by provider.
#[component]
pub fn ProviderPick() -> impl IntoView {
    let app = expect_context::<App>();
    let options = Signal::derive(move || {
        let trace = app.trace.get();
        let providers = trace.iter().flat_map(|trace| trace.providers.iter());
        let option = providers
            .map(|provider| (provider.name.clone(), format!("{} ({})", provider.name, format::count(provider.events))));
        option.collect::<Vec<_>>()
    });
    let pick = Callback::new(move |provider: String| app.toggle_provider(&provider));
    view! { <ActionPick label="Filter by provider" words="Provider…" testid="pick-provider" options pick/> }
}

/// Dropdown that filters by thread.
#[component]
pub fn ThreadPick() -> impl IntoView {
    let app = expect_context::<App>();
    let options = Signal::derive(move || {
        let Some(threads) = app.threads.get() else { return Vec::new() };
        let option = |id: &u32| (id.to_string(), thread_name(&threads, ThreadId(*id)));
        threads.thread.iter().map(option).collect::<Vec<_>>()
    });
    let pick = Callback::new(move |id: String| {
        if let Ok(id) = id.parse() {
            app.toggle_thread(ThreadId(id));
        }
    });
    view! { <ActionPick label="Filter by thread" words="Thread…" testid="pick-thread" options pick/> }
}
