//! Banner for traces that lost a large share of their events, which makes all counts lower bounds.

use crate::app::state::{App, Tab};
use crate::widgets::icon::{CLOSE, Icon, WARNING};
use leptos::prelude::*;
use view::report::losses::loss_words;

/// Banner about lost events, until it is closed.
#[component]
pub fn LossBanner() -> impl IntoView {
    let app = expect_context::<App>();
    let closed = RwSignal::new(false);
    let is_filtered = Memo::new(move |_| app.is_filtered());
    move || {
        let trace = app.trace.get().filter(|_| !closed.get())?;
        let words = loss_words(trace.lost.unwrap_or(0), trace.events, is_filtered.get())?;
        Some(view! {
            <div class="banner" role="alert" data-testid="loss-banner">
                <Icon shape=WARNING class="s"/>
                <p><b>{words.claim}</b> " " {words.meaning}</p>
                <button class="btn" data-testid="show-losses" hidden=move || app.tab.get() == Tab::Summary
                    on:click=move |_| app.tab.set(Tab::Summary)>"Open Summary"</button>
                <button class="btn icon" aria-label="Dismiss" on:click=move |_| closed.set(true)>
                    <Icon shape=CLOSE class="s"/>
                </button>
            </div>
        })
    }
}
