//! How the one filter of the page changes: every panel narrows through these.

pub(crate) mod chips;

use crate::app::state::{App, Selection};
use leptos::prelude::*;
use protocol::base::ids::{ThreadId, TypeId};
use protocol::base::time::Span;
use protocol::filter::Name;
use protocol::request::{Filter, FrameName, Label};
use view::events::filter_text::{condition_text, joined, named};
use view::format;

impl App {
    /// Changes the filter; everything on the page follows.
    pub fn refilter(self, change: impl FnOnce(&mut Filter)) {
        let mut filter = self.filter.get_untracked();
        change(&mut filter);
        if filter != self.filter.get_untracked() {
            self.client().raise_generation();
            self.filter.set(filter);
        }
    }

    /// Narrows to a range of time, or to none.
    pub fn set_range(self, span: Option<Span>) {
        self.refilter(|filter| filter.span = span);
    }

    /// The same, and says so.
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

    /// Adds a process, by the operating system's id, to the filter, or takes it away.
    pub fn toggle_process(self, process: u32) {
        self.refilter(|filter| toggle(&mut filter.processes, process));
    }

    /// Adds a thread to the filter, or takes it away.
    pub fn toggle_thread(self, thread: ThreadId) {
        self.refilter(|filter| toggle(&mut filter.threads, thread));
    }

    /// Adds a provider to the filter, or takes it away.
    pub fn toggle_provider(self, provider: &str) {
        self.refilter(|filter| toggle(&mut filter.providers, provider.to_owned()));
    }

    /// Adds an event type to the filter, or takes it away.
    pub fn toggle_type(self, event_type: TypeId) {
        self.refilter(|filter| toggle(&mut filter.types, event_type));
    }

    /// Adds a label to the filter, or takes it away.
    pub fn toggle_label(self, label: &Label) {
        self.refilter(|filter| toggle(&mut filter.labels, label.clone()));
    }

    /// Adds a function that has to be on the stack to the filter, or takes it away.
    pub fn toggle_frame(self, frame: &FrameName) {
        self.refilter(|filter| toggle(&mut filter.frames, frame.clone()));
    }

    /// The selected function, and what the filter would be with it: what has it on the stack is marked while it is selected.
    /// None if no function is selected, or the filter names it already.
    pub fn provisional(self) -> Option<(FrameName, Filter)> {
        let Selection::Function(function) = self.selection.get() else { return None };
        let (_, frame) = self.selected_frame.get().filter(|(known, _)| *known == function)?;
        let mut filter = self.filter.get();
        if filter.frames.contains(&frame) {
            return None;
        }
        filter.frames.push(frame.clone());
        Some((frame, filter))
    }

    /// Narrows to events of at most this level, or of any.
    pub fn set_level(self, level: Option<u8>) {
        self.refilter(|filter| filter.level = level);
    }

    /// Narrows to events that a query wants; empty for no condition.
    pub fn set_query(self, query: &str) {
        self.refilter(|filter| query.clone_into(&mut filter.query));
    }

    /// Narrows to events that also meet a condition in the language of filters.
    pub fn add_condition(self, condition: &str) {
        self.refilter(|filter| filter.query = joined(&filter.query, condition));
    }

    /// Leaves out events of what is called like this.
    pub fn exclude(self, name: Name, text: &str) {
        self.add_condition(&condition_text(named(name, text), true));
    }

    /// Leaves out events of a thread.
    pub fn exclude_thread(self, thread: ThreadId) {
        self.exclude(Name::Thread, &untrack(|| self.thread_label(thread)));
    }

    /// Leaves out events of a type, and of others that are called the same.
    pub fn exclude_type(self, event_type: TypeId) {
        self.exclude(Name::Event, &untrack(|| self.type_label(event_type)).replace(" / ", "/"));
    }

    /// Leaves out events with a label.
    pub fn exclude_label(self, label: &Label) {
        self.add_condition(&condition_text(untrack(|| self.label_condition(label)), true));
    }

    /// Leaves out events with a function on their stack.
    pub fn exclude_frame(self, frame: &FrameName) {
        self.exclude(Name::Stack, &frame.name);
    }

    /// Removes every condition.
    pub fn clear_filter(self) {
        self.refilter(|filter| *filter = Filter::default());
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
