//! Findings about event sources that report a failure of their own, in the event `EventSourceMessage`.

use super::shared::evidence::{link, on_timeline, times};
use super::shared::evidence_text::moment;
use super::{Known, Scope};
use crate::analysis::scan::rows::TypeSet;
use crate::analysis::topics::shared::groups::ranked;
use crate::analysis::values::payload_text::cut;
use crate::clr::KnownEvent;
use nettrace::{Field, FieldType, Value, decode};
use protocol::base::hash::FastMap;
use protocol::base::ids::EventId;
use protocol::base::time::Span;
use protocol::filter::word;
use protocol::format::counted;
use protocol::topics::finding::{Cost, Finding, FindingKind, FindingTarget, Narrowing};

/// Maximum number of sources listed, by errors in descending order.
const MAX_SOURCES: usize = 8;
/// Maximum characters of a message, of its part in the evidence, and of a source's name.
const MAX_MESSAGE: usize = 400;
const MAX_SHOWN: usize = 48;
const MAX_NAME: usize = 30;
/// Beginning of messages about an event, before its name.
const OF_EVENT: &str = "EventSourceException while processing event \"";
/// Texts that identify messages of failures. Other messages are informational.
const FAILURES: [&str; 6] =
    ["ERROR", "Exception", "was called with", "do not match", "too large", "not enough free buffers"];

/// Messages of a source.
struct Reported {
    first: EventId,
    message: String,
    times: Vec<Span>,
}

/// Returns a finding for each source that failed.
pub(super) fn event_source_findings(known: &Known<'_>, scope: &Scope<'_>) -> Vec<Finding> {
    let store = known.store;
    let mut sources: FastMap<&str, Reported> = FastMap::default();
    let types = TypeSet::of_known(store, &[KnownEvent::EventSourceMessage]);
    types.for_each_row(store, 0..store.events.len(), |chunk, row| {
        let event = chunk.event_id(row);
        let Some(event_type) = store.types.get(chunk.event_type(row)).filter(|_| scope.has(event)) else { return };
        let Some(payload) = store.kept_payload(&chunk.row(row)) else { return };
        let message = message(&event_type.schema.fields, payload, store.header.pointer_size);
        if !FAILURES.iter().any(|words| message.contains(words)) {
            return;
        }
        let time = store.clock.nanos(chunk.ticks(row)).0;
        let reported = sources.entry(event_type.provider.as_str()).or_insert_with(|| {
            let message = cut(&message, MAX_MESSAGE);
            Reported { first: event, message, times: Vec::new() }
        });
        reported.times.push(Span::new(time, time.saturating_add(1)));
    });
    let mut sources = ranked(sources, |reported| reported.times.len());
    sources.truncate(MAX_SOURCES);
    sources.into_iter().map(|(name, reported)| finding(name, reported)).collect()
}

fn finding(source: &str, reported: Reported) -> Finding {
    let Reported { first, message, times: all } = reported;
    let (count, start) = (all.len() as u64, all.first().map_or(0, |time| time.start.0));
    let errors = counted(count, "error");
    let (when, name) = (times(all), cut(source, MAX_NAME));
    let first_words = if count == 1 { "Error" } else { "First error" };
    let end = if message.ends_with(['.', '!', '?', '…']) { "" } else { "." };
    // The first part is the same for all errors.
    let error = message.split_once(&format!("EventSource {source}: ")).map_or(message.as_str(), |(_, error)| error);
    let error = match error.strip_prefix(OF_EVENT).and_then(|error| error.split_once('"')) {
        Some((event, error)) => [event, error].concat(),
        None => error.to_owned(),
    };
    let condition = format!("provider={} event=EventSourceMessage", word(source));
    let mut links = vec![
        link("View first error", FindingTarget::Event(first)),
        link("Filter to errors", FindingTarget::Narrow(Narrowing::to(condition))),
    ];
    links.extend(on_timeline(&when));
    Finding {
        title: format!("EventSource {name} reported {errors}"),
        sentence: format!("{first_words} at {}: “{}”.", moment(start), cut(error.trim_end_matches('.'), MAX_SHOWN)),
        times: when,
        links,
        advice: "Fix the event named in the message.".to_owned(),
        details: format!("“{message}”{end} Some events of this source may be lost."),
        ..Finding::new(
            FindingKind::EventSourceError,
            Cost::count(count, if count == 1 { "error reported" } else { "errors reported" }),
        )
    }
}

/// Returns the text of an `EventSourceMessage`.
fn message(fields: &[Field], payload: &[u8], pointer_size: u8) -> String {
    let text = |fields: &[Field]| {
        let values = decode(fields, payload, pointer_size);
        values.into_iter().find_map(|value| if let Value::String(text) = value { Some(text) } else { None })
    };
    // Some files don't describe the event's only field.
    text(fields).or_else(|| text(&[Field::new("message", FieldType::Utf16String)])).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::topics::tests::activity_traces::ActivityTrace;
    use crate::analysis::topics::tests::activity_traces::FieldValue::{Int, Text};
    use crate::analysis::topics::tests::reports::recording_findings_of;

    fn found(messages: &[(i64, &str, &str)]) -> Vec<Finding> {
        let mut trace = ActivityTrace::default();
        for (at, source, message) in messages {
            trace.event(*at, 1, "", (source, "EventSourceMessage"), &[("message", Text(message))]);
            trace.event(*at + 1, 1, "", (source, "OrderPlaced"), &[("id", Int(1))]);
        }
        let (store, bytes) = trace.finish();
        recording_findings_of(&store, &bytes)
    }

    #[test]
    fn failing_source_is_found_with_first_message() {
        let found = found(&[
            (10, "Shop", "EventSourceException while processing event \"Sold\": too large"),
            (20, "Shop", "Event 7 was called with 1 argument(s), but it is defined with 2 parameter(s)."),
            (30, "Stock", "ERROR: Exception in Command Processing\r\nfor EventSource Stock"),
        ]);
        let words: Vec<(FindingKind, &str, f64)> =
            found.iter().map(|one| (one.kind, one.title.as_str(), one.cost.value)).collect();
        let kind = FindingKind::EventSourceError;
        let expected =
            [(kind, "EventSource Shop reported 2 errors", 2.0), (kind, "EventSource Stock reported 1 error", 1.0)];
        assert_eq!(words, expected);
        assert!(found[0].sentence.ends_with("“Sold: too large”."), "{}", found[0].sentence);
        assert!(found[1].details.contains("Processing  for EventSource Stock"), "{}", found[1].details);
    }

    #[test]
    fn messages_without_failure_have_no_finding() {
        assert_eq!(found(&[(10, "Shop", "Tracing was enabled."), (20, "Shop", "")]), []);
    }

    #[test]
    fn finding_names_limited_number_of_sources() {
        let names: Vec<String> = (0..50).map(|number| format!("{}{number}", "Source".repeat(40))).collect();
        let messages: Vec<_> = names.iter().map(|name| (1, name.as_str(), "ERROR: no")).collect();
        let found = found(&messages);
        assert_eq!(found.len(), MAX_SOURCES);
        assert!(found.iter().all(|one| one.title.chars().count() <= 70), "{}", found[0].title);
    }
}
