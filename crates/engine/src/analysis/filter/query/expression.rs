//! What the syntax of a regular expression says about its matches: texts that each of them contains, and characters
//! that they can't do without. With it, most events are excluded without running the expression.
//!
//! Case counts only if the whole expression distinguishes it.

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
    const LETTERS: Self = Self::of("abcdefghijklmnopqrstuvwxyz");
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

    /// Returns the ASCII characters, a bit for each.
    pub fn ascii(self) -> u128 {
        self.ascii
    }

    fn add(&mut self, char: char, folds: bool) {
        match u8::try_from(char) {
            Ok(byte) if byte.is_ascii() && folds => {
                self.ascii |= 1 << byte.to_ascii_lowercase() | 1 << byte.to_ascii_uppercase();
            }
            Ok(byte) if byte.is_ascii() => self.ascii |= 1 << byte,
            _ => self.others = true,
        }
    }

    fn add_range(&mut self, first: char, last: char, folds: bool) {
        self.others |= !last.is_ascii();
        (first..=last.min('\x7f')).for_each(|char| self.add(char, folds));
    }

    fn union(self, other: Self) -> Self {
        Self { ascii: self.ascii | other.ascii, others: self.others || other.others }
    }

    fn meets(self, other: Self) -> bool {
        self.ascii & other.ascii != 0 || (self.others && other.others)
    }

    /// Returns the other characters, and all that aren't ASCII.
    fn complement(self) -> Self {
        Self { ascii: !self.ascii, others: true }
    }

    /// Returns the only character, in lower case, if there is one. Both cases of a letter are one.
    fn only(self) -> Option<char> {
        let lower = char::from(u8::try_from(self.ascii.trailing_zeros()).ok()?.to_ascii_lowercase());
        let mut one = Self::NONE;
        one.add(lower, true);
        (self.ascii & !one.ascii == 0 && !self.others && lower.is_ascii()).then_some(lower)
    }
}

/// A position in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Position {
    /// The start of the text or of a line.
    Start,
    /// The end of the text or of a line.
    End,
    /// A boundary of words, or none.
    Other,
}

/// A regular expression, or a part.
#[derive(Debug)]
pub(super) enum Expression {
    /// One character of a set.
    One(Chars),
    At(Position),
    /// Parts in this order.
    Sequence(Vec<Expression>),
    /// One of these.
    Choice(Vec<Expression>),
    /// A part that is repeated at least and at most this often.
    Repeat(Box<Expression>, u32, Option<u32>),
}

impl Expression {
    /// Parses an expression that `regex_lite` accepts, and returns whether the result matches no other ASCII text
    /// without line breaks. Returns `None` for rare syntax.
    pub fn parse(pattern: &str, ignores_case: bool) -> Option<(Self, bool)> {
        // If flags change the case of a part, letters of either case count everywhere.
        let changes_case = flags_change_case(pattern);
        let folds = ignores_case || changes_case;
        let mut parser = Parser { rest: pattern, depth: 0, folds, changes_case, is_exact: !changes_case };
        let expression = parser.choice()?;
        parser.rest.is_empty().then_some((expression, parser.is_exact))
    }

    /// Returns whether a match is possible in a text of only these characters. If in doubt, it is.
    pub fn can_match_in(&self, chars: Chars) -> bool {
        match self {
            Self::One(set) => set.meets(chars),
            Self::Sequence(parts) => parts.iter().all(|part| part.can_match_in(chars)),
            Self::Choice(parts) => parts.iter().any(|part| part.can_match_in(chars)),
            Self::Repeat(part, least, _) => *least == 0 || part.can_match_in(chars),
            Self::At(_) => true,
        }
    }

