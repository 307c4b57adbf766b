//! Text field of the filter, with suggestions and errors.

use crate::app::state::App;
use crate::commands::shortcuts::{SEARCH_FIELD, is_mac, title};
use crate::trace::latest::LatestRequest;
use crate::widgets::icon::{CLOSE, Icon, SEARCH};
use leptos::html;
use leptos::prelude::*;
use protocol::events::query_help::{Mistake, QueryHelp, Suggestion, TextRange};
use protocol::queries;
use std::time::Duration;
use view::events::filter_text::before_unfinished;
use view::keys::keymap::{Command, Scope};
use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, KeyboardEvent};

/// Pause in typing after which a filter is applied.
const PAUSE: Duration = Duration::from_millis(180);
const LIST: &str = "query-suggestions";
/// Text that opens the command palette instead. No condition begins with it.
const COMMANDS: &str = ">";

/// State of the field.
#[derive(Clone, Copy)]
struct Field {
    app: App,
    input: NodeRef<html::Input>,
    /// Requests about the typed text.
    latest: StoredValue<LatestRequest, LocalStorage>,
    /// Requests about a filter that was set elsewhere.
    following: StoredValue<LatestRequest, LocalStorage>,
    /// Typed text, with errors and suggestions.
    help: RwSignal<(String, QueryHelp)>,
    is_open: RwSignal<bool>,
    has_focus: RwSignal<bool>,
    active: RwSignal<Option<usize>>,
    /// Number of changes by typing.
    typed: StoredValue<u32>,
    /// Filter without the last condition of the text, which isn't finished.
    partial: StoredValue<Option<String>>,
    /// Whether the user has finished the text with Enter, so that an error at its end is shown.
    is_entered: RwSignal<bool>,
}

