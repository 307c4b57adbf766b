//! What the syntax of a regular expression says about its matches: texts that each of them contains, and characters
//! that they can't do without. With it, most events are excluded without running the expression.
//!
//! Upper and lower case count as the same, so every answer holds with and without the flag `i`.

/// Maximum depth of groups; the library's own limit.
const MAX_DEPTH: usize = 50;
/// Maximum number of alternative texts to search for.
const MAX_TEXTS: usize = 8;
/// Maximum repetitions that are written out.
const MAX_COPIES: u32 = 8;

/// Set of characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Chars {
    /// A bit for each ASCII character.
    ascii: u128,
    /// True if it contains characters beyond ASCII.
    others: bool,
}

impl Chars {
    const NONE: Self = Self { ascii: 0, others: false };
    const ALL: Self = Self { ascii: u128::MAX, others: true };

    /// Returns the characters of a text in both cases.
    pub const fn of(text: &str) -> Self {
        let (mut set, mut at) = (Self::NONE, 0);
        let bytes = text.as_bytes();
        while at < bytes.len() {
            if bytes[at].is_ascii() {
                set.ascii |= 1 << bytes[at].to_ascii_lowercase() | 1 << bytes[at].to_ascii_uppercase();
            } else {
                set.others = true;
            }
            at += 1;
        }
        set
    }

    fn add(&mut self, char: char) {
        match u8::try_from(char) {
            Ok(byte) if byte.is_ascii() => {
                self.ascii |= 1 << byte.to_ascii_lowercase() | 1 << byte.to_ascii_uppercase();
            }
            _ => self.others = true,
        }
    }

    fn add_range(&mut self, first: char, last: char) {
        self.others |= !last.is_ascii();
        (first..=last.min('\x7f')).for_each(|char| self.add(char));
    }

    fn union(self, other: Self) -> Self {
        Self { ascii: self.ascii | other.ascii, others: self.others || other.others }
    }

    fn meets(self, other: Self) -> bool {
        self.ascii & other.ascii != 0 || (self.others && other.others)
    }

    /// Returns a superset of the other characters: a letter may be in one case only.
    fn complement(self) -> Self {
        let mut rest = Self { ascii: !self.ascii, others: true };
        ('a'..='z').for_each(|letter| rest.add(letter));
        rest
    }

    /// Returns the only character, in lower case, if there is one.
    fn only(self) -> Option<char> {
        let lower = (0..128_u8).find(|&byte| self.ascii & 1 << byte != 0)?.to_ascii_lowercase();
        let text = char::from(lower);
        let mut one = Self::NONE;
        one.add(text);
        (one == self).then_some(text)
    }
}

/// A regular expression, or a part.
#[derive(Debug)]
pub(super) enum Expression {
    /// One character of a set.
    One(Chars),
    /// Parts in this order; none for a position.
    Sequence(Vec<Expression>),
    /// One of these.
    Choice(Vec<Expression>),
    /// A part that is repeated at least this often.
    Repeat(Box<Expression>, u32),
}

impl Expression {
    /// Parses an expression that `regex_lite` accepts. Returns `None` for rare syntax.
    pub fn parse(pattern: &str) -> Option<Self> {
        let mut parser = Parser { rest: pattern, depth: 0 };
        let expression = parser.choice()?;
        parser.rest.is_empty().then_some(expression)
    }

    /// Returns whether a match is possible in a text of only these characters. If in doubt, it is.
    pub fn can_match_in(&self, chars: Chars) -> bool {
        match self {
            Self::One(set) => set.meets(chars),
            Self::Sequence(parts) => parts.iter().all(|part| part.can_match_in(chars)),
            Self::Choice(parts) => parts.iter().any(|part| part.can_match_in(chars)),
            Self::Repeat(part, least) => *least == 0 || part.can_match_in(chars),
        }
    }

    /// Returns lowercase ASCII texts of which every match contains at least one; empty if there are none.
    pub fn required_texts(&self) -> Vec<String> {
        let mut run = Run::default();
        run.add(self);
        run.end();
        run.best
    }
}

/// Finds the best required texts of a sequence.
#[derive(Default)]
struct Run {
    /// Consecutive characters.
    text: String,
    best: Vec<String>,
}

impl Run {
    fn add(&mut self, part: &Expression) {
        match part {
            Expression::One(set) => match set.only() {
                Some(char) => self.text.push(char),
                None => self.end(),
            },
            Expression::Sequence(parts) => parts.iter().for_each(|part| self.add(part)),
            Expression::Choice(parts) => {
                self.end();
                let texts: Vec<Vec<String>> = parts.iter().map(Expression::required_texts).collect();
                if texts.iter().all(|texts| !texts.is_empty()) {
                    self.offer(texts.concat());
                }
            }
            Expression::Repeat(part, least) => {
                (0..*least.min(&MAX_COPIES)).for_each(|_| self.add(part));
                self.end();
            }
        }
    }

