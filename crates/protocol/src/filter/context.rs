//! Completion context of a filter at the cursor.

use super::scanner::{Placed, Scanner, Token, Word};
use crate::events::columns::Property;
use std::ops::Range;

/// Syntax element at the cursor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Typing {
    /// Start of a condition: a key or a text.
    Start,
    /// Field name after `payload.` or `label.`.
    Field {
        /// True if the field is a label.
        of_label: bool,
    },
    Value {
        /// Key, such as `provider` or `payload.Count`.
        key: String,
    },
}

/// Syntax element at the cursor, and the text that a completion replaces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Context {
    pub typing: Typing,
    /// Text of the element so far, without quotes.
    pub typed: String,
    /// Byte range of the text.
    pub replaces: Range<usize>,
}

/// Returns the context at a byte offset of a text.
pub fn context(text: &str, cursor: usize) -> Context {
    let before = text.get(..cursor).unwrap_or(text);
    let start = Context { typing: Typing::Start, typed: String::new(), replaces: before.len()..before.len() };
    let last = last_token(before).or_else(|| last_token(&format!("{before}\"")));
    let Some(Placed { token, at, value_at }) = last.filter(|last| last.at.end >= before.len()) else { return start };
    let cut = |range: Range<usize>| range.start..range.end.min(before.len());
    match token {
        Token::Condition { key, value, .. } => {
            let typed = value.map(plain).unwrap_or_default();
            Context { typing: Typing::Value { key }, typed, replaces: cut(value_at) }
        }
        Token::Word(Word::Bare(word)) => {
            let field = ["payload.", "label."].into_iter().find_map(|key| Some((key, word.strip_prefix(key)?)));
            match field {
                Some((key, typed)) => Context {
                    typing: Typing::Field { of_label: key == "label." },
                    typed: typed.to_owned(),
                    replaces: cut(at.start + key.len()..at.end),
                },
                None => Context { typed: word, replaces: cut(at), ..start },
            }
        }
        Token::Or | Token::And => {
            Context { typed: before.get(at.clone()).unwrap_or_default().to_owned(), replaces: cut(at), ..start }
        }
        Token::Word(word) => Context { typed: plain(word), replaces: cut(at), ..start },
        Token::Open | Token::Close | Token::Minus => start,
    }
}

fn last_token(text: &str) -> Option<Placed> {
    let mut scanner = Scanner::new(text, super::parser::is_key);
    let mut last = None;
    while let Some(token) = scanner.next().ok()? {
        last = Some(token);
    }
    last
}

fn plain(word: Word) -> String {
    match word {
        Word::Bare(text) | Word::Quoted(text) => text,
        Word::Regex { pattern, .. } => pattern,
    }
}

/// Keys of conditions, each with the operator that completion adds, and its meaning.
const KEYS: [(&str, &str, &str); 14] = [
    ("provider", ":", "provider name"),
    ("event", ":", "event name"),
    ("thread", ":", "thread name or ID"),
    ("process", ":", "process name or ID"),
    ("level", "<=", "critical, error, warning, informational, verbose"),
    ("dur", ">", "duration, such as 5ms"),
    ("time", ":", "time range, such as 1.2s..3s"),
    ("stack", ":", "function on the call stack"),
    ("route", ":", "during requests of this route"),
    ("payload.", "", "payload field"),
    ("label.", "", "label"),
    ("activity", ":", "activity path or GUID"),
    ("trace", ":", "W3C trace ID"),
    ("span", ":", "W3C span ID"),
];

/// Returns the keys of conditions, each with the operator that completion adds, and its meaning.
pub fn keys() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let properties = Property::ALL.iter().filter_map(|property| property.column());
    KEYS.into_iter().chain(properties.map(|column| (column.key, "=", column.title)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::Name;

    fn at(text: &str) -> (Typing, String, String) {
        let cursor = text.find('|').expect("a cursor");
        let text = text.replace('|', "");
        let Context { typing, typed, replaces } = context(&text, cursor);
        (typing, typed, text[replaces].to_owned())
    }

    #[test]
    fn context_distinguishes_keys_fields_and_values() {
        let value = |key: &str| Typing::Value { key: key.to_owned() };
        let (typed, nothing) = (|text: &str| text.to_owned(), String::new());
        assert_eq!(at("|"), (Typing::Start, nothing.clone(), nothing.clone()));
        assert_eq!(at("dur>5ms pro|"), (Typing::Start, typed("pro"), typed("pro")));
        assert_eq!(at("dur>5ms |pro"), (Typing::Start, nothing.clone(), nothing.clone()));
        assert_eq!(at("-(provider:Ht|"), (value("provider"), typed("Ht"), typed("Ht")));
        assert_eq!(at("provider:|"), (value("provider"), nothing.clone(), nothing.clone()));
        assert_eq!(at("thread:\"Thread P|"), (value("thread"), typed("Thread P"), typed("\"Thread P")));
        assert_eq!(at("a payload.Co|"), (Typing::Field { of_label: false }, typed("Co"), typed("Co")));
        assert_eq!(at("label.|"), (Typing::Field { of_label: true }, nothing.clone(), nothing));
        assert_eq!(at("payload.Count=1|"), (value("payload.Count"), typed("1"), typed("1")));
    }

    #[test]
    fn every_name_has_completion() {
        let keys: Vec<&str> = keys().map(|(key, ..)| key).collect();
        assert!(Name::PLAIN.iter().all(|(_, word)| keys.contains(word)));
        assert!(Property::ALL.iter().all(|property| keys.contains(&property.key())));
    }
}
