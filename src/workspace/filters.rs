//! Conditions of the filter, one chip each.

use super::matches::progress_words;
use super::provisional_chip::ProvisionalChip;
use super::query_field::edit_in_field;
use crate::app::state::App;
use crate::commands::shortcuts::{name, title};
use crate::filtering::chips::{Chip, chips, invert};
use crate::widgets::icon::{CLOSE, EXCLUDE, FILTER, INFO, Icon, REDO, SWAP, UNDO};
use leptos::prelude::*;
use view::format;
use view::keys::keymap::{Command, Scope};

/// Row of chips.
#[component]
pub fn Filters() -> impl IntoView {
    let app = expect_context::<App>();
    let chips = Memo::new(move |_| chips(app, app.filter.get()));
    let name_of = |command| name(Scope::Everywhere, command);
    let none = move || chips.with(Vec::is_empty);
    let count = move || {
        let trace = app.trace.get()?;
        let of_whole = match &trace.indexed {
            Some(_) if none() => format!(" indexed of {}", format::counted(trace.events, "event")),
            None if none() => if trace.events == 1 { " event" } else { " events" }.to_owned(),
            Some(indexed) => format!(" of {}", format::counted(indexed.rows, "indexed event")),
            None => format!(" of {}", format::counted(trace.events, "event")),
        };
        let whole = trace.indexed.as_ref().map_or(trace.events, |indexed| indexed.rows);
        let hidden = move |matches: u64| {
            let hidden = whole.saturating_sub(matches);
            (hidden > 0).then(|| view! { <span class="hidden-count" data-testid="hidden">{format!(" · {} excluded", format::count(hidden))}</span> })
        };
        app.filtering.matches.get().map(|matches| {
            view! { <b data-testid="matches">{format::count(matches)}</b> {of_whole} {hidden(matches)} }
        })
    };
    view! {
        <div class="filters" role="region" aria-label="Filters">
            <h2><Icon shape=FILTER class="s"/><span class="lbl-opt">"Filters"</span></h2>
            <ul>
                <Show when=none>
                    <li class="muted">"None"</li>
                </Show>
                <For
                    each=move || chips.get()
                    key=|chip| (chip.key(), chip.value.clone())
                    children=move |chip| chip_view(app, chip)
                />
                <ProvisionalChip/>
            </ul>
            <p class="sum" class:behind=move || app.filtering.searched.with(Option::is_some) aria-live="polite">
                {count} <span class="searching" aria-hidden="true">{move || progress_words(app)}</span>
            </p>
            <div class="acts">
                <button class="btn icon" aria-label=name_of(Command::GoBack) title=format!("{} (Alt ←)", name_of(Command::GoBack))
                    data-command=Command::GoBack.id() on:click=move |_| _ = app.actions.run(Scope::Everywhere, Command::GoBack)>
                    <Icon shape=UNDO class="s"/>
                </button>
                <button class="btn icon" aria-label=name_of(Command::GoForward) title=format!("{} (Alt →)", name_of(Command::GoForward))
                    data-command=Command::GoForward.id() on:click=move |_| _ = app.actions.run(Scope::Everywhere, Command::GoForward)>
                    <Icon shape=REDO class="s"/>
                </button>
                <button
                    class="btn icon"
                    disabled=none
                    aria-label=name_of(Command::InvertFilters)
                    title=name_of(Command::InvertFilters)
                    data-testid="invert-filters"
                    data-command=Command::InvertFilters.id()
                    on:click=move |_| invert(app)
                >
                    <Icon shape=SWAP class="s"/>
                </button>
                <button class="btn" disabled=none title=title(Scope::Everywhere, Command::ClearFilters) data-testid="clear-filters" data-command=Command::ClearFilters.id() on:click=move |_| app.clear_filter()>
                    "Clear"
                </button>
                <button class="btn icon" aria-label=name_of(Command::FilterSyntax) title=name_of(Command::FilterSyntax) aria-haspopup="dialog"
                    data-testid="filter-syntax" data-command=Command::FilterSyntax.id() on:click=move |_| app.workspace.syntax_help.set(true)>
                    <Icon shape=INFO class="s"/>
                </button>
            </div>
        </div>
    }
}

fn chip_view(app: App, chip: Chip) -> impl IntoView {
    let chip = StoredValue::new(chip);
    let (kind, value, raw) = chip.with_value(|chip| (chip.kind.clone(), chip.value.clone(), chip.raw.clone()));
    let (testid, in_range, is_excluding) =
        chip.with_value(|chip| (format!("chip-{}", chip.key()), chip.is_range(), chip.is_excluding()));
    let words = format!("{kind} {value}").trim().to_owned();
    let turn = if is_excluding { "Include" } else { "Exclude" };
    let about = if raw.is_empty() { value.clone() } else { format!("{value}\n{raw}") };
    let edit = move |_| edit_in_field(app, chip.with_value(|chip| chip.edit(app)));
    view! {
        <li class="chip" class:on=in_range class:not=is_excluding data-testid=testid>
            <button class="edit" title=format!("{about}: edit as text") aria-label=format!("Edit filter {words}") on:click=edit>
                {(!kind.is_empty()).then(|| view! { <span class="k">{kind.clone()}</span> " " })}
                <span class="v">{value.clone()}</span>
            </button>
            <button
                class="x"
                aria-pressed=if is_excluding { "true" } else { "false" }
                aria-label=format!("{turn} {words}")
                title=format!("{turn} {words}")
                data-testid="turn-round"
                on:click=move |_| chip.with_value(|chip| chip.invert(app))
            >
                <Icon shape=EXCLUDE class="xs"/>
            </button>
            <button
                class="x"
                aria-label=format!("Remove filter {words}")
                on:click=move |_| chip.with_value(|chip| chip.remove(app))
            >
                <Icon shape=CLOSE class="xs"/>
            </button>
        </li>
    }
}
