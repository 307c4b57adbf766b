//! Fuzzy search: ranks names by how well they match a typed text.

use std::ops::Range;

/// Scores of a typed word: at the start of the name, at the start of a word, inside a word, as an abbreviation, as
/// scattered letters in order.
const AT_START: u32 = 100;
const AT_WORD: u32 = 80;
const INSIDE: u32 = 60;
const ABBREVIATED: u32 = 40;
const SCATTERED: u32 = 1;
/// Scores of a typed word that is a synonym, or begins one.
const SYNONYM: u32 = 70;
const BEGINS_SYNONYM: u32 = 50;

/// Name, prepared for many searches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Letters(Vec<char>);

impl Letters {
    /// Prepares a name.
    pub fn of(name: &str) -> Self {
        Self(name.chars().map(lower).collect())
    }

    /// Returns the score for typed words, higher for better matches; `None` if it doesn't match. Every word must match,
    /// in any order and case. No words match all names equally.
    pub fn fit(&self, typed: &Typed) -> Option<u32> {
        typed.0.iter().map(|word| fit_word(&self.0, word)).sum()
    }

    /// Returns the score if the letters of every typed word are scattered over the name, in order.
    pub fn fit_scattered(&self, typed: &Typed) -> Option<u32> {
        let is_scattered = |word: &Vec<char>| {
            let mut rest = self.0.iter();
            word.iter().all(|letter| rest.any(|other| other == letter)).then_some(SCATTERED)
        };
        typed.0.iter().map(|word| fit_word(&self.0, word).or_else(|| is_scattered(word))).sum()
    }
}

/// Typed words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Typed(Vec<Vec<char>>);

impl Typed {
    /// Splits a typed text into words.
    pub fn new(text: &str) -> Self {
        Self(text.split_whitespace().map(|word| word.chars().map(lower).collect()).collect())
    }

    /// Returns whether nothing is typed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Returns the score of a name with its synonyms for typed words; `None` if a word begins none of them.
pub fn fit_synonyms(name: &str, synonyms: &str, typed: &Typed) -> Option<u32> {
    let words: Vec<Letters> = name.split_whitespace().chain(synonyms.split_whitespace()).map(Letters::of).collect();
    let score = |typed: &Vec<char>| {
        let begun = words.iter().filter(|word| word.0.starts_with(typed));
        begun.map(|word| if word.0.len() == typed.len() { SYNONYM } else { BEGINS_SYNONYM }).max()
    };
    (!synonyms.is_empty()).then(|| typed.0.iter().map(score).sum())?
}

/// Returns the byte ranges of a name that are typed words, in order and without overlaps.
pub fn marks(name: &str, typed: &Typed) -> Vec<Range<usize>> {
    let letters: Vec<(usize, char)> = name.char_indices().map(|(at, letter)| (at, lower(letter))).collect();
    let is_at = |start: usize, word: &[char]| {
        letters.get(start..start + word.len()).is_some_and(|part| part.iter().map(|(_, letter)| letter).eq(word))
    };
    let mut found: Vec<Range<usize>> = Vec::new();
    for word in typed.0.iter().filter(|word| !word.is_empty()) {
        let starts = || (0..letters.len()).filter(|start| is_at(*start, word));
        let best = starts().find(|start| begins_word(*start, |at| letters.get(at).map(|(_, letter)| *letter)));
        let Some(start) = best.or_else(|| starts().next()) else { continue };
        let byte = |at: usize| letters.get(at).map_or(name.len(), |(byte, _)| *byte);
        found.push(byte(start)..byte(start + word.len()));
    }
    protocol::base::sort::sort_by_key(&mut found, |range| range.start);
    let mut end = 0;
    found.retain(|range| {
        let is_free = range.start >= end;
        end = end.max(range.end);
        is_free
    });
    found
}

fn lower(letter: char) -> char {
    letter.to_lowercase().next().unwrap_or(letter)
}

fn fit_word(name: &[char], word: &[char]) -> Option<u32> {
    let places = || name.windows(word.len()).enumerate().filter(|(_, part)| *part == word).map(|(place, _)| place);
    let begins = |place: usize| begins_word(place, |at| name.get(at).copied());
    if name.starts_with(word) {
        Some(AT_START)
    } else if places().any(begins) {
        Some(AT_WORD)
    } else if places().next().is_some() {
        Some(INSIDE)
    } else {
        is_abbreviation(name, word).then_some(ABBREVIATED)
    }
}

fn begins_word(place: usize, letter: impl Fn(usize) -> Option<char>) -> bool {
    place.checked_sub(1).and_then(letter).is_none_or(|before| !before.is_alphanumeric())
}

/// Returns whether each letter begins a word of the name or follows the previous letter.
fn is_abbreviation(name: &[char], word: &[char]) -> bool {
    let mut next = 0;
    for (at, letter) in word.iter().enumerate() {
        let begins = |place: usize| begins_word(place, |at| name.get(at).copied());
        let fits = |place: &usize| name.get(*place) == Some(letter) && (begins(*place) || (at > 0 && *place == next));
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

    fn fit(name: &str, typed: &str) -> Option<u32> {
        Letters::of(name).fit(&Typed::new(typed))
    }

    #[test]
    fn match_nearer_to_start_has_higher_score() {
        let fits: Vec<_> = ["Copy a link", "The copy", "Photocopy", "C. o. p. y"].map(|name| fit(name, "COPY")).into();
        assert_eq!(fits, [AT_START, AT_WORD, INSIDE, ABBREVIATED].map(Some));
        assert_eq!((fit("Copy", "copies"), fit("", "a"), fit("Collapse by type", "copy")), (None, None, None));
        let scattered = |name: &str, typed: &str| Letters::of(name).fit_scattered(&Typed::new(typed));
        assert_eq!(scattered("Collapse by type", "copy typ"), Some(SCATTERED + AT_WORD));
        assert_eq!(scattered("Collapse by type", "type x"), None);
    }

    #[test]
    fn every_typed_word_must_match_in_any_order() {
        assert_eq!(fit("Copy a link to this view", "view cop"), Some(AT_WORD + AT_START));
        assert_eq!(fit("Copy a link to this view", "cal"), Some(ABBREVIATED));
        assert_eq!(fit("Copy a link", "copy view"), None);
        assert_eq!(fit("Copy a link", "  "), Some(0));
        let synonyms = |synonyms: &str, typed: &str| fit_synonyms("Toggle theme", synonyms, &Typed::new(typed));
        assert_eq!(synonyms("dark light", "DARK tog"), Some(SYNONYM + BEGINS_SYNONYM));
        assert_eq!((synonyms("dark light", "ark"), synonyms("", "toggle")), (None, None));
    }

    #[test]
    fn matching_parts_are_marked() {
        let marked = |name: &'static str, typed: &str| {
            marks(name, &Typed::new(typed)).into_iter().map(|range| &name[range]).collect::<Vec<_>>()
        };
        assert_eq!(marked("Photocopy or copy", "COPY"), ["copy"]);
        let first = marks("Photocopy or copy", &Typed::new("copy")).first().map(|range| range.start);
        assert_eq!(first, Some(13), "the one at the start of a word");
        assert_eq!(marked("Größe prüfen", "prü größe"), ["Größe", "prü"]);
        assert_eq!(marked("Payments", "pay paym x"), ["Pay"], "no overlaps");
    }
}
