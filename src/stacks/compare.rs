//! Comparison of stacks with those of another time range or filter.

use super::StackMenu;
use super::sum::are_of_one;
use crate::app::state::App;
use crate::commands::shortcuts::title;
use crate::filtering::chips::filter_words;
use crate::widgets::menu::{MenuEntry, OpenMenu, below_button};
use crate::widgets::radio_group::Choice;
use leptos::prelude::*;
use protocol::request::Filter;
use view::keys::keymap::{Command, Scope};
use view::url::stacks::Comparison;

/// Button that opens a menu of baselines.
#[component]
pub fn CompareButton() -> impl IntoView {
    let app = expect_context::<App>();
    let menu = expect_context::<StackMenu>();
    let open = move |event: web_sys::MouseEvent| {
        let entries = untrack(|| entries(app));
        menu.0.set(Some(OpenMenu { at: below_button(&event), label: "Compare".to_owned(), entries }));
    };
    view! {
        <button class="btn" aria-haspopup="menu" title="Compare with another range or filter" data-testid="compare" on:click=open>
            "Compare…"
        </button>
    }
}

fn entries(app: App) -> Vec<MenuEntry> {
    let (filter, comparison) = (app.filter.get(), app.stacks.with(|look| look.comparison));
    let entry = |command: Command, testid: &'static str| {
        MenuEntry::of(Scope::Stacks, command, testid, move || _ = act(app, command))
    };
    let keep = entry(Command::CompareKeep, "compare-keep");
    let mut entries = vec![keep.called(format!("Set baseline: {}", filter_words(app, &filter)))];
    if filter != Filter::default() {
        let words =
            if filter.span.is_some() { "Compare with the rest of the time" } else { "Compare with everything else" };
        entries.push(entry(Command::CompareRest, "compare-rest").called(words));
    }
    for saved_range in app.timeline.saved_ranges.get() {
        let of_range = Filter { span: Some(saved_range.span), ..filter.clone() };
        let act = move || compare_with(app, Some(of_range.clone()));
        let entry = MenuEntry::of(Scope::Stacks, Command::CompareKept, "compare-kept-range", act);
        entries.push(entry.called(format!("Compare with {}", saved_range.name)));
    }
    if comparison.is_some() {
        entries.push(entry(Command::CompareStop, "compare-stop"));
    }
    entries
}

/// Returns whether a command about comparisons can run now.
pub fn can(app: App, command: Command) -> bool {
    if untrack(|| !are_of_one(app)) {
        return false;
    }
    let comparison = app.stacks.with_untracked(|look| look.comparison);
    match command {
        Command::CompareKeep => true,
        Command::CompareRest => untrack(|| app.is_filtered()),
        Command::CompareStop => comparison.is_some(),
        Command::CompareSwap => comparison.is_some_and(|comparison| comparison.with_kept),
        _ => false,
    }
}

/// Runs a command about comparisons; returns whether it is one.
pub fn act(app: App, command: Command) -> bool {
    match command {
        Command::CompareKeep => compare_with(app, Some(app.filter.get_untracked())),
        Command::CompareRest => compare_with(app, None),
        Command::CompareStop => stop(app),
        Command::CompareSwap => {
            let (filter, baseline) = (app.filter.get_untracked(), app.baseline.filter.get_untracked());
            app.baseline.filter.set(filter);
            app.refilter(|filter| *filter = baseline);
        }
        _ => return false,
    }
    true
}

/// Compares with the events of a filter, or with the complement of the page's filter.
fn compare_with(app: App, kept: Option<Filter>) {
    let with_kept = kept.is_some();
    app.baseline.filter.set(kept.unwrap_or_default());
    app.stacks.update(|look| {
        let is_scaled = look.comparison.is_none_or(|comparison| comparison.is_scaled);
        look.comparison = Some(Comparison { with_kept, is_scaled });
    });
}

fn stop(app: App) {
    app.stacks.update(|look| look.comparison = None);
    app.baseline.filter.set(Filter::default());
}

/// Row that describes the comparison.
#[component]
pub fn CompareRow() -> impl IntoView {
    let app = expect_context::<App>();
    let comparison = Memo::new(move |_| app.stacks.with(|look| look.comparison));
    let with_kept = move || comparison.get().is_some_and(|comparison| comparison.with_kept);
    let now = move || filter_words(app, &app.filter.get());
    let baseline = move || match (with_kept(), app.filter.with(|filter| filter.span.is_some())) {
        (true, _) => filter_words(app, &app.baseline.filter.get()),
        (false, true) => "the rest of the time".to_owned(),
        (false, false) => "everything else".to_owned(),
    };
    let is_same = move || with_kept() && app.filter.get() == app.baseline.filter.get();
    let scaled = Signal::derive(move || comparison.get().is_none_or(|comparison| comparison.is_scaled));
    let scale = Callback::new(move |is_scaled| {
        app.stacks.update(|look| {
            if let Some(comparison) = &mut look.comparison {
                comparison.is_scaled = is_scaled;
            }
        });
    });
    view! {
        <Show when=move || comparison.get().is_some()>
            <div class="trail stack-steps compared" role="group" aria-label="Comparison" data-testid="comparison">
                <span class="what" title=now><b>{now}</b></span>
                <span>"vs."</span>
                <span class="what" title=baseline data-testid="baseline"><b>{baseline}</b></span>
                <span class="key more">"more"</span>
                <span class="key less">"less"</span>
                <Show when=is_same><span class="hint">"Now select another range, thread or filter."</span></Show>
                <span class="sp"></span>
                <Choice
                    label="Comparison scale"
                    value=scaled
                    choose=scale
                    options=vec![(true, "Scaled", "compare-shares"), (false, "Absolute", "compare-amounts")]
                />
                <Show when=with_kept>
                    <button on:click=move |_| _ = act(app, Command::CompareSwap) data-testid="compare-swap" data-command=Command::CompareSwap.id() title=title(Scope::Stacks, Command::CompareSwap)>"Swap"</button>
                </Show>
                <button on:click=move |_| stop(app) data-testid="compare-end" data-command=Command::CompareStop.id()>"Stop comparing"</button>
            </div>
        </Show>
    }
}
