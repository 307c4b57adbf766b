//! Just my code, and what is one frame.
//!
//! .NET's own frames (and the operating system's) are many and say little of the program. Of those that the program's code
//! calls, the one that it calls stands for all that follows up to the program's code; those before the program's first frame
//! are one frame a family of namespaces. A family can be shown all the same: its frames then count as the program's.

use super::call_nodes::{CallNodeBuilder, CallNodes};
use super::frames::{Frames, family_of, namespace};
use super::stack_shape::{Placed, ShapedNodes, step};
use crate::model::ids::FunctionId;
use crate::model::{Function, Store};
use crate::protocol::stack_shape::{FrameName, Grouping, Shape};

/// What is known of a frame.
#[derive(Clone, Copy)]
struct Folding {
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

/// Folds the paths of a trace as a shape says.
pub(super) fn fold(store: &Store, nodes: &CallNodes, frames: &mut Frames, shape: &Shape) -> ShapedNodes {
    let functions = store.functions().iter().zip(0..);
    let foldings: Vec<Folding> =
        functions.map(|(function, id)| folding(store, frames, shape, function, FunctionId(id))).collect();
    folded(nodes, &foldings, shape.grouping != Grouping::Functions)
}

/// Folds paths of frames of which this is known. With `is_grouped` a frame that its caller is shown as, too, is that frame.
fn folded(nodes: &CallNodes, foldings: &[Folding], is_grouped: bool) -> ShapedNodes {
    let shown = |builder: &mut CallNodeBuilder, caller: Placed, frame: FunctionId| {
        let is_same = is_grouped && builder.function(caller.at) == Some(frame);
        if is_same { caller.at } else { builder.child(caller.at, frame) }
    };
    step(nodes, OUTSIDE, &mut |builder, frame, caller| {
        let Some(&Folding { frame, family, is_library }) = foldings.get(frame.index()) else { return caller };
        let Some(family) = family else {
            return Placed { at: shown(builder, caller, frame), state: MINE };
        };
        match caller.state {
            CALLED | LIBRARY => caller,
            MINE => Placed { at: shown(builder, caller, frame), state: CALLED },
            BASE if !is_library => caller,
            _ => Placed { at: builder.child(caller.at, family), state: if is_library { LIBRARY } else { BASE } },
        }
    })
}

fn folding(store: &Store, frames: &mut Frames, shape: &Shape, function: &Function, id: FunctionId) -> Folding {
    let strings = store.strings();
    let module = strings.get(function.module);
    let namespace = namespace(strings.get(function.raw_name));
    let mut group = |name: &str, module: &str| {
        let frame = FrameName { name: name.to_owned(), module: module.to_owned() };
        frames.group(frame, function.is_framework)
    };
    let frame = match shape.grouping {
        Grouping::Functions => id,
        Grouping::Namespaces if !namespace.is_empty() => group(namespace, ""),
        Grouping::Namespaces | Grouping::Modules if !module.is_empty() => group(module, module),
        Grouping::Namespaces | Grouping::Modules => id,
    };
    let name = family_of(store, function);
    let is_folded = shape.just_my_code && function.is_framework && !shape.shown.iter().any(|shown| shown == name);
    let is_library = name.starts_with("Microsoft.");
    Folding { frame, family: is_folded.then(|| group(name, "")), is_library }
}

#[cfg(test)]
mod tests {
    use super::super::call_nodes::tests::nodes_of;
    use super::*;
    use crate::model::ids::CallNodeId;

    /// 1 to 9 are the program's, 10 to 19 the base library's with the group 90, 20 to 29 a library's with the group 91.
    fn foldings(is_grouped: bool) -> Vec<Folding> {
        let folding = |id: u32| {
            let family = [None, Some(90), Some(91)][id as usize / 10];
            let frame = if is_grouped && id < 5 { 80 } else { id };
            Folding { frame: FunctionId(frame), family: family.map(FunctionId), is_library: id >= 20 }
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
    fn groups_that_call_themselves_are_one_frame() {
        assert_eq!(fold(&[1, 2, 5, 3, 4, 10], true), [80, 5, 80, 10]);
        assert_eq!(fold(&[1, 2, 1], false), [1, 2, 1]);
    }
}
