//! Which events a question is about.

use super::label::Label;
use crate::base::ids::{ThreadId, TypeId};
use crate::base::time::Span;
use crate::filter::{Condition, Name, parse};
use crate::stacks::shape::FrameName;
use serde::{Deserialize, Serialize};

/// In a list of processes: none that is known. Lost events may be of a thread of which nothing else is in the trace.
pub const UNKNOWN_PROCESS: u32 = 0;

/// Which events a question is about. Every panel sends the same filter, so that counts agree.
///
/// An empty list means "all". The parts are joined by AND.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Filter {
    /// Only events inside this range.
    pub span: Option<Span>,
    /// Only events of these processes, by the operating system's id.
    pub processes: Vec<u32>,
    /// Only events of these threads (of a sample: the sampled thread).
    pub threads: Vec<ThreadId>,
    /// Only events of these providers, by exact name.
    pub providers: Vec<String>,
    /// Only events of these types.
    pub types: Vec<TypeId>,
    /// Only events that this wants, in the language of filters ([`crate::filter`]). Empty: no condition.
    pub query: String,
    /// Only events that carry these labels. Of labels with one name any will do, of each name one is needed.
    pub labels: Vec<Label>,
    /// Only events on whose stack all these functions are.
    pub frames: Vec<FrameName>,
    /// Only events of at most this level: 1 critical … 5 verbose. Level 0, "always", is at most any.
    pub level: Option<u8>,
}

impl Filter {
    /// The time outside of which it wants nothing, chosen or typed; none if that is the `whole`.
    pub fn span_within(&self, whole: Span) -> Option<Span> {
        let chosen = self.span.unwrap_or(whole);
        let span = parse(&self.query).map_or(chosen, |query| query.span_within(chosen));
        (span != whole).then_some(span)
    }

    /// Whether it asks more than when, on which thread and in which process: what is no event cannot meet that.
    pub fn is_about_events(&self) -> bool {
        let is_more = |condition: &Condition| {
            !matches!(condition, Condition::Time(..) | Condition::Named(Name::Thread | Name::Process, ..))
        };
        let has_chosen = !self.providers.is_empty() || !self.types.is_empty() || !self.labels.is_empty();
        has_chosen
            || !self.frames.is_empty()
            || self.level.is_some()
            || parse(&self.query).is_ok_and(|query| query.has(is_more))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_what_is_chosen_and_typed() {
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
    fn time_and_threads_are_not_about_events() {
        let is_about_events = |query: &str| Filter { query: query.to_owned(), ..Filter::default() }.is_about_events();
        assert!(!is_about_events("") && !is_about_events("time:1s..2s -(thread:main or process:7)"));
        assert!(is_about_events("thread:main level<=2") && is_about_events("words"));
        assert!(Filter { level: Some(2), ..Filter::default() }.is_about_events());
    }
}
