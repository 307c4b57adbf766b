//! Screen of an open trace.

pub mod commands;
mod damage_banner;
mod filters;
mod loss_banner;
pub(crate) mod matches;
mod maximize;
mod memory;
mod partial_index_banner;
mod provisional_chip;
mod query_field;
mod recording_banner;
mod split;
pub(crate) mod state;
mod status;
mod still_reading_banner;
mod syntax_help;
pub(crate) mod tabs;
mod top_bar;
mod unresponsive_banner;

use super::compare::{Compare, SecondTrace};
use super::details::Details;
use super::events::Events;
use super::metadata::{Metadata, offer_parts};
use super::share::SaveDialog;
use super::stacks::{Stacks, offer_actions};
use super::summary::Overview;
use super::timeline::Timeline;
use super::topics::{TopicReports, follow_topics};
use crate::app::staged_render::StagedRender;
use crate::app::state::{App, Tab};
use crate::commands::palette::Palette;
use crate::traces::{Awaited, OfDetailed, OfShown};
use damage_banner::Banner;
use filters::Filters;
use leptos::prelude::*;
use loss_banner::LossBanner;
use matches::count_matches;
use partial_index_banner::PartBanner;
use recording_banner::RecordingBanner;
use split::{Splitter, remember_heights, timeline_height};
use status::Status;
use still_reading_banner::Reading;
use syntax_help::SyntaxHelp;
use tabs::Tabs;
use top_bar::TopBar;
use unresponsive_banner::UnresponsiveBanner;

/// Screen of an open trace.
#[component]
pub fn Workspace() -> impl IntoView {
    let app = expect_context::<App>();
    let shown = move || app.traces.shown().unwrap_or(app);
    // Frame, timeline, open tab and details are created in separate tasks.
    let turns = StagedRender::start(1);
    view! {
        <a class="skip" href="#panel" on:click=skip_to_results>"Skip to results"</a>
        <div class="app" data-testid="workspace">
            <OfShown><Upper/></OfShown>
            <main class="work" class:with-drawer=move || app.traces.detailed().unwrap_or(app).has_drawer() class:maximized=move || shown().workspace.is_maximized.get() style=("--timeline-height", move || timeline_height(shown()))>
                <div class="upper">{turns.at(1, || view! { <Timeline/> }.into_any())}</div>
                <OfShown><Results/></OfShown>
            </main>
            <OfShown>
                <Status/>
                <Palette/>
                <SyntaxHelp/>
                <SaveDialog/>
            </OfShown>
            <SecondTrace/>
        </div>
    }
}

/// Bars above the timeline. What isn't visible follows the trace, too.
#[component]
fn Upper() -> impl IntoView {
    let app = expect_context::<App>();
    count_matches(app);
    offer_actions(app);
    offer_parts(app);
    follow_topics(app);
    remember_heights(app);
    view! {
        <TopBar/>
        <div>
            <Filters/>
            <Awaited/>
            <Reading/>
            <RecordingBanner/>
            <Banner/>
            <LossBanner/>
            <PartBanner/>
            <UnresponsiveBanner/>
        </div>
    }
}

/// Tabs and details.
#[component]
fn Results() -> impl IntoView {
    let app = expect_context::<App>();
    let turns = StagedRender::start(3);
    let tab = move |tab, part| turns.tab(2, app, tab, part);
    view! {
        <Splitter/>
        <section class="panel" aria-label="Results">
            <Tabs/>
            <div
                class="body"
                role="tabpanel"
                id="panel"
                tabindex="-1"
                aria-labelledby=move || format!("tab-{}", app.tab.get().slug())
                data-testid="panel"
            >
                {tab(Tab::Summary, || view! { <Overview/> }.into_any())}
                {tab(Tab::Stacks, || view! { <Stacks/> }.into_any())}
                {tab(Tab::Events, || view! { <Events/> }.into_any())}
                {tab(Tab::Metadata, || view! { <Metadata/> }.into_any())}
                {tab(Tab::Compare, || view! { <Compare/> }.into_any())}
                {turns.at(2, || view! { <TopicReports/> }.into_any())}
            </div>
        </section>
        {turns.at(3, || view! { <OfDetailed><Details/></OfDetailed> }.into_any())}
    }
}

fn skip_to_results(event: leptos::ev::MouseEvent) {
    event.prevent_default();
    let panel = document().get_element_by_id("panel");
    if let Some(panel) = panel.and_then(|panel| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(panel).ok()) {
        // The panel can always be focused; if the browser refuses, the focus stays.
        let _ = panel.focus();
    }
}