    /// Ends the consecutive characters.
    fn end(&mut self) {
        let text = std::mem::take(&mut self.text);
        if !text.is_empty() {
            self.offer(vec![text]);
        }
    }

    /// Keeps the texts whose shortest is longest.
    fn offer(&mut self, texts: Vec<String>) {
        let shortest = |texts: &[String]| texts.iter().map(String::len).min().unwrap_or(0);
        if texts.len() <= MAX_TEXTS && shortest(&texts) > shortest(&self.best) {
            self.best = texts;
        }
    }
}

struct Parser<'p> {
    rest: &'p str,
    depth: usize,
}

impl Parser<'_> {
    fn choice(&mut self) -> Option<Expression> {
        self.depth += 1;
        let (mut choices, mut parts) = (Vec::new(), Vec::new());
        while let Some(char) = self.rest.chars().next().filter(|&char| char != ')') {
            self.rest = &self.rest[char.len_utf8()..];
            match char {
                '|' => choices.push(Expression::Sequence(std::mem::take(&mut parts))),
                '(' => parts.extend(self.group()?),
                '[' => parts.push(Expression::One(self.class()?)),
                '*' | '?' | '+' | '{' => {
                    let least = match char {
                        '{' => self.count()?,
                        _ => u32::from(char == '+'),
                    };
                    self.skip("?");
                    let part = parts.pop()?;
                    parts.push(Expression::Repeat(Box::new(part), least));
                }
                '.' => parts.push(Expression::One(Chars::ALL)),
                '^' | '$' => parts.push(Expression::Sequence(Vec::new())),
                '\\' => parts.push(self.escape()?.map_or(Expression::Sequence(Vec::new()), Expression::One)),
                _ => parts.push(Expression::One(one(char))),
            }
        }
        self.depth -= 1;
        if choices.is_empty() {
            return Some(Expression::Sequence(parts));
        }
        choices.push(Expression::Sequence(parts));
        Some(Expression::Choice(choices))
    }

    fn next(&mut self) -> Option<char> {
        let char = self.rest.chars().next()?;
        self.rest = &self.rest[char.len_utf8()..];
        Some(char)
    }

    fn skip(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Takes everything before `end`, and `end`.
    fn take_until(&mut self, end: char) -> Option<&str> {
        let (before, rest) = self.rest.split_once(end)?;
        self.rest = rest;
        Some(before)
    }

    /// Parses the rest of a group. Flags alone aren't a part.
    fn group(&mut self) -> Option<Option<Expression>> {
        if self.skip("?P<") || self.skip("?<") {
            self.take_until('>')?;
        } else if self.skip("?") {
            let end = self.rest.find([':', ')'])?;
            let (flags, rest) = self.rest.split_at(end);
            // With `x`, spaces and comments mean nothing.
            if flags.contains('x') {
                return None;
            }
            self.rest = rest.get(1..)?;
            if rest.starts_with(')') {
                return Some(None);
            }
        }
        let inner = if self.depth < MAX_DEPTH { self.choice()? } else { return None };
        self.skip(")").then_some(Some(inner))
    }

    /// Parses the rest of `{n}`, `{n,}` or `{n,m}`; returns the smallest number.
    fn count(&mut self) -> Option<u32> {
        let counts = self.take_until('}')?;
        counts.split(',').next()?.trim().parse().ok()
    }

    /// Parses the rest of a set in brackets.
    fn class(&mut self) -> Option<Chars> {
        let is_negated = self.skip("^");
        let mut set = Chars::NONE;
        let mut is_first = true;
        loop {
            let first = match self.next()? {
                ']' if !is_first => break,
                '[' => return None,
                // Operators on sets.
                '&' | '~' | '-' if self.rest.starts_with(['&', '~', '-']) => return None,
                '\\' => match self.escape()?? {
                    class if class.only().is_none() => {
                        set = set.union(class);
                        is_first = false;
                        continue;
                    }
                    class => class.only()?,
                },
                char => char,
            };
            is_first = false;
            let mut last = first;
            if self.rest.starts_with('-') && !self.rest.starts_with("-]") {
                self.skip("-");
                last = match self.next()? {
                    '[' => return None,
                    '\\' => self.escape()??.only()?,
                    char => char,
                };
            }
            set.add_range(first, last);
        }
        Some(if is_negated { set.complement() } else { set })
    }

    /// Parses what follows a backslash: characters, or nothing for a position.
    fn escape(&mut self) -> Option<Option<Chars>> {
        let char = self.next()?;
        Some(Some(match char {
            'd' => Chars::of("0123456789"),
            's' => Chars::of(" \t\n\r\x0b\x0c"),
            'w' => word(),
            'D' => Chars::of("0123456789").complement(),
            'S' => Chars::of(" \t\n\r\x0b\x0c").complement(),
            'W' => Chars { ascii: !word().ascii, others: true },
            'n' => one('\n'),
            't' => one('\t'),
            'r' => one('\r'),
            'A' | 'z' | 'B' | '<' | '>' => return Some(None),
            'b' if !self.rest.starts_with('{') => return Some(None),
            // Codes of characters, and what is rarer.
            char if char.is_ascii_alphanumeric() => return None,
            char => one(char),
        }))
    }
}

