//! Conditions of the page's filter as text in the filter syntax, to exclude, invert or edit them.

use protocol::base::time::Span;
use protocol::filter::{Comparison, Condition, Extent, Name, Order, Pattern, Query, parse};
use protocol::reply::FieldValue;
use protocol::request::Label;

/// Maximum length of a value in a condition; longer ones aren't readable.
const LONGEST_VALUE: usize = 256;

/// Returns a condition, or its negation, as text.
pub fn condition_text(condition: Condition, is_excluded: bool) -> String {
    let is = Query::Is(condition);
    if is_excluded { Query::Not(Box::new(is)).to_string() } else { is.to_string() }
}

/// Returns a disjunction of conditions as text: one as it is, several in parentheses.
pub fn any_text(conditions: Vec<Condition>) -> String {
    let mut queries: Vec<Query> = conditions.into_iter().map(Query::Is).collect();
    match queries.len() {
        0 | 1 => queries.pop().map(|query| query.to_string()).unwrap_or_default(),
        _ => Query::Any(queries).to_string(),
    }
}

/// Returns the negation of a conjunction as text.
pub fn not_all(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => match one.strip_prefix("-(").and_then(|rest| rest.strip_suffix(')')) {
            Some(inner) => inner.to_owned(),
            None => opposite(one),
        },
        several => format!("-({})", several.join(" ")),
    }
}

/// Returns the part of a typed filter before its last condition, if that isn't finished: it has no value yet, or no
/// operator.
pub fn before_unfinished(text: &str) -> Option<&str> {
    let start = text.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let (before, last) = (text.get(..start)?, text.get(start..)?.trim_start_matches(['-', '(']));
    let has_operator = last.contains([':', '=', '<', '>', '~']);
    let is_field = last.starts_with("payload.") || last.starts_with("label.");
    let is_unfinished = last.ends_with([':', '=', '<', '>', '~']) && has_operator || is_field && !has_operator;
    is_unfinished.then_some(before)
}

/// Returns the condition that a name equals a text.
pub fn named(name: Name, text: &str) -> Condition {
    Condition::Named(name, Pattern::Text(text.to_owned()), Extent::Whole)
}

/// Returns the condition of a time range.
pub fn of_range(span: Span) -> Condition {
    Condition::Time(Some(span.start.0), Some(span.end.0))
}

/// Returns the condition of a maximum level.
pub fn of_level(level: u8) -> Condition {
    Condition::Level(Order::AtMost, level)
}

pub fn of_label(label: &Label) -> Condition {
    match label {
        Label::Activity(guid) => named(Name::Activity, guid),
        Label::Trace(id) => named(Name::Trace, id),
        Label::Span(id) => named(Name::Span, id),
        Label::Named(name, value) => Condition::Label(name.clone(), Comparison::Is(Pattern::Text(value.clone()))),
    }
}

/// Returns the condition that a payload field has the value of an event; `None` for values that the syntax can't
/// express: objects, lists, and values that couldn't be decoded.
///
/// `fields` are all fields of the event, in order.
pub fn of_field(fields: &[FieldValue], index: usize) -> Option<Condition> {
    let field = fields.get(index)?;
    let has_inner = fields.get(index + 1).is_some_and(|next| next.depth > field.depth);
    let is_one_value = field.error.is_empty() && !field.type_name.is_empty() && !field.type_name.ends_with(']');
    if has_inner || !is_one_value || field.value.is_empty() || field.value.len() > LONGEST_VALUE {
        return None;
    }
    if field.value.chars().any(char::is_control) {
        return None;
    }
    Some(Condition::Payload(path_of(fields, index)?, Comparison::Is(Pattern::Text(field.value.clone()))))
}

/// Providers whose payloads contain IDs of the W3C trace context.
const WITH_TRACE_CONTEXT: [&str; 2] = ["Microsoft-Diagnostics-DiagnosticSource", "Microsoft-Extensions-Logging"];

