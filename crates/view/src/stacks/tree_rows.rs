//! The rows of a call tree that are shown: a flat list in which children follow their parent.

use protocol::base::ids::FunctionId;
use protocol::base::sort::sort_by;
use protocol::tables::CallNodes;
use std::cmp::Ordering;
use std::ops::Range;

/// A row.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// 1 at the top.
    pub level: u32,
    /// Function, or another frame beyond them.
    pub function: u32,
    /// Readable name.
    pub name: String,
    /// Module.
    pub module: String,
    /// How well the code was optimized; empty if that is not known.
    pub tier: String,
    /// A number of all frames from the top to this one.
    pub path: u64,
    /// The family whose frames it stands for; empty if it is not folded.
    pub family: String,
    /// Number of frames that it stands for, as of [`protocol::tables::folded_name`].
    pub folded: u32,
    /// Inclusive weight.
    pub inclusive: f64,
    /// Exclusive weight.
    pub exclusive: f64,
    /// Inclusive and exclusive weight in the baseline; none if nothing is compared.
    pub of_baseline: Option<(f64, f64)>,
    /// Bits of [`protocol::tables::frame_flag`].
    pub flags: u8,
    /// Whether there is something to expand.
    pub has_children: bool,
    /// Whether its children follow.
    pub expanded: bool,
}

/// The rows that are shown. A row is found by the frames that lead to it, which are unique.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TreeRows {
    /// In order.
    pub rows: Vec<Row>,
    /// Weight of the whole tree.
    pub total: f64,
    /// What siblings are sorted by; as they were asked if none.
    pub order: Option<TreeSort>,
}

impl TreeRows {
    /// The children of the root.
    pub fn top(children: &CallNodes, order: Option<TreeSort>) -> Self {
        let total = children.total.first().copied().unwrap_or(0.0);
        Self { rows: sorted(rows_of(children, 0), order), total, order }
    }

    /// The frames that lead to a row, its own last.
    pub fn frames(&self, index: usize) -> Vec<u32> {
        let mut frames = Vec::new();
        let mut next = Some(index);
        while let Some((at, row)) = next.and_then(|at| Some((at, self.rows.get(at)?))) {
            frames.push(row.function);
            next = self.parent(at);
        }
        frames.reverse();
        frames
    }

    /// What leads to the rows whose children are shown, parents first.
    pub fn expanded(&self) -> Vec<Vec<u32>> {
        let expanded = self.rows.iter().enumerate().filter(|(_, row)| row.expanded);
        expanded.map(|(index, _)| self.frames(index)).collect()
    }

    /// The row that frames lead to.
    pub fn position(&self, frames: &[u32]) -> Option<usize> {
        let mut found = None;
        let mut rows = 0..self.rows.len();
        for (level, frame) in (1..).zip(frames) {
            let at = rows.clone().find(|at| {
                self.rows.get(*at).is_some_and(|row| row.level == level && row.function == *frame) //
            })?;
            let below = self.rows.iter().skip(at + 1).take_while(|row| row.level > level).count();
            rows = at + 1..at + 1 + below;
            found = Some(at);
        }
        found
    }

    /// The row of the parent.
    pub fn parent(&self, index: usize) -> Option<usize> {
        let level = self.rows.get(index)?.level;
        self.rows.get(..index)?.iter().rposition(|row| row.level < level)
    }

    /// The rows from `first` up to `end` with what leads to them: level and frame of each; and the paths of all of them.
    pub fn around(&self, first: usize, end: usize) -> (Vec<(u32, FunctionId)>, Vec<u64>) {
        let mut above: Vec<usize> = std::iter::successors(self.parent(first), |at| self.parent(*at)).collect();
        above.reverse();
        let rows = above.into_iter().chain(first..end).filter_map(|at| self.rows.get(at));
        rows.map(|row| ((row.level, FunctionId(row.function)), row.path)).unzip()
    }

    /// Shows the children of a row, unless they are shown already or the row is gone.
    pub fn expand(&mut self, frames: &[u32], children: &CallNodes) {
        let Some(index) = self.position(frames) else { return };
        let Some(row) = self.rows.get_mut(index).filter(|row| !row.expanded) else { return };
        row.expanded = true;
        let fresh = sorted(rows_of(children, row.level), self.order);
        self.rows.splice(index + 1..index + 1, fresh);
    }

    /// Shows all that is below a row, in place of what is shown of it. Without frames that is everything.
    pub fn expand_all(&mut self, frames: &[u32], below: &CallNodes) {
        let index = self.position(frames);
        let level = match index {
            Some(index) => self.rows.get(index).map_or(0, |row| row.level),
            None if frames.is_empty() => 0,
            None => return,
        };
        match index {
            Some(index) => self.collapse(index),
            None => self.rows.clear(),
        }
        let mut fresh = rows_of(below, level);
        let is_open: Vec<bool> = fresh.windows(2).map(|pair| pair[1].level > pair[0].level).collect();
        fresh.iter_mut().zip(is_open).for_each(|(row, is_open)| row.expanded = is_open);
        let fresh = sorted(fresh, self.order);
        if let Some(row) = index.and_then(|index| self.rows.get_mut(index)) {
            row.expanded = !fresh.is_empty();
        }
        let place = index.map_or(0, |index| index + 1);
        self.rows.splice(place..place, fresh);
    }

