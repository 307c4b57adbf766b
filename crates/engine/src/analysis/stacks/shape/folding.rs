//! Just my code, and what is one frame.
//!
//! .NET's own frames (and the operating system's) are many and say little of the program. Of those that the program's code
//! calls, the one that it calls stands for all that follows up to the program's code; those before the program's first frame
//! are one frame a family of namespaces. A family can be shown all the same: its frames then count as the program's.

use super::patterns::StackPatterns;
use super::{TransformedCallPaths, TransformedNode, step};
use crate::analysis::samples::call_nodes::{CallNodeBuilder, CallNodes};
use crate::analysis::stacks::frames::{Frames, class, family_of, namespace};
use crate::analysis::stacks::unresolved::unresolved_name;
use crate::model::{Function, Store};
use protocol::base::hash::FastMap;
use protocol::base::ids::FunctionId;
use protocol::stacks::shape::{FrameName, Grouping, Shape};

/// What a pattern says of a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Nothing.
    None,
    /// It becomes a part of its caller.
    Fold,
    /// It is shown as its group.
    Group,
    /// It is in the group of this number, whose entries are shown.
    Entry(u32),
}

/// What is known of a frame.
#[derive(Clone, Copy)]
struct Folding {
    /// What a pattern says of it.
    rule: Rule,
    /// What it is shown as.
    frame: FunctionId,
    /// If it is .NET's own and not shown all the same: the group of its family.
    family: Option<FunctionId>,
    /// Whether that family is at home above the base library: it takes over from it.
    is_library: bool,
}

/// Before the program's first frame: no frame yet.
const OUTSIDE: u64 = 0;
/// The caller is the program's code.
const MINE: u64 = 1;
/// The caller is .NET's code that the program called, or something below it.
const CALLED: u64 = 2;
/// Before the program's first frame, in the base library; in another family.
const BASE: u64 = 3;
const LIBRARY: u64 = 4;
/// From here on: the caller is in the group of that number, whose entries are shown.
const ENTERED: u64 = 1 << 32;

/// Folds the paths of a trace as a shape says.
pub(crate) fn fold(
    store: &Store,
    nodes: &CallNodes,
    frames: &mut Frames,
    shape: &Shape,
    patterns: &StackPatterns,
) -> TransformedCallPaths {
    let functions = store.functions().iter().zip(0..);
    let mut entered = FastMap::default();
    let foldings: Vec<Folding> = functions
        .map(|(function, id)| {
            let folding = folding(store, frames, shape, function, FunctionId(id));
            ruled(store, frames, patterns, &mut entered, function, folding)
        })
        .collect();
    folded(nodes, &foldings, shape.grouping != Grouping::Functions)
}

/// Folds paths of frames of which this is known. With `is_grouped` a frame that its caller is shown as, too, is that frame.
fn folded(nodes: &CallNodes, foldings: &[Folding], is_grouped: bool) -> TransformedCallPaths {
    let shown = |builder: &mut CallNodeBuilder, caller: TransformedNode, frame: FunctionId| {
        let is_same = is_grouped && builder.function(caller.at) == Some(frame);
        if is_same { caller.at } else { builder.child(caller.at, frame) }
    };
    step(nodes, OUTSIDE, &mut |builder, frame, caller| {
        // What stacks begin with is not folded.
        let Some(&Folding { rule, frame, family, is_library }) = foldings.get(frame.index()) else {
            return TransformedNode { at: builder.child(caller.at, frame), state: OUTSIDE };
        };
        match rule {
            Rule::None => {}
            Rule::Fold => return caller,
            Rule::Entry(group) if caller.state == ENTERED + u64::from(group) => return caller,
            Rule::Entry(group) => {
                return TransformedNode { at: builder.child(caller.at, frame), state: ENTERED + u64::from(group) };
            }
            Rule::Group => {
                let is_same = builder.function(caller.at) == Some(frame);
                let at = if is_same { caller.at } else { builder.child(caller.at, frame) };
                return TransformedNode { at, state: MINE };
            }
        }
        let Some(family) = family else {
            return TransformedNode { at: shown(builder, caller, frame), state: MINE };
        };
        match caller.state {
            CALLED | LIBRARY => caller,
            MINE | ENTERED.. => TransformedNode { at: shown(builder, caller, frame), state: CALLED },
            BASE if !is_library => caller,
            _ => {
                TransformedNode { at: builder.child(caller.at, family), state: if is_library { LIBRARY } else { BASE } }
            }
        }
    })
}

fn folding(store: &Store, frames: &mut Frames, shape: &Shape, function: &Function, id: FunctionId) -> Folding {
    let strings = store.strings();
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
    let is_library = name.starts_with("Microsoft.");
    let family = is_folded.then(|| group(name, ""));
    let frame = if is_unresolved { frames.unresolved(module, is_framework) } else { frame };
    let rule = if is_unresolved && family.is_none() { Rule::Group } else { Rule::None };
    Folding { rule, frame, family, is_library }
}

