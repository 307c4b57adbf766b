//! Grouping and folding of frames by patterns, with PerfView's syntax.
//!
//! Patterns are separated by semicolons and match a part of the raw name `Module!Namespace.Type.Method(signature)`,
//! case-insensitive. `*` matches anything, `%` a word with dots, `{…}` a part that the group can name as `$1`, `|`
//! means "or", `^` and `$` the ends; a pattern after `@` is a regular expression. A group is `pattern->name`, or
//! `pattern=>name` if the frame that enters it stays visible; without a name, matching frames are in no group. A text
//! in brackets at the start is a comment.

use regex_lite::{Regex, RegexBuilder};
use std::fmt::Write;

/// Maximum characters of a list, because compiling takes time.
const MAX_CHARACTERS: usize = 4096;

/// Patterns that group and fold frames by their names.
#[derive(Debug, Default)]
pub struct StackPatterns {
    groups: Vec<GroupPattern>,
    folds: Vec<Regex>,
}

#[derive(Debug)]
struct GroupPattern {
    matches: Regex,
    /// The name, in which `$1` represents a part.
    name: String,
    shows_entry: bool,
}

/// The group of a frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PatternGroup {
    pub name: String,
    /// True if the frame that enters it stays visible.
    pub shows_entry: bool,
}

impl StackPatterns {
    /// Parses both lists.
    ///
    /// # Errors
    /// A sentence about the first invalid pattern.
    pub fn new(groups: &str, folds: &str) -> Result<Self, String> {
        if groups.len() + folds.len() > MAX_CHARACTERS {
            return Err("The patterns are too long.".to_owned());
        }
        let groups = parts(groups).map(GroupPattern::new).collect::<Result<_, _>>()?;
        let folds = parts(folds).map(regex).collect::<Result<_, _>>()?;
        Ok(Self { groups, folds })
    }

    /// Returns the group of a frame. Later patterns see the name that an earlier plain group gave to it.
    pub fn group(&self, frame: &str) -> Option<PatternGroup> {
        let mut name: Option<String> = None;
        for group in &self.groups {
            let Some(named) = group.named(name.as_deref().unwrap_or(frame)) else { continue };
            if named.is_empty() {
                return None;
            }
            if group.shows_entry {
                return Some(PatternGroup { name: named, shows_entry: true });
            }
            name = Some(named);
        }
        name.map(|name| PatternGroup { name, shows_entry: false })
    }

    /// Returns whether a frame of this name, or of this group, is folded into its caller.
    pub fn folds(&self, name: &str) -> bool {
        self.folds.iter().any(|fold| fold.is_match(name))
    }
}

impl GroupPattern {
    fn new(text: &str) -> Result<Self, String> {
        let entry = text.find("=>");
        let (pattern, name) = match entry.or_else(|| text.find("->")) {
            Some(at) => (&text[..at], text[at + 2..].trim()),
            // The matching text is the name.
            None => (text, "$&"),
        };
        Ok(Self { matches: regex(pattern)?, name: name.to_owned(), shows_entry: entry.is_some() })
    }

    /// Returns the name of the group, if a frame with this name is in it.
    fn named(&self, frame: &str) -> Option<String> {
        let found = self.matches.captures(frame)?;
        let part = |number: usize| found.get(number).map_or("", |part| part.as_str());
        let mut name = String::new();
        let mut rest = self.name.as_str();
        while let Some(at) = rest.find('$') {
            name.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            match rest.chars().next() {
                Some('&') => name.push_str(part(0)),
                Some(digit) if digit.is_ascii_digit() => name.push_str(part(digit as usize - '0' as usize)),
                _ => {
                    name.push('$');
                    continue;
                }
            }
            rest = &rest[1..];
        }
        name.push_str(rest);
        Some(name)
    }
}

/// Returns the patterns of a list, without the comment before them.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let text = text.trim();
    let text = text.strip_prefix('[').and_then(|rest| rest.split_once(']')).map_or(text, |(_, rest)| rest);
    text.split(';').map(str::trim).filter(|part| !part.is_empty())
}

