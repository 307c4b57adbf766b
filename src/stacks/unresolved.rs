//! Share of unresolved frames, with reasons and remedies.

use super::{measure, query};
use crate::app::state::{App, StackView};
use crate::trace::live_query::{LiveQuery, follow};
use crate::widgets::icon::{Icon, WARNING};
use leptos::prelude::*;
use protocol::{queries, tables};
use view::format;

/// Minimum share for showing the line.
const LEAST_SHARE: f64 = 0.01;

/// Unresolved frames by module.
#[derive(Clone, Copy)]
pub struct Unresolved(LiveQuery<tables::UnresolvedCode>);

impl Unresolved {
    /// Creates a query that follows the stacks while they are visible.
    pub fn new(app: App, open: Memo<bool>) -> Self {
        let question = move || Some(queries::UnresolvedCode { query: query(app, open, StackView::Functions)? });
        Self(follow(app, question))
    }

    /// Returns reason and remedy for the unresolved frames of a module.
    pub fn words(self, module: &str) -> Option<String> {
        let table = self.0.value.get()?;
        let row = (0..table.module.len()).find(|row| table.module.get(*row) == module)?;
        Some(format!("{} {} Press E to list the addresses.", table.reason.get(row), table.advice.get(row)))
    }
}

/// Line with the share of unresolved frames, expandable to the reasons.
#[component]
pub fn UnresolvedRow() -> impl IntoView {
    let app = expect_context::<App>();
    let unresolved = expect_context::<Unresolved>();
    let share = move || {
        let table = unresolved.0.value.get()?;
        let (total, exclusive) = (*table.total.first()?, *table.exclusive.first()?);
        (total > 0.0 && exclusive / total >= LEAST_SHARE).then(|| format::percent(exclusive, total))
    };
    let rows = move || {
        let table = unresolved.0.value.get()?;
        let row = |row: usize| {
            let (module, weight) = (table.module.get(row), table.alone.get(row).copied().unwrap_or(0.0));
            let module = if module.is_empty() { "outside any known module" } else { module };
            let addresses = format::counted(table.addresses.get(row).copied().unwrap_or(0), "address");
            view! {
                <li data-testid="unresolved-module">
                    <b>{module.to_owned()}</b>
                    {format!(" · {} · {addresses}. ", measure(app).words(weight))}
                    {table.reason.get(row).to_owned()} " " {table.advice.get(row).to_owned()}
                </li>
            }
        };
        Some((0..table.module.len()).map(row).collect_view())
    };
    let is_shown = Memo::new(move |_| share().is_some());
    view! {
        <Show when=move || is_shown.get()>
            <details class="unresolved" data-testid="unresolved">
                <summary>
                    <Icon shape=WARNING class="xs"/>
                    <span>{move || share().map(|share| format!("{share} of samples have unresolved frames."))}</span>
                    <u>"Why?"</u>
                </summary>
                <ul>{rows}</ul>
            </details>
        </Show>
    }
}
