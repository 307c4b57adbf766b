//! Rules of `--fail-if`: a measure, and the limit of its change.

use crate::Stop;
use crate::arguments::misuse;
use protocol::compare::{Change, ChangeKind, Comparison, Per, Subject, signed};
use std::fmt;

/// Measures by name: the subject of the whole trace, the subjects of names in brackets, and the percentile.
const MEASURES: [(&str, Subject, &[Subject], Option<u8>); 12] = [
    ("p50", Subject::Requests, &[Subject::Requests], Some(50)),
    ("p95", Subject::Requests, &[Subject::Requests], Some(95)),
    ("p99", Subject::Requests, &[Subject::Requests], Some(99)),
    ("throughput", Subject::Requests, &[Subject::Requests], None),
    ("failed", Subject::FailedRequests, &[], None),
    ("cpu", Subject::RunningTime, &[Subject::FunctionTotal, Subject::FunctionSelf, Subject::ModuleSelf], None),
    ("gc", Subject::GcPauses, &[], None),
    ("alloc", Subject::Allocated, &[Subject::AllocatedType, Subject::AllocationSite], None),
    ("exceptions", Subject::Exceptions, &[Subject::ExceptionType, Subject::ThrowSite], None),
    ("locks", Subject::LockWaits, &[Subject::LockSite], None),
    ("jit", Subject::JitTime, &[], None),
    ("events", Subject::Events, &[Subject::EventType], None),
];

/// A rule, such as `p99[GET /checkout] > +20%`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Rule {
    text: String,
    /// Position in [`MEASURES`].
    measure: usize,
    name: String,
    per: Option<Per>,
    /// True if the change must not be above the limit, false if not below.
    is_upper: bool,
    /// Relative: 0.2 for +20%.
    limit: f64,
}

/// A broken rule with the change that breaks it.
pub(super) struct Broken {
    rule: String,
    sentence: String,
    relative: Option<f64>,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "condition “{}” is met: {}", self.rule, self.sentence)?;
        match self.relative {
            Some(relative) => write!(f, " ({})", signed(relative)),
            None => Ok(()),
        }
    }
}

impl Rule {
    /// Parses a rule.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        const FORM: &str = "expected a measure and a limit, such as 'p99 > +20%'";
        let at = text.rfind(['>', '<']).ok_or(FORM)?;
        let (left, limit) = (text[..at].trim(), text[at + 1..].trim());
        let percent = limit.strip_suffix('%').ok_or("the limit must be a percentage, such as +20%")?;
        let percent: f64 = percent.trim().parse().map_err(|_| "the limit must be a percentage, such as +20%")?;
        if !percent.is_finite() {
            return Err("the limit must be a percentage, such as +20%".to_owned());
        }
        let (left, name) = match left.split_once('[') {
            Some((left, rest)) => (left, rest.strip_suffix(']').ok_or("']' is missing after the name")?),
            None => (left, ""),
        };
        let (measure, per) = match left.trim().split_once('/') {
            Some((measure, "request")) => (measure, Some(Per::Request)),
            Some((measure, "second")) => (measure, Some(Per::Second)),
            Some((_, other)) => return Err(format!("expected /request or /second instead of /{other}")),
            None => (left.trim(), None),
        };
        let Some(position) = MEASURES.iter().position(|(known, ..)| *known == measure) else {
            let known: Vec<&str> = MEASURES.iter().map(|(known, ..)| *known).collect();
            return Err(format!("unknown measure “{measure}”: expected {}", known.join(", ")));
        };
        if !name.is_empty() && MEASURES[position].2.is_empty() {
            return Err(format!("“{measure}” can't be limited to a name"));
        }
        let is_upper = text[at..].starts_with('>');
        let (text, name) = (text.trim().to_owned(), name.trim().to_owned());
        Ok(Self { text, measure: position, name, per, is_upper, limit: percent / 100.0 })
    }

    /// Returns the change that the rule is about.
    fn change<'c>(&self, comparison: &'c Comparison) -> Option<&'c Change> {
        let (_, whole, named, percentile) = MEASURES[self.measure];
        let subjects = if self.name.is_empty() { std::slice::from_ref(&whole) } else { named };
        let of_subject = |subject: &Subject| {
            let subject = *subject;
            comparison.changes.iter().filter(move |one| one.subject == subject && one.percentile == percentile)
        };
        let exact = |subject: &Subject| of_subject(subject).find(|change| change.name == self.name);
        // A part of a name suffices, as in a filter, if it is unique.
        let unique = |subject: &Subject| {
            let mut found = of_subject(subject).filter(|change| change.name.contains(&self.name));
            found.next().filter(|_| found.next().is_none())
        };
        let by_part = || subjects.iter().filter(|_| !self.name.is_empty()).find_map(unique);
        subjects.iter().find_map(exact).or_else(by_part)
    }

    fn is_broken_by(&self, change: &Change) -> bool {
        match (change.kind, change.relative()) {
            (ChangeKind::Same, _) => false,
            (_, Some(relative)) if self.is_upper => relative > self.limit,
            (_, Some(relative)) => relative < self.limit,
            (_, None) => self.is_upper,
        }
    }
}

/// Returns the broken rules.
///
/// # Errors
/// Fails if a rule's measure isn't in both traces.
pub(super) fn broken(
    rules: &[Rule],
    comparison: &Comparison,
    compared: impl Fn(Per) -> Comparison,
) -> Result<Vec<Broken>, Stop> {
    let mut broken = Vec::new();
    for rule in rules {
        let other = rule.per.filter(|per| *per != comparison.per).map(&compared);
        let change = rule.change(other.as_ref().unwrap_or(comparison)).ok_or_else(|| {
            misuse(format_args!("can't check “{}”: the measure isn't in both traces, or has too few values", rule.text))
        })?;
        if rule.is_broken_by(change) {
            let (rule, sentence) = (rule.text.clone(), change.sentence.clone());
            broken.push(Broken { rule, sentence, relative: change.relative() });
        }
    }
    Ok(broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_parsed() {
        let rule = Rule::parse("alloc/request[System.String] > +10%").expect("a rule");
        assert_eq!(
            (MEASURES[rule.measure].0, rule.name.as_str(), rule.per),
            ("alloc", "System.String", Some(Per::Request))
        );
        assert!(rule.is_upper && rule.limit == 0.1, "{rule:?}");
        let rule = Rule::parse("throughput < -5%").expect("a rule");
        assert!(!rule.is_upper && rule.limit == -0.05, "{rule:?}");
        let rule = Rule::parse("p99[GET /orders/{n}] > +20%").expect("a rule");
        assert_eq!(rule.name, "GET /orders/{n}");
    }

    #[test]
    fn invalid_rules_are_rejected() {
        for (text, word) in [
            ("p99", "a measure and a limit"),
            ("p99 > 20", "percentage"),
            ("p99 > much%", "percentage"),
            ("p98 > 20%", "expected p50"),
            ("alloc/day > 20%", "/request"),
            ("gc[gen 0] > 20%", "can't be limited to a name"),
            ("p99[GET / > 20%", "']'"),
        ] {
            let error = Rule::parse(text).expect_err(text);
            assert!(error.contains(word), "{text}: {error}");
        }
    }
}
