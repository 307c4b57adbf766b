//! Headers of the selected block and item, with navigation.

use super::cursor::FileCursor;
use crate::app::state::{Selection, Tab};
use crate::commands::shortcuts::{name, title};
use crate::widgets::icon::{DOWN, Icon, TARGET, UP};
use leptos::prelude::*;
use protocol::base::time::Span;
use protocol::queries;
use protocol::tables::{NO_TIME, section_kind};
use view::format;
use view::keys::keymap::{Command, Scope};
use wasm_bindgen_futures::spawn_local;

impl FileCursor {
    /// Returns the time range of the block's events, if it has any.
    pub fn span_of_section(self) -> Option<Span> {
        let (_, facts) = self.facts.get()?;
        let (first, last) = (*facts.first.first()?, *facts.last.first()?);
        (first != NO_TIME && last != NO_TIME).then(|| Span::new(first, last.saturating_add(1)))
    }

    /// Runs a command on the selected block or item; returns whether it did.
    pub fn act(self, command: Command) -> bool {
        let span = untrack(|| self.span_of_section());
        match (command, span) {
            (Command::NextBlock, _) => return self.step_section(true),
            (Command::PreviousBlock, _) => return self.step_section(false),
            (Command::NextItem, _) => return self.step_item(true),
            (Command::PreviousItem, _) => return self.step_item(false),
            (Command::ShowEvent, _) => self.show_event(),
            (Command::ShowBytes, _) => self.app.show_byte(self.byte.get_untracked()),
            (Command::EventsOfBlock, Some(span)) => {
                self.app.set_range(Some(span));
                self.app.tab.set(Tab::Events);
            }
            (Command::ShowOnTimeline, Some(span)) => self.app.show_on_timeline(span),
            _ => return false,
        }
        true
    }

    /// Returns whether a command can run now.
    pub fn can(self, command: Command) -> bool {
        match command {
            Command::NextBlock | Command::PreviousBlock | Command::ShowBytes => true,
            Command::NextItem | Command::PreviousItem => {
                self.section.get_untracked().is_some_and(|there| there.items > 0)
            }
            Command::ShowEvent => self.is_event(),
            Command::EventsOfBlock | Command::ShowOnTimeline => untrack(|| self.span_of_section()).is_some(),
            _ => false,
        }
    }

    fn is_event(self) -> bool {
        untrack(|| {
            self.item.get().is_some() && self.section.get().is_some_and(|there| there.kind == section_kind::EVENTS)
        })
    }

    /// Shows the event that contains the selected bytes.
    fn show_event(self) {
        let app = self.app;
        let offset = self.byte.get_untracked();
        spawn_local(async move {
            match app.ask(queries::EventAt { offset }).await {
                Ok(Some(event)) => {
                    app.select(Selection::Event(event));
                    app.tab.set(Tab::Events);
                }
                Ok(None) => app.shell.say("This event isn't indexed.".to_owned()),
                Err(failure) => app.shell.say(failure.to_string()),
            }
        });
    }
}