/// Returns conditions for the trace and span IDs in an event's payload, which `DiagnosticSource` and loggers write.
pub fn of_trace_context(provider: &str, fields: &[FieldValue]) -> [Option<Condition>; 2] {
    if !WITH_TRACE_CONTEXT.contains(&provider) {
        return [None, None];
    }
    // An argument is a pair of a key and a value.
    let key_of = |at: usize| match fields.get(at.wrapping_sub(1)) {
        Some(key) if fields[at].name == "Value" && key.name == "Key" && key.depth == fields[at].depth => &key.value,
        _ => &fields[at].name,
    };
    let named_values = || (0..fields.len()).map(|at| (key_of(at).as_str(), fields[at].value.as_str()));
    let find = |names: [&str; 2], digits: usize| {
        let is_it = |(name, value): &(&str, &str)| names.contains(name) && is_id(value, digits);
        named_values().find(is_it).map(|(_, value)| value)
    };
    let whole =
        || named_values().find_map(|(name, value)| (name == "ActivityId").then(|| context_parts(value)).flatten());
    let trace = find(["TraceId", "ActivityTraceId"], 32).or_else(|| whole().map(|(trace, _)| trace));
    let span = find(["SpanId", "ActivitySpanId"], 16).or_else(|| whole().map(|(_, span)| span));
    [trace.map(|id| named(Name::Trace, id)), span.map(|id| named(Name::Span, id))]
}

/// Returns the trace ID and the span ID of "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".
fn context_parts(text: &str) -> Option<(&str, &str)> {
    let mut parts = text.split('-').skip(1);
    let (trace, span) = (parts.next()?, parts.next()?);
    (is_id(trace, 32) && is_id(span, 16)).then_some((trace, span))
}

/// Returns whether a text is an ID with a number of hexadecimal digits, not all of them 0.
fn is_id(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit()) && text.bytes().any(|byte| byte != b'0')
}

/// Returns the names on the path to a field, joined by dots. Elements of lists have numbers instead of names, and are
/// omitted.
fn path_of(fields: &[FieldValue], index: usize) -> Option<String> {
    let mut depth = fields.get(index)?.depth + 1;
    let mut names = Vec::new();
    for field in fields.get(..=index)?.iter().rev() {
        if field.depth < depth {
            depth = field.depth;
            if !field.name.starts_with('[') {
                names.push(field.name.as_str());
            }
        }
    }
    names.reverse();
    (!names.is_empty() && names.iter().all(|name| !name.is_empty())).then(|| names.join("."))
}

/// Returns a query that requires both a query and a condition.
pub fn joined(query: &str, condition: &str) -> String {
    match query.trim() {
        "" => condition.to_owned(),
        // “or” binds weaker than the implicit “and”.
        query if matches!(parse(query), Ok(Query::Any(_))) && !is_one(query) => format!("({query}) {condition}"),
        query => format!("{query} {condition}"),
    }
}

/// Returns the negation of a part of a query, which may already be negated.
pub fn opposite(part: &str) -> String {
    match part.strip_prefix('-') {
        Some(positive) => positive.to_owned(),
        None if is_one(part) => format!("-{part}"),
        None => format!("-({part})"),
    }
}

