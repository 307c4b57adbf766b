//! Filters of events.

use super::label::Label;
use crate::base::ids::{ThreadId, TypeId};
use crate::base::time::Span;
use crate::filter::{Condition, Name, parse};
use crate::stacks::shape::FrameName;
use serde::{Deserialize, Serialize};

/// Process ID of unknown processes. Lost events can belong to threads that have no events in the trace.
pub const UNKNOWN_PROCESS: u32 = 0;

/// Filter of events. Every panel sends the same filter, so counts agree.
///
/// An empty list means "all". All parts must match.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Filter {
    /// Time range.
    pub span: Option<Span>,
    /// OS process IDs.
    pub processes: Vec<u32>,
    /// Threads; for samples, the sampled thread.
    pub threads: Vec<ThreadId>,
    /// Exact provider names.
    pub providers: Vec<String>,
    pub types: Vec<TypeId>,
    /// Filter in the syntax of [`crate::filter`]; empty for no condition.
    pub query: String,
    /// Labels. If several have the same name, one must match.
    pub labels: Vec<Label>,
    /// Functions that must all be on the call stack.
    pub frames: Vec<FrameName>,
    /// Maximum level: 1 Critical … 5 Verbose. Level 0, LogAlways, always matches.
    pub level: Option<u8>,
}

impl Filter {
    /// Returns the selected or typed time range, which contains all matches; `None` if it is `whole`.
    pub fn span_within(&self, whole: Span) -> Option<Span> {
        let chosen = self.span.unwrap_or(whole);
        let span = parse(&self.query).map_or(chosen, |query| query.span_within(chosen));
        (span != whole).then_some(span)
    }

    /// Returns the filter without its selected or typed time range; `None` if it has none, or its query is invalid.
    pub fn without_range(&self) -> Option<Self> {
        let typed = parse(&self.query).ok()?.without_time();
        if typed.is_none() && self.span.is_none() {
            return None;
        }
        let query = typed.map_or_else(|| self.query.clone(), |query| query.to_string());
        Some(Self { query, span: None, ..self.clone() })
    }

    /// Takes on the conditions of another trace's filter, except for those on IDs and times, which mean something else
    /// there.
    pub fn take_names_of(&mut self, other: &Self) {
        let Self { span: _, processes: _, threads: _, providers, types: _, query, labels, frames, level } = other;
        providers.clone_into(&mut self.providers);
        query.clone_into(&mut self.query);
        labels.clone_into(&mut self.labels);
        frames.clone_into(&mut self.frames);
        self.level = *level;
    }

    /// Returns whether the filter has conditions on events, beyond time range, threads and processes.
    pub fn is_about_events(&self) -> bool {
        let is_more = |condition: &Condition| {
            !matches!(condition, Condition::Time(..) | Condition::Named(Name::Thread | Name::Process, ..))
        };
        let has_chosen = !self.providers.is_empty() || !self.types.is_empty() || !self.labels.is_empty();
        has_chosen
            || !self.frames.is_empty()
            || self.level.is_some()
            || parse(&self.query).is_ok_and(|query| query.has(is_more) || query.has_inner_time())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_from_another_trace_and_ids_stay() {
        let ids =
            Filter { threads: vec![ThreadId(3)], types: vec![TypeId(5)], processes: vec![7], ..Filter::default() };
        let own = Filter { span: Some(Span::new(1, 2)), query: "gc".to_owned(), ..ids.clone() };
        let names = Filter { providers: vec!["Shop".to_owned()], level: Some(2), ..Filter::default() };
        let mut taken = own.clone();
        taken.take_names_of(&Filter { threads: vec![ThreadId(4)], ..names.clone() });
        assert_eq!(
            taken,
            Filter { span: own.span, ..Filter { providers: names.providers, level: names.level, ..ids } }
        );
    }

    #[test]
    fn span_intersects_selected_and_typed_time() {
        let filter = |span, query: &str| Filter { span, query: query.to_owned(), ..Filter::default() };
        let whole = Span::new(0, 9_000_000_000);
        let chosen = Some(Span::new(2_000_000_000, 5_000_000_000));
        assert_eq!(filter(None, "words").span_within(whole), None);
        assert_eq!(filter(chosen, "").span_within(whole), chosen);
        let both = Some(Span::new(3_000_000_000, 5_000_000_000));
        assert_eq!(filter(chosen, "time:3s..6s").span_within(whole), both);
        assert_eq!(filter(chosen, "time:(").span_within(whole), chosen);
    }

    #[test]
    fn time_and_threads_are_not_event_conditions() {
        let is_about_events = |query: &str| Filter { query: query.to_owned(), ..Filter::default() }.is_about_events();
        assert!(!is_about_events("") && !is_about_events("time:1s..2s -(thread:main or process:7)"));
        assert!(is_about_events("thread:main level<=2") && is_about_events("words"));
        assert!(is_about_events("time:1s..2s or time:3s..4s") && is_about_events("-time:1s..2s"));
        assert!(Filter { level: Some(2), ..Filter::default() }.is_about_events());
    }
}