    /// Puts the rows below each row, and those at the top, into an order that later ones follow. What is open stays open.
    pub fn sort(&mut self, order: TreeSort) {
        self.order = Some(order);
        self.rows = sorted(std::mem::take(&mut self.rows), self.order);
    }

    /// Hides everything below a row.
    pub fn collapse(&mut self, index: usize) {
        let Some(level) = self.rows.get(index).map(|row| row.level) else { return };
        let below = self.rows.iter().skip(index + 1).take_while(|row| row.level > level).count();
        self.rows.drain(index + 1..index + 1 + below);
        if let Some(row) = self.rows.get_mut(index) {
            row.expanded = false;
        }
    }
}

/// Rows in an order, those below each row for themselves; without one as they are.
fn sorted(rows: Vec<Row>, order: Option<TreeSort>) -> Vec<Row> {
    let Some(order) = order else { return rows };
    // What comes next stands at the end: siblings are put there last first.
    let push = |waiting: &mut Vec<Range<usize>>, range: Range<usize>| {
        let mut some = siblings(&rows, range);
        sort_by(&mut some, |one, other| order.compare(&rows[one.start], &rows[other.start]));
        waiting.extend(some.into_iter().rev());
    };
    let (mut waiting, mut places) = (Vec::new(), Vec::with_capacity(rows.len()));
    push(&mut waiting, 0..rows.len());
    while let Some(whole) = waiting.pop() {
        places.push(whole.start);
        push(&mut waiting, whole.start + 1..whole.end);
    }
    let mut rows: Vec<Option<Row>> = rows.into_iter().map(Some).collect();
    places.into_iter().filter_map(|place| rows.get_mut(place)?.take()).collect()
}

/// The rows of one level in a range, each with all below it.
fn siblings(rows: &[Row], range: Range<usize>) -> Vec<Range<usize>> {
    let Some(level) = rows.get(range.clone()).and_then(|rows| rows.first()).map(|row| row.level) else {
        return Vec::new();
    };
    let mut starts: Vec<usize> =
        range.clone().filter(|&at| rows.get(at).is_some_and(|row| row.level == level)).collect();
    starts.push(range.end);
    starts.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// What the rows of a call tree are sorted by.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TreeColumn {
    /// Readable name.
    Name,
    /// Module.
    Module,
    /// Inclusive weight; in a comparison what it is now.
    Total,
    /// What it is in the baseline.
    Baseline,
    /// Exclusive weight.
    Own,
    /// By how much it is another one than in the baseline.
    Difference,
}

/// The order of the rows below each row of a call tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TreeSort {
    /// By what.
    pub column: TreeColumn,
    /// Largest first.
    pub descending: bool,
}

impl TreeSort {
    /// The order that is looked for first in a column: names from A on, the largest number.
    pub fn by(column: TreeColumn) -> Self {
        Self { column, descending: !matches!(column, TreeColumn::Name | TreeColumn::Module) }
    }

    /// What choosing a column makes of it: choosing the same again turns it round.
    pub fn chosen(self, column: TreeColumn) -> Self {
        if self.column == column { Self { descending: !self.descending, ..self } } else { Self::by(column) }
    }

    /// Equal rows are in order of weight, then of name.
    fn compare(self, one: &Row, other: &Row) -> Ordering {
        let of_baseline = |row: &Row| row.of_baseline.map_or(0.0, |of| of.0);
        let difference = |row: &Row| (row.inclusive - of_baseline(row)).abs();
        let order = match self.column {
            TreeColumn::Name => one.name.cmp(&other.name),
            TreeColumn::Module => one.module.cmp(&other.module),
            TreeColumn::Total => one.inclusive.total_cmp(&other.inclusive),
            TreeColumn::Baseline => of_baseline(one).total_cmp(&of_baseline(other)),
            TreeColumn::Own => one.exclusive.total_cmp(&other.exclusive),
            TreeColumn::Difference => difference(one).total_cmp(&difference(other)),
        };
        let order = if self.descending { order.reverse() } else { order };
        order.then(other.inclusive.total_cmp(&one.inclusive)).then_with(|| one.name.cmp(&other.name))
    }
}

