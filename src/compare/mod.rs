//! Compare tab: what changed between two traces.

mod ask;
mod changes;
mod flame;
mod run;
mod sides;
pub(crate) mod state;
mod tables;

use crate::app::state::{App, Tab};
use crate::share::copy_view;
use crate::widgets::progress::Bar;
pub use ask::SecondTrace;
use changes::Changes;
use flame::Difference;
use leptos::prelude::*;
use run::{cancel, follow_inputs, restart};
use sides::Sides;
pub use sides::TraceLetter;
use state::{OtherStatus, Run};
use tables::Tables;
use view::format;

/// Compare tab.
#[component]
pub fn Compare() -> impl IntoView {
    let app = expect_context::<App>();
    let open = app.is_open(Tab::Compare);
    follow_inputs(app, open);
    copy_view::offer(
        app,
        move || open.get_untracked() && untrack(|| app.compare.comparison()).is_some(),
        move |format| {
            if let Some(comparison) = untrack(|| app.compare.comparison()) {
                let text = comparison.significant_text();
                let rows = text.lines().count() as u64;
                format.copy_table(app, text, rows);
            }
        },
    );
    let is_done = Memo::new(move |_| app.compare.comparison().is_some());
    view! {
        <div class="body compare" hidden=move || !open.get() data-testid="compare-panel">
            <Sides/>
            <div class="compare-scroll">
                <Waiting/>
                <Show when=move || is_done.get()>
                    <div class="compare-first">
                        <Changes/>
                        <Difference open/>
                    </div>
                    <Tables/>
                </Show>
            </div>
        </div>
    }
}

/// What the comparison waits for, if it isn't complete.
#[component]
fn Waiting() -> impl IntoView {
    let app = expect_context::<App>();
    let state = app.compare;
    let name = move || state.other.with(|other| other.as_ref().map_or(String::new(), |one| one.opened.name.clone()));
    let of_other = move || match state.status.get() {
        OtherStatus::Closed => match app.awaited_other() {
            Some(file) => {
                let size = file.size().map(|size| format!(", {size}"));
                let words = view! { "This link compares with " <strong>{file.name}</strong> {size} ". Drop the file to open it." };
                Some(view! { <p data-testid="compare-awaits">{words}</p> }.into_any())
            }
            None => Some(view! { <p>"Drop another trace to compare with this one."</p> }.into_any()),
        },
        OtherStatus::Loading(progress) => {
            let read = format!("{}, {} events", format::bytes(progress.bytes), format::count(progress.events));
            Some(
                view! {
                    <p role="status">"Reading " <strong>{name()}</strong> ": " {read}</p>
                    <Bar share=progress.share() label="Reading progress"/>
                    <button class="btn line" data-testid="compare-cancel" on:click=move |_| app.close_other()>"Cancel"</button>
                }
                .into_any(),
            )
        }
        OtherStatus::Choice(entries) => {
            let entry = |path: &String| {
                let open = path.clone();
                view! {
                    <li><button class="link" data-testid="compare-entry" on:click=move |_| app.open_other_entry(open.clone())>{path.clone()}</button></li>
                }
            };
            let entries = entries.iter().map(|entry_of| entry(&entry_of.path)).collect_view();
            Some(view! { <p>"Choose a trace in " <strong>{name()}</strong></p> <ul>{entries}</ul> }.into_any())
        }
        OtherStatus::Failed(failure) => Some(
            view! {
                <p class="trouble" role="alert" data-testid="compare-failed">{name()} ": " {failure.to_string()}</p>
                <button class="btn line" on:click=move |_| app.close_other()>"Close"</button>
            }
            .into_any(),
        ),
        OtherStatus::Open(_) => None,
    };
    let of_run = move || {
        match state.run.with(|(_, run)| run.clone()) {
        Run::Running(words) => Some(
            view! {
                <p role="status" data-testid="compare-running">{words}</p>
                <button class="btn line" data-testid="compare-cancel" on:click=move |_| cancel(app)>"Cancel"</button>
            }
            .into_any(),
        ),
        Run::Canceled => Some(
            view! {
                <p>"The comparison was canceled."</p>
                <button class="btn line" data-testid="compare-again" on:click=move |_| restart(app)>"Compare again"</button>
            }
            .into_any(),
        ),
        Run::Failed(failure) => Some(
            view! {
                <p class="trouble" role="alert">{failure.to_string()}</p>
                <button class="btn line" on:click=move |_| restart(app)>"Compare again"</button>
            }
            .into_any(),
        ),
        Run::Idle | Run::Done(_) => None,
    }
    };
    move || of_other().or_else(of_run).map(|what| view! { <div class="compare-waits">{what}</div> })
}
