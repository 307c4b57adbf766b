//! Frames of a flame graph, indexed by position and by caller.

use super::function_name::{cut, fitting, split_name};
use protocol::base::sort::sort_by;
use protocol::tables::frame_flag::{FRAMEWORK, LINK, NO_FUNCTION, ROOT};
use protocol::tables::{Flame, folded_name};
use protocol::timeline::thread_state::{Activity, ThreadState};

/// `node` of a box that represents several narrow frames.
pub const MERGED: u32 = u32::MAX;

/// Flame graph, indexed by level.
#[derive(Clone, Debug, Default)]
pub struct FlameBoxes {
    pub table: Flame,
    levels: Vec<Vec<u32>>,
}

impl FlameBoxes {
    /// Indexes a table.
    pub fn new(table: Flame) -> Self {
        let mut levels: Vec<Vec<u32>> = Vec::new();
        let left = |index: &u32| table.left.get(*index as usize).copied().unwrap_or(0.0);
        for (index, depth) in table.depth.iter().enumerate() {
            let depth = usize::from(*depth);
            if levels.len() <= depth {
                levels.resize_with(depth + 1, Vec::new);
            }
            if let Some(level) = levels.get_mut(depth) {
                level.push(index as u32);
            }
        }
        for level in &mut levels {
            sort_by(level, |one, other| left(one).total_cmp(&left(other)));
        }
        Self { levels, table }
    }

    /// Returns the number of levels.
    pub fn height(&self) -> usize {
        self.levels.len()
    }

    /// Returns the weight of the visible root.
    pub fn total(&self) -> f64 {
        self.table.total.first().copied().unwrap_or(0.0)
    }

    /// Returns the weight of a box in the baseline; `None` without a comparison.
    pub fn of_baseline(&self, index: usize) -> Option<f64> {
        self.table.base_inclusive.get(index).copied()
    }

    /// Returns the difference of a box from the baseline: 1 is new, −1 is gone; `None` without a comparison.
    pub fn change(&self, index: usize) -> Option<f64> {
        let of_baseline = self.of_baseline(index)?;
        let now = self.table.inclusive.get(index).copied().unwrap_or(0.0);
        let both = now + of_baseline;
        Some(if both > 0.0 { (now - of_baseline) / both } else { 0.0 })
    }

    /// Returns the boxes of a level, from left to right.
    pub fn level(&self, level: usize) -> &[u32] {
        self.levels.get(level).map_or(&[], Vec::as_slice)
    }

    /// Returns the left and right edges of a box as shares of the width.
    pub fn edges(&self, index: usize) -> (f64, f64) {
        let share = |column: &Vec<f64>| column.get(index).copied().unwrap_or(0.0);
        (share(&self.table.left), share(&self.table.right))
    }

    /// Returns the states of boxes, as colors show them, and whether frames of the framework are among them.
    pub fn legend(&self) -> (Vec<ThreadState>, bool) {
        let is_plain = |index: usize| {
            let flags = self.table.flags.get(index).copied().unwrap_or(0);
            self.table.node.get(index) != Some(&0) && !self.is_merged(index) && flags & (ROOT | LINK) == 0
        };
        let plain = || (0..self.table.node.len()).filter(|index| is_plain(*index));
        let is_framework = |index: &usize| self.table.flags.get(*index).is_some_and(|flags| flags & FRAMEWORK != 0);
        let state_of = |index: usize| self.table.state.get(index).and_then(|state| ThreadState::from_u8(*state));
        let is_there = |state: &ThreadState| plain().any(|index| state_of(index) == Some(*state));
        (ThreadState::ALL.into_iter().filter(is_there).collect(), plain().any(|index| is_framework(&index)))
    }

    /// Returns whether threads couldn't run for most of the time of a box.
    pub fn is_waiting(&self, index: usize) -> bool {
        let state = self.table.state.get(index).and_then(|state| ThreadState::from_u8(*state));
        state.is_some_and(|state| !matches!(state.activity(), Some(Activity::Running)))
    }

