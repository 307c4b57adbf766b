//! Command palette: all commands, targets and names, with fuzzy search.

mod lines;
mod recent;

use crate::app::state::App;
use crate::widgets::dialog::Dialog;
use crate::widgets::icon::{Icon, SEARCH};
use crate::widgets::list_keys::{focused_field, walk_lines};
use leptos::prelude::*;
use lines::{Goes, Line, finding_line, lines, name_line, need, tab_of};
use protocol::queries;
use std::rc::Rc;
use view::keys::keymap::{Command, Scope};
use view::keys::palette::{LineKind, limited, ranked};
use view::page::fuzzy::{Typed, marks};
use web_sys::Element;

/// Minimum number of letters to search names of the trace.
const MANY_LETTERS: usize = 2;
/// Maximum number of functions, and of items of each analysis. Further typed words filter them.
const MAX_NAMES: u32 = 200;
/// Maximum number of frames in which a tab that was opened for a command may appear.
const MAX_FRAMES: u32 = 30;

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

/// Runs a command, in its tab if it can't run elsewhere.
fn run(app: App, scope: Scope, command: Command, name: String) {
    if app.actions.run(scope, command) {
        return;
    }
    let Some(tab) = tab_of(app, scope) else { return app.shell.say(format!("{name}: {}.", need(scope))) };
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
            None => app.shell.say(format!("{name}: {}.", need(of.0))),
        }
    });
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

/// Returns the word that names of the trace must contain: the longest one. Only that of functions may be short.
fn searched_word(typed: &str) -> Option<String> {
    let (kind, text) = limited(typed);
    let word = text.split_whitespace().max_by_key(|word| word.len()).unwrap_or_default();
    let is_wanted = match kind {
        None => word.chars().count() >= MANY_LETTERS,
        Some(kind) => kind == LineKind::Function,
    };
    is_wanted.then(|| word.to_owned())
}

/// Scrolls the list as little as necessary to show a line.
fn reveal(line: &Element) {
    let Some(list) = line.parent_element() else { return };
    let (line, seen) = (line.get_bounding_client_rect(), list.get_bounding_client_rect());
    let by = (line.top() - seen.top()).min(0.0) + (line.bottom() - seen.bottom()).max(0.0);
    list.set_scroll_top(list.scroll_top() + by.round() as i32);
}

/// Returns the parts of a name, with those that were typed marked.
fn marked(name: &str, typed: &Typed) -> Vec<AnyView> {
    let part = |from: usize, until: usize| name.get(from..until).unwrap_or_default().to_owned();
    let (mut views, mut end) = (Vec::new(), 0);
    for range in marks(name, typed) {
        views.push(part(end, range.start).into_any());
        views.push(view! { <mark>{part(range.start, range.end)}</mark> }.into_any());
        end = range.end;
    }
    views.push(part(end, name.len()).into_any());
    views
}

