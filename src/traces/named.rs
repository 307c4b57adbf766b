//! `trace:` in the filter, with several traces on the timeline.

use super::state::Traces;
use crate::app::state::App;
use leptos::prelude::*;
use protocol::events::query_help::Suggestion;
use protocol::filter::{Typing, context, word};
use view::traces::{Named, letter, named};

impl Traces {
    fn names(self) -> Vec<String> {
        let name = |app: App| app.trace_name();
        untrack(|| self.all().into_iter().map(name).collect())
    }

    /// Returns the traces on the timeline that a filter names, and the rest of the filter.
    pub fn named_in(self, text: &str) -> Option<(Named, String)> {
        if self.are_several_now() { named(text, &self.names()) } else { None }
    }

    /// Shows what a filter of a trace names, with the rest of the filter.
    pub fn show_named(self, app: App, found: Named, rest: &str) {
        match found {
            Named::All => {
                app.set_query(rest);
                self.show_all(true);
            }
            Named::One(position) => {
                self.show_all(false);
                if let Some(named) = untrack(|| self.all()).get(position) {
                    named.set_query(rest);
                    named.tab.set(app.tab.get_untracked());
                    self.show(*named);
                }
            }
        }
    }

    /// Adds the names of the traces to the suggestions for `trace:`.
    pub fn suggest(self, text: &str, cursor: u32, suggestions: &mut Vec<Suggestion>) {
        let typing = context(text, cursor as usize);
        if !self.are_several_now() || typing.typing != (Typing::Value { key: "trace".to_owned() }) {
            return;
        }
        let typed = typing.typed.to_lowercase();
        let trace = |(position, name): (usize, String)| Suggestion {
            text: word(&name),
            label: String::new(),
            note: format!("trace {}", letter(position)),
        };
        let all = Suggestion { text: "all".to_owned(), label: String::new(), note: "all traces".to_owned() };
        let traces = self.names().into_iter().enumerate().map(trace).chain([all]);
        suggestions.splice(0..0, traces.filter(|one| one.text.to_lowercase().contains(&typed)));
    }
}
