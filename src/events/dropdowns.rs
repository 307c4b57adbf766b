//! Dropdowns above the event table for filters and columns.

use crate::app::state::App;
use crate::widgets::action_dropdown::ActionPick;
use leptos::prelude::*;
use protocol::base::ids::ThreadId;
use view::draw::tooltip::thread_name;
use view::events::level::{LIMITS, level_limit};
use view::format;

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
