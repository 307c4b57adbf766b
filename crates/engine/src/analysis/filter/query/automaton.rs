//! Deterministic automaton of a regular expression for ASCII texts without line breaks: one table lookup per character,
//! where `regex_lite` needs about a microsecond per text.
//!
//! States are built when a text first needs them. Where the automaton can't answer, it says so.

use super::expression::{Expression, Position};
use protocol::base::hash::FastMap;

/// Maximum number of nodes and states; with more, only `regex_lite` answers.
const MAX_NODES: usize = 1 << 12;
const MAX_STATES: usize = 1 << 9;
/// Maximum number of parts visited while building nodes, because parts without characters have none.
const MAX_VISITS: usize = 1 << 14;

/// What follows a character instead of a state: found, impossible, unknown, not built yet.
const FOUND: u16 = u16::MAX;
const NEVER: u16 = u16::MAX - 1;
const UNKNOWN: u16 = u16::MAX - 2;
const UNBUILT: u16 = u16::MAX - 3;

#[derive(Clone, Copy, Debug)]
enum Node {
    /// A character of a set, before another node.
    One(u128, u32),
    /// Either of two nodes.
    Either(u32, u32),
    /// A position, before another node.
    At(Position, u32),
    Found,
}

struct State {
    /// By character: the next state.
    next: [u16; 128],
    /// Nodes that wait for a character or for the end.
    waiting: Box<[u32]>,
    /// True if a text that ends here matches.
    matches_at_end: bool,
}

/// An automaton that finds a match anywhere in a text.
pub(super) struct Automaton {
    nodes: Vec<Node>,
    first: u32,
    states: Vec<State>,
    by_waiting: FastMap<Box<[u32]>, u16>,
    /// The state, or the answer, before the first character.
    start: u16,
    /// False if it may find more than the expression does.
    is_exact: bool,
}

impl Automaton {
    /// Prepares the automaton; `None` if the expression is too large.
    pub fn new(expression: &Expression, is_exact: bool) -> Option<Self> {
        let mut builder = Builder { nodes: vec![Node::Found], visits: 0 };
        let first = builder.add(expression, 0)?;
        let nodes = builder.nodes;
        let (states, by_waiting) = (Vec::new(), FastMap::default());
        let mut automaton = Self { nodes, first, states, by_waiting, start: NEVER, is_exact };
        automaton.start = automaton.state(vec![first], true);
        Some(automaton)
    }

    /// Returns whether a text of these code units matches; `None` if the automaton can't tell.
    pub fn answer(&mut self, units: impl IntoIterator<Item = u16>) -> Option<bool> {
        let mut at = self.start;
        let mut units = units.into_iter();
        let is_found = loop {
            match at {
                FOUND => break true,
                NEVER => break false,
                UNKNOWN => return None,
                _ => {}
            }
            let Some(unit) = units.next() else {
                break self.states.get(usize::from(at))?.matches_at_end;
            };
            let next = *self.states.get(usize::from(at))?.next.get(usize::from(unit))?;
            at = if next == UNBUILT { self.build(at, unit) } else { next };
        };
        (!is_found || self.is_exact).then_some(is_found)
    }

    /// Returns what follows a state and a character.
    fn build(&mut self, at: u16, unit: u16) -> u16 {
        // A line break may begin a line, which the automaton doesn't distinguish.
        let next = if unit == 10 || unit == 13 {
            UNKNOWN
        } else {
            let waiting = self.states.get(usize::from(at)).map_or(&[][..], |state| &*state.waiting);
            let behind = waiting.iter().filter_map(|&node| match self.nodes[node as usize] {
                Node::One(set, behind) if set & 1 << unit != 0 => Some(behind),
                _ => None,
            });
            let reached = behind.chain([self.first]).collect();
            self.state(reached, false)
        };
        if let Some(state) = self.states.get_mut(usize::from(at)) {
            state.next[usize::from(unit)] = next;
        }
        next
    }

    /// Returns the state in which some nodes are reached.
    fn state(&mut self, reached: Vec<u32>, is_start: bool) -> u16 {
        let (mut waiting, is_found) = self.close(reached, is_start, false);
        if is_found {
            return FOUND;
        }
        if waiting.is_empty() {
            return NEVER;
        }
        waiting.sort_unstable();
        let waiting: Box<[u32]> = waiting.into();
        if let Some(&known) = self.by_waiting.get(&waiting) {
            return known;
        }
        if self.states.len() == MAX_STATES {
            return UNKNOWN;
        }
        let (_, matches_at_end) = self.close(waiting.to_vec(), is_start, true);
        let state = self.states.len() as u16;
        // Only the first character is at the start.
        if !is_start {
            self.by_waiting.insert(waiting.clone(), state);
        }
        self.states.push(State { next: [UNBUILT; 128], waiting, matches_at_end });
        state
    }

    /// Returns the waiting nodes that some nodes lead to without a character, and whether they lead to a match.
    fn close(&self, mut open: Vec<u32>, is_start: bool, is_end: bool) -> (Vec<u32>, bool) {
        let mut seen = vec![false; self.nodes.len()];
        let (mut waiting, mut is_found) = (Vec::new(), false);
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut seen[node as usize], true) {
                continue;
            }
            match self.nodes[node as usize] {
                Node::One(..) => waiting.push(node),
                Node::Either(left, right) => open.extend([left, right]),
                Node::At(Position::Start, _) if !is_start => {}
                Node::At(Position::End, _) if !is_end => waiting.push(node),
                Node::At(_, behind) => open.push(behind),
                Node::Found => is_found = true,
            }
        }
        (waiting, is_found)
    }
}

