//! Activities reported through DiagnosticSource: IDs, duration and name (docs/format/runtime-events.md#activities).
//!
//! All of these are in the arguments of the event, as names and texts. The names depend on how the activity is
//! recorded: `SpanId` for an `ActivitySource`, `ActivitySpanId` or only the whole `ActivityId` for a listener.

use super::index::TraceContextIds;
use super::roles::RequestSources;
use crate::analysis::values::fields::arguments;
use nettrace::{Field, Value};
use protocol::timeline::track::TrackKind;

/// Nanoseconds per tick of `TimeSpan`.
const TICK_NANOS: i64 = 100;
/// Names of requests for listeners of the server and of the client.
const SERVED: [&str; 2] = ["Microsoft.AspNetCore.Hosting.HttpRequestIn", "Microsoft.AspNetCore.Hosting.BeginRequest"];
const SENT: [&str; 2] = ["System.Net.Http.HttpRequestOut", "System.Net.Http.Desktop.HttpRequestOut"];

/// The activity that an event starts or stops.
#[derive(Debug, Default)]
pub(crate) struct Work<'v> {
    /// Key that matches the start and the stop of this activity.
    pub key: Option<String>,
    /// W3C trace context IDs.
    pub ids: Option<TraceContextIds>,
    /// Nanoseconds, if it has ended.
    pub duration: Option<i64>,
    /// Its name, without the word for start or stop.
    name: &'v str,
    /// Method and target of a request.
    method: &'v str,
    target: &'v str,
}

impl<'v> Work<'v> {
    /// Reads the fields of an event.
    pub fn of(fields: &[Field], values: &'v [Value]) -> Self {
        let text = |name: &str| match fields.iter().zip(values).find(|(field, _)| field.name == name) {
            Some((_, Value::String(text))) => text.as_str(),
            _ => "",
        };
        let find = |names: &[&str]| {
            let found = names.iter().find_map(|name| arguments(fields.iter().zip(values)).find(|(key, _)| key == name));
            found.map_or("", |(_, value)| value)
        };
        let whole_id = find(&["ActivityId"]);
        let parsed = w3c_id(whole_id);
        let trace = trace_id(find(&["TraceId", "ActivityTraceId"])).or(parsed.map(|ids| ids.0)).unwrap_or_default();
        let span = span_id(find(&["SpanId", "ActivitySpanId"])).or(parsed.map(|ids| ids.1)).unwrap_or(0);
        let parent_text = find(&["ParentSpanId", "ActivityParentSpanId"]);
        let parent = span_id(parent_text).or(w3c_id(find(&["ActivityParentId"])).map(|ids| ids.1)).unwrap_or(0);
        let is_root = parent == 0 && !parent_text.is_empty();
        let ids = (span != 0).then_some(TraceContextIds { trace, span, parent, is_root });
        let key = match ids {
            Some(ids) => Some(ids.key()),
            None => Some(whole_id.to_owned()).filter(|id| !id.is_empty()),
        };
        let ticks: Option<i64> = find(&["DurationTicks", "ActivityDuration"]).parse().ok();
        let duration = ticks.filter(|ticks| *ticks > 0).map(|ticks| ticks.saturating_mul(TICK_NANOS));
        let name = [text("ActivityName"), text("EventName")].into_iter().find(|name| !name.is_empty()).unwrap_or("");
        let name = name.strip_suffix(".Start").or_else(|| name.strip_suffix(".Stop")).unwrap_or(name);
        Self { key, ids, duration, name, method: find(&["Method"]), target: find(&["RequestUri", "Path"]) }
    }

    /// Returns the request track that displays it, if no other provider reports the same request.
    pub fn track(&self, sources: RequestSources) -> Option<TrackKind> {
        match self.name {
            name if SERVED.contains(&name) => (!sources.served).then_some(TrackKind::IncomingRequests),
            name if SENT.contains(&name) => (!sources.sent).then_some(TrackKind::OutgoingRequests),
            _ => None,
        }
    }

    /// Returns its name; for a request on a separate track, method and target.
    pub fn name(&self, track: Option<TrackKind>) -> Option<String> {
        match track {
            Some(_) if !self.target.is_empty() => Some([self.method, self.target].join(" ").trim_start().to_owned()),
            _ => Some(self.name.to_owned()).filter(|name| !name.is_empty()),
        }
    }
}

