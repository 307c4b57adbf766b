//! Ranking of the lines of the command palette.

use crate::page::fuzzy::{Letters, Typed, fit_synonyms};
use protocol::base::sort::sort_by_key;
use protocol::named;
use std::cmp::Reverse;

/// Maximum number of commands that were used last, above the others.
const MAX_RECENT: usize = 5;
/// Maximum number of lines other than commands under each heading while nothing is typed.
const MAX_UNTYPED: usize = 12;
/// Maximum number of lines of the only kind.
const MAX_OF_ONE_KIND: usize = 60;
/// Scores that prefer lines with an equally good match: used last, and of the open tab. Together they are smaller than the
/// difference between a better and a worse match.
const RECENT: u32 = 12;
const OF_OPEN_TAB: u32 = 7;

named! {
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum LineKind {
        Command: "Commands";
        Function: "Functions";
        /// Route or type.
        Item: "Routes and types";
        Track: "Tracks and threads";
        Finding: "Findings";
        Note: "Notes";
        EventType: "Filter to events";
    }
    /// Returns the heading of found lines.
    fn title;
}

impl LineKind {
    /// Returns the maximum number of found lines.
    fn most(self) -> usize {
        match self {
            Self::Command => 12,
            Self::Function | Self::Track | Self::Note => 8,
            Self::Item | Self::EventType => 6,
            Self::Finding => 4,
        }
    }
}

/// Kinds to which a first letter limits the search.
const PREFIXES: [(char, LineKind); 3] = [('>', LineKind::Command), ('@', LineKind::Track), ('#', LineKind::Function)];

/// Line of the palette, as far as ranking needs it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PaletteLine {
    name: String,
    letters: Letters,
    with_context: Letters,
    synonyms: &'static str,
    kind: LineKind,
    /// Heading while nothing is typed.
    group: &'static str,
    is_of_open_tab: bool,
    /// 0 for the line that was used last.
    recency: Option<usize>,
}

impl PaletteLine {
    /// Creates a line with its name, the part of the page or another context by which it can be found, and synonyms.
    pub fn new(kind: LineKind, name: &str, context: &'static str, synonyms: &'static str) -> Self {
        let (letters, with_context) = (Letters::of(name), Letters::of(&format!("{context} {name}")));
        let group = if kind == LineKind::Command { context } else { kind.title() };
        let name = name.to_owned();
        Self { name, letters, with_context, synonyms, kind, group, is_of_open_tab: false, recency: None }
    }

    /// Sets whether the line belongs to the open tab.
    pub fn of_open_tab(self, is_of_open_tab: bool) -> Self {
        Self { is_of_open_tab, ..self }
    }

    /// Sets how recently the line was used: 0 for the last one.
    pub fn used(self, recency: Option<usize>) -> Self {
        Self { recency, ..self }
    }

    pub fn kind(&self) -> LineKind {
        self.kind
    }

    fn score(&self, typed: &Typed) -> Option<u32> {
        let name = self.letters.fit(typed).map(|fit| fit * 2 + 1);
        // The context counts less than the name.
        let name = name.or_else(|| self.with_context.fit(typed));
        let synonyms = fit_synonyms(&self.name, self.synonyms, typed).map(|fit| fit * 2 + 1);
        let score = name.max(synonyms)?;
        let recent = self.recency.map_or(0, |at| RECENT.saturating_sub(at as u32));
        Some(score + recent + if self.is_of_open_tab { OF_OPEN_TAB } else { 0 })
    }
}

/// Returns the kind to which a typed text limits the search, and the rest of the text.
pub fn limited(typed: &str) -> (Option<LineKind>, &str) {
    let limit = |(prefix, kind): (char, LineKind)| Some((Some(kind), typed.trim_start().strip_prefix(prefix)?));
    PREFIXES.into_iter().find_map(limit).unwrap_or((None, typed))
}