/// Text field of the filter.
#[component]
pub fn QueryField() -> impl IntoView {
    let app = expect_context::<App>();
    let field = Field {
        app,
        input: NodeRef::new(),
        latest: StoredValue::new_local(app.latest()),
        following: StoredValue::new_local(app.latest()),
        help: RwSignal::default(),
        is_open: RwSignal::new(false),
        has_focus: RwSignal::new(false),
        active: RwSignal::new(None),
        typed: StoredValue::new(0),
        partial: StoredValue::new(None),
        is_entered: RwSignal::new(false),
    };
    let query = Memo::new(move |_| app.filter.with(|filter| filter.query.clone()));
    Effect::new(move |before: Option<String>| {
        app.revision.track();
        let now = query.get();
        // When only the trace has changed, the typed text stays, and is requested again, because an earlier answer may
        // be lost.
        if before.as_ref() == Some(&now) && field.shows_more_than(&now) {
            field.ask(false, Then::Apply);
        } else if field.partial.get_value().as_ref() != Some(&now) {
            field.show(&now);
        }
        field.follow(now.clone());
        now
    });
    let suggestions = move || field.help.with(|(_, help)| help.suggestions.clone());
    let is_open = move || field.is_open.get() && !suggestions().is_empty();
    // Text that is still being typed isn't an error yet.
    let is_behind = move |mistake: &Mistake| field.help.with(|(_, help)| mistake.at.1 < help.replaces.0);
    let is_at_end = move |mistake: &Mistake| field.help.with(|(text, _)| mistake.at.1 as usize >= text.len());
    let is_typing = move || field.has_focus.get() && !field.is_entered.get();
    let mistake = move || {
        let mistake = field.mistake().filter(|mistake| !is_open() || is_behind(mistake));
        mistake.filter(|mistake| !is_typing() || !is_at_end(mistake))
    };
    let option = move |(index, Suggestion { text, label, note }): (usize, Suggestion)| {
        let shown = if label.is_empty() { text } else { label };
        let accept = move |event: web_sys::MouseEvent| {
            // The field keeps the focus.
            event.prevent_default();
            field.accept(index);
        };
        view! {
            <li
                id=format!("{LIST}-{index}")
                role="option"
                aria-selected=move || if field.active.get() == Some(index) { "true" } else { "false" }
                on:mousedown=accept
            >
                <code>{shown}</code>
                <span>{note}</span>
            </li>
        }
    };
    let palette_title = title(Scope::Everywhere, Command::Palette);
    view! {
        <div class="query">
            <label class="field" class:wrong=move || mistake().is_some()>
                <Icon shape=SEARCH/>
                <span class="sr">"Filter"</span>
                <input
                    id=SEARCH_FIELD
                    type="search"
                    role="combobox"
                    aria-autocomplete="list"
                    aria-controls=LIST
                    aria-expanded=move || if is_open() { "true" } else { "false" }
                    aria-activedescendant=move || field.active.get().map(|index| format!("{LIST}-{index}"))
                    aria-invalid=move || mistake().map(|_| "true")
                    aria-describedby="query-mistake"
                    placeholder="Filter, or run a command"
                    title="Filter by text or condition, such as event:Start dur>5ms -thread:Finalizer (/). Type > for commands"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    data-testid="search"
                    node_ref=field.input
                    on:input=move |_| field.on_input()
                    on:focus=move |_| field.has_focus.set(true)
                    on:blur=move |_| {
                        field.has_focus.set(false);
                        field.close();
                    }
                    on:keydown=move |event| field.on_key(&event)
                />
                {move || (!query.get().is_empty()).then(|| view! {
                    <button class="x" aria-label="Clear filter text" on:click=move |_| app.set_query("")>
                        <Icon shape=CLOSE class="xs"/>
                    </button>
                })}
            </label>
            <button class="palette-key" title=palette_title aria-haspopup="dialog"
                data-testid="open-palette" data-command=Command::Palette.id() on:click=move |_| app.workspace.palette.set(true)>
                <span>"Commands"</span> <kbd>{if is_mac() { "⌘" } else { "Ctrl" }}</kbd> " " <kbd>"K"</kbd>
            </button>
            <div class="suggest" class:open=move || field.has_focus.get() && (is_open() || mistake().is_some())>
                <p id="query-mistake" role="status" data-testid="query-mistake">
                    {move || mistake().map(|mistake| mistake_view(&field.help.with(|(text, _)| text.clone()), mistake))}
                </p>
                <ul id=LIST role="listbox" aria-label="Filter suggestions" hidden=move || !is_open()>
                    {move || suggestions().into_iter().enumerate().map(option).collect_view()}
                </ul>
            </div>
        </div>
    }
}

/// Returns the error message, and the text with the error marked.
fn mistake_view(text: &str, mistake: Mistake) -> impl IntoView + use<> {
    let (from, until) = (mistake.at.0 as usize, mistake.at.1 as usize);
    let part = |from: usize, until: usize| text.get(from..until).unwrap_or_default().to_owned();
    let wrong = Some(part(from, until)).filter(|wrong| !wrong.is_empty()).unwrap_or_else(|| "…".to_owned());
    view! {
        <code>{part(0, from)}<mark>{wrong}</mark>{part(until, text.len())}</code>
        {mistake.message}
    }
}

/// Focuses the field with a part of its text selected.
pub fn edit_in_field(app: App, part: String) {
    // The text is updated after the filter.
    request_animation_frame(move || {
        let field =
            document().get_element_by_id(SEARCH_FIELD).and_then(|field| field.dyn_into::<HtmlInputElement>().ok());
        let Some(field) = field else { return };
        let query = app.filter.with_untracked(|filter| filter.query.clone());
        field.set_value(&query);
        let units = |text: &str| text.encode_utf16().count() as u32;
        // A visible field can be focused, and the range is in its text.
        let _ = field.focus();
        if let Some(start) = query.rfind(&part) {
            let start = units(&query[..start]);
            let _ = field.set_selection_range(start, start + units(&part));
        }
    });
}

/// Action for a valid text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// None.
    Nothing,
    /// Sets the filter.
    Apply,
    /// Sets the filter, and selects the next or previous matching event.
    Walk { later: bool },
}

impl Field {
    /// Returns the error in the last text.
    fn mistake(self) -> Option<Mistake> {
        self.help.with(|(_, help)| help.mistake.clone())
    }