/// Returns the trace ID and span ID in "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", as texts.
pub(crate) fn w3c_parts(id: &str) -> Option<(&str, &str)> {
    let mut parts = id.split('-');
    let (version, trace, span) = (parts.next()?, parts.next()?, parts.next()?);
    let is_id = version.len() == 2 && trace.len() == 32 && parts.next().is_some() && parts.next().is_none();
    is_id.then_some((trace, span))
}

fn w3c_id(id: &str) -> Option<([u8; 16], u64)> {
    let (trace, span) = w3c_parts(id)?;
    Some((trace_id(trace)?, span_id(span)?))
}

fn trace_id(text: &str) -> Option<[u8; 16]> {
    let is_id = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u128::from_str_radix(text, 16).ok().filter(|_| is_id)?;
    Some(number.to_be_bytes())
}

fn span_id(text: &str) -> Option<u64> {
    let is_id = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    u64::from_str_radix(text, 16).ok().filter(|_| is_id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::values::fields::ARGUMENTS;
    use nettrace::FieldType;

    fn with_work<T>(pairs: &[(&str, &str)], ask: impl FnOnce(&Work<'_>) -> T) -> T {
        let text = |text: &str| Value::String(text.to_owned());
        let pair = |(key, value): &(&str, &str)| {
            Value::Object(vec![("Key".to_owned(), text(key)), ("Value".to_owned(), text(value))])
        };
        let fields = ["EventName", ARGUMENTS].map(|name| Field::new(name, FieldType::Utf16String));
        let values = [text("System.Net.Http.HttpRequestOut.Stop"), Value::Array(pairs.iter().map(pair).collect())];
        ask(&Work::of(&fields, &values))
    }

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    #[test]
    fn ids_are_equal_in_every_recording_format() {
        let id = format!("00-{TRACE}-00f067aa0ba902b7-01");
        let of_listener = with_work(&[("ActivityId", &id)], |work| (work.key.clone(), work.ids));
        let pairs = [("SpanId", "00f067aa0ba902b7"), ("TraceId", TRACE)];
        assert_eq!(with_work(&pairs, |work| (work.key.clone(), work.ids)), of_listener);
        // The decision to record a span may be late, which changes the last part.
        let later = format!("00-{TRACE}-00f067aa0ba902b7-00");
        assert_eq!(with_work(&[("ActivityId", &later)], |work| work.key.clone()), of_listener.0);
        let ids = of_listener.1.expect("IDs");
        assert_eq!((ids.span, ids.trace[0], ids.is_root), (0x00f0_67aa_0ba9_02b7, 0x4b, false));
        let root = [("SpanId", "1"), ("ParentSpanId", "0000000000000000")];
        assert!(with_work(&root, |work| work.ids).expect("IDs").is_root);
        let older = with_work(&[("ActivityId", "|7f2c.1.")], |work| (work.key.clone(), work.ids));
        assert_eq!(older, (Some("|7f2c.1.".to_owned()), None));
        for damaged in ["", "00--1-01", "00-+bf92f3577b34da6a3ce929d0e0e4736-1-01", "1-2-3-4-5"] {
            assert_eq!(with_work(&[("ActivityId", damaged)], |work| work.ids), None, "{damaged}");
        }
    }

    #[test]
    fn durations_are_ticks_of_100_nanoseconds() {
        let lasts = |text: &str| with_work(&[("ActivityDuration", text)], |work| work.duration);
        assert_eq!(["60000", "0", "-3", "x"].map(lasts), [Some(6_000_000), None, None, None]);
        assert_eq!(lasts("9223372036854775807"), Some(i64::MAX));
    }

    #[test]
    fn requests_are_on_tracks_unless_reported_by_other_provider() {
        let sources = |served, sent| RequestSources { served, sent, ..RequestSources::default() };
        let pairs = [("RequestUri", "https://pay.example/charge"), ("Method", "POST")];
        with_work(&pairs, |work| {
            assert_eq!(work.track(sources(true, false)), Some(TrackKind::OutgoingRequests));
            assert_eq!(work.track(sources(false, true)), None);
            assert_eq!(work.name(None).as_deref(), Some("System.Net.Http.HttpRequestOut"));
            let track = Some(TrackKind::OutgoingRequests);
            assert_eq!(work.name(track).as_deref(), Some("POST https://pay.example/charge"));
        });
    }
}