/// Returns the lines for a typed text with their headings, as indices, in display order: the group with the best line is
/// first. Without a text, commands that were used last are first, then all others.
pub fn ranked(lines: &[&PaletteLine], typed: &str) -> Vec<(&'static str, usize)> {
    let (only, text) = limited(typed);
    let typed = Typed::new(text);
    let is_wanted = |line: &PaletteLine| only.is_none_or(|only| only == line.kind);
    if typed.is_empty() {
        return untyped(lines, &is_wanted);
    }
    let scored = |score: &dyn Fn(&PaletteLine) -> Option<u32>| -> Vec<(u32, usize)> {
        let wanted = lines.iter().enumerate().filter(|(_, line)| is_wanted(line));
        wanted.filter_map(|(at, line)| Some((score(line)?, at))).collect()
    };
    let mut found = scored(&|line| line.score(&typed));
    if found.is_empty() {
        // A letter may have been forgotten.
        found = scored(&|line| line.letters.fit_scattered(&typed));
    }
    sort_by_key(&mut found, |(score, at)| (Reverse(*score), *at));
    let mut groups: Vec<(LineKind, Vec<usize>)> = Vec::new();
    for (_, at) in found {
        let Some(kind) = lines.get(at).map(|line| line.kind) else { continue };
        match groups.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, of_kind)) => of_kind.push(at),
            None => groups.push((kind, vec![at])),
        }
    }
    let is_one = groups.len() == 1;
    let most = |kind: LineKind| if is_one { MAX_OF_ONE_KIND } else { kind.most() };
    groups
        .into_iter()
        .flat_map(|(kind, of)| of.into_iter().take(most(kind)).map(move |at| (kind.title(), at)))
        .collect()
}