#[component]
fn PaletteList(app: App) -> impl IntoView {
    let fixed = RwSignal::new_local(untrack(|| lines(app)));
    let findings = RwSignal::new_local(Vec::<Rc<Line>>::new());
    let names = RwSignal::new_local(Vec::<Rc<Line>>::new());
    let (typed, at) = (RwSignal::new(String::new()), RwSignal::new(0_usize));
    // Lines with their headings, best first.
    let found = RwSignal::new_local(Vec::<(&'static str, Rc<Line>)>::new());
    Effect::new(move |_| {
        let all: Vec<Rc<Line>> = fixed.get().into_iter().chain(findings.get()).chain(names.get()).collect();
        let ranks: Vec<_> = all.iter().map(|line| &line.rank).collect();
        let next: Vec<_> = typed.with(|typed| {
            ranked(&ranks, typed).into_iter().filter_map(|(group, at)| Some((group, all.get(at)?.clone()))).collect()
        });
        // Lines change while a trace is being opened and while names are searched. The selected line stays selected.
        let key = |lines: &[(&'static str, Rc<Line>)], at: usize| lines.get(at).map(|(_, line)| line.key());
        let chosen = found.with_untracked(|found| key(found, at.get_untracked()).filter(|_| at.get_untracked() > 0));
        let place = chosen.and_then(|chosen| (0..next.len()).find(|at| key(&next, *at).as_ref() == Some(&chosen)));
        found.set(next);
        at.set(place.unwrap_or(0));
    });
    Effect::new(move |_| {
        track_lines(app);
        fixed.set(untrack(|| lines(app)));
    });
    let (latest, of_findings) = (app.latest(), app.latest());
    Effect::new(move |_| match typed.with(|typed| searched_word(typed)) {
        Some(text) => latest.ask(queries::FindNames { text, most: MAX_NAMES }, move |answer| {
            let lines = answer.unwrap_or_default().into_iter().map(|found| name_line(app, found)).collect();
            // The palette may have been closed.
            _ = names.try_set(lines);
        }),
        None => names.set(Vec::new()),
    });
    Effect::new(move |_| {
        app.revision.track();
        let filter = app.filter.get();
        of_findings.ask(queries::Findings { filter }, move |answer| {
            let lines = answer.unwrap_or_default().into_iter().map(|finding| finding_line(app, finding)).collect();
            _ = findings.try_set(lines);
        });
    });
    let field = focused_field();
    Effect::new(move |_| {
        found.track();
        let shown = document().get_element_by_id(&format!("palette-{}", at.get()));
        if let Some(shown) = shown {
            reveal(&shown);
        }
    });
    let go = move |index: usize| {
        let line = found.with_untracked(|found| found.get(index).map(|(_, line)| line.clone()));
        let Some(line) = line else { return };
        app.workspace.palette.set(false);
        recent::note(app, line.key());
        // After the dialog has restored the focus.
        request_animation_frame(move || match line.goes.clone() {
            Goes::To(go) => go(),
            Goes::Does(scope, command) => run(app, scope, command, line.name.clone()),
        });
    };
    let on_key = walk_lines(at, move || found.with_untracked(Vec::len), go);
    let options = move || {
        let words = untrack(|| typed.with(|typed| Typed::new(limited(typed).1)));
        let mut before = "";
        let option = |(index, (group, line)): (usize, (&'static str, Rc<Line>))| {
            let is_first = std::mem::replace(&mut before, group) != group;
            view! {
                {is_first.then(|| view! { <li class="group" role="presentation" aria-hidden="true">{group}</li> })}
                <li role="option" id=format!("palette-{index}") aria-selected=move || (at.get() == index).to_string()
                    data-testid="palette-line" data-command=line.command() on:click=move |_| go(index)>
                    <span class="nm">{marked(&line.name, &words)}</span> " "
                    <span class="of">{(line.of != group).then(|| line.of.clone())}</span> " "
                    {(!line.keys.is_empty()).then(|| view! { <kbd>{line.keys.clone()}</kbd> })}
                </li>
            }
        };
        found.get().into_iter().enumerate().map(option).collect_view()
    };
    view! {
        <div class="content finder palette">
            <label class="field">
                <Icon shape=SEARCH/>
                <span class="sr">"Search commands, functions, tracks and events"</span>
                <input node_ref=field type="text" role="combobox" aria-expanded="true" aria-controls="palette-lines"
                    aria-autocomplete="list" placeholder="Search commands, functions, tracks and events" autocomplete="off" spellcheck="false"
                    aria-activedescendant=move || format!("palette-{}", at.get()) data-testid="palette-field"
                    on:input:target=move |event| { at.set(0); typed.set(event.target().value()); }
                    on:keydown=on_key/>
            </label>
            <ul role="listbox" id="palette-lines" aria-label="Results" data-testid="palette-list">{options}</ul>
            <p class="sr" role="status">{move || view::format::counted(found.with(Vec::len) as u64, "result")}</p>
            <Show when=move || found.with(Vec::is_empty)>
                <p>"No matches"</p>
            </Show>
        </div>
        <footer class="hints">
            <span><kbd>"↑"</kbd> " " <kbd>"↓"</kbd> " select"</span>
            <span><kbd>"Enter"</kbd> " run"</span>
            <span><kbd>">"</kbd> " commands"</span>
            <span><kbd>"@"</kbd> " tracks and threads"</span>
            <span><kbd>"#"</kbd> " functions"</span>
        </footer>
    }
}
