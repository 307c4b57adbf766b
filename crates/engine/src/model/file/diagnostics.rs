//! Parse issues: problems that don't stop reading.

use nettrace::Error;
use protocol::base::hash::FastMap;

/// Maximum number of distinct issues. Issues with the same message are counted together.
const EXAMPLES: usize = 1000;

/// Parse issue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Absolute offset of the first occurrence in the file.
    pub offset: u64,
    /// One sentence about the problem and its effect.
    pub message: String,
    /// Number of occurrences.
    pub count: u64,
}

/// All parse issues of a trace: up to a thousand distinct ones with their counts, and the total.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    /// Distinct issues, in the order of their first occurrences.
    pub examples: Vec<Diagnostic>,
    by_key: FastMap<String, usize>,
    /// Number of all issues, including those without an example.
    pub total: u64,
}

impl Diagnostics {
    pub fn heap_bytes(&self) -> u64 {
        let text: usize = self.examples.iter().map(|example| 2 * example.message.capacity()).sum();
        (text + self.examples.capacity() * size_of::<Diagnostic>()) as u64
    }

    #[cold]
    pub(crate) fn add(&mut self, offset: u64, message: &str) {
        self.add_distinct(message, offset, message);
    }

    /// Adds a parser error after a sentence about its effect. Errors at different offsets are distinct issues.
    #[cold]
    pub(crate) fn add_error(&mut self, offset: u64, effect: &str, error: &Error) {
        self.add_distinct(&format!("{effect}{error}"), offset, &format!("{effect}{}.", error.kind()));
    }

    /// Adds an issue; issues with the same key are counted together.
    fn add_distinct(&mut self, key: &str, offset: u64, message: &str) {
        self.total += 1;
        if let Some(example) = self.by_key.get(key).and_then(|&at| self.examples.get_mut(at)) {
            example.count += 1;
        } else if self.examples.len() < EXAMPLES {
            self.by_key.insert(key.to_owned(), self.examples.len());
            self.examples.push(Diagnostic { offset, message: message.to_owned(), count: 1 });
        }
    }

    /// Adds an issue that explains all others, before them.
    #[cold]
    pub(crate) fn add_first(&mut self, message: &str) {
        self.total += 1;
        self.by_key.values_mut().for_each(|at| *at += 1);
        self.by_key.insert(message.to_owned(), 0);
        self.examples.insert(0, Diagnostic { offset: 0, message: message.to_owned(), count: 1 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_issues_are_counted_and_examples_limited() {
        let mut diagnostics = Diagnostics::default();
        for at in 0..3 {
            diagnostics.add(100 + at, "A stack is missing.");
        }
        for at in 0..2000 {
            diagnostics.add(at, &format!("Problem {at}."));
        }
        assert_eq!(diagnostics.examples.len(), 1000);
        assert_eq!(
            diagnostics.examples[0],
            Diagnostic { offset: 100, message: "A stack is missing.".into(), count: 3 }
        );
        assert_eq!(diagnostics.total, 2003);
    }

    #[test]
    fn cause_precedes_other_issues() {
        let mut diagnostics = Diagnostics::default();
        diagnostics.add(100, "A stack is missing.");
        diagnostics.add_first("The cause.");
        diagnostics.add(200, "A stack is missing.");
        let listed: Vec<_> = diagnostics.examples.iter().map(|one| (one.message.as_str(), one.count)).collect();
        assert_eq!((listed, diagnostics.total), (vec![("The cause.", 1), ("A stack is missing.", 2)], 3));
    }
}