struct Builder {
    nodes: Vec<Node>,
    visits: usize,
}

impl Builder {
    fn push(&mut self, node: Node) -> Option<u32> {
        self.nodes.push(node);
        (self.nodes.len() <= MAX_NODES).then_some(self.nodes.len() as u32 - 1)
    }

    /// Adds the nodes of a part before the node `behind`. Returns the first one.
    fn add(&mut self, part: &Expression, mut behind: u32) -> Option<u32> {
        self.visits += 1;
        if self.visits > MAX_VISITS {
            return None;
        }
        match part {
            Expression::One(set) => self.push(Node::One(set.ascii(), behind)),
            Expression::At(position) => self.push(Node::At(*position, behind)),
            Expression::Sequence(parts) => parts.iter().rev().try_fold(behind, |behind, part| self.add(part, behind)),
            Expression::Choice(parts) => {
                let mut parts = parts.iter();
                let first = self.add(parts.next()?, behind)?;
                parts.try_fold(first, |before, part| {
                    let part = self.add(part, behind)?;
                    self.push(Node::Either(before, part))
                })
            }
            Expression::Repeat(part, least, most) => {
                let end = behind;
                if let Some(most) = most {
                    for _ in *least..*most {
                        let part = self.add(part, behind)?;
                        behind = self.push(Node::Either(part, end))?;
                    }
                } else {
                    let again = self.push(Node::Found)?;
                    self.nodes[again as usize] = Node::Either(self.add(part, again)?, end);
                    behind = again;
                }
                (0..*least).try_fold(behind, |behind, _| self.add(part, behind))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::expression::tests::expression;
    use super::*;
    use proptest::prelude::*;
    use regex_lite::RegexBuilder;

    fn automaton(pattern: &str, ignores_case: bool) -> Option<Automaton> {
        let (expression, is_exact) = Expression::parse(pattern, ignores_case)?;
        Automaton::new(&expression, is_exact)
    }

    fn answer(pattern: &str, text: &str) -> Option<bool> {
        automaton(pattern, false)?.answer(text.bytes().map(u16::from))
    }

    #[test]
    fn positions_counts_and_case_are_exact() {
        for text in ["123456789", "x123456789x"] {
            assert_eq!(answer("[0-9]{9}", text), Some(true), "{text}");
            assert_eq!(answer("[0-9]{10}", text), Some(false), "{text}");
        }
        assert_eq!(answer("^[0-9]{2,3}$", "123"), Some(true));
        assert_eq!(answer("^[0-9]{2,3}$", "1234"), Some(false));
        assert_eq!([answer("$^", ""), answer("$^", "1")], [Some(true), Some(false)]);
        assert_eq!([answer("[a-z] [A-Z]", "a B"), answer("[a-z] [A-Z]", "a b")], [Some(true), Some(false)]);
        assert_eq!([answer("[^a]", "A"), answer("(?i:[^a])", "A")], [Some(true), None]);
    }

    #[test]
    fn other_characters_positions_and_large_expressions_have_no_answer() {
        assert_eq!([answer("a.b", "a\u{e9}b"), answer("a[^b]", "a\nb"), answer("a$", "b\ra")], [None; 3]);
        assert_eq!(
            [answer("^b", "a\nb"), answer("(?m)^b", "a\nb"), answer("(?m:^b)", "a\nb")],
            [Some(false), None, None]
        );
        assert_eq!([answer(r"\ba", "xa"), answer(r"\ba", "xb")], [None, Some(false)]);
        assert!(automaton("a{9999}", false).is_none());
        assert!(automaton("(?:(?:(?:){1000}){1000}){1000}", false).is_none());
        // This has more states than are built.
        let mut random = 1_u32;
        let text = std::iter::repeat_with(|| {
            random ^= random << 13;
            random ^= random >> 17;
            random ^= random << 5;
            if random.is_multiple_of(2) { 'a' } else { 'b' }
        });
        assert_eq!(answer("(a|b)*a(a|b){12}c", &text.take(10_000).collect::<String>()), None);
    }

    proptest! {
        #[test]
        fn answers_are_those_of_regex_lite(
            pattern in expression(),
            texts in proptest::collection::vec("[abAB01 .\u{e9}\n-]{0,8}", 1..20),
            ignores_case in any::<bool>(),
        ) {
            let regex = RegexBuilder::new(&pattern).case_insensitive(ignores_case).build().unwrap();
            let mut automaton = automaton(&pattern, ignores_case).expect("a small expression");
            for text in texts {
                let answer = automaton.answer(text.encode_utf16());
                prop_assert!(answer.is_none_or(|answer| answer == regex.is_match(&text)), "{text:?}: {answer:?}");
                let is_plain = text.is_ascii() && !text.contains('\n');
                let is_certain = !pattern.contains("(?i") && !pattern.contains("\\b");
                prop_assert!(answer.is_some() || !is_plain || !is_certain, "{text:?}");
            }
        }
    }
}
