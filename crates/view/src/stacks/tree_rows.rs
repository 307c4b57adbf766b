//! Visible rows of a call tree, as a flat list in which children follow their parent.

use crate::grid::{GridColumn, Sorted};
use protocol::base::ids::FunctionId;
use protocol::base::sort::sort_by;
use protocol::tables::CallNodes;
use std::cmp::Ordering;
use std::ops::Range;

/// Row of a call tree.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Level, 1 at the top.
    pub level: u32,
    /// Function; a larger number for other frames.
    pub function: u32,
    /// Readable name.
    pub name: String,
    pub module: String,
    /// JIT tier; empty if unknown.
    pub tier: String,
    /// Hash of all frames from the root to this one.
    pub path: u64,
    /// Family of folded frames; empty if the row isn't folded.
    pub family: String,
    /// Number of frames that it replaces, for [`protocol::tables::folded_name`].
    pub folded: u32,
    pub inclusive: f64,
    pub exclusive: f64,
    /// Inclusive and exclusive weight in the baseline; `None` without a comparison.
    pub of_baseline: Option<(f64, f64)>,
    /// Bits of [`protocol::tables::frame_flag`].
    pub flags: u8,
    /// True if the row can be expanded.
    pub has_children: bool,
    /// True if its children follow.
    pub expanded: bool,
}

/// Visible rows. A row is identified by the frames that lead to it, which are unique.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TreeRows {
    /// Rows, in order.
    pub rows: Vec<Row>,
    /// Weight of the whole tree.
    pub total: f64,
    /// Order of siblings; `None` for the order of the answer.
    pub order: Option<TreeSort>,
}

impl TreeRows {
    /// Returns the children of the root.
    pub fn top(children: &CallNodes, order: Option<TreeSort>) -> Self {
        let total = children.total.first().copied().unwrap_or(0.0);
        Self { rows: sorted(rows_of(children, 0), order), total, order }
    }

    /// Returns the frames from the root to a row.
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

    /// Returns the frames of the expanded rows, parents first.
    pub fn expanded(&self) -> Vec<Vec<u32>> {
        let expanded = self.rows.iter().enumerate().filter(|(_, row)| row.expanded);
        expanded.map(|(index, _)| self.frames(index)).collect()
    }

    /// Returns the index of the row with these frames.
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

    pub fn parent(&self, index: usize) -> Option<usize> {
        let level = self.rows.get(index)?.level;
        self.rows.get(..index)?.iter().rposition(|row| row.level < level)
    }

    /// Returns level and frame of the rows from `first` to `end` and their ancestors, and the paths of the rows.
    pub fn around(&self, first: usize, end: usize) -> (Vec<(u32, FunctionId)>, Vec<u64>) {
        let mut above: Vec<usize> = std::iter::successors(self.parent(first), |at| self.parent(*at)).collect();
        above.reverse();
        let rows = above.into_iter().chain(first..end).filter_map(|at| self.rows.get(at));
        rows.map(|row| ((row.level, FunctionId(row.function)), row.path)).unzip()
    }

    /// Shows the children of a row, unless they are visible or the row is gone.
    pub fn expand(&mut self, frames: &[u32], children: &CallNodes) {
        let Some(index) = self.position(frames) else { return };
        let Some(row) = self.rows.get_mut(index).filter(|row| !row.expanded) else { return };
        row.expanded = true;
        let fresh = sorted(rows_of(children, row.level), self.order);
        self.rows.splice(index + 1..index + 1, fresh);
    }

    /// Replaces everything below a row, or the whole tree if there are no frames.
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

