//! Parser of filters.

use super::scanner::{Placed, Scanner, Sign, Token, Word};
use super::units::nanos;
use super::{Comparison, Condition, Extent, MAX_BYTES, MAX_DEPTH, Name, Order, Pattern, Query};
use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

/// Syntax error of a filter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueryError {
    /// Byte range of the error.
    pub at: Range<usize>,
    /// One sentence.
    pub message: String,
}

impl QueryError {
    pub(super) fn new(at: Range<usize>, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }
}

impl std::fmt::Display for QueryError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sentence = self.message.strip_suffix('.').unwrap_or(&self.message);
        write!(f, "{sentence} (at character {}).", self.at.start + 1)
    }
}

impl std::error::Error for QueryError {}

/// Parses a filter.
///
/// # Errors
/// Fails with the first syntax error.
pub fn parse(text: &str) -> Result<Query, QueryError> {
    if text.len() > MAX_BYTES {
        let message = format!("This filter is longer than {MAX_BYTES} bytes.");
        return Err(QueryError::new(0..text.len(), message));
    }
    let mut scanner = Scanner::new(text, is_key);
    let mut tokens = Vec::new();
    while let Some(token) = scanner.next()? {
        tokens.push(token);
    }
    let mut parser = Parser { tokens: tokens.into_iter().peekable(), end: text.len() };
    let query = parser.any(0)?;
    match parser.tokens.next() {
        None => Ok(query),
        Some(rest) => Err(QueryError::new(rest.at, "Unmatched “)”.")),
    }
}

pub(super) fn is_key(word: &str) -> bool {
    Name::with_word(word).is_some() || ["level", "dur", "time"].contains(&word) || field_of(word).is_some()
}

/// Returns the ranges of the conditions that must all match; one range if the top level is an “or”.
pub fn parts(text: &str) -> Vec<Range<usize>> {
    let mut scanner = Scanner::new(text, is_key);
    let (mut parts, mut depth, mut is_negated) = (Vec::<Range<usize>>::new(), 0, false);
    while let Ok(Some(Placed { token, at, .. })) = scanner.next() {
        match token {
            Token::Or if depth == 0 => return std::iter::once(0..text.trim_end().len()).collect(),
            Token::And if depth == 0 => continue,
            _ => {}
        }
        if depth > 0 || is_negated {
            if let Some(last) = parts.last_mut() {
                last.end = at.end;
            }
        } else if token != Token::Close {
            parts.push(at);
        }
        is_negated = token == Token::Minus;
        match token {
            Token::Open => depth += 1,
            Token::Close => depth -= 1,
            _ => {}
        }
    }
    parts
}

/// Returns the name after `label.` or `payload.`.
fn field_of(key: &str) -> Option<&str> {
    key.strip_prefix("payload.").or_else(|| key.strip_prefix("label."))
}

struct Parser {
    tokens: Peekable<IntoIter<Placed>>,
    end: usize,
}

impl Parser {
    fn is_next(&mut self, token: &Token) -> bool {
        self.tokens.peek().is_some_and(|next| next.token == *token)
    }

