//! `trace:` in a filter: traces on the timeline by their letters and names.

use super::letter;
use protocol::filter::{Condition, Name, Pattern, Query, parse, parts};
use std::ops::Range;

/// Traces that a filter is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    /// Trace at a position.
    One(usize),
    /// All traces on the timeline.
    All,
}

/// Returns the traces that a condition `trace:` of a filter names, and the filter without it. `names` are the names of
/// the traces on the timeline. Any other value is part of a W3C trace ID.
pub fn named(text: &str, names: &[String]) -> Option<(Named, String)> {
    let parts = parts(text);
    let of_part = |part: &Range<usize>| {
        let Query::Is(Condition::Named(Name::Trace, Pattern::Text(value), _)) = parse(text.get(part.clone())?).ok()?
        else {
            return None;
        };
        let is = |name: &str| name.eq_ignore_ascii_case(&value);
        let is_letter = |at: usize| is(letter(at).encode_utf8(&mut [0; 4]));
        let position = (0..names.len()).find(|at| is_letter(*at) || is(&names[*at]));
        if is("all") { Some(Named::All) } else { position.map(Named::One) }
    };
    let (part, named) = parts.iter().find_map(|part| Some((part, of_part(part)?)))?;
    let (before, after) = (text.get(..part.start)?.trim_end(), text.get(part.end..)?.trim_start());
    let rest =
        if before.is_empty() || after.is_empty() { format!("{before}{after}") } else { format!("{before} {after}") };
    Some((named, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_names_are_traces_and_hexadecimal_digits_are_not() {
        let names = ["shop.nettrace".to_owned(), "day 2.nettrace".to_owned()];
        let found = |text: &str| named(text, &names);
        let rest = |named, rest: &str| Some((named, rest.to_owned()));
        assert_eq!(found("trace:b"), rest(Named::One(1), ""));
        assert_eq!(found("dur>5ms trace:A -thread:GC"), rest(Named::One(0), "dur>5ms -thread:GC"));
        assert_eq!(found("trace:all event:Start"), rest(Named::All, "event:Start"));
        assert_eq!(found("x trace:\"Day 2.nettrace\""), rest(Named::One(1), "x"));
        for text in ["trace:4bf92f35", "trace:c", "-trace:b", "trace:a or trace:b", "shop", "trace:"] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