fn untyped(lines: &[&PaletteLine], is_wanted: &dyn Fn(&PaletteLine) -> bool) -> Vec<(&'static str, usize)> {
    let wanted = || lines.iter().enumerate().filter(|(_, line)| is_wanted(line));
    let mut recent: Vec<(usize, usize)> = wanted().filter_map(|(at, line)| Some((line.recency?, at))).collect();
    sort_by_key(&mut recent, |recent| *recent);
    recent.truncate(MAX_RECENT);
    let is_recent = |at: usize| recent.iter().any(|(_, other)| *other == at);
    let mut groups: Vec<(&'static str, Vec<usize>)> = Vec::new();
    for (at, line) in wanted().filter(|(at, _)| !is_recent(*at)) {
        match groups.iter_mut().find(|(group, _)| *group == line.group) {
            Some((_, of_group)) if line.kind != LineKind::Command && of_group.len() >= MAX_UNTYPED => {}
            Some((_, of_group)) => of_group.push(at),
            None => groups.push((line.group, vec![at])),
        }
    }
    let recent = recent.iter().map(|(_, at)| ("Recently used", *at));
    recent.chain(groups.into_iter().flat_map(|(group, of)| of.into_iter().map(move |at| (group, at)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::keymap::{Scope, bindings, synonyms};

    fn commands() -> Vec<PaletteLine> {
        let listed = bindings().filter(|binding| !binding.command.is_motion());
        listed
            .map(|binding| {
                let words = synonyms(binding.scope, binding.command);
                PaletteLine::new(LineKind::Command, binding.name, binding.scope.title(), words)
            })
            .collect()
    }

    fn names(lines: &[PaletteLine], typed: &str) -> Vec<String> {
        found(lines, typed).into_iter().map(|(_, at)| lines[at].name.clone()).collect()
    }

    fn found(lines: &[PaletteLine], typed: &str) -> Vec<(&'static str, usize)> {
        ranked(&lines.iter().collect::<Vec<_>>(), typed)
    }

    #[test]
    fn words_of_other_tools_find_commands() {
        let lines = commands();
        for (typed, expected) in [
            // PerfView
            ("caller-callee", "Sandwich"),
            ("grouppats", "Group and fold stacks"),
            ("byname", "Functions"),
            ("who calls", "Show callers and callees"),
            ("incpats", "Keep only stacks with this function"),
            ("excpats", "Drop stacks with this function"),
            // Chrome DevTools
            ("heavy", "Bottom-up"),
            ("dark mode", "Toggle theme"),
            ("event log", "Open Events"),
            ("zoom to selection", "Zoom to selection"),
            // speedscope
            ("left-heavy", "Flame graph"),
            ("time order", "Over time"),
            ("butterfly", "Sandwich"),
            // dotTrace, Visual Studio
            ("hot spots", "Functions"),
            ("back traces", "Bottom-up"),
            ("heaviest", "Functions"),
            // Firefox Profiler, Perfetto
            ("focus on subtree", "Focus on function"),
            ("invert call", "Invert call stacks"),
            ("stack chart", "Over time"),
            ("permalink", "Copy link to this view"),
            // Subjects of analyses
            ("lock waits", "Open Contention"),
            ("dns", "Open Networking"),
            ("full screen", "Maximize or restore tab"),
        ] {
            assert_eq!(names(&lines, typed).first().map(String::as_str), Some(expected), "{typed}");
        }
        assert!(names(&lines, "caller").iter().take(4).any(|name| name == "Show callers and callees"));
        assert!(names(&lines, "invert").iter().take(2).any(|name| name == "Invert call stacks"));
    }

    #[test]
    fn lines_of_open_tab_and_recent_ones_come_first_among_equals() {
        let line = |name: &str| PaletteLine::new(LineKind::Command, name, "Global", "");
        let stacks = PaletteLine::new(LineKind::Command, "Invert call stacks", "Stacks", "");
        let plain = [line("Invert filters"), stacks.clone()];
        assert_eq!(names(&plain, "invert"), ["Invert filters", "Invert call stacks"]);
        let open = [line("Invert filters"), stacks.clone().of_open_tab(true)];
        assert_eq!(names(&open, "invert"), ["Invert call stacks", "Invert filters"]);
        let recent = [line("Invert filters").used(Some(3)), stacks.of_open_tab(true), line("Uninvert").used(Some(0))];
        assert_eq!(names(&recent, "invert"), ["Invert filters", "Invert call stacks", "Uninvert"]);
        assert_eq!(found(&recent, " "), [("Recently used", 2), ("Recently used", 0), ("Stacks", 1)]);
    }

    #[test]
    fn groups_are_limited_and_ordered_by_their_best_line() {
        let mut lines = vec![PaletteLine::new(LineKind::Command, "Lock waits", "Global", "")];
        lines.extend((0..100).map(|at| PaletteLine::new(LineKind::Function, &format!("A.Lock{at}()"), "", "")));
        lines.push(PaletteLine::new(LineKind::Track, "Lock", "Track", ""));
        let headings = |typed: &str| {
            let mut headings: Vec<(&str, usize)> = Vec::new();
            for (heading, _) in found(&lines, typed) {
                match headings.last_mut().filter(|last| last.0 == heading) {
                    Some(last) => last.1 += 1,
                    None => headings.push((heading, 1)),
                }
            }
            headings
        };
        assert_eq!(headings("lock"), [("Commands", 1), ("Tracks and threads", 1), ("Functions", 8)]);
        assert_eq!(headings("#lock"), [("Functions", 60)]);
        assert_eq!(headings("@"), [("Tracks and threads", 1)]);
        assert_eq!(headings(""), [("Global", 1), ("Functions", 12), ("Tracks and threads", 1)]);
        assert_eq!(headings("wats"), [("Commands", 1)], "a letter is missing");
        assert_eq!(headings("nothing of it"), []);
    }

    #[test]
    fn every_command_is_listed_without_text() {
        let lines = commands();
        let mut headings: Vec<&str> = found(&lines, "").into_iter().map(|(heading, _)| heading).collect();
        assert_eq!(headings.len(), lines.len());
        assert_eq!(headings[0], Scope::Everywhere.title());
        headings.dedup();
        assert!(headings.len() <= Scope::ALL.len(), "each heading once: {headings:?}");
    }
}
