//! Line breaks in sentences and names: none between a number and its unit, and only between the words of a name.

/// Units that stay with their number.
const UNITS: [&str; 10] = ["ns", "µs", "ms", "s", "B", "kB", "MB", "GB", "TB", "/"];

/// Replaces the space between a number and its unit with a no-break space: "p50 10.0 ms", "9.673 / s".
pub fn unbroken(words: &str) -> String {
    let mut text = String::with_capacity(words.len() + 8);
    let mut before = None;
    for word in words.split(' ') {
        if let Some(before) = before {
            text.push(if belong_together(before, word) { '\u{a0}' } else { ' ' });
        }
        text.push_str(word);
        before = Some(word);
    }
    text
}

fn belong_together(before: &str, word: &str) -> bool {
    // "MB/s," counts as MB; "/" alone is a word.
    let unit = word.trim_end_matches(|c: char| c.is_ascii_punctuation() && c != '/');
    let unit = unit.split_once('/').map_or(unit, |(unit, _)| if unit.is_empty() { "/" } else { unit });
    let is_measured = before.ends_with(|c: char| c.is_ascii_digit()) && UNITS.contains(&unit);
    is_measured || before == "/"
}

/// Returns the parts of a name or a path between which a line may break. A part ends with a slash, an opening bracket,
/// a dot or comma outside numbers, or before the capital of the next word.
pub fn name_parts(name: &str) -> Vec<&str> {
    let is_end = |at: usize, one: char| match one {
        '/' | '\\' | '(' | '[' | '<' => true,
        '.' | ',' => !name[at + 1..].starts_with(|next: char| next.is_ascii_digit()),
        'a'..='z' => name[at + 1..].starts_with(|next: char| next.is_ascii_uppercase()),
        _ => false,
    };
    let ends = name.char_indices().filter(|(at, one)| is_end(*at, *one)).map(|(at, _)| at + 1);
    let mut from = 0;
    let mut parts: Vec<&str> = ends.map(|end| &name[std::mem::replace(&mut from, end)..end]).collect();
    parts.push(&name[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_with_their_units() {
        let shown = |words: &str| unbroken(words).replace('\u{a0}', "_");
        assert_eq!(shown("stood still for 365 ms of 8.41 s (4.3%)."), "stood still for 365_ms of 8.41_s (4.3%).");
        assert_eq!(shown("5.2 MB/s, <0.1% of it, 9.673 / s"), "5.2_MB/s, <0.1% of it, 9.673_/_s");
        assert_eq!(shown("3 requests in 2 ways"), "3 requests in 2 ways");
        assert_eq!(shown(""), "");
    }

    #[test]
    fn names_break_between_words_but_not_in_numbers() {
        let shown = |name: &str| name_parts(name).join("|");
        assert_eq!(shown("AppDomain/ThreadCreated"), "App|Domain/|Thread|Created");
        assert_eq!(shown("/app/3.1.23/libcoreclr.so"), "/|app/|3.1.23/|libcoreclr.|so");
        assert_eq!(shown("2026-11-20 14:22:33.5936378"), "2026-11-20 14:22:33.5936378");
        assert_eq!(shown("Ünï.ß"), "Ünï.|ß");
        assert_eq!(shown("ManagedThreadID 1,234"), "Managed|Thread|ID 1,234");
        assert_eq!(shown("Sort(class System.Random,int32)"), "Sort(|class System.|Random,|int32)");
    }
}
