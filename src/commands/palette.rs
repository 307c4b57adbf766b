//! Command palette: all commands and targets, with fuzzy search.

use super::actions::{Actions, Place};
use super::shortcuts::is_mac;
use crate::app::state::{App, Tab};
use crate::widgets::dialog::Dialog;
use crate::widgets::list_keys::{focused_field, walk_lines};
use leptos::prelude::*;
use protocol::events::query_help::{QueryHelp, Suggestion};
use protocol::queries;
use std::cmp::Reverse;
use std::rc::Rc;
use view::keys::keymap::{Binding, Command, Scope, bindings, synonyms};
use view::page::fuzzy::{fit, fit_synonyms};
use web_sys::Element;

/// Maximum number of lines; typing more finds others.
const MAX_LISTED: usize = 400;
/// Minimum number of letters to search functions.
const MANY_LETTERS: usize = 3;
/// Maximum number of functions.
const MAX_FUNCTIONS: usize = 12;
/// Maximum number of frames in which a tab that was opened for a command may appear.
const MAX_FRAMES: u32 = 30;

/// Line of the palette.
#[derive(Clone)]
struct Line {
    name: String,
    synonyms: &'static str,
    /// Part of the page.
    of: &'static str,
    /// Shortcut; may be empty.
    keys: String,
    goes: Goes,
}

#[derive(Clone)]
enum Goes {
    To(Rc<dyn Fn()>),
    Does(Scope, Command),
}

impl Line {
    fn key(&self) -> String {
        match &self.goes {
            Goes::To(_) => String::new(),
            Goes::Does(_, command) => command.name(),
        }
    }

    /// Returns the heading of the line. Commands that were searched are together.
    fn group(&self, is_searched: bool) -> &'static str {
        match self.goes {
            Goes::Does(..) if is_searched => "Commands",
            _ => self.of,
        }
    }
}

/// Palette, visible while [`crate::workspace::state::WorkspaceState::palette`] is set.
#[component]
pub fn Palette() -> impl IntoView {
    let app = expect_context::<App>();
    view! {
        <Dialog open=app.workspace.palette title="Command palette" testid="palette">
            <PaletteList app/>
        </Dialog>
    }
}

/// Returns the tab whose panel runs the commands of a scope; `None` if other parts of the page do.
fn tab_of(app: App, scope: Scope) -> Option<Tab> {
    match scope {
        Scope::Stacks => Some(Tab::Stacks),
        Scope::Events | Scope::Columns => Some(Tab::Events),
        Scope::Metadata | Scope::Bytes => Some(Tab::Metadata),
        Scope::Topics => app.topics.with_untracked(|topics| {
            let recorded = topics.iter().find(|one| one.missing.is_none());
            recorded.map(|one| Tab::Topic(one.topic))
        }),
        Scope::Everywhere | Scope::Timeline | Scope::Tracks | Scope::Tables => None,
    }
}

/// Returns all commands that can run now or in another tab, and all targets.
fn lines(app: App) -> Vec<Line> {
    let mac = is_mac();
    let actions: Actions = app.actions;
    let bindings = bindings().filter(|binding| !binding.command.is_motion());
    let is_listed = |binding: &&'static Binding| {
        actions.can(binding.scope, binding.command) || tab_of(app, binding.scope).is_some()
    };
    let done = bindings.filter(is_listed).map(|binding| Line {
        name: binding.name.to_owned(),
        synonyms: synonyms(binding.scope, binding.command),
        of: binding.scope.title(),
        keys: binding.keys(mac),
        goes: Goes::Does(binding.scope, binding.command),
    });
    let place = |place: Place| Line {
        name: place.name,
        synonyms: "",
        of: place.kind,
        keys: String::new(),
        goes: Goes::To(place.go),
    };
    done.chain(actions.places().into_iter().map(place)).collect()
}