/// Whether a function is one of .NET's own, as a shape has it.
pub(crate) fn is_framework(store: &Store, function: &Function, shape: &Shape) -> bool {
    if shape.framework.is_empty() {
        return function.is_framework;
    }
    let (module, raw_name) = (store.strings().get(function.module), store.strings().get(function.raw_name));
    let namespace = namespace(raw_name);
    let is_below = |path: &str, prefix: &str| {
        let is_start = path.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
        is_start && matches!(path.as_bytes().get(prefix.len()), None | Some(b'.'))
    };
    let is_named = shape.framework.iter().any(|prefix| is_below(namespace, prefix) || is_below(module, prefix));
    // Native code has no namespace to be named by.
    is_named || !function.is_managed && function.is_framework
}

/// What patterns make of a frame.
fn ruled(
    store: &Store,
    frames: &mut Frames,
    patterns: &StackPatterns,
    entered: &mut FastMap<String, u32>,
    function: &Function,
    folding: Folding,
) -> Folding {
    let raw_name = store.strings().get(function.raw_name);
    let mut named = |name: String| frames.group(FrameName { name, module: String::new() }, function.is_framework);
    match patterns.group(raw_name) {
        Some(group) if patterns.folds(&group.name) => Folding { rule: Rule::Fold, ..folding },
        Some(group) if group.shows_entry => {
            let next = entered.len() as u32;
            let name = format!("{} <<{}>>", group.name, store.strings().get(function.name));
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
    use protocol::base::ids::CallNodeId;

    /// 7 is folded, 8 is in a group with the number 85, 9 and 19 in one whose entries are shown.
    fn rule(id: u32) -> Rule {
        match id {
            7 => Rule::Fold,
            8 => Rule::Group,
            9 | 19 => Rule::Entry(0),
            _ => Rule::None,
        }
    }

    /// 1 to 9 are the program's, 10 to 19 the base library's with the group 90, 20 to 29 a library's with the group 91.
    fn foldings(is_grouped: bool) -> Vec<Folding> {
        let folding = |id: u32| {
            let family = [None, Some(90), Some(91)][id as usize / 10];
            let frame = match id {
                8 => 85,
                ..5 if is_grouped => 80,
                _ => id,
            };
            Folding { rule: rule(id), frame: FunctionId(frame), family: family.map(FunctionId), is_library: id >= 20 }
        };
        (0..30).map(folding).collect()
    }

    fn fold(stack: &[u32], is_grouped: bool) -> Vec<u32> {
        let (nodes, leaves) = nodes_of(&[stack]);
        let shaped = folded(&nodes, &foldings(is_grouped), is_grouped);
        let place = shaped.place(nodes.of_stack(leaves[0])).unwrap_or(CallNodeId(0));
        let path = shaped.nodes().path(place).filter_map(|node| shaped.nodes().function(node));
        let mut path: Vec<u32> = path.map(|frame| frame.0).collect();
        path.reverse();
        path
    }

    #[test]
    fn what_the_program_calls_stands_for_all_that_follows() {
        assert_eq!(fold(&[1, 2, 10, 11, 20, 12], false), [1, 2, 10]);
        assert_eq!(fold(&[1, 10, 11, 2, 12, 3], false), [1, 10, 2, 12, 3], "a callback is the program again");
    }

    #[test]
    fn what_calls_the_program_first_is_one_frame_a_family() {
        assert_eq!(fold(&[10, 11, 12, 1, 2], false), [90, 1, 2]);
        assert_eq!(
            fold(&[10, 20, 11, 21, 1, 13], false),
            [90, 91, 1, 13],
            "a library takes over from the base library"
        );
        assert_eq!(fold(&[10, 11], false), [90], "a stack without the program has no more than that");
    }

    #[test]
    fn patterns_come_before_just_my_code() {
        assert_eq!(fold(&[1, 7, 2, 7], false), [1, 2]);
        assert_eq!(fold(&[1, 8, 8, 2, 8], false), [1, 85, 2, 85]);
        assert_eq!(fold(&[1, 9, 19, 9, 2, 19, 10], false), [1, 9, 2, 19, 10], "only what enters the group is shown");
        assert_eq!(fold(&[7, 7], false), [] as [u32; 0], "what has no caller is part of everything");
    }

    #[test]
    fn groups_that_call_themselves_are_one_frame() {
        assert_eq!(fold(&[1, 2, 5, 3, 4, 10], true), [80, 5, 80, 10]);
        assert_eq!(fold(&[1, 2, 1], false), [1, 2, 1]);
    }
}
