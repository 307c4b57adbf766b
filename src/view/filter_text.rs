//! Conditions of the page's filter in the language of filters: to be excluded, turned round, or changed by hand.

use crate::model::time::Span;
use crate::protocol::query::{Comparison, Condition, Extent, Name, Order, Pattern, Query};
use crate::protocol::request::Label;

/// A condition, or its opposite, as text.
pub fn condition_text(condition: Condition, is_excluded: bool) -> String {
    let is = Query::Is(condition);
    if is_excluded { Query::Not(Box::new(is)).to_string() } else { is.to_string() }
}

/// That something is called like this, all of it.
pub fn named(name: Name, text: &str) -> Condition {
    Condition::Named(name, Pattern::Text(text.to_owned()), Extent::Whole)
}

/// A range of time.
pub fn of_range(span: Span) -> Condition {
    Condition::Time(Some(span.start.0), Some(span.end.0))
}

/// At most a level.
pub fn of_level(level: u8) -> Condition {
    Condition::Level(Order::AtMost, level)
}

/// A label.
pub fn of_label(label: &Label) -> Condition {
    match label {
        Label::Activity(guid) => named(Name::Activity, guid),
        Label::Trace(id) => named(Name::Trace, id),
        Label::Span(id) => named(Name::Span, id),
        Label::Named(name, value) => Condition::Label(name.clone(), Comparison::Is(Pattern::Text(value.clone()))),
    }
}

/// The opposite of a part of a query, which may be one already.
pub fn opposite(part: &str) -> String {
    match part.strip_prefix('-') {
        Some(positive) => positive.to_owned(),
        None if is_one(part) => format!("-{part}"),
        None => format!("-({part})"),
    }
}

/// Whether a minus before the text is about all of it: there is no blank outside of quotes, or it stands in parentheses.
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
    use crate::protocol::query::parse;

    #[test]
    fn an_opposite_turns_all_of_a_part_round_and_back() {
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