    /// Returns whether the text of the field differs from the filter.
    fn shows_more_than(self, query: &str) -> bool {
        self.input.get_untracked().is_some_and(|input| input.value().trim() != query)
    }

    /// Shows a filter that was set elsewhere.
    fn show(self, query: &str) {
        if let Some(input) = self.input.get_untracked().filter(|_| self.shows_more_than(query)) {
            input.set_value(query);
        }
    }

    /// Requests suggestions for the filter.
    fn follow(self, query: String) {
        let text = query.clone();
        ask(self.following, queries::QueryHelp { text: query, cursor: None }, move |help| {
            let part = |(from, until): &TextRange| text.get(*from as usize..*until as usize).map(str::to_owned);
            self.app.filtering.query_parts.set((text.clone(), help.parts.iter().filter_map(part).collect()));
            self.help.update(|(typed, known)| {
                if typed.trim_end() == text {
                    known.mistake = help.mistake;
                } else if !self.shows_more_than(&text) {
                    // Text typed in the meantime gets its own answer, with other positions.
                    (*typed, *known) = (text.clone(), help);
                }
            });
        });
    }

    /// Requests suggestions. `is_asked` is set if the user requests them with a key, so that they are shown anywhere;
    /// `then` runs if the text is valid.
    fn ask(self, is_asked: bool, then: Then) {
        let Some(input) = self.input.get_untracked() else { return };
        let text = input.value();
        let cursor = bytes_at(&text, input.selection_start().ok().flatten().unwrap_or(u32::MAX));
        ask(self.latest, queries::QueryHelp { text: text.clone(), cursor: Some(cursor) }, move |mut help| {
            self.app.traces.suggest(&text, cursor, &mut help.suggestions);
            let unfinished = before_unfinished(&text).filter(|_| then == Then::Apply).map(str::to_owned);
            let is_before =
                |mistake: &Mistake| unfinished.as_ref().is_none_or(|before| (mistake.at.1 as usize) < before.len());
            let is_right = help.mistake.as_ref().is_none_or(|mistake| !is_before(mistake));
            let before = text.get(..help.replaces.0 as usize).unwrap_or_default();
            if help.replaces.0 == help.replaces.1 && before.ends_with(char::is_whitespace) {
                // Between conditions everything is possible, so suggestions are shown only if the user requests them.
                self.is_open.update(|is_open| *is_open &= is_asked);
            }
            // While the user navigates the list, a change only removes lines.
            let chosen = self.active.get_untracked().and_then(|index| {
                let text_of =
                    |(_, known): &(String, QueryHelp)| known.suggestions.get(index).map(|one| one.text.clone());
                let chosen = self.help.with_untracked(text_of)?;
                help.suggestions.iter().position(|one| one.text == chosen)
            });
            self.active.set(chosen);
            self.help.set((text.clone(), help));
            // If the user has continued to type, a new request follows, and the field must not change.
            let is_still_there = self.input.get_untracked().is_some_and(|input| input.value() == text);
            if is_right && is_still_there && then != Then::Nothing {
                let query = unfinished.as_deref().unwrap_or(&text).trim().to_owned();
                self.partial.set_value(unfinished.map(|_| query.clone()));
                match self.app.traces.named_in(&query) {
                    // Another trace has another field, so the text must be finished.
                    Some(_) if then == Then::Apply => {}
                    Some((named, rest)) => {
                        input.set_value(&rest);
                        return self.app.traces.show_named(self.app, named, &rest);
                    }
                    None => self.app.set_query(&query),
                }
            }
            if let (true, true, Then::Walk { later }) = (is_right, is_still_there, then) {
                self.app.timeline.walk.update(|(count, is_later)| (*count, *is_later) = (*count + 1, later));
            }
        });
    }

    fn on_input(self) {
        if let Some(input) = self.input.get_untracked().filter(|input| input.value() == COMMANDS) {
            input.set_value("");
            return self.app.workspace.palette.set(true);
        }
        self.is_open.set(true);
        self.is_entered.set(false);
        self.ask(false, Then::Nothing);
        let this = self.typed.get_value().wrapping_add(1);
        self.typed.set_value(this);
        set_timeout(
            move || {
                if self.typed.try_get_value() == Some(this) {
                    self.ask(false, Then::Apply);
                }
            },
            PAUSE,
        );
    }

