//! Chip of the selected function: a condition that isn't part of the filter yet.

use crate::app::state::{App, Selection};
use crate::trace::live_query::follow;
use crate::widgets::icon::{CLOSE, Icon};
use leptos::prelude::*;
use protocol::queries;
use protocol::request::EventOrder;
use view::format;

/// Chip of the selected function: events with it on the stack are marked, and would remain if the chip were added.
#[component]
pub fn ProvisionalChip() -> impl IntoView {
    let app = expect_context::<App>();
    let provisional = Memo::new(move |_| app.provisional());
    let order = EventOrder::default;
    let events = follow(app, move || {
        let (_, filter) = provisional.get()?;
        Some(queries::Events { filter, order: order(), first: 0, count: 0 })
    });
    let name = move || provisional.get().map(|(frame, _)| frame.name);
    let count = move || {
        let total = events.value.get()?.total.first().copied()?;
        Some(format!("in {}", format::counted(total, "event")))
    };
    let keep = move |_| {
        if let Some((frame, _)) = provisional.get_untracked() {
            app.toggle_frame(&frame);
        }
    };
    view! {
        <Show when=move || provisional.with(Option::is_some)>
            <li class="chip provisional" data-testid="chip-selected" title="Highlighted on the timeline. Click Apply to filter to it.">
                <span class="k">"Selected"</span>
                <span class="v" title=name>{name}</span>
                <span class="n" data-testid="chip-selected-count">{count}</span>
                <button class="keep" data-testid="keep-selected" on:click=keep>"Apply"</button>
                <button class="x" aria-label="Deselect" on:click=move |_| app.select(Selection::None)><Icon shape=CLOSE class="xs"/></button>
            </li>
        </Show>
    }
}
