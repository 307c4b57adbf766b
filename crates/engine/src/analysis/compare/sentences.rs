//! Sentences that describe changes: “GET /checkout p99 rose from 412 ms to 568 ms”.

use protocol::compare::{Change, ChangeKind, Form, Per, Subject};

/// Returns the sentence of a change: "GET /checkout p99 rose from 412 ms to 568 ms".
pub(super) fn sentence(change: &Change, per: Per) -> String {
    let what = what(change);
    let [old, new] = [change.old, change.new].map(|value| change.value_words(value, per));
    let per = if change.is_rate(per) { "" } else { per_words(change, per) };
    let is_singular = is_singular(change);
    match change.kind {
        ChangeKind::Grew => format!("{what} rose from {old} to {new}{per}"),
        ChangeKind::Shrank => format!("{what} fell from {old} to {new}{per}"),
        ChangeKind::New if is_singular => format!("{what} is new: {new}{per}"),
        ChangeKind::New => format!("{what} are new: {new}{per}"),
        ChangeKind::Gone if is_singular => format!("{what} is gone; it was {old}{per}"),
        ChangeKind::Gone => format!("{what} are gone; they were {old}{per}"),
        ChangeKind::Same if old == new => format!("{what} didn't change: {old}{per}"),
        ChangeKind::Same => format!("{what}: {old} and {new}{per}"),
    }
}

/// Returns the words for the compared value.
fn what(change: &Change) -> String {
    // Overloads are compared separately, but their parameters are too long for a sentence.
    let name = change.name.split_once('(').map_or(change.name.as_str(), |(name, _)| name).trim_end();
    let name = if name.is_empty() { change.name.as_str() } else { name };
    if let Some(percentile) = change.percentile {
        let of = match (change.subject, name.is_empty()) {
            (Subject::SentRequests, true) => "Outgoing requests",
            (Subject::SqlCommands, true) => "SQL queries",
            (_, true) => "Requests",
            _ => name,
        };
        return format!("{of} p{percentile}");
    }
    match (change.subject, name.is_empty()) {
        (Subject::Requests, true) => "Throughput".to_owned(),
        (subject, true) => subject.title().to_owned(),
        (Subject::Requests, _) => format!("{name} throughput"),
        (Subject::SentRequests, _) => {
            format!("Requests to {}", name.split_once(' ').map_or(name, |(_, host)| host))
        }
        (Subject::SqlCommands, _) => format!("Runs of {name}"),
        (Subject::FunctionTotal, _) => format!("Running time in {name} and what it calls"),
        (Subject::FunctionSelf | Subject::ModuleSelf, _) => format!("Running time in {name}"),
        (Subject::ThreadState, _) => format!("Thread time “{name}”"),
        (Subject::GcGeneration, _) => format!("GCs of {name}"),
        (Subject::AllocatedType, _) => format!("Allocations of {name}"),
        (Subject::AllocationSite, _) => format!("Allocations in {name}"),
        (Subject::ExceptionType, _) => format!("Exceptions of type {name}"),
        (Subject::ThrowSite, _) => format!("Exceptions thrown in {name}"),
        (Subject::LockSite, _) => format!("Lock waits in {name}"),
        (Subject::HandleWaits, _) => format!("Waits in {name}"),
        (Subject::Counter, _) => format!("Counter {name}"),
        (Subject::EventType, _) => format!("{name} events"),
        (subject, false) => format!("{}: {name}", subject.title()),
    }
}

fn is_singular(change: &Change) -> bool {
    use Subject as S;
    matches!(
        change.subject,
        S::Requests
            | S::FunctionTotal
            | S::FunctionSelf
            | S::ModuleSelf
            | S::RunningTime
            | S::ThreadState
            | S::JitTime
            | S::HeapAfterGc
            | S::Counter
            | S::GcSuspension
    ) || change.percentile.is_some()
}

/// Returns the words for what the values are divided by; empty for levels, percentiles and throughput.
fn per_words(change: &Change, per: Per) -> &'static str {
    let is_throughput = change.subject == Subject::Requests;
    let is_divided = change.percentile.is_none() && change.subject.form() != Form::Level && !is_throughput;
    if is_divided { per.words() } else { "" }
}