fn one(char: char) -> Chars {
    let mut set = Chars::NONE;
    set.add(char);
    set
}

fn word() -> Chars {
    Chars::of("abcdefghijklmnopqrstuvwxyz0123456789_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use regex_lite::RegexBuilder;

    fn texts(pattern: &str) -> Vec<String> {
        Expression::parse(pattern).map_or_else(Vec::new, |expression| expression.required_texts())
    }

    #[test]
    fn longest_text_that_every_match_contains() {
        assert_eq!(texts("order-[0-9]+x"), ["order-"]);
        assert_eq!(texts("^/api/v[12]/(?:orders|basket)$"), ["/api/v"]);
        assert_eq!(texts("(?i)System[.]S.*Async"), ["system.s"]);
        assert_eq!(texts("orders?"), ["order"]);
        assert_eq!(texts("(Foo|Barr)+x?"), ["foo", "barr"]);
        assert_eq!(texts("(ab){2,}c"), ["abab"]);
        assert_eq!(texts(r"a\.b\d"), ["a.b"]);
        assert_eq!(texts("[0-9]{9}|x"), [] as [&str; 0]);
        assert_eq!(texts("(order)*"), [] as [&str; 0]);
        assert_eq!(texts("(?x) a b"), [] as [&str; 0]);
    }

    #[test]
    fn numbers_are_excluded_by_characters_they_lack() {
        let in_number = |pattern: &str| Expression::parse(pattern).unwrap().can_match_in(Chars::of("-0123456789"));
        assert!(in_number("[0-9]{9}") && in_number(".*") && in_number("^$") && in_number("a*1") && in_number("a|-"));
        assert!(in_number(r"\w+") && in_number(r"[^a-z]{2}") && in_number(r"[\d.]"));
        assert!(!in_number(r"\s\d") && !in_number("[a-z]+") && !in_number("x{2}1") && !in_number(r"1\.2"));
    }

    /// Expressions with everything that the parser knows.
    fn expression() -> impl Strategy<Value = String> {
        let one = prop_oneof![
            4 => "[ab01 .-]".prop_map(|text| regex_lite::escape(&text)),
            1 => proptest::sample::select(vec![".", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", "^", "$", r"\b", "\u{e9}"])
                .prop_map(str::to_owned),
            1 => proptest::sample::select(vec!["[ab]", "[^a]", "[a-b0-9]", "[]a]", "[^]b]", "[-a]", "[a-]", r"[\d.]", "[A-b]", r"[^\W1]", "[.-0]"])
                .prop_map(str::to_owned),
        ];
        one.prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
                (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("(?:{left}|{right})")),
                (inner.clone(), proptest::sample::select(vec!["*", "+?", "?", "{2}", "{1,3}", "{0,2}?"]))
                    .prop_map(|(part, times)| format!("({part}){times}")),
                inner.prop_map(|part| format!("(?i:{part})")),
            ]
        })
    }

    proptest! {
        #[test]
        fn conclusions_hold_for_every_match(pattern in expression(), text in "[abAB01 .\u{e9}-]{0,8}", ignores_case in any::<bool>()) {
            let regex = RegexBuilder::new(&pattern).case_insensitive(ignores_case).build().unwrap();
            let expression = Expression::parse(&pattern).unwrap();
            if regex.is_match(&text) {
                let texts = expression.required_texts();
                let lower = text.to_ascii_lowercase();
                prop_assert!(texts.is_empty() || texts.iter().any(|wanted| lower.contains(wanted)), "{texts:?}");
                prop_assert!(expression.can_match_in(Chars::of(&text)));
            }
        }
    }
}
