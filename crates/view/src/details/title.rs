//! Title of the details of an event: what it is about.

use crate::format;
use protocol::events::connections::SpanDetail;
use protocol::reply::FieldValue;

/// Returns the title of an event: "GET /checkout/31 · 2.04 s · 200", "Exception System.IO.IOException · Disk full", or
/// else its name. The status comes from the event that ends the span.
pub fn event_title(name: &str, fields: &[FieldValue], span: Option<&SpanDetail>, status: Option<&str>) -> String {
    let field = |name: &str| value_of(fields, name);
    if let Some(span) = span.filter(|span| !span.name.is_empty()) {
        let duration = format::duration(span.end.saturating_sub(span.begin));
        let is_whole = span.start.is_some() && span.stop.is_some();
        let duration = if is_whole { duration } else { format!("at least {duration}") };
        let status = status.map(str::to_owned);
        return [Some(span.name.clone()), Some(duration), status].into_iter().flatten().collect::<Vec<_>>().join(" · ");
    }
    match (field("ExceptionType"), field("ExceptionMessage")) {
        (Some(kind), Some(message)) => format!("Exception {kind} · {message}"),
        (Some(kind), None) => format!("Exception {kind}"),
        (None, _) => name.to_owned(),
    }
}

/// Returns the status code among the fields of an event.
pub fn status_of(fields: &[FieldValue]) -> Option<&str> {
    value_of(fields, "statusCode")
}

fn value_of<'a>(fields: &'a [FieldValue], name: &str) -> Option<&'a str> {
    let field = fields.iter().find(|field| field.depth == 0 && field.name.eq_ignore_ascii_case(name))?;
    (!field.value.is_empty()).then_some(field.value.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::events::connections::Moment;

    fn field(name: &str, value: &str) -> FieldValue {
        FieldValue { name: name.to_owned(), value: value.to_owned(), ..FieldValue::default() }
    }

    #[test]
    fn title_says_what_the_event_is_about() {
        let fields = [field("StatusCode", "200")];
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
        let title = |span, status| event_title("RequestStart", &[], span, status);
        assert_eq!(title(Some(&whole), status_of(&fields)), "GET /checkout/31 · 2.04 s · 200");
        assert_eq!(title(Some(&open), None), "GET /checkout/31 · at least 2.04 s");
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
