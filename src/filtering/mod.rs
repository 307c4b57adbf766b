//! Changes of the page's filter, which all panels use.

pub(crate) mod chips;
pub(crate) mod state;

use crate::app::state::{App, Selection};
use leptos::prelude::*;
use protocol::base::ids::{ThreadId, TypeId};
use protocol::base::time::Span;
use protocol::filter::Name;
use protocol::request::{Filter, FrameName, Label};
use view::events::filter_text::{condition_text, joined, named};
use view::format;

impl App {
    /// Changes the filter, and updates the page.
    pub fn refilter(self, change: impl FnOnce(&mut Filter)) {
        let mut filter = self.filter.get_untracked();
        change(&mut filter);
        if filter != self.filter.get_untracked() {
            self.client().raise_generation();
            self.filter.set(filter);
        }
    }

    /// Filters to a time range, or removes it.
    pub fn set_range(self, span: Option<Span>) {
        self.refilter(|filter| filter.span = span);
    }

    /// Filters to a time range, or removes it, and shows a confirmation.
    pub fn choose_range(self, span: Option<Span>) {
        let words = match span {
            Some(span) => {
                let range = untrack(|| self.face()).range(span.start.0, span.end.0);
                format!("Time range {range}, {}.", format::duration(span.duration()))
            }
            None => "Time range cleared.".to_owned(),
        };
        self.set_range(span);
        self.shell.announce.set(words);
    }

    /// Adds or removes a process, by its OS process ID.
    pub fn toggle_process(self, process: u32) {
        self.refilter(|filter| toggle(&mut filter.processes, process));
    }

    /// Adds or removes a thread.
    pub fn toggle_thread(self, thread: ThreadId) {
        self.refilter(|filter| toggle(&mut filter.threads, thread));
    }

    /// Adds or removes a provider.
    pub fn toggle_provider(self, provider: &str) {
        self.refilter(|filter| toggle(&mut filter.providers, provider.to_owned()));
    }

    /// Adds or removes an event type.
    pub fn toggle_type(self, event_type: TypeId) {
        self.refilter(|filter| toggle(&mut filter.types, event_type));
    }

    /// Adds or removes a label.
    pub fn toggle_label(self, label: &Label) {
        self.refilter(|filter| toggle(&mut filter.labels, label.clone()));
    }

    /// Adds or removes a function that must be on the stack.
    pub fn toggle_frame(self, frame: &FrameName) {
        self.refilter(|filter| toggle(&mut filter.frames, frame.clone()));
    }

    /// Returns the selected function, and the filter with it added: events with the function on the stack are marked
    /// while it is selected. `None` if no function is selected, or it is already in the filter.
    pub fn provisional(self) -> Option<(FrameName, Filter)> {
        let Selection::Function(function) = self.selection.get() else { return None };
        let (_, frame) = self.details.frame.get().filter(|(known, _)| *known == function)?;
        let mut filter = self.filter.get();
        if filter.frames.contains(&frame) {
            return None;
        }
        filter.frames.push(frame.clone());
        Some((frame, filter))
    }

    /// Filters to a maximum level, or removes it.
    pub fn set_level(self, level: Option<u8>) {
        self.refilter(|filter| filter.level = level);
    }

    /// Sets the query; empty for no condition.
    pub fn set_query(self, query: &str) {
        self.refilter(|filter| query.clone_into(&mut filter.query));
    }

    /// Adds a condition in the filter syntax.
    pub fn add_condition(self, condition: &str) {
        self.refilter(|filter| filter.query = joined(&filter.query, condition));
    }

    /// Excludes events with a name.
    pub fn exclude(self, name: Name, text: &str) {
        self.add_condition(&condition_text(named(name, text), true));
    }

    /// Excludes events of a thread.
    pub fn exclude_thread(self, thread: ThreadId) {
        self.exclude(Name::Thread, &untrack(|| self.thread_label(thread)));
    }

    /// Excludes events of a type, including others with the same name.
    pub fn exclude_type(self, event_type: TypeId) {
        self.exclude(Name::Event, &untrack(|| self.type_label(event_type)).replace(" / ", "/"));
    }

    /// Excludes events with a label.
    pub fn exclude_label(self, label: &Label) {
        self.add_condition(&condition_text(untrack(|| self.label_condition(label)), true));
    }

    /// Excludes events with a function on the stack.
    pub fn exclude_frame(self, frame: &FrameName) {
        self.exclude(Name::Stack, &frame.name);
    }

    /// Removes all conditions, and the choice of stacks that came with them.
    pub fn clear_filter(self) {
        self.refilter(|filter| *filter = Filter::default());
        self.unlink_stacks();
    }
}

fn toggle<T: PartialEq>(list: &mut Vec<T>, item: T) {
    match list.iter().position(|present| *present == item) {
        Some(index) => {
            list.remove(index);
        }
        None => list.push(item),
    }
}