/// Converts a pattern to a regular expression.
fn regex(pattern: &str) -> Result<Regex, String> {
    let pattern = pattern.trim();
    let (mut text, mut open) = (String::new(), 0usize);
    match pattern.strip_prefix('@') {
        Some(expression) => text.push_str(expression),
        None => {
            for one in pattern.chars() {
                match one {
                    '*' => text.push_str(".*"),
                    '%' => text.push_str(r"[.\w\d?]*"),
                    '{' => {
                        open += 1;
                        text.push('(');
                    }
                    '}' => {
                        open = open.checked_sub(1).ok_or_else(|| invalid(pattern, "“}” has no opening “{”."))?;
                        text.push(')');
                    }
                    '|' | '^' | '$' => text.push(one),
                    other if other.is_alphanumeric() || other == '_' || other == ' ' => text.push(other),
                    // Writing to a text can't fail.
                    other => _ = write!(text, r"\x{{{:x}}}", u32::from(other)),
                }
            }
        }
    }
    if open > 0 {
        return Err(invalid(pattern, "“{” has no closing “}”."));
    }
    let regex = RegexBuilder::new(&text).case_insensitive(true).build();
    regex.map_err(|error| invalid(pattern, &error.to_string()))
}

fn invalid(pattern: &str, why: &str) -> String {
    format!("“{pattern}” isn't a valid pattern: {why}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn group(groups: &str, frame: &str) -> Option<(String, bool)> {
        let group = StackPatterns::new(groups, "").unwrap().group(frame);
        group.map(|group| (group.name, group.shows_entry))
    }

    #[test]
    fn group_name_contains_matched_part() {
        let frame = "System.Private.CoreLib!System.Threading.Monitor.Wait(class System.Object)";
        let plain = |name: &str| Some((name.to_owned(), false));
        assert_eq!(group("{%}!->module $1", frame), plain("module System.Private.CoreLib"));
        assert_eq!(group("[modules] {%}!=>module $1", frame), Some(("module System.Private.CoreLib".to_owned(), true)));
        assert_eq!(group("threading->locks", frame), plain("locks"));
        assert_eq!(group("@Monitor\\.(\\w+)->monitor $1", frame), plain("monitor Wait"));
        assert_eq!(group("Threading.Monitor", frame), plain("Threading.Monitor"));
        assert_eq!(group("^Threading->locks;^System*Wait->waits", frame), plain("waits"));
        assert_eq!(group("Threading->locks;locks->waiting; waiting=>end", frame), Some(("end".to_owned(), true)));
        assert_eq!(group("Shop!->;!=>OTHER", "Shop!Shop.Orders.Place()"), None, "in no group, whatever follows");
        assert_eq!(group("Shop!->;!=>OTHER", frame), Some(("OTHER".to_owned(), true)));
        assert_eq!(group("Sleep|Wait->waiting $2 $", frame), plain("waiting  $"));
    }

    #[test]
    fn fold_patterns_are_a_list() {
        let patterns = StackPatterns::new("", "^System.Linq!; Enumerator").unwrap();
        let folds = |name: &str| patterns.folds(name);
        assert!(folds("System.Linq!System.Linq.Enumerable.ToArray()") && folds("A!A.ListENUMERATOR.MoveNext()"));
        assert!(!folds("A!System.Linq!x") && !StackPatterns::default().folds("a"));
    }

    #[test]
    fn invalid_pattern_is_named() {
        for (groups, folds) in [("@(->x", ""), ("", "a;{b"), ("x}->y", "")] {
            let message = StackPatterns::new(groups, folds).unwrap_err();
            assert!(message.contains("isn't a valid pattern"), "{message}");
        }
        let message = StackPatterns::new("{", "").unwrap_err();
        assert!(message.ends_with("“{” has no closing “}”."), "{message}");
        assert!(StackPatterns::new(&"a;".repeat(3000), "").is_err());
    }

    proptest! {
        #[test]
        fn any_pattern_is_accepted_or_rejected(groups in ".{0,40}", folds in "[a-z*%{}|^$@;>=()\\[\\]-]{0,20}", frame in ".{0,40}") {
            if let Ok(patterns) = StackPatterns::new(&groups, &folds) {
                patterns.group(&frame);
                patterns.folds(&frame);
            }
        }
    }
}
