//! Just my code, and folding of groups of frames.
//!
//! Most frames belong to .NET and the operating system, and say little about the app. Where the app calls framework code,
//! the first framework frame represents all frames up to the app's next one. Framework code before the app's first
//! frame becomes one frame per family. Users can show a family; its frames then count as the app's.
//!
//! Time spent deeper in folded code has a separate frame below the representing one: the category of that code, if known.
//! So no frame gets exclusive time that it didn't spend itself.

use super::patterns::StackPatterns;
use super::{TransformedCallPaths, TransformedNode, step};
use crate::analysis::samples::call_nodes::{CallNodeBuilder, CallNodes};
use crate::analysis::samples::stack_states::{is_poll, method_path};
use crate::analysis::stacks::families::family_of;
use crate::analysis::stacks::frames::{Frames, class, namespace};
use crate::analysis::stacks::unresolved::unresolved_name;
use crate::model::{Function, Store};
use protocol::base::hash::FastMap;
use protocol::base::ids::{CallNodeId, FunctionId};
use protocol::stacks::shape::{FrameName, Grouping, Shape};
use protocol::tables::frame_flag::{CATEGORY, UNRESOLVED};

/// Effect of patterns on a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// No effect.
    None,
    /// Merges the frame into its caller.
    Fold,
    /// Displays its group instead.
    Group,
    /// Belongs to the group with this number, whose entries are shown.
    Entry(u32),
}

/// Folding properties of a frame.
#[derive(Clone, Copy)]
struct Folding {
    /// Effect of patterns.
    rule: Rule,
    /// The displayed frame.
    frame: FunctionId,
    /// Group of its family, if it is framework code that isn't shown.
    family: Option<FunctionId>,
    /// True if this family is above the base library and takes precedence over it.
    is_library: bool,
    /// True if threads begin in it; any other frame takes precedence over it.
    is_start: bool,
    /// True for framework or system code, shown or not.
    is_framework: bool,
    /// True if it and the framework code below count for its caller: a poll for the GC, or spinning.
    is_poll: bool,
}

/// Position of a frame relative to the app's code, for the frames below it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// Only roots and links were called so far.
    Outside,
    /// The app's code.
    Mine,
    /// Framework code called by the app.
    Entry,
    /// Framework code called by [`Self::Entry`] code; it has a frame for its category.
    Below,
    /// Framework code before the app's first frame: thread start, base library, or another family.
    Start,
    Base,
    Library,
    /// In the group with a number, whose entries are shown.
    Entered,
}

impl Place {
    const ALL: [Self; 8] =
        [Self::Outside, Self::Mine, Self::Entry, Self::Below, Self::Start, Self::Base, Self::Library, Self::Entered];
}

/// State for the frames below a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Above {
    place: Place,
    /// True if code that counts for its caller was called last.
    counts: bool,
    /// Number of frames so far in the family before the app's first frame; at most `u16::MAX`.
    frames: u16,
    /// The entered group.
    group: u32,
}

impl Above {
    const OUTSIDE: Self = Self::at(Place::Outside);

    const fn at(place: Place) -> Self {
        Self { place, counts: false, frames: 0, group: 0 }
    }

    fn family(place: Place, frames: u16) -> Self {
        Self { frames, ..Self::at(place) }
    }

    /// Returns whether a family of .NET was called before any of the app's code.
    fn is_family(self) -> bool {
        matches!(self.place, Place::Start | Place::Base | Place::Library)
    }

    fn packed(self) -> u64 {
        self.place as u64 | u64::from(self.counts) << 8 | u64::from(self.frames) << 16 | u64::from(self.group) << 32
    }

    fn unpacked(packed: u64) -> Self {
        Self {
            place: Place::ALL.get(packed as usize & 0xff).copied().unwrap_or(Place::Outside),
            counts: packed >> 8 & 1 != 0,
            frames: (packed >> 16) as u16,
            group: (packed >> 32) as u32,
        }
    }
}

/// Frame for time spent deeper in folded code of an unknown category.
const BELOW: &str = "Other .NET code";

