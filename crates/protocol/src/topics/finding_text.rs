//! Findings as text and as Markdown.

use super::finding::Finding;
use crate::markdown::escaped;

impl Finding {
    /// Returns the cost in words, unless the title contains it.
    fn cost_words(&self) -> Option<String> {
        let size = self.cost.size();
        (self.cost.value > 0.0 && !has_number(&self.title, &size)).then(|| format!("{size} {}", self.cost.words))
    }

    /// Returns the lines of the text: title, cost, evidence with the fix, and further facts.
    pub fn lines(&self) -> Vec<String> {
        let evidence = format!("  {} {}", self.sentence, self.advice);
        let details = (!self.details.is_empty()).then(|| format!("  {}", self.details));
        let cost = self.cost_words().map(|words| format!("  {words}"));
        [Some(self.title.clone()), cost, Some(evidence), details].into_iter().flatten().collect()
    }

    /// Returns an item of a list in Markdown.
    pub fn markdown(&self) -> String {
        let cost = self.cost_words().map_or(String::new(), |words| format!(" ({})", escaped(&words)));
        let [title, sentence, advice, details] =
            [&self.title, &self.sentence, &self.advice, &self.details].map(|text| escaped(text));
        let details = if details.is_empty() { details } else { format!("  \n  {details}") };
        format!("- **{title}**{cost}  \n  {sentence} {advice}{details}\n")
    }
}

pub fn text<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> String {
    findings.into_iter().map(|finding| finding.lines().join("\n") + "\n").collect::<Vec<_>>().join("\n")
}

/// Returns findings as a list in Markdown.
pub fn markdown<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> String {
    findings.into_iter().map(Finding::markdown).collect()
}

/// Returns whether a title contains a number that isn't part of a longer one.
fn has_number(title: &str, number: &str) -> bool {
    let continues = |next: Option<char>| next.is_some_and(|next| next.is_ascii_digit());
    title.match_indices(number).any(|(at, _)| {
        let (before, after) = (&title[..at], &title[at + number.len()..]);
        let is_inside = continues(before.trim_end_matches(['.', ',']).chars().next_back())
            || continues(after.trim_start_matches(['.', ',']).chars().next());
        !is_inside
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topics::finding::{Cost, FindingKind};

    #[test]
    fn part_of_another_number_does_not_count() {
        assert!(has_number("25 requests failed", "25"));
        assert!(has_number("The thread pool starved for 1.97 s", "1.97 s"));
        assert!(has_number("Waited for 25, then for more", "25"));
        assert!(!has_number("1,25 125 25.1 25,000 requests", "25"));
        assert!(!has_number("No number", "25"));
    }

    #[test]
    fn cost_follows_title_without_it() {
        let mut finding = Finding::new(FindingKind::LockContention, Cost::time(1_500_000_000, "thread time"));
        (finding.title, finding.sentence) = ("Lock waits".to_owned(), "Nearly all in List<T>.Add.".to_owned());
        finding.advice = "Move I/O out of the lock.".to_owned();
        let lines = ["Lock waits", "  1.50 s thread time", "  Nearly all in List<T>.Add. Move I/O out of the lock."];
        assert_eq!(finding.lines(), lines);
        let markdown =
            "- **Lock waits** (1.50 s thread time)  \n  Nearly all in List\\<T>.Add. Move I/O out of the lock.\n";
        assert_eq!(finding.markdown(), markdown);
        finding.title = "Lock waits for 1.50 s".to_owned();
        assert_eq!(text([&finding]).lines().count(), 2);
    }
}