/// Runs a command, in its tab if it can't run elsewhere.
fn run(app: App, scope: Scope, command: Command, name: String) {
    if app.actions.run(scope, command) {
        return;
    }
    let Some(tab) = tab_of(app, scope) else { return app.shell.say(format!("{name} isn't available right now.")) };
    app.tab.set(tab);
    run_later(app, (scope, command), name, MAX_FRAMES);
}

/// Runs a command as soon as its panel can, which may take some frames to appear.
fn run_later(app: App, of: (Scope, Command), name: String, frames: u32) {
    request_animation_frame(move || {
        if app.actions.run(of.0, of.1) {
            return;
        }
        match frames.checked_sub(1) {
            Some(frames) => run_later(app, of, name, frames),
            None => app.shell.say(format!("{name}: select a row or frame first.")),
        }
    });
}

/// Returns lines that filter to stacks with a function, for the suggested names.
fn function_lines(app: App, help: QueryHelp) -> Vec<Line> {
    let line = |suggestion: Suggestion| Line {
        name: suggestion.text.trim_matches('"').to_owned(),
        synonyms: "",
        of: "Functions: filter to stacks",
        keys: String::new(),
        goes: Goes::To(Rc::new(move || app.add_condition(&format!("stack={}", suggestion.text)))),
    };
    help.suggestions.into_iter().take(MAX_FUNCTIONS).map(line).collect()
}

/// Tracks everything that the lines depend on: registered parts, and the data of the trace.
fn track_lines(app: App) {
    app.actions.track();
    app.topics.track();
    app.trace.track();
    app.threads.track();
    app.types.track();
    app.filter.track();
}

/// Scrolls the list as little as necessary to show a line.
fn reveal(line: &Element) {
    let Some(list) = line.parent_element() else { return };
    let (line, seen) = (line.get_bounding_client_rect(), list.get_bounding_client_rect());
    let by = (line.top() - seen.top()).min(0.0) + (line.bottom() - seen.bottom()).max(0.0);
    list.set_scroll_top(list.scroll_top() + by.round() as i32);
}

