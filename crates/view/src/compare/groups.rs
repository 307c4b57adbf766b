//! Changes by subject, and the summary of a comparison.

use protocol::compare::{Change, ChangeKind, Comparison, Subject};
use protocol::format::{counted, percent};

/// Changes of one subject, as positions in [`Comparison::changes`].
#[derive(Clone, PartialEq, Debug)]
pub struct Group {
    pub subject: Subject,
    /// Significant changes, most important first.
    pub significant: Vec<usize>,
    /// Values without a significant change.
    pub unchanged: Vec<usize>,
}

/// Returns the changes by subject, in the order of subjects.
pub fn groups(comparison: &Comparison) -> Vec<Group> {
    let of_subject = |subject: &Subject| {
        let rows = comparison.changes.iter().enumerate().filter(|(_, change)| change.subject == *subject);
        let (significant, unchanged): (Vec<_>, Vec<_>) = rows.partition(|(_, change)| change.is_significant());
        let places = |rows: Vec<(usize, &Change)>| rows.into_iter().map(|(at, _)| at).collect();
        Group { subject: *subject, significant: places(significant), unchanged: places(unchanged) }
    };
    let groups = Subject::ALL.iter().map(of_subject);
    groups.filter(|group| !group.significant.is_empty() || !group.unchanged.is_empty()).collect()
}

/// Returns the values of the whole trace without a significant change, those that people ask for: possible changes, and
/// the others.
pub fn unchanged_of_trace(comparison: &Comparison) -> [Vec<&Change>; 2] {
    let of_trace = comparison.changes.iter().filter(|change| !change.is_significant() && change.name.is_empty());
    let (possible, others) = of_trace.partition(|change| change.is_possible());
    [possible, others]
}

/// Returns the headline of the changes: "6 significant changes in 47 values".
pub fn headline(comparison: &Comparison) -> String {
    let significant = comparison.changes.iter().filter(|change| change.is_significant()).count() as u64;
    let values = counted(comparison.changes.len() as u64, "value");
    match significant {
        0 => format!("no significant changes in {values}"),
        _ => format!("{} in {values}", counted(significant, "significant change")),
    }
}

/// Functions with self time in only one of the traces. The other one may have them as callers.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Unmatched {
    pub functions: usize,
    /// Their share of the trace's running time.
    pub share: f64,
}

impl Unmatched {
    /// Describes them: "3 functions, 0.4% of running time".
    pub fn words(&self) -> String {
        match self.functions {
            0 => "None".to_owned(),
            functions => {
                format!("{}, {} of running time", counted(functions as u64, "function"), percent(self.share, 1.0))
            }
        }
    }
}

/// Returns the functions with self time only in the old trace, and those with self time only in the new one.
pub fn unmatched(comparison: &Comparison) -> [Unmatched; 2] {
    let value = |change: &Change, side: usize| if side == 0 { change.old } else { change.new };
    let is_of = |change: &&Change, subject: Subject| change.subject == subject && change.percentile.is_none();
    [0, 1].map(|side: usize| {
        let whole = comparison.changes.iter().find(|change| is_of(change, Subject::RunningTime));
        let whole = whole.map_or(0.0, |change| value(change, side));
        let functions = comparison.changes.iter().filter(|change| is_of(change, Subject::FunctionSelf));
        let only = functions.filter(|change| value(change, side) > 0.0 && value(change, 1 - side) == 0.0);
        let (mut functions, mut sum) = (0, 0.0);
        for change in only {
            functions += 1;
            sum += value(change, side);
        }
        Unmatched { functions, share: if whole > 0.0 { sum / whole } else { 0.0 } }
    })
}

/// Returns the names of significant changes of a kind, without details such as event types. Code without self time
/// isn't gone, since it may still call other code.
pub fn names_of(comparison: &Comparison, kind: ChangeKind) -> Vec<String> {
    use Subject as S;
    let is_listed = |change: &&Change| {
        change.kind == kind && !matches!(change.subject, S::EventType | S::FunctionSelf | S::ModuleSelf)
    };
    let names = comparison.changes.iter().filter(is_listed).map(|change| {
        let name = change.name.split('(').next().unwrap_or_default().trim_end();
        match change.subject {
            subject if change.name.is_empty() => subject.title().to_owned(),
            S::AllocationSite | S::ThrowSite | S::LockSite | S::HandleWaits => {
                format!("{} in {name}", change.subject.noun())
            }
            _ => name.to_owned(),
        }
    });
    let mut seen = std::collections::BTreeSet::new();
    names.filter(|name| seen.insert(name.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(subject: Subject, name: &str, kind: ChangeKind, old: f64, new: f64) -> Change {
        Change {
            subject,
            name: name.to_owned(),
            percentile: None,
            kind,
            old,
            new,
            ratio: None,
            probability: 0.0,
            weight: 0.0,
            sentence: String::new(),
        }
    }

    fn comparison() -> Comparison {
        let changes = vec![
            change(Subject::FunctionSelf, "Cart.Load(int)", ChangeKind::Gone, 3.0, 0.0),
            change(Subject::FunctionTotal, "Cart.Save(int)", ChangeKind::Gone, 1.0, 0.0),
            change(Subject::Gcs, "", ChangeKind::New, 0.0, 3.0),
            change(Subject::FunctionSelf, "Cart.Total", ChangeKind::Same, 6.0, 6.1),
            change(Subject::RunningTime, "", ChangeKind::Same, 10.0, 10.0),
        ];
        Comparison { changes, ..Comparison::default() }
    }

    #[test]
    fn changes_are_grouped_by_subject() {
        let groups = groups(&comparison());
        let found: Vec<_> =
            groups.iter().map(|one| (one.subject, one.significant.len(), one.unchanged.len())).collect();
        let expected = [
            (Subject::RunningTime, 0, 1),
            (Subject::FunctionTotal, 1, 0),
            (Subject::FunctionSelf, 1, 1),
            (Subject::Gcs, 1, 0),
        ];
        assert_eq!(found, expected);
        assert_eq!(headline(&comparison()), "3 significant changes in 5 values");
        assert_eq!(headline(&Comparison::default()), "no significant changes in 0 values");
    }

    #[test]
    fn what_one_trace_lacks_is_named() {
        let words = unmatched(&comparison()).map(|one| one.words());
        assert_eq!(words, ["1 function, 30% of running time", "None"]);
        assert_eq!(names_of(&comparison(), ChangeKind::Gone), ["Cart.Save"], "Cart.Load lacks only self time");
        assert_eq!(names_of(&comparison(), ChangeKind::New), ["GCs"]);
        let changes = vec![change(Subject::LockSite, "Timer.Run (.NET)", ChangeKind::New, 0.0, 1.0)];
        let names = ["lock contention in Timer.Run"];
        assert_eq!(names_of(&Comparison { changes, ..Comparison::default() }, ChangeKind::New), names);
    }
}
