//! Layout of flame graphs: boxes and their widths.

use super::stack_tree::StackTree;
use protocol::base::ids::CallNodeId;

/// A box. Edges are weights from the left edge of the displayed root, so that a child never exceeds its parent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlameBox {
    pub content: BoxContent,
    /// The parent node; `None` for the displayed root.
    pub caller: Option<CallNodeId>,
    /// Level below the displayed root, which is 0.
    pub depth: u16,
    /// Left edge.
    pub left: u64,
    /// Right edge.
    pub right: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoxContent {
    Node(CallNodeId),
    /// Siblings that are too narrow for separate boxes.
    Merged {
        /// Number of nodes.
        count: u32,
        /// The baseline's part of their weight; `None` without a comparison.
        baseline: Option<u64>,
    },
}

/// Lays out the tree below `root` level by level, siblings heaviest first. Siblings narrower than `min_share` of the
/// whole width share one box without children.
pub fn layout(tree: &dyn StackTree, root: CallNodeId, min_share: f64, max_depth: u16) -> Vec<FlameBox> {
    let total = tree.inclusive(root);
    if total == 0 {
        return Vec::new();
    }
    let narrow = (min_share.clamp(0.0, 1.0) * total as f64).ceil() as u64;
    let mut boxes = vec![FlameBox { content: BoxContent::Node(root), caller: None, depth: 0, left: 0, right: total }];
    let mut next = 0;
    while let Some(&FlameBox { content, depth, left, .. }) = boxes.get(next) {
        next += 1;
        let BoxContent::Node(node) = content else { continue };
        if depth < max_depth {
            push_children(tree, node, depth + 1, left, narrow, &mut boxes);
        }
    }
    boxes
}

fn push_children(
    tree: &dyn StackTree,
    node: CallNodeId,
    depth: u16,
    mut left: u64,
    narrow: u64,
    boxes: &mut Vec<FlameBox>,
) {
    let children = tree.children(node);
    let wide = children.partition_point(|&child| tree.inclusive(child) >= narrow);
    for &child in &children[..wide] {
        let right = left + tree.inclusive(child);
        boxes.push(FlameBox { content: BoxContent::Node(child), caller: Some(node), depth, left, right });
        left = right;
    }
    let narrow = &children[wide..];
    let merged: u64 = narrow.iter().map(|&child| tree.inclusive(child)).sum();
    if merged > 0 {
        let of_baseline = |&child: &CallNodeId| tree.of_baseline(child).map(|(inclusive, _)| inclusive);
        let baseline = narrow.iter().map(of_baseline).sum();
        boxes.push(FlameBox {
            content: BoxContent::Merged { count: narrow.len() as u32, baseline },
            caller: Some(node),
            depth,
            left,
            right: left + merged,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::samples::call_nodes::CallNodes;
    use crate::analysis::stacks::call_tree::tests::{any_stacks, tree_of, tree_of_owned};
    use crate::analysis::stacks::stack_tree::TopDown;
    use proptest::prelude::*;

    #[test]
    fn narrow_siblings_are_merged() {
        let (nodes, tree) = tree_of(&[(&[1, 2], 60), (&[1, 3], 37), (&[1, 4], 2), (&[1, 5, 6], 1)]);
        let tree = TopDown::plain(nodes.into(), tree.into());
        let boxes = layout(&tree, CallNodes::ROOT, 0.05, 10);
        let shape: Vec<_> = boxes.iter().map(|one| (one.depth, one.left, one.right)).collect();
        assert_eq!(shape, [(0, 0, 100), (1, 0, 100), (2, 0, 60), (2, 60, 97), (2, 97, 100)]);
        assert_eq!(boxes[4].content, BoxContent::Merged { count: 2, baseline: None });
    }

    #[test]
    fn zoomed_subtree_has_full_width() {
        let (nodes, tree) = tree_of(&[(&[1, 2], 60), (&[1, 3, 4], 40)]);
        let tree = TopDown::plain(nodes.into(), tree.into());
        let zoomed = tree.children(tree.children(CallNodes::ROOT)[0])[1];
        let boxes = layout(&tree, zoomed, 0.0, 10);
        assert_eq!(
            boxes.iter().map(|one| (one.depth, one.left, one.right)).collect::<Vec<_>>(),
            [(0, 0, 40), (1, 0, 40)]
        );
    }

    proptest! {
        #[test]
        fn boxes_are_inside_callers_without_overlap(stacks in any_stacks(), share in 0.0f64..0.2, depth in 0u16..9) {
            let (nodes, tree) = tree_of_owned(&stacks);
            let tree = TopDown::plain(nodes.into(), tree.into());
            let boxes = layout(&tree, CallNodes::ROOT, share, depth);
            prop_assert_eq!(boxes.is_empty(), tree.inclusive(CallNodes::ROOT) == 0);
            for one in &boxes {
                prop_assert!(one.left < one.right && one.depth <= depth);
                if let BoxContent::Node(node) = one.content {
                    prop_assert_eq!(one.right - one.left, tree.inclusive(node));
                    if one.depth > 0 {
                        let parent = boxes.iter().find(|other| other.content == BoxContent::Node(tree.nodes.parent(node))).unwrap();
                        prop_assert!(parent.left <= one.left && one.right <= parent.right);
                    }
                }
            }
            for pair in boxes.windows(2).filter(|pair| pair[0].depth == pair[1].depth) {
                prop_assert!(pair[0].right <= pair[1].left);
            }
        }
    }
}
