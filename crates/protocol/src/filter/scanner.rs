//! Scanner of filters.

use super::parser::QueryError;
use std::ops::Range;

/// Token of a filter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    Open,
    Close,
    /// `-` directly before the condition that it negates.
    Minus,
    Or,
    And,
    /// Condition: key, operator and value.
    Condition {
        key: String,
        sign: Sign,
        value: Option<Word>,
    },
    Word(Word),
}

/// Operator between a key and its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sign {
    Like,
    Equal,
    NotEqual,
    Less,
    AtMost,
    More,
    AtLeast,
}

/// Value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Word {
    Bare(String),
    Quoted(String),
    Regex { pattern: String, ignores_case: bool },
}

/// Token with its byte range.
pub(super) struct Placed {
    pub token: Token,
    pub at: Range<usize>,
    /// Byte range of the value, if there is one.
    pub value_at: Range<usize>,
}

/// Operators; longer ones come before their prefixes.
const SIGNS: [(&str, Sign); 8] = [
    ("!=", Sign::NotEqual),
    ("<=", Sign::AtMost),
    (">=", Sign::AtLeast),
    ("<", Sign::Less),
    (">", Sign::More),
    (":", Sign::Like),
    ("~", Sign::Like),
    ("=", Sign::Equal),
];

pub(super) struct Scanner<'t> {
    text: &'t str,
    at: usize,
    is_key: fn(&str) -> bool,
}

impl<'t> Scanner<'t> {
    /// Creates a scanner. `is_key` returns whether a word before an operator is a key. Other words with operators, such
    /// as URLs, are text.
    pub fn new(text: &'t str, is_key: fn(&str) -> bool) -> Self {
        Self { text, at: 0, is_key }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub fn next(&mut self) -> Result<Option<Placed>, QueryError> {
        self.at = self.text.len() - self.rest().trim_start().len();
        let start = self.at;
        let Some(first) = self.rest().chars().next() else { return Ok(None) };
        let single = match first {
            '(' => Some(Token::Open),
            ')' => Some(Token::Close),
            '-' if self.rest()[1..].starts_with(|next: char| !next.is_whitespace() && next != ')') => {
                Some(Token::Minus)
            }
            _ => None,
        };
        if let Some(token) = single {
            self.at += 1;
            return Ok(Some(Placed { token, at: start..self.at, value_at: start..self.at }));
        }
        if let Some((key, sign)) = self.key()? {
            let value_start = self.at;
            let value = self.word()?;
            let (at, value_at) = (start..self.at, value_start..self.at);
            return Ok(Some(Placed { token: Token::Condition { key, sign, value }, at, value_at }));
        }
        let word = self.word()?.unwrap_or(Word::Bare(String::new()));
        let token = match &word {
            Word::Bare(bare) if bare.eq_ignore_ascii_case("or") => Token::Or,
            Word::Bare(bare) if bare.eq_ignore_ascii_case("and") => Token::And,
            _ => Token::Word(word),
        };
        Ok(Some(Placed { token, at: start..self.at, value_at: start..self.at }))
    }

    /// Scans a key with its operator, if there is one here.
    fn key(&mut self) -> Result<Option<(String, Sign)>, QueryError> {
        let rest = self.rest();
        let mut key = String::new();
        let mut length = 0;
        while let Some(next) = rest[length..].chars().next() {
            if let Some((sign, meaning)) = SIGNS.iter().find(|(sign, _)| rest[length..].starts_with(sign)) {
                if !(self.is_key)(&key) {
                    return Ok(None);
                }
                self.at += length + sign.len();
                return Ok(Some((key, *meaning)));
            }
            // A quoted field name may contain any character.
            if next == '"' && key.ends_with('.') {
                let (inner, end) = quoted(rest, length).ok_or_else(|| self.unclosed(length, "quote"))?;
                key.push_str(&inner);
                length = end;
            } else if next.is_whitespace() || "()\"/".contains(next) {
                return Ok(None);
            } else {
                key.push(next);
                length += next.len_utf8();
            }
        }
        Ok(None)
    }

    fn word(&mut self) -> Result<Option<Word>, QueryError> {
        let rest = self.rest();
        if rest.starts_with('"') {
            let (text, end) = quoted(rest, 0).ok_or_else(|| self.unclosed(0, "quote"))?;
            self.at += end;
            return Ok(Some(Word::Quoted(text)));
        }
        if let Some((pattern, ignores_case, end)) = regex(rest) {
            self.at += end;
            return Ok(Some(Word::Regex { pattern, ignores_case }));
        }
        let end = rest.find(|next: char| next.is_whitespace() || "()\"".contains(next)).unwrap_or(rest.len());
        self.at += end;
        Ok((end > 0).then(|| Word::Bare(rest[..end].to_owned())))
    }

    fn unclosed(&self, from: usize, what: &str) -> QueryError {
        QueryError::new(self.at + from..self.text.len(), format!("Unclosed {what}."))
    }
}

/// Returns the unescaped text of a quoted string that begins at `start`, and the offset after the closing quote.
fn quoted(text: &str, start: usize) -> Option<(String, usize)> {
    let mut inner = String::new();
    let mut characters = text.get(start + 1..)?.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((inner, start + 1 + at + 1)),
            '\\' => inner.push(characters.next()?.1),
            other => inner.push(other),
        }
    }
    None
}

/// Scans a regular expression between slashes; `None` for a word that begins with a slash, such as a path.
fn regex(text: &str) -> Option<(String, bool, usize)> {
    let mut pattern = String::new();
    let mut characters = text.strip_prefix('/')?.char_indices();
    loop {
        match characters.next()? {
            (_, '\\') => {
                let (_, next) = characters.next()?;
                // The expression itself doesn't escape slashes.
                if next != '/' {
                    pattern.push('\\');
                }
                pattern.push(next);
            }
            (at, '/') => {
                let end = 1 + at + 1;
                let ignores_case = text[end..].starts_with('i');
                let end = end + usize::from(ignores_case);
                let ends = text[end..].chars().next().is_none_or(|next| next.is_whitespace() || next == ')');
                return (ends && !pattern.is_empty()).then_some((pattern, ignores_case, end));
            }
            (_, other) => pattern.push(other),
        }
    }
}
