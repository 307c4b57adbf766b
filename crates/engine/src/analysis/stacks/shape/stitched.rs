//! Removes parts of stitched stacks without the user's own code.
//!
//! A chain of continuations passes through the thread pool repeatedly. Folded, it would repeat the same frame many
//! times.

use super::{TransformedCallPaths, TransformedNode, step};
use crate::analysis::samples::call_nodes::CallNodes;
use crate::analysis::stacks::tree_tables::NamedFrames;
use protocol::base::ids::{CallNodeId, FunctionId};
use protocol::tables::frame_flag::{FRAMEWORK, LINK, ROOT, UNRESOLVED};

/// Bit that is set if the path has own code since its last link. The other bits are the node where this part begins.
const HAS_OWN: u64 = 1;

/// Removes the parts before links without own code, and these links.
pub(crate) fn without_empty_parts(nodes: &CallNodes, names: NamedFrames<'_>) -> TransformedCallPaths {
    step(nodes, begins_at(CallNodes::ROOT), &mut |builder, frame: FunctionId, caller| {
        let flags = names.text(Some(frame)).flags;
        if flags & LINK != 0 && caller.state & HAS_OWN == 0 {
            let beginning = CallNodeId((caller.state >> 1) as u32);
            return TransformedNode { at: beginning, state: begins_at(beginning) };
        }
        let at = builder.child(caller.at, frame);
        let state = match flags {
            flags if flags & (LINK | ROOT) != 0 => begins_at(at),
            flags if flags & (FRAMEWORK | UNRESOLVED) != 0 => caller.state,
            _ => caller.state | HAS_OWN,
        };
        TransformedNode { at, state }
    })
}

fn begins_at(node: CallNodeId) -> u64 {
    u64::from(node.0) << 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::samples::call_nodes::CallNodeBuilder;
    use crate::analysis::stacks::frames::Frames;
    use crate::analysis::testing::{What, store_of};
    use protocol::stacks::shape::{FrameName, Shape};

    #[test]
    fn stitched_parts_without_own_code_are_removed() {
        let (store, _) = store_of(&[(0, 5, What::Sample(true, vec![1]))]);
        let (mut frames, shape) = (Frames::new(&store), Shape::default());
        let pool = frames.group(FrameName { name: "Pool".to_owned(), module: String::new() }, true);
        let mine = frames.group(FrameName { name: "Mine".to_owned(), module: String::new() }, false);
        let (later, work) = (frames.link("later"), frames.root("work"));
        let became = |stack: &[FunctionId]| {
            let mut builder = CallNodeBuilder::default();
            let leaf = stack.iter().fold(CallNodes::ROOT, |at, &frame| builder.child(at, frame));
            let nodes = builder.finish();
            let shaped = without_empty_parts(&nodes, NamedFrames { store: &store, frames: &frames, shape: &shape });
            let leaf = shaped.place(leaf).expect("no frame is excluded");
            let mut path: Vec<FunctionId> =
                shaped.nodes.path(leaf).filter_map(|node| shaped.nodes.function(node)).collect();
            path.reverse();
            path
        };
        for (stack, expected) in [
            (vec![pool, later, pool, later, pool, mine], vec![pool, mine]),
            (vec![pool, mine, pool, later, pool, later, mine], vec![pool, mine, pool, later, mine]),
            (vec![work, pool, later, mine, later, pool], vec![work, mine, later, pool]),
            (vec![later, mine], vec![mine]),
            (vec![pool, mine], vec![pool, mine]),
        ] {
            assert_eq!(became(&stack), expected, "{stack:?}");
        }
    }
}