/// Folds the paths of a trace according to a shape.
pub(crate) fn fold(
    store: &Store,
    nodes: &CallNodes,
    frames: &mut Frames,
    shape: &Shape,
    patterns: &StackPatterns,
) -> TransformedCallPaths {
    let functions = store.functions.iter().zip(0..);
    let mut entered = FastMap::default();
    let foldings: Vec<Folding> = functions
        .map(|(function, id)| {
            let folding = folding(store, frames, shape, function, FunctionId(id));
            ruled(store, frames, patterns, &mut entered, function, folding)
        })
        .collect();
    let below = frames.category(BELOW);
    let is_grouped = shape.grouping != Grouping::Functions;
    let of = Folded { foldings: &foldings, below, is_grouped, counts_callees: shape.without_callees };
    folded(nodes, &of, &|frame| frames.flags(frame))
}

/// Parameters of folding.
struct Folded<'f> {
    foldings: &'f [Folding],
    /// Frame of time spent deeper in folded code.
    below: FunctionId,
    /// True to merge a frame into a caller with the same displayed frame.
    is_grouped: bool,
    /// True if framework code counts for the app's code that calls it.
    counts_callees: bool,
}

/// Folds paths of frames with these properties. `flags` returns the flags of frames that aren't functions.
fn folded(nodes: &CallNodes, of: &Folded<'_>, flags: &dyn Fn(FunctionId) -> u8) -> TransformedCallPaths {
    let shown = |builder: &mut CallNodeBuilder, at: CallNodeId, frame: FunctionId| {
        let is_same = of.is_grouped && builder.function(at) == Some(frame);
        if is_same { at } else { builder.child(at, frame) }
    };
    let mut spans = FoldSpans::default();
    let mut folded = step(nodes, Above::OUTSIDE.packed(), &mut |builder, frame, caller| {
        let above = Above::unpacked(caller.state);
        let to = |at: CallNodeId, above: Above| TransformedNode { at, state: above.packed() };
        // Callees of code folded below a frame are placed beside it.
        let at = if above.place == Place::Below { builder.parent(caller.at) } else { caller.at };
        let Some(&Folding { rule, frame, family, is_library, is_start, is_framework, is_poll }) =
            of.foldings.get(frame.index())
        else {
            let is_unresolved = builder.function(caller.at).is_some_and(|caller| flags(caller) & UNRESOLVED != 0);
            return match (flags(frame) & CATEGORY != 0, above.place) {
                // Roots of stacks aren't folded.
                (false, _) => to(builder.child(caller.at, frame), Above::OUTSIDE),
                // The app's code spends the time itself; the owner of unresolved code is unknown.
                (true, Place::Outside | Place::Mine | Place::Entered) if !is_unresolved => caller,
                (true, _) => {
                    if above.is_family() {
                        spans.ends(caller.at, above.frames);
                    }
                    to(builder.child(at, frame), above)
                }
            };
        };
        let is_callee = of.counts_callees && is_framework && matches!(above.place, Place::Mine | Place::Entered);
        if is_poll && above.place != Place::Outside || above.counts && is_framework || is_callee {
            return to(caller.at, Above { counts: true, ..above });
        }
        match rule {
            Rule::None => {}
            Rule::Fold => return caller,
            Rule::Entry(group) if above.place == Place::Entered && above.group == group => return caller,
            Rule::Entry(group) => {
                return to(builder.child(at, frame), Above { group, ..Above::at(Place::Entered) });
            }
            Rule::Group => {
                let is_same = builder.function(at) == Some(frame);
                return to(if is_same { at } else { builder.child(at, frame) }, Above::at(Place::Mine));
            }
        }
        let Some(family) = family else {
            if above.is_family() {
                spans.ends(caller.at, above.frames);
            }
            return to(shown(builder, at, frame), Above::at(Place::Mine));
        };
        let frames = above.frames.saturating_add(1);
        let place = match (is_start, is_library) {
            (true, _) => Place::Start,
            (_, true) => Place::Library,
            _ => Place::Base,
        };
        match above.place {
            Place::Mine | Place::Entered => to(shown(builder, at, frame), Above::at(Place::Entry)),
            Place::Entry => to(builder.child(at, of.below), Above::at(Place::Below)),
            Place::Below => caller,
            Place::Outside => to(builder.child(at, family), Above::family(place, 1)),
            Place::Start if !is_start => to(builder.child(builder.parent(at), family), Above::family(place, frames)),
            Place::Base if place == Place::Library => {
                spans.ends(caller.at, above.frames);
                to(builder.child(at, family), Above::family(place, 1))
            }
            Place::Start | Place::Base | Place::Library => to(at, Above { frames, ..above }),
        }
    });
    folded.folded = spans.finish(folded.nodes.len()).into();
    folded
}

