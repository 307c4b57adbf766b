//! Title of the details of an event: what it is about.

use crate::format;
use protocol::events::connections::SpanDetail;
use protocol::events::span_times::SpanTimes;
use protocol::reply::FieldValue;

/// Returns the title of an event: "GET /checkout/31 · 2.04 s · 200", "Exception System.IO.IOException · Disk full", or
/// else its name. Several events report what is known about a request.
pub fn event_title(name: &str, fields: &[FieldValue], span: Option<&SpanDetail>, times: Option<&SpanTimes>) -> String {
    let field = |name: &str| value_of(fields, name);
    if let Some(span) = span.filter(|span| !span.name.is_empty()) {
        let duration = span_duration(span, times);
        let request = times.and_then(|times| times.request.as_ref());
        let status = request.and_then(|request| match request.status {
            Some(status) => Some(status.to_string()),
            None => (!request.failure.is_empty()).then(|| "failed".to_owned()),
        });
        return [Some(span.name.clone()), Some(duration), status].into_iter().flatten().collect::<Vec<_>>().join(" · ");
    }
    match (field("ExceptionType"), field("ExceptionMessage")) {
        (Some(kind), Some(message)) => format!("Exception {kind} · {message}"),
        (Some(kind), None) => format!("Exception {kind}"),
        (None, _) => name.to_owned(),
    }
}

/// Returns the duration of a span. Without its stop event, its times may show when it ended.
pub fn span_duration(span: &SpanDetail, times: Option<&SpanTimes>) -> String {
    let duration = format::duration(span.end.saturating_sub(span.begin));
    match (span.start.is_some() && span.stop.is_some(), times) {
        (true, _) => duration,
        (false, Some(times)) => format!("about {}", format::duration(times.span.duration())),
        (false, None) => format!("at least {duration}"),
    }
}

fn value_of<'a>(fields: &'a [FieldValue], name: &str) -> Option<&'a str> {
    let field = fields.iter().find(|field| field.depth == 0 && field.name.eq_ignore_ascii_case(name))?;
    (!field.value.is_empty()).then_some(field.value.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::base::time::Span;
    use protocol::events::connections::Moment;
    use protocol::events::span_times::RequestFacts;

    fn field(name: &str, value: &str) -> FieldValue {
        FieldValue { name: name.to_owned(), value: value.to_owned(), ..FieldValue::default() }
    }

    #[test]
    fn title_says_what_the_event_is_about() {
        let answered = RequestFacts { status: Some(200), ..RequestFacts::default() };
        let failed = RequestFacts { failure: "connection refused".to_owned(), ..RequestFacts::default() };
        let unknown = RequestFacts::default();
        let end = Some(Moment::default());
        let whole = SpanDetail {
            name: "GET /checkout/31".to_owned(),
            begin: 1_000_000_000,
            end: 3_040_000_000,
            start: end.clone(),
            stop: end,
            ..SpanDetail::default()
        };
        let open = SpanDetail { stop: None, ..whole.clone() };
        let sampled = SpanTimes { span: Span::new(1_000_000_000, 2_500_000_000), ..SpanTimes::default() };
        let [answered, failed, unknown] =
            [answered, failed, unknown].map(|request| SpanTimes { request: Some(request), ..sampled.clone() });
        let title = |span, times| event_title("RequestStart", &[], span, times);
        assert_eq!(title(Some(&whole), Some(&answered)), "GET /checkout/31 · 2.04 s · 200");
        assert_eq!(title(Some(&whole), Some(&failed)), "GET /checkout/31 · 2.04 s · failed");
        assert_eq!(title(Some(&whole), Some(&unknown)), "GET /checkout/31 · 2.04 s", "no claim");
        assert_eq!(title(Some(&open), None), "GET /checkout/31 · at least 2.04 s");
        assert_eq!(title(Some(&open), Some(&sampled)), "GET /checkout/31 · about 1.50 s");
        assert_eq!(title(Some(&SpanDetail::default()), None), "RequestStart");

        let thrown = [field("ExceptionType", "System.IO.IOException"), field("ExceptionMessage", "Disk full")];
        assert_eq!(event_title("Exception/Start", &thrown, None, None), "Exception System.IO.IOException · Disk full");
        assert_eq!(
            event_title("Exception/Start", &thrown[..1], None, None),
            "Exception System.IO.IOException",
            "without a message"
        );
    }
}