/// The rows of a table that is about what is below a row of this level.
fn rows_of(nodes: &CallNodes, level: u32) -> Vec<Row> {
    (0..nodes.function.len())
        .map(|index| Row {
            level: level + nodes.level.get(index).copied().unwrap_or(1),
            function: nodes.function.get(index).copied().unwrap_or_default(),
            name: nodes.name.get(index).to_owned(),
            module: nodes.module.get(index).to_owned(),
            tier: nodes.tier.get(index).to_owned(),
            path: nodes.path.get(index).copied().unwrap_or_default(),
            family: nodes.family.get(index).to_owned(),
            folded: nodes.folded.get(index).copied().unwrap_or(0),
            inclusive: nodes.inclusive.get(index).copied().unwrap_or_default(),
            exclusive: nodes.exclusive.get(index).copied().unwrap_or_default(),
            of_baseline: nodes.base_inclusive.get(index).copied().zip(nodes.base_exclusive.get(index).copied()),
            flags: nodes.flags.get(index).copied().unwrap_or_default(),
            has_children: nodes.has_children.get(index).is_some_and(|has| *has != 0),
            expanded: false,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(functions: &[u32]) -> CallNodes {
        CallNodes {
            total: vec![100.0],
            function: functions.to_vec(),
            has_children: vec![1; functions.len()],
            name: functions.iter().map(|id| format!("n{id}")).collect(),
            ..CallNodes::default()
        }
    }

    fn shown(rows: &TreeRows) -> Vec<(u32, u32)> {
        rows.rows.iter().map(|row| (row.function, row.level)).collect()
    }

    #[test]
    fn children_follow_their_parent_and_go_with_it() {
        let mut rows = TreeRows::top(&nodes(&[1, 2]), None);
        rows.expand(&[1], &nodes(&[3, 1]));
        rows.expand(&[1, 1], &nodes(&[5]));
        rows.expand(&[2], &nodes(&[3]));
        assert_eq!(shown(&rows), [(1, 1), (3, 2), (1, 2), (5, 3), (2, 1), (3, 2)]);
        assert_eq!(rows.expanded(), [vec![1], vec![1, 1], vec![2]]);
        assert_eq!((rows.parent(3), rows.parent(2)), (Some(2), Some(0)));
        assert_eq!((rows.position(&[2, 3]), rows.position(&[1, 5])), (Some(5), None));
        assert_eq!(rows.around(3, 5).0, [(1, 1), (2, 1), (3, 5), (1, 2)].map(|(level, id)| (level, FunctionId(id))));
        assert_eq!(rows.around(9, 12).0, []);
        rows.collapse(0);
        assert_eq!(shown(&rows), [(1, 1), (2, 1), (3, 2)]);
    }

    #[test]
    fn rows_are_sorted_below_each_row_and_what_is_open_stays_open() {
        let weighed = |functions: &[u32], inclusive: &[f64]| CallNodes {
            inclusive: inclusive.to_vec(),
            exclusive: inclusive.iter().map(|weight| 10.0 - weight).collect(),
            ..nodes(functions)
        };
        let mut rows = TreeRows::top(&weighed(&[1, 2], &[9.0, 5.0]), None);
        rows.expand(&[1], &weighed(&[4, 3], &[6.0, 2.0]));
        rows.expand(&[1, 4], &weighed(&[7], &[1.0]));
        assert_eq!(shown(&rows), [(1, 1), (4, 2), (7, 3), (3, 2), (2, 1)], "as they were asked");
        rows.sort(TreeSort::by(TreeColumn::Own));
        assert_eq!(shown(&rows), [(2, 1), (1, 1), (3, 2), (4, 2), (7, 3)]);
        assert_eq!(rows.expanded(), [vec![1], vec![1, 4]]);
        rows.sort(TreeSort::by(TreeColumn::Name));
        assert_eq!(shown(&rows), [(1, 1), (3, 2), (4, 2), (7, 3), (2, 1)]);
        let by_weight = TreeSort::by(TreeColumn::Total);
        rows.sort(by_weight);
        assert_eq!(shown(&rows), [(1, 1), (4, 2), (7, 3), (3, 2), (2, 1)]);
        rows.sort(by_weight.chosen(TreeColumn::Total));
        rows.expand(&[2], &weighed(&[6, 5], &[3.0, 1.0]));
        assert_eq!(shown(&rows), [(2, 1), (5, 2), (6, 2), (1, 1), (3, 2), (4, 2), (7, 3)], "what comes later, too");
        TreeRows::default().sort(by_weight);
    }

    #[test]
    fn everything_below_a_row_is_shown_at_once() {
        let mut rows = TreeRows::top(&nodes(&[1, 2]), None);
        rows.expand(&[1], &nodes(&[9]));
        let below = CallNodes { level: vec![1, 2, 1], ..nodes(&[3, 4, 5]) };
        rows.expand_all(&[1], &below);
        assert_eq!(shown(&rows), [(1, 1), (3, 2), (4, 3), (5, 2), (2, 1)]);
        assert_eq!(rows.expanded(), [vec![1], vec![1, 3]]);
        rows.expand_all(&[], &below);
        assert_eq!(shown(&rows), [(3, 1), (4, 2), (5, 1)]);
        rows.expand_all(&[7], &below);
        assert_eq!(rows.rows.len(), 3);
    }

    #[test]
    fn an_answer_that_comes_twice_or_too_late_changes_nothing() {
        let mut rows = TreeRows::top(&nodes(&[1]), None);
        rows.expand(&[1], &nodes(&[2]));
        rows.expand(&[1], &nodes(&[2]));
        rows.expand(&[77], &nodes(&[3]));
        assert_eq!(shown(&rows), [(1, 1), (2, 2)]);
    }
}
