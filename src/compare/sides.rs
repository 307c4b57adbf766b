//! The compared traces: which is before and which after, their time ranges, and what values are divided by.

use crate::app::state::App;
use crate::commands::shortcuts::name as command_name;
use crate::widgets::icon::{CLOSE, Icon};
use crate::widgets::radio_group::Choice;
use leptos::prelude::*;
use protocol::compare::{Comparison, Per};
use protocol::filter::parse;
use protocol::format::{bytes, counted, duration};
use protocol::reply::Summary;
use std::sync::Arc;
use view::keys::keymap::{Command, Scope};
use view::traces::letter;

/// Time at the start of a trace that is excluded as warm-up.
const WARM_UP: &str = "2s..";

/// Row of both traces.
#[component]
pub fn Sides() -> impl IntoView {
    let app = expect_context::<App>();
    let view = app.compare.view;
    let per = Signal::derive(move || view.with(|view| view.per));
    let choose = Callback::new(move |per| {
        let has_requests =
            |comparison: Arc<Comparison>| [&comparison.old, &comparison.new].iter().all(|side| side.requests > 0.0);
        if per == Per::Request && !untrack(|| app.compare.comparison().is_none_or(has_requests)) {
            return app.shell.say("Values per request need incoming requests in both traces.".to_owned());
        }
        view.update(|view| view.per = per);
    });
    view! {
        <div class="compare-sides" role="group" aria-label="Compared traces">
            <Side is_old=true/>
            <button class="btn line" title=command_name(Scope::Everywhere, Command::SwapTraces) data-testid="compare-swap-traces"
                data-command=Command::SwapTraces.id() on:click=move |_| app.compare.swap()>"⇄ Swap"</button>
            <Side is_old=false/>
            <span class="sp"></span>
            <Choice
                label="Values"
                value=per
                choose
                options=vec![
                    (Per::Second, "Per second", "per-second"),
                    (Per::Request, "Per request", "per-request"),
                    (Per::Total, "Total", "per-total"),
                ]
            />
            <button class="btn icon" aria-label=command_name(Scope::Everywhere, Command::CloseSecondTrace) title=command_name(Scope::Everywhere, Command::CloseSecondTrace) data-testid="compare-close"
                data-command=Command::CloseSecondTrace.id() on:click=move |_| app.close_other()>
                <Icon shape=CLOSE/>
            </button>
        </div>
    }
}

/// Letter of a trace: outlined for the old one, filled for the new one.
#[component]
pub fn Letter(
    /// True for the old trace.
    is_old: bool,
) -> impl IntoView {
    view! { <TraceLetter position=usize::from(!is_old)/> }
}

/// Letter of a trace by its position: outlined for the first one, filled for the others.
#[component]
pub fn TraceLetter(position: usize) -> impl IntoView {
    let is_filled = position > 0;
    view! { <b class="letter" class:filled=is_filled aria-hidden="true">{letter(position).to_string()}</b> }
}

pub fn name_of(app: App, is_old: bool) -> String {
    match app.compare.view.with(|view| view.is_open_old == is_old) {
        true => app.trace_name(),
        false => app.compare.other.with(|other| match other {
            Some(other) => other.opened.name.clone(),
            None => app.awaited_other().map_or_else(|| "…".to_owned(), |file| file.name),
        }),
    }
}

fn summary_of(app: App, is_old: bool) -> Option<Arc<Summary>> {
    match app.compare.view.with(|view| view.is_open_old == is_old) {
        true => app.trace.get(),
        false => app.compare.summary(),
    }
}

#[component]
fn Side(
    /// True for the old trace.
    is_old: bool,
) -> impl IntoView {
    let app = expect_context::<App>();
    let view = app.compare.view;
    let when = if is_old { "before" } else { "after" };
    let testid = move |part: &str| format!("{when}-{part}");
    // Ranges belong to the open and to the other trace, whichever is older.
    let place = move || usize::from(view.with(|view| view.is_open_old != is_old));
    let range = move || view.with(|view| view.ranges[place()].clone());
    let problem = RwSignal::new(None::<String>);
    let set_range = move |text: &str| {
        let text = text.trim().to_owned();
        let parsed = if text.is_empty() { Ok(()) } else { parse(&format!("time:{text}")).map(drop) };
        problem.set(parsed.err().map(|failure| failure.message));
        if problem.with_untracked(Option::is_none) {
            let place = untrack(place);
            view.update(|view| view.ranges[place] = text);
        }
    };
    let selected = move || {
        let is_open = view.with(|view| view.is_open_old == is_old);
        app.filter.with(|filter| filter.span).filter(|_| is_open)
    };
    let use_selected = move |_| {
        if let Some(span) = untrack(selected) {
            let seconds = |nanos: i64| format!("{:.6}s", nanos as f64 / 1e9);
            set_range(&format!("{}..{}", seconds(span.start.0), seconds(span.end.0)));
        }
    };
    let facts = move || {
        let summary = summary_of(app, is_old)?;
        let side = app.compare.comparison().map(|comparison: Arc<Comparison>| {
            let side = if is_old { &comparison.old } else { &comparison.new };
            (side.seconds, side.requests)
        });
        let time = side.map_or(summary.user_span.duration(), |(seconds, _)| (seconds * 1e9) as i64);
        let requests = side.filter(|(_, requests)| *requests > 0.0);
        let requests = requests.map(|(_, requests)| format!(" · {}", counted(requests as u64, "request")));
        let runtime = if summary.runtime.is_empty() { String::new() } else { format!(" · {}", summary.runtime) };
        let memory = bytes(summary.memory_bytes);
        Some(format!("{}{}{runtime} · {memory} memory", duration(time), requests.unwrap_or_default()))
    };
    view! {
        <div class="compare-side" data-testid=testid("side")>
            <div class="names">
                <Letter is_old/>
                <strong class="ell" data-testid=testid("name") title=move || name_of(app, is_old)>{move || name_of(app, is_old)}</strong>
                <span class="muted">{when}</span>
                <span class="muted ell" data-testid=testid("facts")>{facts}</span>
            </div>
            <div class="ranges">
                <label class="field small">
                    <span class="sr">{format!("Time range of trace {}", letter(usize::from(!is_old)))}</span>
                    <input type="text" placeholder="Whole trace, or 2s..9s" data-testid=testid("range") prop:value=range
                        on:change:target=move |event| set_range(&event.target().value())/>
                </label>
                <button class="btn" title="Exclude the first 2 s" data-testid=testid("warm-up") on:click=move |_| set_range(WARM_UP)>"Exclude warm-up"</button>
                <Show when=move || selected().is_some()>
                    <button class="btn" data-testid=testid("selected") on:click=use_selected>"Selected range"</button>
                </Show>
                <Show when=move || !range().is_empty()>
                    <button class="btn" data-testid=testid("whole") on:click=move |_| set_range("")>"Whole trace"</button>
                </Show>
            </div>
            <p class="trouble" role="alert" hidden=move || problem.with(Option::is_none)>{move || problem.get()}</p>
        </div>
    }
}