/// Minimum and maximum number of frames folded into one.
pub type FoldSpan = (u16, u16);

/// Numbers of frames that frames before the app's first one represent.
#[derive(Default)]
struct FoldSpans(FastMap<CallNodeId, FoldSpan>);

impl FoldSpans {
    /// Records that a path continues from there, or ends.
    fn ends(&mut self, node: CallNodeId, frames: u16) {
        let span = self.0.entry(node).or_insert((frames, frames));
        *span = (span.0.min(frames), span.1.max(frames));
    }

    /// Returns the numbers by node.
    fn finish(self, nodes: usize) -> Vec<FoldSpan> {
        let mut spans = vec![(0, 0); if self.0.is_empty() { 0 } else { nodes }];
        for (node, span) in self.0 {
            if let Some(of_node) = spans.get_mut(node.index()) {
                *of_node = span;
            }
        }
        spans
    }
}

fn folding(store: &Store, frames: &mut Frames, shape: &Shape, function: &Function, id: FunctionId) -> Folding {
    let strings = &store.strings;
    let module = strings.get(function.module);
    let raw_name = strings.get(function.raw_name);
    let namespace = namespace(raw_name);
    let is_framework = is_framework(store, function, shape);
    let mut group = |name: &str, module: &str| {
        let frame = FrameName { name: name.to_owned(), module: module.to_owned() };
        frames.group(frame, is_framework)
    };
    let frame = match shape.grouping {
        Grouping::Functions => id,
        Grouping::Classes if !class(raw_name).is_empty() => group(class(raw_name), module),
        Grouping::Namespaces if !namespace.is_empty() => group(namespace, ""),
        Grouping::Classes | Grouping::Namespaces | Grouping::Modules if !module.is_empty() => group(module, module),
        Grouping::Classes | Grouping::Namespaces | Grouping::Modules => id,
    };
    let name = family_of(store, function);
    let is_unresolved = shape.unresolved && function.is_unresolved && !shape.shown.contains(&unresolved_name(module));
    let is_folded = shape.just_my_code && is_framework && !shape.shown.iter().any(|shown| shown == name);
    let path = method_path(store, function);
    let is_library = path.starts_with("Microsoft.") && !path.starts_with("Microsoft.Win32.");
    let is_start = function.is_managed && THREAD_STARTS.iter().any(|start| path.starts_with(start));
    let family = is_folded.then(|| group(name, ""));
    let frame = if is_unresolved { frames.unresolved(module, is_framework) } else { frame };
    let rule = if is_unresolved && family.is_none() { Rule::Group } else { Rule::None };
    let is_poll = shape.without_polls && is_poll(store, function);
    let is_framework = is_framework || !function.is_managed;
    Folding { rule, frame, family, is_library, is_start, is_framework, is_poll }
}

/// Functions in which threads begin, by prefix of the raw name.
const THREAD_STARTS: [&str; 5] = [
    "System.Threading.Thread.StartCallback",
    "System.Threading.Thread+StartHelper.",
    "System.Threading.Thread.ThreadMain_",
    "System.Threading.ThreadHelper.",
    "System.Threading.ExecutionContext.",
];