    /// Returns the number of characters of the shortest match, or less.
    pub fn shortest(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::At(_) => 0,
            Self::Sequence(parts) => parts.iter().fold(0, |sum, part| sum.saturating_add(part.shortest())),
            Self::Choice(parts) => parts.iter().map(Self::shortest).min().unwrap_or(0),
            Self::Repeat(part, least, _) => part.shortest().saturating_mul(*least as usize),
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
            Expression::At(_) => {}
            Expression::Repeat(part, least, _) => {
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

/// Returns whether a group of an expression may have the flag `i`. If in doubt, it has.
fn flags_change_case(pattern: &str) -> bool {
    let mut groups = pattern.split("(?").skip(1);
    groups.any(|group| group.find([':', ')', '<']).is_none_or(|end| group[..end].contains('i')))
}

struct Parser<'p> {
    rest: &'p str,
    depth: usize,
    /// True if letters stand for both cases.
    folds: bool,
    /// True if only parts of the expression ignore case.
    changes_case: bool,
    is_exact: bool,
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
                    let (least, most) = match char {
                        '{' => self.counts()?,
                        '?' => (0, Some(1)),
                        _ => (u32::from(char == '+'), None),
                    };
                    self.skip("?");
                    let part = parts.pop()?;
                    parts.push(Expression::Repeat(Box::new(part), least, most));
                }
                '.' => parts.push(Expression::One(Chars::ALL)),
                '^' => parts.push(Expression::At(Position::Start)),
                '$' => parts.push(Expression::At(Position::End)),
                '\\' => {
                    let part = self.escape()?;
                    self.is_exact &= !matches!(part, Expression::At(Position::Other));
                    parts.push(part);
                }
                _ => parts.push(Expression::One(self.one(char))),
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
            // With `x`, spaces and comments mean nothing. With `m`, a text has several starts and ends.
            if flags.contains(['m', 'x']) {
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

    /// Parses the rest of `{n}`, `{n,}` or `{n,m}`; returns the smallest and the largest number.
    fn counts(&mut self) -> Option<(u32, Option<u32>)> {
        let number = |text: &str| text.trim().parse().ok();
        let counts = self.take_until('}')?;
        let Some((least, most)) = counts.split_once(',') else {
            return number(counts).map(|count| (count, Some(count)));
        };
        let most = if most.trim().is_empty() { None } else { Some(number(most)?) };
        Some((number(least)?, most))
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
                '\\' => match self.escaped_set()? {
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
                    '\\' => self.escaped_set()?.only()?,
                    char => char,
                };
            }
            set.add_range(first, last, self.folds);
        }
        if is_negated {
            set = set.complement();
        }
        // Case may count in this part or not.
        if is_negated && self.changes_case {
            set = set.union(Chars::LETTERS);
        }
        Some(set)
    }

    fn one(&self, char: char) -> Chars {
        let mut set = Chars::NONE;
        set.add(char, self.folds);
        set
    }

    fn escaped_set(&mut self) -> Option<Chars> {
        match self.escape()? {
            Expression::One(set) => Some(set),
            _ => None,
        }
    }

    /// Parses what follows a backslash: characters or a position.
    fn escape(&mut self) -> Option<Expression> {
        let char = self.next()?;
        Some(Expression::One(match char {
            'd' => Chars::of("0123456789"),
            's' => Chars::of(" \t\n\r\x0b\x0c"),
            'w' => word(),
            'D' => Chars::of("0123456789").complement(),
            'S' => Chars::of(" \t\n\r\x0b\x0c").complement(),
            'W' => Chars { ascii: !word().ascii, others: true },
            'n' => Chars::of("\n"),
            't' => Chars::of("\t"),
            'r' => Chars::of("\r"),
            'A' => return Some(Expression::At(Position::Start)),
            'z' => return Some(Expression::At(Position::End)),
            'B' | '<' | '>' => return Some(Expression::At(Position::Other)),
            'b' if !self.rest.starts_with('{') => return Some(Expression::At(Position::Other)),
            // Codes of characters, and what is rarer.
            char if char.is_ascii_alphanumeric() => return None,
            char => self.one(char),
        }))
    }
}

fn word() -> Chars {
    Chars::of("abcdefghijklmnopqrstuvwxyz0123456789_")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;
    use regex_lite::RegexBuilder;

    fn texts(pattern: &str) -> Vec<String> {
        Expression::parse(pattern, false).map_or_else(Vec::new, |(expression, _)| expression.required_texts())
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
        let in_number =
            |pattern: &str| Expression::parse(pattern, false).unwrap().0.can_match_in(Chars::of("-0123456789"));
        assert!(in_number("[0-9]{9}") && in_number(".*") && in_number("^$") && in_number("a*1") && in_number("a|-"));
        assert!(in_number(r"\w+") && in_number(r"[^a-z]{2}") && in_number(r"[\d.]"));
        let shortest = |pattern: &str| Expression::parse(pattern, false).unwrap().0.shortest();
        assert_eq!([shortest("^(a|bb){2,}c?$"), shortest("[0-9]{25}")], [2, 25]);
        assert!(!in_number(r"\s\d") && !in_number("[a-z]+") && !in_number("x{2}1") && !in_number(r"1\.2"));
    }

    /// Expressions with everything that the parser knows.
    pub fn expression() -> impl Strategy<Value = String> {
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
            let (expression, _) = Expression::parse(&pattern, ignores_case).unwrap();
            if regex.is_match(&text) {
                let texts = expression.required_texts();
                let lower = text.to_ascii_lowercase();
                prop_assert!(texts.is_empty() || texts.iter().any(|wanted| lower.contains(wanted)), "{texts:?}");
                prop_assert!(expression.can_match_in(Chars::of(&text)));
                prop_assert!(expression.shortest() <= text.chars().count());
            }
        }
    }
}
