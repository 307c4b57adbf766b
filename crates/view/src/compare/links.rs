//! What a change opens in either trace: a tab, and a condition of the filter.

use crate::events::filter_text::condition_text;
use crate::page::tab::Tab;
use protocol::compare::{Change, Subject};
use protocol::filter::{Condition, Extent, Name, Pattern};
use protocol::topics::topic::Topic;

/// Returns the tab that shows a change's subject, and the condition that limits it to the change's name; empty without
/// one.
pub fn target(change: &Change) -> (Tab, String) {
    let tab = match change.subject {
        Subject::Requests | Subject::FailedRequests | Subject::SentRequests => Tab::Topic(Topic::Http),
        Subject::SqlCommands => Tab::Topic(Topic::Sql),
        Subject::RunningTime
        | Subject::FunctionTotal
        | Subject::FunctionSelf
        | Subject::ModuleSelf
        | Subject::ThreadState => Tab::Stacks,
        Subject::GcPauses | Subject::GcSuspension | Subject::Gcs | Subject::GcGeneration | Subject::HeapAfterGc => {
            Tab::Topic(Topic::Gc)
        }
        Subject::Allocated | Subject::AllocatedType | Subject::AllocationSite => Tab::Topic(Topic::Allocations),
        Subject::Exceptions | Subject::ExceptionType | Subject::ThrowSite => Tab::Topic(Topic::Exceptions),
        Subject::LockWaits | Subject::LockSite => Tab::Topic(Topic::Contention),
        Subject::HandleWaits => Tab::Topic(Topic::Waits),
        Subject::JitTime | Subject::JittedMethods => Tab::Topic(Topic::Jit),
        Subject::Counter => Tab::Topic(Topic::Counters),
        Subject::Events | Subject::EventType => Tab::Events,
    };
    (tab, condition(change).map(|condition| condition_text(condition, false)).unwrap_or_default())
}

fn condition(change: &Change) -> Option<Condition> {
    // Overloads and numbers of lambdas aren't part of the condition.
    let name = change.name.split(['(', 'λ']).next().unwrap_or_default().trim_end_matches('.');
    let (of, text, extent) = match change.subject {
        Subject::FunctionTotal
        | Subject::FunctionSelf
        | Subject::AllocationSite
        | Subject::ThrowSite
        | Subject::LockSite
        | Subject::HandleWaits => (Name::Stack, name, Extent::Part),
        Subject::ModuleSelf => (Name::Stack, change.name.as_str(), Extent::Whole),
        Subject::EventType => (Name::Event, change.name.as_str(), Extent::Whole),
        _ => return None,
    };
    // Code without a name can't be found by one.
    let is_named = !text.is_empty() && !text.starts_with('(');
    is_named.then(|| Condition::Named(of, Pattern::Text(text.to_owned()), extent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::compare::ChangeKind;

    fn of(subject: Subject, name: &str) -> (Tab, String) {
        target(&Change {
            subject,
            name: name.to_owned(),
            percentile: None,
            kind: ChangeKind::Grew,
            old: 1.0,
            new: 2.0,
            ratio: None,
            probability: 0.0,
            weight: 0.0,
            sentence: String::new(),
        })
    }

    #[test]
    fn change_opens_its_tab_with_its_name() {
        let stack = |text: &str| (Tab::Stacks, text.to_owned());
        assert_eq!(of(Subject::FunctionTotal, "Shop.Cart.Total(int)"), stack("stack:Shop.Cart.Total"));
        assert_eq!(of(Subject::FunctionSelf, "Shop.Cart.λ(int)"), stack("stack:Shop.Cart"));
        assert_eq!(of(Subject::FunctionSelf, "(unresolved)"), stack(""));
        assert_eq!(of(Subject::Requests, "GET /").0, Tab::Topic(Topic::Http));
        assert_eq!(of(Subject::EventType, "P/GC/Start"), (Tab::Events, "event=P/GC/Start".to_owned()));
    }
}