/// Returns whether a function is framework code according to a shape.
pub(crate) fn is_framework(store: &Store, function: &Function, shape: &Shape) -> bool {
    if shape.framework.is_empty() {
        return function.is_framework;
    }
    let (module, raw_name) = (store.strings.get(function.module), store.strings.get(function.raw_name));
    let namespace = namespace(raw_name);
    let is_below = |path: &str, prefix: &str| {
        let is_start = path.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
        is_start && matches!(path.as_bytes().get(prefix.len()), None | Some(b'.'))
    };
    let is_named = shape.framework.iter().any(|prefix| is_below(namespace, prefix) || is_below(module, prefix));
    // Native code has no namespace, so it can't be named by one.
    is_named || !function.is_managed && function.is_framework
}

/// Returns the effect of patterns on a frame.
fn ruled(
    store: &Store,
    frames: &mut Frames,
    patterns: &StackPatterns,
    entered: &mut FastMap<String, u32>,
    function: &Function,
    folding: Folding,
) -> Folding {
    let raw_name = store.strings.get(function.raw_name);
    let mut named = |name: String| frames.group(FrameName { name, module: String::new() }, function.is_framework);
    match patterns.group(raw_name) {
        Some(group) if patterns.folds(&group.name) => Folding { rule: Rule::Fold, ..folding },
        Some(group) if group.shows_entry => {
            let next = entered.len() as u32;
            let name = format!("{} <<{}>>", group.name, store.strings.get(function.name));
            let number = *entered.entry(group.name).or_insert(next);
            Folding { rule: Rule::Entry(number), frame: named(name), ..folding }
        }
        Some(group) => Folding { rule: Rule::Group, frame: named(group.name), ..folding },
        None if patterns.folds(raw_name) => Folding { rule: Rule::Fold, ..folding },
        None => folding,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::samples::call_nodes::tests::nodes_of;

    /// Frames of time deeper in folded code, and of a category.
    const BELOW: u32 = 70;
    const WAITS: u32 = 75;

    /// Returns the rule of a frame: 7 is folded, 8 is in a group with the number 85, 9 and 19 are in one whose entries
    /// are shown.
    fn rule(id: u32) -> Rule {
        match id {
            7 => Rule::Fold,
            8 => Rule::Group,
            9 | 19 => Rule::Entry(0),
            _ => Rule::None,
        }
    }

    /// Returns the folding of frames: 1 to 9 are the app's; 10 to 19 the base library's with the group 90 (threads
    /// begin in 18); 20 to 29 another library's with the group 91; 30 polls and calls 31.
    fn foldings(is_grouped: bool) -> Vec<Folding> {
        let folding = |id: u32| {
            let family = [None, Some(90), Some(91), Some(92)][id as usize / 10];
            let frame = match id {
                8 => 85,
                ..5 if is_grouped => 80,
                _ => id,
            };
            Folding {
                rule: rule(id),
                frame: FunctionId(frame),
                family: family.map(FunctionId),
                is_library: (20..30).contains(&id),
                is_start: id == 18,
                is_framework: id >= 10,
                is_poll: id == 30,
            }
        };
        (0..32).map(folding).collect()
    }

    fn fold(stack: &[u32], is_grouped: bool) -> Vec<u32> {
        fold_as(stack, is_grouped, false)
    }

    fn fold_as(stack: &[u32], is_grouped: bool, counts_callees: bool) -> Vec<u32> {
        let (nodes, leaves) = nodes_of(&[stack]);
        let of = Folded { foldings: &foldings(is_grouped), below: FunctionId(BELOW), is_grouped, counts_callees };
        let shaped = folded(&nodes, &of, &|frame| if frame.0 == WAITS { CATEGORY } else { 0 });
        let place = shaped.place(nodes.of_stack(leaves[0])).unwrap_or(CallNodeId(0));
        let path = shaped.nodes.path(place).filter_map(|node| shaped.nodes.function(node));
        let mut path: Vec<u32> = path.map(|frame| frame.0).collect();
        path.reverse();
        path
    }

    #[test]
    fn first_framework_callee_represents_its_callees() {
        assert_eq!(fold(&[1, 2, 10], false), [1, 2, 10], "what happens in the frame itself is its own");
        assert_eq!(fold(&[1, 2, 10, 11, 20, 12], false), [1, 2, 10, BELOW]);
        assert_eq!(fold(&[1, 10, 11, 2, 12, 3], false), [1, 10, 2, 12, 3], "a callback is the program again");
    }

    #[test]
    fn framework_callers_are_one_frame_per_family() {
        assert_eq!(fold(&[10, 11, 12, 1, 2], false), [90, 1, 2]);
        assert_eq!(
            fold(&[10, 20, 11, 21, 1, 13], false),
            [90, 91, 1, 13],
            "a library takes over from the base library"
        );
        assert_eq!(fold(&[10, 11], false), [90], "a stack without the program has no more than that");
    }

    #[test]
    fn category_frame_is_only_below_folded_code() {
        assert_eq!(fold(&[1, 10, 11, 12, WAITS], false), [1, 10, WAITS]);
        assert_eq!(fold(&[1, 10, WAITS], false), [1, 10, WAITS]);
        assert_eq!(fold(&[18, 10, 11, WAITS], false), [90, WAITS], "nothing is the program's");
        assert_eq!(fold(&[1, 10, 2, WAITS], false), [1, 10, 2], "the program's code does it itself");
    }

    #[test]
    fn polls_and_callees_count_for_callers() {
        assert_eq!(fold(&[1, 30], false), [1]);
        assert_eq!(fold(&[1, 30, 31, 30], false), [1]);
        assert_eq!(fold(&[1, 10, 30, 31, WAITS], false), [1, 10, WAITS], "it spins while it waits");
        assert_eq!(fold(&[1, 30, 31, 2, 10], false), [1, 2, 10], "a condition to spin for is the program's");
        assert_eq!(fold(&[30], false), [92], "it has no caller");
    }

    #[test]
    fn framework_callees_can_count_for_the_app() {
        let fold = |stack: &[u32]| fold_as(stack, false, true);
        assert_eq!(fold(&[1, 2, 10, 11, 20, WAITS]), [1, 2]);
        assert_eq!(fold(&[1, 10, 11, 2, 12, 3, 10]), [1, 2, 3], "callbacks have their own time");
        assert_eq!(fold(&[18, 10, 1, 10]), [90, 1]);
        assert_eq!(fold(&[10, 11]), [90], "nothing is the program's");
    }

    #[test]
    fn family_frames_are_counted() {
        let (nodes, leaves) = nodes_of(&[&[18, 10, 11, 1], &[18, 10, 11, 12, 13, 2], &[18, 10, 20, 21, 3]]);
        let of =
            Folded { foldings: &foldings(false), below: FunctionId(BELOW), is_grouped: false, counts_callees: false };
        let shaped = folded(&nodes, &of, &|_| 0);
        let caller = |leaf: usize| {
            let place = shaped.place(nodes.of_stack(leaves[leaf])).unwrap_or(CallNodeId(0));
            shaped.nodes.parent(place)
        };
        let folds = shaped.folds();
        assert_eq!(folds[caller(0).index()], (2, 5), "where the thread begins counts, too");
        assert_eq!(folds[caller(2).index()], (2, 2));
        assert_eq!(folds[CallNodes::ROOT.index()], (0, 0));
    }

    #[test]
    fn patterns_take_precedence_over_just_my_code() {
        assert_eq!(fold(&[1, 7, 2, 7], false), [1, 2]);
        assert_eq!(fold(&[1, 8, 8, 2, 8], false), [1, 85, 2, 85]);
        assert_eq!(fold(&[1, 9, 19, 9, 2, 19, 10], false), [1, 9, 2, 19, 10], "only what enters the group is shown");
        assert_eq!(fold(&[7, 7], false), [] as [u32; 0], "what has no caller is part of everything");
    }

    #[test]
    fn recursive_groups_are_one_frame() {
        assert_eq!(fold(&[1, 2, 5, 3, 4, 10], true), [80, 5, 80, 10]);
        assert_eq!(fold(&[1, 2, 1], false), [1, 2, 1]);
    }
}