    /// Returns whether most of the time of a box is its own.
    pub fn is_mostly_alone(&self, index: usize) -> bool {
        let of = |column: &Vec<f64>| column.get(index).copied().unwrap_or(0.0);
        of(&self.table.exclusive) * 2.0 > of(&self.table.inclusive)
    }

    /// Returns the name of a box; the root of the whole tree has none.
    pub fn name(&self, index: usize) -> &str {
        let name = self.table.name.get(index).copied().unwrap_or(0);
        self.table.names.get(name as usize)
    }

    /// Returns whether a box represents several narrow frames.
    pub fn is_merged(&self, index: usize) -> bool {
        self.table.node.get(index) == Some(&MERGED)
    }

    /// Returns the box at a level and a share of the width.
    pub fn at(&self, level: usize, share: f64) -> Option<usize> {
        let level = self.level(level);
        let after = level.partition_point(|index| self.edges(*index as usize).0 <= share);
        let index = *level.get(after.checked_sub(1)?)? as usize;
        (share < self.edges(index).1).then_some(index)
    }

    /// Returns the box above.
    pub fn parent(&self, index: usize) -> Option<usize> {
        let depth = usize::from(*self.table.depth.get(index)?);
        let (left, right) = self.edges(index);
        self.at(depth.checked_sub(1)?, (left + right) / 2.0)
    }

    /// Returns the widest box directly below.
    pub fn heaviest_child(&self, index: usize) -> Option<usize> {
        let depth = usize::from(*self.table.depth.get(index)?);
        let (left, right) = self.edges(index);
        let width = |index: &usize| {
            let (left, right) = self.edges(*index);
            right - left
        };
        self.level(depth + 1)
            .iter()
            .map(|child| *child as usize)
            .filter(|child| {
                let (child_left, child_right) = self.edges(*child);
                let middle = (child_left + child_right) / 2.0;
                left <= middle && middle < right
            })
            .max_by(|one, other| width(one).total_cmp(&width(other)))
    }

    /// Returns the next box of the level on the right, or on the left.
    pub fn neighbor(&self, index: usize, to_the_right: bool) -> Option<usize> {
        let level = self.level(usize::from(*self.table.depth.get(index)?));
        let place = level.iter().position(|other| *other as usize == index)?;
        let place = if to_the_right { place.checked_add(1) } else { place.checked_sub(1) }?;
        level.get(place).map(|index| *index as usize)
    }

    /// Returns the boxes from the visible root to this one.
    pub fn path(&self, index: usize) -> Vec<usize> {
        let mut path = vec![index];
        while let Some(parent) = path.last().and_then(|last| self.parent(*last)) {
            path.push(parent);
        }
        path.reverse();
        path
    }

    /// Returns the module of a box.
    pub fn module(&self, index: usize) -> &str {
        self.text(&self.table.module, index)
    }

    /// Returns the family of folded frames; empty if the box isn't folded.
    pub fn family(&self, index: usize) -> &str {
        self.text(&self.table.family, index)
    }

    /// Returns the name of a box, with the number of frames that it replaces.
    pub fn label(&self, index: usize) -> String {
        folded_name(self.name(index), self.table.folded.get(index).copied().unwrap_or(0))
    }

    /// Returns the label of a box in a number of characters. The number of frames is dropped before the name is cut.
    pub fn label_in(&self, index: usize, room: usize) -> String {
        let name = self.name(index);
        if self.table.flags.get(index).is_none_or(|flags| flags & NO_FUNCTION == 0) {
            return fitting(split_name(name).1, room).into_owned();
        }
        let whole = self.label(index);
        if whole.chars().count() <= room { whole } else { cut(name, room).into_owned() }
    }

    /// Returns the box to mark as the selected one: `focused` if it is of the function, otherwise the widest one.
    pub fn selected(&self, function: u32, focused: Option<usize>) -> Option<usize> {
        let is_of_it = |index: &usize| self.is_of(*index, function);
        let width = |index: &usize| {
            let (left, right) = self.edges(*index);
            right - left
        };
        let widest = || (0..self.table.node.len()).filter(is_of_it).max_by(|a, b| width(a).total_cmp(&width(b)));
        focused.filter(is_of_it).or_else(widest)
    }

