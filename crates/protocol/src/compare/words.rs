//! Formats the numbers of changes, for the page and the command-line tool.

use super::{Change, ChangeKind, Form, Only, Per, Subject, SubjectUnit};
use crate::format::{bytes, counted, duration, percent, rate, significant};

impl Change {
    /// Returns the relative change: "+38%", "new", "gone"; empty if both values are 0.
    pub fn size_words(&self) -> String {
        match (self.kind, self.relative()) {
            (ChangeKind::New, _) => "new".to_owned(),
            (ChangeKind::Gone, _) => "gone".to_owned(),
            (_, Some(relative)) => signed(relative),
            (_, None) => String::new(),
        }
    }

    /// Returns the confidence interval: "+20% to +55%"; empty if unknown.
    pub fn interval_words(&self) -> String {
        let interval = self.ratio.filter(|_| self.kind != ChangeKind::Gone);
        let words = interval.map(|(low, high)| format!("{} to {}", signed(low - 1.0), signed(high - 1.0)));
        words.unwrap_or_default()
    }

    /// Returns the sign that repeats the direction.
    pub fn sign(&self) -> &'static str {
        match self.kind {
            ChangeKind::Grew | ChangeKind::New => "▲",
            ChangeKind::Shrank | ChangeKind::Gone => "▼",
            ChangeKind::Same if self.is_possible() && self.new > self.old => "△",
            ChangeKind::Same if self.is_possible() => "▽",
            ChangeKind::Same => "=",
        }
    }

    /// Returns whether the value is a number per second.
    pub fn is_rate(&self, per: Per) -> bool {
        match (self.subject.form(), self.percentile) {
            (_, Some(_)) => false,
            (Form::Duration, None) => self.subject == Subject::Requests || per == Per::Second,
            (Form::Sum, None) => self.subject.unit() == SubjectUnit::Count && per == Per::Second,
            (Form::Level, None) => false,
        }
    }

    /// Formats a value of the change with its unit, without what it is divided by.
    pub fn value_words(&self, value: f64, per: Per) -> String {
        if self.is_rate(per) {
            return rate(value);
        }
        let is_number = self.subject.form() == Form::Duration && self.percentile.is_none();
        match self.subject.unit() {
            SubjectUnit::Nanos if !is_number => duration(value as i64),
            SubjectUnit::Bytes => bytes(value as u64),
            SubjectUnit::Nanos | SubjectUnit::Count | SubjectUnit::Plain => significant(value),
        }
    }
}

/// Formats a relative change: "+38%", "−4.2%".
pub fn signed(relative: f64) -> String {
    let share = percent(relative.abs(), 1.0);
    let number = share.trim_start_matches(['<', '>']);
    // The sign belongs to the number, and turns the limit around: "<+0.1%", ">−0.1%".
    let limit = match (share.chars().next(), relative < 0.0) {
        (Some('<'), false) | (Some('>'), true) => "<",
        (Some('<'), true) | (Some('>'), false) => ">",
        _ => "",
    };
    format!("{limit}{}{number}", if relative < 0.0 { "−" } else { "+" })
}

impl Only {
    /// Describes in a sentence what the other trace lacks: "Only the old trace recorded GCs and Contoso-Orders."; `None`
    /// if there is nothing.
    pub fn sentence(&self, trace: &str) -> Option<String> {
        const MOST: usize = 6;
        let names = self.subjects.iter().map(|one| one.noun()).chain(self.providers.iter().cloned());
        let mut names: Vec<String> = names.collect();
        let more = names.len().saturating_sub(MOST);
        names.truncate(MOST);
        if more > 0 {
            names.push(format!("{more} more"));
        }
        if self.runtime_types > 0 {
            names.push(counted(self.runtime_types as u64, "runtime event type"));
        }
        let last = names.pop()?;
        let listed = if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) };
        Some(format!("Only {trace} recorded {listed}."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_changes_have_sign() {
        let words = [0.38, -0.042, 9.25, 397.58, -0.9998, 0.0002, -0.0002].map(signed);
        assert_eq!(words, ["+38%", "−4.2%", "+925%", "+39,758%", "<−99.9%", "<+0.1%", ">−0.1%"]);
    }

    #[test]
    fn what_one_trace_lacks_is_listed() {
        assert_eq!(Only::default().sentence("the old trace"), None);
        let mut only = Only {
            subjects: vec![Subject::Gcs, Subject::HandleWaits],
            providers: vec!["Contoso-Orders".to_owned()],
            runtime_types: 0,
        };
        assert_eq!(
            only.sentence("the old trace").as_deref(),
            Some("Only the old trace recorded GCs, waits for tasks and handles and Contoso-Orders.")
        );
        only.providers.extend((0..7).map(|one| format!("P{one}")));
        only.runtime_types = 1;
        let words = "Only trace B recorded GCs, waits for tasks and handles, Contoso-Orders, P0, P1, P2, 4 more and 1 runtime event \
                     type.";
        assert_eq!(only.sentence("trace B").as_deref(), Some(words));
    }
}
