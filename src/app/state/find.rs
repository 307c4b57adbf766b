//! Finds what a URL names and only the worker can find: an event, a function.

use super::{App, Selection};
use leptos::prelude::GetUntracked;
use protocol::base::ids::FunctionId;
use protocol::request::{FunctionOrder, TreeQuery, Weight};
use protocol::{Answer, Request, tables};
use view::url::selection::SelectionLink;

/// A function is looked for among so many.
const FUNCTIONS_SEARCHED: u32 = 200_000;

/// The event or function of the open trace that `link` names; none if there is no such, or if it names something else.
pub async fn find(app: App, link: SelectionLink) -> Option<Selection> {
    match link {
        SelectionLink::Event { time: at, os_thread, event_id, provider } => {
            let answer = app.ask(Request::FindEvent { at, os_thread, provider, event_id }).await;
            match answer.ok()?.answer {
                Answer::Found { event } => event.map(Selection::Event),
                _ => None,
            }
        }
        SelectionLink::Function { module, name } => {
            let query = TreeQuery { weight: Weight::Count, ..TreeQuery::default() };
            let request = Request::Functions { query, order: FunctionOrder::Inclusive, limit: FUNCTIONS_SEARCHED };
            let functions = tables::Functions::unpack(&app.ask_packed(request).await.ok()?).ok()?;
            let is_named = |row: &usize| functions.name.get(*row) == name && functions.module.get(*row) == module;
            let row = (0..functions.function.len()).find(is_named)?;
            functions.function.get(row).map(|function| Selection::Function(FunctionId(*function)))
        }
        SelectionLink::Thread(_) | SelectionLink::Gc(_) | SelectionLink::Type(_) => None,
    }
}

/// Finds the selected event or function under the number that it has now; what comes back selects it, or nothing if it is not
/// there any more. Who selects something else meanwhile keeps that.
pub async fn find_selected(app: App) -> impl FnOnce() {
    let link = app.selection_link.get_untracked();
    let found = match &link {
        Some(link) => find(app, link.clone()).await,
        None => None,
    };
    move || {
        let is_numbered = matches!(app.selection.get_untracked(), Selection::Event(_) | Selection::Function(_));
        if link.is_some() && link == app.selection_link.get_untracked() && is_numbered {
            app.select(found.unwrap_or_default());
        }
    }
}
