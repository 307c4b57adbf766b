//! Summary tab, the first view of a trace. Every line navigates or filters.

mod cards;
mod findings;
mod headline;
mod hottest;
mod key_figures;
pub mod role_times;
mod topics;

use crate::app::state::{App, Tab};
use crate::trace::live_query::follow;
use cards::{ExceptionsCard, GcCard, ProvidersCard, RecordingCard, ThreadsCard};
use findings::Findings;
use headline::Headline;
use hottest::Hottest;
use key_figures::KeyFigures;
use leptos::prelude::*;
use protocol::queries;
use role_times::RoleTimesCard;
use topics::Recorded;

/// Maximum number of exceptions that are grouped by type; the card mentions the limit.
const EXCEPTIONS_READ: u32 = 50_000;

#[component]
pub fn Overview() -> impl IntoView {
    let app = expect_context::<App>();
    let open = app.is_open(Tab::Summary);
    let filter = move || open.get().then(|| app.filter.get());
    let visible = Signal::derive(filter);
    let threads = follow(app, move || Some(queries::Threads { filter: filter()? }));
    let gcs = follow(app, move || Some(queries::Gcs { filter: filter()? }));
    let exceptions = follow(app, move || Some(queries::Exceptions { filter: filter()?, limit: EXCEPTIONS_READ }));
    let findings = follow(app, move || Some(queries::Findings { filter: filter()? }));
    let times = follow(app, move || Some(queries::RoleTimes { filter: filter()? }));
    view! {
        <div class="summary" hidden=move || !open.get() data-testid="summary-panel">
            <KeyFigures filter=visible times=times.value/>
            <div class="first">
                <Findings findings/>
                <div class="beside-findings">
                    <Hottest filter=visible times=times.value/>
                    <Recorded/>
                </div>
            </div>
            <Headline gcs=gcs.value/>
            <div class="cards">
                <RoleTimesCard times=times.value/>
                <ThreadsCard threads=threads.value times=times.value/>
                <ProvidersCard/>
                <GcCard gcs=gcs.value/>
                <ExceptionsCard exceptions=exceptions.value/>
                <RecordingCard/>
            </div>
        </div>
    }
}
