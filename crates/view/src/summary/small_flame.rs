//! Layout of the small flame graph beside the hottest functions.

use crate::stacks::flame_boxes::FlameBoxes;
use protocol::tables::frame_flag::{FRAMEWORK, LINK, ROOT};
use protocol::timeline::thread_state::ThreadState;

/// Height of a level in CSS pixels.
pub const LEVEL_PX: f64 = 16.0;
/// Space between boxes.
const GAP_PX: f64 = 1.0;
const NARROWEST_PX: f64 = 2.0;
/// Narrowest box with a label, and the space beside it.
const LABEL_PX: f64 = 40.0;
const PADDING_PX: f64 = 4.0;
/// Width of a character of a label; the widest ones are cut by the edge of the box.
const CHARACTER_PX: f64 = 6.0;

/// Box of the graph, in CSS pixels.
#[derive(Clone, PartialEq, Debug)]
pub struct SmallBox {
    /// Index in the table of frames.
    pub index: usize,
    pub left: f64,
    pub top: f64,
    pub width: f64,
    /// Text that fits into the box; empty if none does.
    pub label: String,
    /// Name of the color: a state, "framework", or "merged".
    pub color: &'static str,
}

/// Returns the boxes of the first levels below the root.
pub fn small_boxes(boxes: &FlameBoxes, width: f64, levels: usize) -> Vec<SmallBox> {
    let mut all = Vec::new();
    for level in 1..boxes.height().min(levels + 1) {
        for index in boxes.level(level).iter().map(|index| *index as usize) {
            let (left, right) = boxes.edges(index);
            let (left, right) = ((left * width).round(), (right * width).round());
            let width = right - left - GAP_PX;
            if width >= NARROWEST_PX {
                let top = (level - 1) as f64 * LEVEL_PX;
                all.push(SmallBox {
                    index,
                    left,
                    top,
                    width,
                    label: label(boxes, index, width),
                    color: color(boxes, index),
                });
            }
        }
    }
    all
}

fn flags(boxes: &FlameBoxes, index: usize) -> u8 {
    boxes.table.flags.get(index).copied().unwrap_or(0)
}

fn label(boxes: &FlameBoxes, index: usize, width: f64) -> String {
    if width < LABEL_PX || boxes.is_merged(index) {
        return String::new();
    }
    let room = ((width - 2.0 * PADDING_PX) / CHARACTER_PX) as usize;
    boxes.label_in(index, room)
}

fn color(boxes: &FlameBoxes, index: usize) -> &'static str {
    let flags = flags(boxes, index);
    if boxes.is_merged(index) || flags & (ROOT | LINK) != 0 {
        return "merged";
    }
    if flags & FRAMEWORK != 0 {
        return "framework";
    }
    let state = boxes.table.state.get(index).and_then(|state| ThreadState::from_u8(*state));
    state.unwrap_or(ThreadState::Managed).slug()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stacks::flame_boxes::MERGED;
    use protocol::tables::Flame;

    #[test]
    fn boxes_below_root_have_labels_that_fit() {
        let boxes = FlameBoxes::new(Flame {
            node: vec![0, 1, 2, 3, MERGED, 4],
            depth: vec![0, 1, 2, 2, 2, 3],
            left: vec![0.0, 0.0, 0.0, 0.5, 0.9, 0.0],
            right: vec![1.0, 1.0, 0.5, 0.505, 1.0, 0.5],
            name: vec![0, 1, 2, 3, 0, 3],
            flags: vec![0, FRAMEWORK, 0, 0, 0, 0],
            state: vec![0, 1, 3, 1, 1, 1],
            names: ["", "System.Run()", "Shop.Checkout.Handle(Order, CancellationToken)", "x"].into_iter().collect(),
            ..Flame::default()
        });
        let found = small_boxes(&boxes, 200.0, 2);
        let shown: Vec<_> =
            found.iter().map(|one| (one.index, one.left, one.top, one.width, one.label.as_str(), one.color)).collect();
        // The third is narrower than a pixel, and the last is too deep.
        assert_eq!(
            shown,
            [
                (1, 0.0, 0.0, 199.0, "System.Run", "framework"),
                (2, 0.0, 16.0, 99.0, "Checkout.Handle", "jit"),
                (4, 180.0, 16.0, 19.0, "", "merged"),
            ]
        );
    }
}
