//! Resolves parts of a URL that require a request to the worker: events and functions.

use crate::app::state::{App, Selection};
use leptos::prelude::GetUntracked;
use protocol::base::ids::FunctionId;
use protocol::queries;
use protocol::request::{FunctionOrder, TreeQuery, Weight};
use view::url::selection::SelectionLink;

/// Maximum number of functions that are searched.
const FUNCTIONS_SEARCHED: u32 = 200_000;

/// Returns the event or function of the open trace to which a link refers; `None` if it doesn't exist, or the link
/// refers to something else.
pub async fn find(app: App, link: SelectionLink) -> Option<Selection> {
    match link {
        SelectionLink::Event { time: at, os_thread, event_id, provider } => {
            app.ask(queries::FindEvent { at, os_thread, provider, event_id }).await.ok()?.map(Selection::Event)
        }
        SelectionLink::Function { module, name } => {
            let query = TreeQuery { weight: Weight::Count, ..TreeQuery::default() };
            let request = queries::Functions { query, order: FunctionOrder::Inclusive, limit: FUNCTIONS_SEARCHED };
            let functions = app.ask(request).await.ok()?;
            let is_named = |row: &usize| functions.name.get(*row) == name && functions.module.get(*row) == module;
            let row = (0..functions.function.len()).find(is_named)?;
            functions.function.get(row).map(|function| Selection::Function(FunctionId(*function)))
        }
        SelectionLink::Thread(_) | SelectionLink::Gc(_) | SelectionLink::Type(_) => None,
    }
}

/// Finds the current ID of the selected event or function. The returned function selects it, or clears the selection if
/// it no longer exists; it does nothing if the user has selected something else.
pub async fn find_selected(app: App) -> impl FnOnce() {
    let link = app.details.link.get_untracked();
    let found = match &link {
        Some(link) => find(app, link.clone()).await,
        None => None,
    };
    move || {
        let is_numbered = matches!(app.selection.get_untracked(), Selection::Event(_) | Selection::Function(_));
        if link.is_some() && link == app.details.link.get_untracked() && is_numbered {
            app.select(found.unwrap_or_default());
        }
    }
}