    fn on_key(self, event: &KeyboardEvent) {
        let is_open = self.is_open.get_untracked();
        let active = self.active.get_untracked();
        match event.key().as_str() {
            "ArrowDown" => self.walk(event, true),
            "ArrowUp" => self.walk(event, false),
            "Enter" | "Tab" if is_open && active.is_some() => {
                event.prevent_default();
                self.accept(active.unwrap_or(0));
            }
            "Enter" => {
                self.close();
                self.is_entered.set(true);
                // Ends the pause; its request would overtake this one.
                self.typed.update_value(|typed| *typed = typed.wrapping_add(1));
                self.ask(false, Then::Walk { later: !event.shift_key() });
            }
            "Escape" if is_open && self.help.with_untracked(|(_, help)| !help.suggestions.is_empty()) => {
                event.prevent_default();
                self.close();
            }
            "Escape" => {
                event.prevent_default();
                self.app.set_query("");
                self.help.set(Default::default());
                if let Some(input) = self.input.get_untracked() {
                    input.set_value("");
                    // Blurring a focused field can't fail.
                    let _ = input.blur();
                }
            }
            _ => {}
        }
    }

    /// Moves to the next or previous suggestion; opens the list first.
    fn walk(self, event: &KeyboardEvent, down: bool) {
        event.prevent_default();
        let count = self.help.with_untracked(|(_, help)| help.suggestions.len());
        if !self.is_open.get_untracked() || count == 0 {
            self.is_open.set(true);
            return self.ask(true, Then::Nothing);
        }
        self.active.update(|active| {
            *active = Some(match (*active, down) {
                (None, true) => 0,
                (None, false) => count - 1,
                (Some(index), true) => (index + 1) % count,
                (Some(index), false) => (index + count - 1) % count,
            });
        });
        if let Some(option) =
            self.active.get_untracked().and_then(|index| document().get_element_by_id(&format!("{LIST}-{index}")))
        {
            option.scroll_into_view_with_bool(false);
        }
    }

    fn close(self) {
        self.is_open.set(false);
        self.active.set(None);
    }

    /// Inserts a suggestion into the text.
    fn accept(self, index: usize) {
        let Some(input) = self.input.get_untracked() else { return };
        let (text, help) = self.help.get_untracked();
        let Some(suggestion) = help.suggestions.get(index) else { return };
        let part = |from: usize, until: usize| text.get(from..until).unwrap_or_default();
        let mut before = format!("{}{}", part(0, help.replaces.0 as usize), suggestion.text);
        // A value follows a key; another condition follows a condition.
        let is_key = suggestion.text.ends_with([':', '=', '>', '.']);
        let rest = part(help.replaces.1 as usize, text.len());
        if !is_key && !rest.starts_with(' ') {
            before.push(' ');
        }
        input.set_value(&format!("{before}{rest}"));
        let cursor = before.encode_utf16().count() as u32;
        // The range is inside the text of the field.
        let _ = input.set_selection_range(cursor, cursor);
        self.is_open.set(is_key);
        self.ask(false, if is_key { Then::Nothing } else { Then::Apply });
    }
}

fn ask(
    latest: StoredValue<LatestRequest, LocalStorage>,
    query: queries::QueryHelp,
    done: impl FnOnce(QueryHelp) + 'static,
) {
    latest.with_value(|latest| {
        latest.ask(query, move |answer| {
            if let Ok(help) = answer {
                done(help);
            }
        });
    });
}

/// Converts an offset in UTF-16 code units to bytes.
fn bytes_at(text: &str, units: u32) -> u32 {
    let mut seen = 0;
    let before = text.char_indices().find(|(_, character)| {
        let is_there = seen >= units;
        seen += character.len_utf16() as u32;
        is_there
    });
    before.map_or(text.len(), |(at, _)| at) as u32
}
