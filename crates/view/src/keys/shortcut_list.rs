//! Lines of the list of shortcuts.

use super::keymap::{Binding, KEYS, Scope, synonyms};

/// Returns the shortcuts that match a typed text by their names, synonyms, keys or part of the page, by part. The part
/// `first`, which has the focus, is first.
pub fn listed(typed: &str, first: Option<Scope>, is_mac: bool) -> Vec<(Scope, Vec<&'static Binding>)> {
    let is_found = |binding: &&Binding| {
        let keys: Vec<&str> = binding.chords.iter().flat_map(|chord| chord.parts(is_mac)).collect();
        let words = synonyms(binding.scope, binding.command);
        let text = format!("{} {} {words} {}", binding.name, binding.scope.title(), keys.join(" "));
        let text = text.to_lowercase();
        // A single letter is a key: every name has it somewhere.
        let has = |word: &str| match word.chars().nth(1) {
            None => keys.iter().any(|key| key.eq_ignore_ascii_case(word)),
            Some(_) => text.contains(&word.to_lowercase()),
        };
        typed.split_whitespace().all(has)
    };
    let rest = Scope::ALL.into_iter().filter(|scope| Some(*scope) != first);
    let of = |scope| (scope, KEYS.iter().filter(|binding| binding.scope == scope).filter(is_found).collect::<Vec<_>>());
    first.into_iter().chain(rest).map(of).filter(|(_, bindings)| !bindings.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortcuts_of_focused_part_come_first() {
        let scopes = |first| listed("", first, false).into_iter().map(|(scope, _)| scope).collect::<Vec<_>>();
        assert_eq!(scopes(None), Scope::ALL);
        assert_eq!(scopes(Some(Scope::Stacks))[..3], [Scope::Stacks, Scope::Everywhere, Scope::Timeline]);
        assert_eq!(scopes(Some(Scope::Stacks)).len(), Scope::ALL.len());
    }

    #[test]
    fn shortcuts_are_found_by_name_key_and_synonym() {
        let names = |typed: &str| {
            let found = listed(typed, Some(Scope::Stacks), false);
            found.into_iter().flat_map(|(_, bindings)| bindings).map(|binding| binding.name).collect::<Vec<_>>()
        };
        assert_eq!(names("ctrl p"), ["Find track"]);
        assert_eq!(names("dark"), ["Toggle theme"]);
        assert_eq!(names("focus on call"), ["Focus on call"]);
        assert_eq!(names("invert")[0], "Invert call stacks");
        assert!(names("nothing of it").is_empty());
    }
}