    /// Returns whether a box represents a function.
    pub fn is_of(&self, index: usize, function: u32) -> bool {
        self.table.function.get(index) == Some(&function) && !self.is_merged(index)
    }

    fn text(&self, column: &[u32], index: usize) -> &str {
        column.get(index).map_or("", |position| self.table.names.get(*position as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ```text
    /// 0 ──────────────── 0
    /// 1 ───────── 2 ────
    /// 3 ─ 4 ────
    /// ```
    fn boxes() -> FlameBoxes {
        FlameBoxes::new(Flame {
            total: vec![10.0],
            node: vec![0, 5, 6, MERGED, 8],
            depth: vec![0, 1, 1, 2, 2],
            left: vec![0.0, 0.0, 0.6, 0.0, 0.2],
            right: vec![1.0, 0.6, 1.0, 0.2, 0.6],
            ..Flame::default()
        })
    }

    #[test]
    fn boxes_are_found_by_position() {
        let boxes = boxes();
        assert_eq!(boxes.at(1, 0.59), Some(1));
        assert_eq!(boxes.at(1, 0.6), Some(2));
        assert_eq!(boxes.at(2, 0.7), None);
        assert_eq!(boxes.at(9, 0.1), None);
        assert!(boxes.is_merged(3));
    }

    #[test]
    fn label_loses_frames_and_parameters_before_it_is_cut() {
        let boxes = FlameBoxes::new(Flame {
            node: vec![0, 1],
            depth: vec![0, 1],
            name: vec![0, 1],
            names: ["ASP.NET Core", "Shop.PriceFeed.Parse(string)"].into_iter().collect(),
            flags: vec![protocol::tables::frame_flag::GROUP, 0],
            folded: vec![protocol::tables::folded_frames(5, 5), 0],
            ..Flame::default()
        });
        let rooms = [40, 23, 22, 12, 6];
        let groups = ["ASP.NET Core · 5 frames", "ASP.NET Core · 5 frames", "ASP.NET Core", "ASP.NET Core", "ASP.N…"];
        assert_eq!(rooms.map(|room| boxes.label_in(0, room)), groups);
        assert_eq!([40, 15, 14].map(|room| boxes.label_in(1, room)), ["PriceFeed.Parse", "PriceFeed.Parse", "Parse"]);
    }

    #[test]
    fn legend_has_states_of_frames_only() {
        let state = |state: ThreadState| state as u8;
        let boxes = FlameBoxes::new(Flame {
            node: vec![0, 1, 2, MERGED, 4],
            depth: vec![0, 1, 1, 1, 1],
            flags: vec![0, FRAMEWORK, 0, 0, ROOT],
            state: [ThreadState::Gc, ThreadState::Lock, ThreadState::Managed, ThreadState::Io, ThreadState::Jit]
                .map(state)
                .to_vec(),
            ..Flame::default()
        });
        assert_eq!(boxes.legend(), (vec![ThreadState::Managed, ThreadState::Lock], true));
    }

    #[test]
    fn one_of_several_occurrences_is_selected() {
        let boxes = FlameBoxes::new(Flame {
            node: vec![0, 1, 2, MERGED],
            depth: vec![0, 1, 1, 1],
            function: vec![7, 9, 9, 9],
            left: vec![0.0, 0.0, 0.2, 0.5],
            right: vec![1.0, 0.2, 0.5, 1.0],
            ..Flame::default()
        });
        assert_eq!([None, Some(1), Some(0)].map(|focused| boxes.selected(9, focused)), [Some(2), Some(1), Some(2)]);
        assert_eq!(boxes.selected(8, None), None);
    }

    #[test]
    fn boxes_have_parents_children_and_neighbors() {
        let boxes = boxes();
        assert_eq!(boxes.path(4), [0, 1, 4]);
        assert_eq!(boxes.heaviest_child(1), Some(4));
        assert_eq!(boxes.heaviest_child(2), None);
        assert_eq!(boxes.neighbor(1, true), Some(2));
        assert_eq!(boxes.neighbor(1, false), None);
    }
}