/// Header of the selected block.
#[component]
pub fn SectionHead(
    cursor: FileCursor,
    /// True to include a button that shows its bytes.
    with_bytes: bool,
) -> impl IntoView {
    let number = move || {
        let (number, _) = cursor.facts.get()?;
        let total = cursor.totals.value.get()?.total.first().copied()?;
        Some(format!("Block {} of {}", format::count(number + 1), format::count(total)))
    };
    let words = move || {
        let there = cursor.section.get()?;
        let facts = cursor.facts.get().filter(|(_, facts)| facts.offset.first() == Some(&there.offset));
        let items = facts.and_then(|(_, facts)| facts.items.first().copied()).unwrap_or(there.items);
        let items = match (items, item_noun(there.kind)) {
            (_, "") | (0, _) => String::new(),
            (items, noun) => format!(", {}", format::counted(items.into(), noun)),
        };
        let kind = section_kind::name(there.kind);
        Some(format!("{kind} at {}, {}{items}", format::offset(there.offset), format::counted(there.bytes, "byte")))
    };
    let problem = move || {
        let (_, facts) = cursor.facts.get()?;
        let problem = facts.problem.get(0).to_owned();
        (!problem.is_empty()).then(|| view! { <p class="problem" data-testid="piece-problem">{problem}</p> })
    };
    let has_time = move || cursor.span_of_section().is_some();
    view! {
        <h2 class="piece-head">
            <span data-testid="piece-number">{number}</span>
            <span class="n" data-testid="piece-words">{words}</span>
            <span class="acts">
                <Step cursor command=Command::PreviousBlock testid="previous-piece"/>
                <Step cursor command=Command::NextBlock testid="next-piece"/>
                {with_bytes.then(|| view! {
                    <button class="btn line" data-testid="show-bytes" data-command=Command::ShowBytes.id()
                        on:click=move |_| _ = cursor.act(Command::ShowBytes)>{name(Scope::Bytes, Command::ShowBytes)}</button>
                })}
                <button class="btn line" hidden=move || !has_time() data-testid="events-of-piece" data-command=Command::EventsOfBlock.id()
                    on:click=move |_| _ = cursor.act(Command::EventsOfBlock)>{name(Scope::Bytes, Command::EventsOfBlock)}</button>
                <button class="btn icon" hidden=move || !has_time() aria-label=name(Scope::Bytes, Command::ShowOnTimeline) title=title(Scope::Bytes, Command::ShowOnTimeline)
                    data-testid="piece-on-timeline" data-command=Command::ShowOnTimeline.id()
                    on:click=move |_| _ = cursor.act(Command::ShowOnTimeline)><Icon shape=TARGET class="s"/></button>
            </span>
        </h2>
        {problem}
    }
}

/// Header of the selected item.
#[component]
pub fn ItemHead(cursor: FileCursor) -> impl IntoView {
    let words = move || {
        let (there, item) = (cursor.section.get()?, cursor.item.get());
        let Some(item) = item else {
            return Some(view! { <b>"Structure"</b> }.into_any());
        };
        let number = format!(
            "{} {} of {}",
            item.name,
            format::count(u64::from(item.item) + 1),
            format::count(there.items.into())
        );
        Some(view! { <b data-testid="item-number">{number}</b> <span class="n" data-testid="item-words" title=item.value.clone()>{item.value.clone()}</span> }.into_any())
    };
    let is_event = Memo::new(move |_| {
        cursor.item.get().is_some() && cursor.section.get().is_some_and(|there| there.kind == section_kind::EVENTS)
    });
    let has_items = move || cursor.section.get().is_some_and(|there| there.items > 0);
    view! {
        <div class="item-head">
            {words}
            <span class="acts">
                <span hidden=move || !has_items()>
                    <Step cursor command=Command::PreviousItem testid="previous-item"/>
                    <Step cursor command=Command::NextItem testid="next-item"/>
                </span>
                <button class="btn line" hidden=move || !is_event.get() data-testid="show-event" data-command=Command::ShowEvent.id()
                    on:click=move |_| _ = cursor.act(Command::ShowEvent)>{name(Scope::Bytes, Command::ShowEvent)}</button>
            </span>
        </div>
    }
}

/// Button for the next or previous block or item.
#[component]
fn Step(cursor: FileCursor, command: Command, testid: &'static str) -> impl IntoView {
    let name = name(Scope::Bytes, command);
    let shape = if matches!(command, Command::NextBlock | Command::NextItem) { DOWN } else { UP };
    view! {
        <button class="btn icon" aria-label=name title=title(Scope::Bytes, command) data-testid=testid data-command=command.id()
            on:click=move |_| _ = cursor.act(command)><Icon shape class="s"/></button>
    }
}

/// Returns the noun of the items of a block.
pub fn item_noun(kind: u8) -> &'static str {
    match kind {
        section_kind::EVENTS => "event",
        section_kind::METADATA => "metadata record",
        section_kind::STACKS => "stack",
        section_kind::SEQUENCE_POINT | section_kind::THREADS | section_kind::REMOVED_THREADS => "thread",
        section_kind::LABELS => "list",
        _ => "",
    }
}
