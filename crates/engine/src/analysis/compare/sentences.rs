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
        ChangeKind::New if is_code(change) => format!("{} only in the new samples: {new}{per}", presence(change)),
        ChangeKind::Gone if is_code(change) => format!("{} only in the old samples: {old}{per}", presence(change)),
        ChangeKind::New if is_singular => format!("{what} is new: {new}{per}"),
        ChangeKind::New => format!("{what} are new: {new}{per}"),
        ChangeKind::Gone if is_singular => format!("{what} is gone; it was {old}{per}"),
        ChangeKind::Gone => format!("{what} are gone; they were {old}{per}"),
        ChangeKind::Same if old == new => format!("{what} didn't change: {old}{per}"),
        ChangeKind::Same => format!("{what}: {old} → {new}{per}"),
    }
}

/// Returns the words for the compared value.
fn what(change: &Change) -> String {
    let name = short_name(change);
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
            format!("Outgoing {name} requests")
        }
        (Subject::SqlCommands, _) => format!("Runs of {name}"),
        (Subject::FunctionTotal | Subject::FunctionSelf | Subject::ModuleSelf, _) => {
            format!("Running time in {}", uncapitalized_code(&code(change)))
        }
        (Subject::ThreadState, _) => format!("Thread time “{name}”"),
        (Subject::GcGeneration, _) => format!("GCs of {name}"),
        (Subject::AllocatedType, _) => format!("Allocations of {name}"),
        (Subject::AllocationSite, _) => format!("Allocations in {name}"),
        (Subject::ExceptionType, _) => format!("Exceptions of type {name}"),
        (Subject::ThrowSite, _) => format!("Exceptions thrown in {name}"),
        (Subject::LockSite, _) => format!("Lock contention in {name}"),
        (Subject::HandleWaits, _) => format!("Waits in {name}"),
        (Subject::Counter, _) => format!("Counter {name}"),
        (Subject::EventType, _) => format!("{name} events"),
        (subject, false) => format!("{}: {name}", subject.title()),
    }
}

/// Returns whether the running time of a function or module is compared.
fn is_code(change: &Change) -> bool {
    use Subject as S;
    matches!(change.subject, S::FunctionTotal | S::FunctionSelf | S::ModuleSelf) && !change.name.is_empty()
}

/// Returns the words for that function or module.
fn code(change: &Change) -> String {
    let callees = if change.subject == Subject::FunctionTotal { ", including callees," } else { "" };
    // Names in parentheses are of code without a name of its own.
    let name = match change.name.strip_prefix('(').and_then(|name| name.strip_suffix(')')) {
        Some("unresolved") => "Unresolved code".to_owned(),
        Some(name) if name.ends_with(", no symbols") => {
            format!("Unresolved code in {}", name.trim_end_matches(", no symbols"))
        }
        _ => short_name(change).to_owned(),
    };
    format!("{name}{callees}")
}

/// Returns what only one trace has. Code without self time may still be in the samples, as a caller.
fn presence(change: &Change) -> String {
    let verb = if change.subject == Subject::FunctionTotal { "is" } else { "has self time" };
    format!("{} {verb}", code(change))
}

/// Returns words for unresolved code in the middle of a sentence.
fn uncapitalized_code(code: &str) -> String {
    code.strip_prefix("Unresolved").map_or_else(|| code.to_owned(), |rest| ["unresolved", rest].concat())
}

/// Returns the name without parameters: overloads are compared separately, but their parameters are too long for a
/// sentence.
fn short_name(change: &Change) -> &str {
    let name = change.name.split_once('(').map_or(change.name.as_str(), |(name, _)| name).trim_end();
    if name.is_empty() { &change.name } else { name }
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
            | S::LockWaits
            | S::LockSite
    ) || change.percentile.is_some()
}

/// Returns the words for what the values are divided by; empty for levels, percentiles and throughput.
fn per_words(change: &Change, per: Per) -> &'static str {
    let is_throughput = change.subject == Subject::Requests;
    let is_divided = change.percentile.is_none() && change.subject.form() != Form::Level && !is_throughput;
    if is_divided { per.words() } else { "" }
}