    /// Sorts siblings at every level; later rows follow the same order. Rows stay expanded.
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

/// Returns rows with siblings sorted at every level; unchanged without an order.
fn sorted(rows: Vec<Row>, order: Option<TreeSort>) -> Vec<Row> {
    let Some(order) = order else { return rows };
    // The next range is at the end, so siblings are pushed in reverse.
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

/// Returns the rows of the top level of a range, each with its descendants.
fn siblings(rows: &[Row], range: Range<usize>) -> Vec<Range<usize>> {
    let Some(level) = rows.get(range.clone()).and_then(|rows| rows.first()).map(|row| row.level) else {
        return Vec::new();
    };
    let mut starts: Vec<usize> =
        range.clone().filter(|&at| rows.get(at).is_some_and(|row| row.level == level)).collect();
    starts.push(range.end);
    starts.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// Returns the columns of a call tree. A tree of callers has no exclusive weight.
pub fn tree_columns(is_compared: bool, of_callers: bool) -> Vec<GridColumn> {
    let title = |plain, compared| if is_compared { compared } else { plain };
    let mut columns = vec![
        GridColumn::text("name", "Function", 140.0, 4.0).ascending(),
        GridColumn::text("module", "Module", 90.0, 1.0).ascending().from(620.0),
        GridColumn::picture("bar", "Share, as a bar", 84.0).from(720.0),
        GridColumn::text("when", "When", 76.0, 0.0).with_hint("Time on stack (scaled per row)").from(460.0),
        GridColumn::number("total", title("Total", "Now"), 88.0).descending(),
        GridColumn::number("share", title("Share", "Baseline"), 80.0).descending(),
    ];
    if is_compared || !of_callers {
        columns.push(GridColumn::number("self", title("Self", "Difference"), 92.0).descending().from(400.0));
    }
    columns
}

/// Sort key of the call tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TreeColumn {
    /// Readable name.
    Name,
    Module,
    /// Inclusive weight.
    Total,
    /// Inclusive weight in the baseline.
    Baseline,
    /// Exclusive weight.
    Own,
    /// Difference of the inclusive weight from the baseline.
    Difference,
}

/// Order of siblings in a call tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TreeSort {
    /// Sort key.
    pub column: TreeColumn,
    /// True to sort descending.
    pub descending: bool,
}

impl TreeSort {
    /// Returns the order by a column of [`tree_columns`]. Without a baseline, the share has the order of the weight.
    pub fn of(sorted: &Sorted, is_compared: bool) -> Option<Self> {
        let column = match (sorted.key.as_str(), is_compared) {
            ("name", _) => TreeColumn::Name,
            ("module", _) => TreeColumn::Module,
            ("total", _) | ("share", false) => TreeColumn::Total,
            ("share", true) => TreeColumn::Baseline,
            ("self", false) => TreeColumn::Own,
            ("self", true) => TreeColumn::Difference,
            _ => return None,
        };
        Some(Self { column, descending: sorted.descending })
    }

    /// Returns the order by a column of [`tree_columns`].
    pub fn sorted(self) -> Sorted {
        let key = match self.column {
            TreeColumn::Name => "name",
            TreeColumn::Module => "module",
            TreeColumn::Total => "total",
            TreeColumn::Baseline => "share",
            TreeColumn::Own | TreeColumn::Difference => "self",
        };
        Sorted { key: key.to_owned(), descending: self.descending }
    }

    /// Returns the default order of a column: names ascending, numbers descending.
    pub fn by(column: TreeColumn) -> Self {
        Self { column, descending: !matches!(column, TreeColumn::Name | TreeColumn::Module) }
    }

    /// Compares two rows; ties are sorted by weight, then by name.
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

/// Returns the rows of a table with the descendants of a row at a level.
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
    fn children_follow_parent_and_collapse_with_it() {
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
    fn siblings_are_sorted_and_rows_stay_expanded() {
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
        rows.sort(TreeSort { descending: false, ..by_weight });
        rows.expand(&[2], &weighed(&[6, 5], &[3.0, 1.0]));
        assert_eq!(shown(&rows), [(2, 1), (5, 2), (6, 2), (1, 1), (3, 2), (4, 2), (7, 3)], "what comes later, too");
        TreeRows::default().sort(by_weight);
    }

    #[test]
    fn expand_all_shows_descendants() {
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
    fn repeated_or_late_answer_is_ignored() {
        let mut rows = TreeRows::top(&nodes(&[1]), None);
        rows.expand(&[1], &nodes(&[2]));
        rows.expand(&[1], &nodes(&[2]));
        rows.expand(&[77], &nodes(&[3]));
        assert_eq!(shown(&rows), [(1, 1), (2, 2)]);
    }
}
