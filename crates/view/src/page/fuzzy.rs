//! Fuzzy search: ranks names by how well they match a typed text.

/// Scores of a typed word: at the start of the name, at the start of a word, inside a word, as an abbreviation, as
/// scattered letters in order.
const AT_START: u32 = 100;
const AT_WORD: u32 = 80;
const INSIDE: u32 = 60;
const ABBREVIATED: u32 = 40;
const SCATTERED: u32 = 1;

/// Returns the score of a name for a typed text, higher for better matches; `None` if it doesn't match. Every typed
/// word must match, in any order and case. An empty text matches all names equally.
pub fn fit(name: &str, typed: &str) -> Option<u32> {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    let typed = typed.to_lowercase();
    typed.split_whitespace().map(|word| fit_word(&name, &word.chars().collect::<Vec<_>>())).sum()
}

/// Returns the score of a name with its synonyms for a typed text, lower than for names; `None` if it doesn't match.
/// Every typed word must begin one of the words.
pub fn fit_synonyms(name: &str, synonyms: &str, typed: &str) -> Option<u32> {
    let words = format!("{name} {synonyms}").to_lowercase();
    let begins = |typed: &str| words.split_whitespace().any(|word| word.starts_with(typed));
    let typed = typed.to_lowercase();
    (!synonyms.is_empty()).then(|| typed.split_whitespace().map(|word| begins(word).then_some(ABBREVIATED)).sum())?
}

fn fit_word(name: &[char], word: &[char]) -> Option<u32> {
    let places = || name.windows(word.len()).enumerate().filter(|(_, part)| *part == word).map(|(place, _)| place);
    if name.starts_with(word) {
        Some(AT_START)
    } else if places().any(|place| begins_word(name, place)) {
        Some(AT_WORD)
    } else if places().next().is_some() {
        Some(INSIDE)
    } else if is_abbreviation(name, word) {
        Some(ABBREVIATED)
    } else {
        let mut rest = name.iter();
        word.iter().all(|letter| rest.any(|other| other == letter)).then_some(SCATTERED)
    }
}

fn begins_word(name: &[char], place: usize) -> bool {
    place.checked_sub(1).and_then(|before| name.get(before)).is_none_or(|before| !before.is_alphanumeric())
}

/// Returns whether each letter begins a word of the name or follows the previous letter.
fn is_abbreviation(name: &[char], word: &[char]) -> bool {
    let mut next = 0;
    for (at, letter) in word.iter().enumerate() {
        let fits = |place: &usize| {
            name.get(*place) == Some(letter) && (begins_word(name, *place) || (at > 0 && *place == next))
        };
        match (next..name.len()).find(fits) {
            Some(place) => next = place + 1,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn match_nearer_to_start_has_higher_score() {
        let fits: Vec<_> = ["Copy a link", "The copy", "Photocopy", "C. o. p. y", "Collapse by type"]
            .map(|name| fit(name, "COPY"))
            .into();
        assert_eq!(fits, [AT_START, AT_WORD, INSIDE, ABBREVIATED, SCATTERED].map(Some));
        assert_eq!((fit("Copy", "copies"), fit("", "a")), (None, None));
    }

    #[test]
    fn every_typed_word_must_match_in_any_order() {
        assert_eq!(fit("Copy a link to this view", "view cop"), Some(AT_WORD + AT_START));
        assert_eq!(fit("Copy a link to this view", "cal"), Some(ABBREVIATED));
        assert_eq!(fit("Copy a link", "copy view"), None);
        assert_eq!(fit("Copy a link", "  "), Some(0));
        assert_eq!(fit_synonyms("Toggle theme", "dark light", "DAR tog"), Some(2 * ABBREVIATED));
        assert_eq!(fit_synonyms("Toggle theme", "dark light", "ark"), None);
        assert_eq!(fit_synonyms("Toggle theme", "", "toggle"), None);
    }
}