    fn any(&mut self, depth: usize) -> Result<Query, QueryError> {
        let mut all = vec![self.all(depth)?];
        while self.is_next(&Token::Or) {
            let or = self.tokens.next().map_or(0..0, |or| or.at);
            all.push(self.all(depth)?);
            if all.iter().rev().take(2).any(Query::is_everything) {
                return Err(QueryError::new(or, "“or” needs a condition on both sides."));
            }
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Query::Any(all) })
    }

    fn all(&mut self, depth: usize) -> Result<Query, QueryError> {
        let mut all = Vec::new();
        while let Some(next) = self.tokens.peek() {
            match next.token {
                Token::Or | Token::Close => break,
                Token::And => drop(self.tokens.next()),
                _ => all.push(self.one(depth)?),
            }
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Query::All(all) })
    }

    fn one(&mut self, depth: usize) -> Result<Query, QueryError> {
        let end = self.end;
        let needed = move || QueryError::new(end..end, "Enter a condition here.");
        let next = self.tokens.next().ok_or_else(needed)?;
        if depth > MAX_DEPTH {
            return Err(QueryError::new(next.at, "Parentheses are nested too deeply."));
        }
        match next.token {
            Token::Minus => Ok(Query::Not(Box::new(self.one(depth + 1)?))),
            Token::Open => {
                let inner = self.any(depth + 1)?;
                match self.tokens.next() {
                    Some(Placed { token: Token::Close, .. }) => Ok(inner),
                    _ => Err(QueryError::new(next.at, "Missing “)”.")),
                }
            }
            Token::Word(word) => Ok(Query::Is(Condition::Text(pattern(word, &next.value_at)?))),
            Token::Condition { key, sign, value } => condition(&key, sign, value, &next.at, &next.value_at),
            Token::Close | Token::Or | Token::And => Err(QueryError::new(next.at, "Enter a condition here.")),
        }
    }
}

/// Converts a word to a pattern, and checks that it isn't empty and that a regular expression is valid.
fn pattern(word: Word, at: &Range<usize>) -> Result<Pattern, QueryError> {
    match word {
        Word::Bare(text) | Word::Quoted(text) if text.is_empty() => {
            Err(QueryError::new(at.clone(), "Empty quotes: type a phrase between them."))
        }
        Word::Bare(text) | Word::Quoted(text) => Ok(Pattern::Text(text)),
        Word::Regex { pattern, ignores_case } => match regex_lite::Regex::new(&pattern) {
            Ok(_) => Ok(Pattern::Regex { pattern, ignores_case }),
            Err(error) => Err(QueryError::new(at.clone(), format!("Invalid regular expression: {error}."))),
        },
    }
}

fn condition(
    key: &str,
    sign: Sign,
    value: Option<Word>,
    at: &Range<usize>,
    value_at: &Range<usize>,
) -> Result<Query, QueryError> {
    let Some(value) = value else {
        return Err(QueryError::new(at.clone(), "Enter a value after this operator."));
    };
    if let Some(name) = Name::with_word(key) {
        let pattern = pattern(value, value_at)?;
        let named = |extent| Query::Is(Condition::Named(name, pattern, extent));
        return match sign {
            Sign::Like => Ok(named(Extent::Part)),
            Sign::Equal => Ok(named(Extent::Whole)),
            Sign::NotEqual => Ok(Query::Not(Box::new(named(Extent::Whole)))),
            _ => Err(QueryError::new(at.clone(), format!("“{key}” is text: use “:”, “=” or “!=”."))),
        };
    }
    if let Some(field) = field_of(key) {
        if field.is_empty() {
            return Err(QueryError::new(at.clone(), "Enter a field name after the dot."));
        }
        let comparison = comparison(sign, value, value_at)?;
        let field = field.to_owned();
        let is_label = key.starts_with("label.");
        let of = if is_label { Condition::Label } else { Condition::Payload };
        return Ok(Query::Is(of(field, comparison)));
    }
    let text = match value {
        Word::Bare(text) | Word::Quoted(text) => text,
        Word::Regex { .. } => {
            return Err(QueryError::new(value_at.clone(), format!("“{key}” needs a number.")));
        }
    };
    let symbol = match sign {
        Sign::Less => "<",
        Sign::AtMost => "<=",
        Sign::More => ">",
        Sign::AtLeast => ">=",
        _ => "",
    };
    if let Some(next) = text.chars().next().filter(|next| !symbol.is_empty() && "<>=".contains(*next)) {
        let message = format!("“{symbol}{next}” isn't an operator. Use >, >=, < or <=.");
        return Err(QueryError::new(at.clone(), message));
    }
    let wrong = |message: &str| QueryError::new(value_at.clone(), message);
    if key == "time" && sign == Sign::Like {
        return time(&text).map_err(wrong);
    }
    let order = order(sign);
    match key {
        "level" => {
            const HINT: &str = "Use a level from 0 to 5, or critical, error, warning, informational or verbose.";
            let level = level(&text).ok_or_else(|| wrong(HINT))?;
            let order = order.map(|order| Query::Is(Condition::Level(order, level)));
            Ok(order.unwrap_or_else(|| Query::Not(Box::new(Query::Is(Condition::Level(Order::Equal, level))))))
        }
        "dur" => {
            let nanos = nanos(&text).ok_or_else(|| wrong("Add a unit: ns, us, ms, s or min (for example dur>5ms)."))?;
            let order = order.ok_or_else(|| QueryError::new(at.clone(), "Use “<”, “<=”, “>”, “>=” or “=”."))?;
            Ok(Query::Is(Condition::Duration(order, nanos)))
        }
        _ => {
            let nanos = nanos(&text).ok_or_else(|| wrong("Add a unit: ns, us, ms, s or min (for example time<5s)."))?;
            match order {
                Some(Order::Less | Order::AtMost) => Ok(Query::Is(Condition::Time(None, Some(nanos)))),
                Some(Order::More | Order::AtLeast) => Ok(Query::Is(Condition::Time(Some(nanos), None))),
                _ => Err(QueryError::new(at.clone(), "Use “:” with a time range such as 1.2s..3s, or “<” or “>”.")),
            }
        }
    }
}

