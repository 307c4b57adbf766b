//! Matchers for texts and values in conditions.

use super::automaton::Automaton;
use super::expression::Expression;
use crate::analysis::scan::text_match::Needle;
use crate::model::EventType;
use protocol::filter::{Comparison, Extent, Order, Pattern};
use regex_lite::{Regex, RegexBuilder};
use std::cell::RefCell;

/// Maximum bytes of a compiled regular expression.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// Returns `Provider/Name` of a type.
pub(super) fn full_name(event_type: &EventType) -> String {
    format!("{}/{}", event_type.provider, event_type.display_name)
}

/// Pattern for texts.
pub(super) enum Matcher {
    /// Texts that contain this one.
    Part(Needle),
    /// Texts that are equal, case-insensitive.
    Whole(Needle),
    /// Texts that match an expression.
    Regex(Box<Expressed>),
    Empty,
    /// No text.
    Never,
}

/// A regular expression.
pub(super) struct Expressed {
    pub regex: Regex,
    /// What its syntax says, unless it is rare.
    pub expression: Option<Expression>,
    /// Answers for most texts, unless the expression is large.
    automaton: Option<RefCell<Automaton>>,
}

impl Expressed {
    fn new(regex: Regex, pattern: &str, ignores_case: bool) -> Self {
        let (expression, is_exact) = Expression::parse(pattern, ignores_case).unzip();
        let automaton = expression.as_ref().zip(is_exact);
        let automaton = automaton.and_then(|(expression, is_exact)| Automaton::new(expression, is_exact));
        Self { regex, expression, automaton: automaton.map(RefCell::new) }
    }

    fn answer(&self, units: impl Iterator<Item = u16>) -> Option<bool> {
        self.automaton.as_ref()?.borrow_mut().answer(units)
    }
}

impl Matcher {
    pub fn new(pattern: &Pattern, extent: Extent) -> Self {
        match (pattern, extent) {
            (Pattern::Text(text), Extent::Part) => Needle::new(text).map_or(Self::Empty, Self::Part),
            (Pattern::Text(text), Extent::Whole) => Needle::new(text).map_or(Self::Empty, Self::Whole),
            (Pattern::Regex { pattern, ignores_case }, extent) => {
                let whole = format!("^(?:{pattern})$");
                let pattern = if extent == Extent::Whole { &whole } else { pattern };
                let mut builder = RegexBuilder::new(pattern);
                let regex = builder.case_insensitive(*ignores_case).size_limit(MAX_REGEX_BYTES).build();
                // An expression that needs too much memory matches nothing.
                regex.map_or(Self::Never, |regex| Self::Regex(Box::new(Expressed::new(regex, pattern, *ignores_case))))
            }
        }
    }

    pub fn matches(&self, text: &str) -> bool {
        match self {
            Self::Part(needle) => needle.is_in(text),
            Self::Whole(needle) => needle.is_all_of(text),
            Self::Regex(expressed) => {
                let answer = expressed.answer(text.bytes().map(u16::from));
                answer.unwrap_or_else(|| expressed.regex.is_match(text))
            }
            Self::Empty => text.is_empty(),
            Self::Never => false,
        }
    }

    /// Returns whether an expression matches a text of these code units, if that is quick to tell.
    pub fn answer(&self, units: impl Iterator<Item = u16>) -> Option<bool> {
        match self {
            Self::Regex(expressed) => expressed.answer(units),
            _ => None,
        }
    }
}

/// A comparison with compiled patterns.
pub(super) enum PreparedComparison {
    Like(Matcher),
    /// Equal text or number.
    Is(Matcher, Option<f64>),
    IsNot(Matcher, Option<f64>),
    Number(Order, f64),
}

impl PreparedComparison {
    pub fn new(comparison: &Comparison) -> Self {
        let number_in = |pattern: &Pattern| match pattern {
            Pattern::Text(text) => number_of(text),
            Pattern::Regex { .. } => None,
        };
        match comparison {
            Comparison::Like(pattern) => Self::Like(Matcher::new(pattern, Extent::Part)),
            Comparison::Is(pattern) => Self::Is(Matcher::new(pattern, Extent::Whole), number_in(pattern)),
            Comparison::IsNot(pattern) => Self::IsNot(Matcher::new(pattern, Extent::Whole), number_in(pattern)),
            Comparison::Number(order, number) => Self::Number(*order, number.parse().unwrap_or(f64::NAN)),
        }
    }

    /// Returns whether it is true for a value in any of its text forms: as displayed, and as recorded.
    pub fn holds(&self, texts: &[&str], number: Option<f64>) -> bool {
        let is_like = |matcher: &Matcher| texts.iter().any(|text| matcher.matches(text));
        let is = |matcher, wanted: Option<f64>| wanted.is_some() && number == wanted || is_like(matcher);
        match self {
            Self::Like(matcher) => is_like(matcher),
            Self::Is(matcher, wanted) => is(matcher, *wanted),
            Self::IsNot(matcher, wanted) => !is(matcher, *wanted),
            Self::Number(order, limit) => number.is_some_and(|number| order.holds(number, *limit)),
        }
    }
}

/// Parses a typed number: with a sign, a decimal point, or hexadecimal.
pub(super) fn number_of(text: &str) -> Option<f64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(|number| number as f64),
        None => text.parse().ok().filter(|number: &f64| number.is_finite()),
    }
}