#[component]
fn PaletteList(app: App) -> impl IntoView {
    let all = RwSignal::new_local(untrack(|| lines(app)));
    let functions = RwSignal::new_local(Vec::<Line>::new());
    let latest = app.latest();
    let (typed, at) = (RwSignal::new(String::new()), RwSignal::new(0_usize));
    // Indices of lines, best first.
    let found = Memo::new(move |_| {
        let typed = typed.get();
        all.with(|all| {
            let fits = all.iter().enumerate().filter_map(|(at, line)| {
                let name = fit(&line.name, &typed);
                // The part of the page counts less than the name.
                let fits = name.map(|fit| fit * 2 + 1).or_else(|| fit(&format!("{} {}", line.of, line.name), &typed));
                let fits = fits.max(fit_synonyms(&line.name, line.synonyms, &typed));
                Some((Reverse(fits?), at))
            });
            let mut fits: Vec<(Reverse<u32>, usize)> = fits.collect();
            protocol::base::sort::sort_by_key(&mut fits, |fit| *fit);
            // The group with the best line is first.
            let is_searched = !typed.trim().is_empty();
            let mut groups: Vec<(&'static str, Vec<usize>)> = Vec::new();
            for (_, at) in fits.into_iter().take(MAX_LISTED) {
                let Some(group) = all.get(at).map(|line| line.group(is_searched)) else { continue };
                match groups.iter_mut().find(|(known, _)| *known == group) {
                    Some((_, lines)) => lines.push(at),
                    None => groups.push((group, vec![at])),
                }
            }
            groups.into_iter().flat_map(|(_, lines)| lines).collect::<Vec<_>>()
        })
    });
    Effect::new(move |_| {
        let typed = typed.get();
        let word = typed.trim().to_owned();
        if word.len() < MANY_LETTERS || word.contains(char::is_whitespace) {
            return functions.set(Vec::new());
        }
        let text = format!("stack:{}", protocol::filter::word(&word));
        let cursor = Some(text.len() as u32);
        latest.ask(queries::QueryHelp { text, cursor }, move |answer| {
            // The palette may have been closed.
            let lines = answer.map(|help| function_lines(app, help)).unwrap_or_default();
            _ = functions.try_set(lines);
        });
    });
    // Lines change while a trace is being opened. The selected line stays selected.
    Effect::new(move |_| {
        track_lines(app);
        let functions = functions.get();
        let line_at = move |at: usize| {
            let line = found.with_untracked(|found| found.get(at).copied())?;
            all.with_untracked(|all| all.get(line).map(|line| (line.name.clone(), line.of)))
        };
        let chosen = untrack(|| line_at(at.get()));
        all.set(lines(app).into_iter().chain(functions).collect());
        let is_chosen = |at: &usize| line_at(*at) == chosen;
        let place = (0..found.with_untracked(Vec::len)).find(is_chosen).unwrap_or(0);
        if place != at.get_untracked() {
            at.set(place);
        }
    });
    let field = focused_field();
    Effect::new(move |_| {
        let shown = document().get_element_by_id(&format!("palette-{}", at.get()));
        if let Some(shown) = shown {
            reveal(&shown);
        }
    });
    let go = move |index: usize| {
        let line = found.with_untracked(|found| found.get(index).copied());
        let Some(line) = line.and_then(|line| all.with_untracked(|all| all.get(line).cloned())) else { return };
        app.workspace.palette.set(false);
        // After the dialog has restored the focus.
        request_animation_frame(move || match line.goes {
            Goes::To(go) => go(),
            Goes::Does(scope, command) => run(app, scope, command, line.name),
        });
    };
    let on_key = walk_lines(at, move || found.with_untracked(Vec::len), go);
    let option = move |(index, line): (usize, usize)| {
        let Some(line) = all.with_untracked(|all| all.get(line).cloned()) else { return ().into_any() };
        let key = line.key();
        let is_searched = !typed.with_untracked(|typed| typed.trim().is_empty());
        let group = line.group(is_searched);
        let before = index.checked_sub(1).and_then(|before| found.with_untracked(|found| found.get(before).copied()));
        let before = before.and_then(|at| all.with_untracked(|all| all.get(at).map(|line| line.group(is_searched))));
        view! {
            {(before != Some(group)).then(|| view! { <li class="group" role="presentation" aria-hidden="true">{group}</li> })}
            <li role="option" id=format!("palette-{index}") aria-selected=move || (at.get() == index).to_string()
                data-testid="palette-line" data-command=key on:click=move |_| go(index)>
                <span class="nm">{line.name}</span> " "
                <span class="of">{line.of}</span> " "
                {(!line.keys.is_empty()).then(|| view! { <kbd>{line.keys}</kbd> })}
            </li>
        }
        .into_any()
    };
    view! {
        <div class="content finder palette">
            <label class="field">
                <span class="sr">"Search commands, tracks, functions and events"</span>
                <input node_ref=field type="text" role="combobox" aria-expanded="true" aria-controls="palette-lines"
                    aria-autocomplete="list" placeholder="Search commands, tracks, functions and events" autocomplete="off" spellcheck="false"
                    aria-activedescendant=move || format!("palette-{}", at.get()) data-testid="palette-field"
                    on:input:target=move |event| { at.set(0); typed.set(event.target().value()); }
                    on:keydown=on_key/>
            </label>
            <ul role="listbox" id="palette-lines" aria-label="Results" data-testid="palette-list">
                {move || {
                    all.track();
                    found.get().into_iter().enumerate().map(option).collect_view()
                }}
            </ul>
            <p class="sr" role="status">{move || view::format::counted(found.with(Vec::len) as u64, "line")}</p>
            <Show when=move || found.with(Vec::is_empty)>
                <p>"No matches"</p>
            </Show>
        </div>
    }
}