/// Converts an operator; `None` for “not equal”.
fn order(sign: Sign) -> Option<Order> {
    match sign {
        Sign::Like | Sign::Equal => Some(Order::Equal),
        Sign::NotEqual => None,
        Sign::Less => Some(Order::Less),
        Sign::AtMost => Some(Order::AtMost),
        Sign::More => Some(Order::More),
        Sign::AtLeast => Some(Order::AtLeast),
    }
}

fn comparison(sign: Sign, value: Word, at: &Range<usize>) -> Result<Comparison, QueryError> {
    match (sign, order(sign)) {
        (Sign::Like, _) => Ok(Comparison::Like(pattern(value, at)?)),
        (Sign::Equal, _) => Ok(Comparison::Is(possibly_empty(value, at)?)),
        (_, None) => Ok(Comparison::IsNot(possibly_empty(value, at)?)),
        (_, Some(order)) => match value {
            Word::Bare(number) | Word::Quoted(number) if number.parse::<f64>().is_ok_and(f64::is_finite) => {
                Ok(Comparison::Number(order, number))
            }
            _ => Err(QueryError::new(at.clone(), "Enter a number.")),
        },
    }
}

/// Converts a word to a pattern that may be the empty text.
fn possibly_empty(value: Word, at: &Range<usize>) -> Result<Pattern, QueryError> {
    match value {
        Word::Quoted(text) if text.is_empty() => Ok(Pattern::Text(text)),
        value => pattern(value, at),
    }
}

fn level(text: &str) -> Option<u8> {
    const WORDS: [&str; 6] = ["always", "critical", "error", "warning", "informational", "verbose"];
    let by_word = || WORDS.iter().position(|word| text.eq_ignore_ascii_case(word)).map(|level| level as u8);
    text.parse().ok().filter(|level| *level <= 5).or_else(by_word)
}

/// Reads a time range; the error is a hint.
fn time(text: &str) -> Result<Query, &'static str> {
    const FORM: &str = "Write a time range as 1.2s..3s, 200ms.. or ..5s.";
    let (from, until) = text.split_once("..").ok_or(FORM)?;
    let moment = |text: &str| match text {
        "" => Ok(None),
        _ => nanos(text).map(Some).ok_or("Add a unit to each time: 1.2s..3s, 200ms.. or ..5s."),
    };
    let (from, until) = (moment(from)?, moment(until)?);
    match from.zip(until) {
        None if from.or(until).is_none() => Err(FORM),
        Some((from, until)) if from >= until => Err("The time range ends before it starts."),
        _ => Ok(Query::Is(Condition::Time(from, until))),
    }
}