/// Returns whether a minus before the text negates all of it: no space is outside quotes, or the text is in
/// parentheses.
fn is_one(part: &str) -> bool {
    let (mut depth, mut quoted, mut is_escaped) = (0, false, false);
    for character in part.chars() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            blank if blank.is_whitespace() && !quoted && depth == 0 => return false,
            _ => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposite_negates_whole_part_and_back() {
        let pairs = [
            ("timeout", "-timeout"),
            ("\"two words\"", "-\"two words\""),
            ("a or b", "-(a or b)"),
            ("(a or b)", "-(a or b)"),
            ("thread=\"a \\\" b\"", "-thread=\"a \\\" b\""),
        ];
        for (part, other) in pairs {
            assert_eq!(opposite(part), other);
            let is = |text: &str| parse(text).expect("a query");
            assert_eq!(is(other), Query::Not(Box::new(is(part))), "{other}");
            assert_eq!(is(&opposite(other)), is(part), "{other}");
        }
    }

    #[test]
    fn joined_conditions_must_all_match() {
        for (query, both) in [
            ("", "b"),
            ("a", "a b"),
            ("a or c", "(a or c) b"),
            ("(a d) or c", "((a d) or c) b"),
            ("-a or c", "(-a or c) b"),
            ("(a or c)", "(a or c) b"),
            ("\"a or c\"", "\"a or c\" b"),
        ] {
            assert_eq!(joined(query, "b"), both);
        }
    }

    #[test]
    fn excluded_alternatives_match_none() {
        let thread = |name: &str| named(Name::Thread, name);
        assert_eq!(any_text(vec![]), "");
        assert_eq!(any_text(vec![thread("a")]), "thread=a");
        let either = any_text(vec![thread("a"), thread("b c")]);
        assert_eq!(either, "(thread=a or thread=\"b c\")");
        assert_eq!(not_all(std::slice::from_ref(&either)), "-(thread=a or thread=\"b c\")");
        let both = not_all(&[either, "level<=2".to_owned()]);
        assert_eq!(both, "-((thread=a or thread=\"b c\") level<=2)");
        for text in [&both, "-(thread=a or thread=b)"] {
            assert!(matches!(parse(text), Ok(Query::Not(_))), "{text}");
        }
        assert_eq!(not_all(&["-(a b)".to_owned()]), "a b", "and back");
        assert_eq!(not_all(&[]), "");
    }

    #[test]
    fn unfinished_condition_is_the_last_one() {
        let unfinished = ["event:", "x -dur>", "a payload.Co", "(label.", "a b payload.Count>="];
        assert_eq!(unfinished.map(before_unfinished), [Some(""), Some("x "), Some("a "), Some(""), Some("a b ")]);
        let finished = ["", "event:St", "payload.Count>=5", "timeout", "event: ", "x payload.a "];
        assert_eq!(finished.map(before_unfinished), [None; 6]);
    }

    #[test]
    fn payload_values_become_conditions() {
        let field = |depth, name: &str, type_name: &str, value: &str| FieldValue {
            depth,
            name: name.to_owned(),
            type_name: type_name.to_owned(),
            value: value.to_owned(),
            ..FieldValue::default()
        };
        let fields = [
            field(0, "LockID", "ulong", "139809909644024"),
            field(0, "Path", "string", "/a b"),
            field(0, "Empty", "string", ""),
            field(0, "Numbers", "int[]", "[1, 2]"),
            field(0, "Order", "struct", ""),
            field(1, "Id", "int", "7"),
            field(0, "Lines", "struct[]", "1 elements"),
            field(1, "[0]", "struct", ""),
            field(2, "Name", "string", "or"),
            FieldValue { error: "cut".to_owned(), ..field(0, "Cut", "int", "") },
        ];
        let found: Vec<String> =
            (0..fields.len()).filter_map(|at| of_field(&fields, at)).map(|is| condition_text(is, false)).collect();
        let expected = [
            "payload.LockID=139809909644024",
            "payload.Path=\"/a b\"",
            "payload.Order.Id=7",
            "payload.Lines.Name=\"or\"",
        ];
        assert_eq!(found, expected);
        assert_eq!(of_field(&fields, fields.len()), None);
    }

    #[test]
    fn trace_context_of_payload_becomes_conditions() {
        const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
        const SPAN: &str = "00f067aa0ba902b7";
        let field = |depth, name: &str, value: &str| FieldValue {
            depth,
            name: name.to_owned(),
            value: value.to_owned(),
            ..FieldValue::default()
        };
        let texts = |provider: &str, fields: &[FieldValue]| {
            of_trace_context(provider, fields)
                .map(|found| found.map(|one| condition_text(one, false)).unwrap_or_default())
        };
        let source = WITH_TRACE_CONTEXT[0];
        let pair = |key: &str, value: &str| [field(1, "[0]", ""), field(2, "Key", key), field(2, "Value", value)];
        let both = [format!("trace={TRACE}"), format!("span={SPAN}")];
        let whole = pair("ActivityId", &format!("00-{TRACE}-{SPAN}-01"));
        assert_eq!(texts(source, &whole), both);
        assert_eq!(texts("Shop", &whole), ["", ""], "no filter finds it there");
        let apart = [pair("TraceId", TRACE), pair("ParentSpanId", SPAN)].concat();
        assert_eq!(texts(source, &apart), [both[0].as_str(), ""], "the parent is another span");
        assert_eq!(texts(WITH_TRACE_CONTEXT[1], &[field(0, "ActivitySpanId", SPAN)]), ["", both[1].as_str()]);
        let zeros = "0".repeat(32);
        for (name, value) in [("TraceId", zeros.as_str()), ("TraceId", "x"), ("ActivityId", "//1/2/"), ("Key", TRACE)] {
            assert_eq!(texts(source, &[field(0, name, value)]), ["", ""], "{name}={value}");
        }
    }

    #[test]
    fn every_condition_of_a_filter_can_be_written() {
        let label = Label::Named("http.route".to_owned(), "/a b".to_owned());
        let texts = [
            (named(Name::Thread, "Main 5 (2)"), "-thread=\"Main 5 (2)\""),
            (of_range(Span::new(1_500_000_000, 2_000_000_001)), "-time:1500ms..2000000001ns"),
            (of_level(4), "-level<=4"),
            (of_label(&label), "-label.http.route=\"/a b\""),
            (of_label(&Label::Trace("ab".to_owned())), "-trace=ab"),
        ];
        for (condition, text) in texts {
            assert_eq!(condition_text(condition.clone(), true), text);
            assert_eq!(parse(&text[1..]), Ok(Query::Is(condition)));
        }
    }
}
