//! The rows of a call tree that are shown: a flat list in which children follow their parent.

use crate::protocol::tables::CallNodes;

/// A row.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Node of the call tree.
    pub node: u32,
    /// 1 at the top.
    pub level: u32,
    /// Function.
    pub function: u32,
    /// Readable name.
    pub name: String,
    /// Module.
    pub module: String,
    /// Inclusive weight.
    pub inclusive: f64,
    /// Exclusive weight.
    pub exclusive: f64,
    /// 2: framework code; bits.
    pub flags: u8,
    /// Whether there is something to expand.
    pub has_children: bool,
    /// Whether its children follow.
    pub expanded: bool,
}

/// The rows that are shown.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TreeRows {
    /// In order.
    pub rows: Vec<Row>,
    /// Weight of the whole tree.
    pub total: f64,
}

impl TreeRows {
    /// The children of the root.
    pub fn top(children: &CallNodes) -> Self {
        Self { rows: rows_of(children, 1), total: children.total.first().copied().unwrap_or(0.0) }
    }

    /// The nodes whose children are shown, parents first.
    pub fn expanded(&self) -> Vec<u32> {
        self.rows.iter().filter(|row| row.expanded).map(|row| row.node).collect()
    }

    /// The row of a node.
    pub fn position(&self, node: u32) -> Option<usize> {
        self.rows.iter().position(|row| row.node == node)
    }

    /// The row of the parent.
    pub fn parent(&self, index: usize) -> Option<usize> {
        let level = self.rows.get(index)?.level;
        self.rows.get(..index)?.iter().rposition(|row| row.level < level)
    }

    /// Shows the children of a node, unless they are shown already or the node is gone.
    pub fn expand(&mut self, node: u32, children: &CallNodes) {
        let Some(index) = self.position(node) else { return };
        let Some(row) = self.rows.get_mut(index).filter(|row| !row.expanded) else { return };
        row.expanded = true;
        let level = row.level + 1;
        self.rows.splice(index + 1..index + 1, rows_of(children, level));
    }

    /// Hides everything below a node.
    pub fn collapse(&mut self, node: u32) {
        let Some(index) = self.position(node) else { return };
        let Some(level) = self.rows.get(index).map(|row| row.level) else { return };
        let below = self.rows.iter().skip(index + 1).take_while(|row| row.level > level).count();
        self.rows.drain(index + 1..index + 1 + below);
        if let Some(row) = self.rows.get_mut(index) {
            row.expanded = false;
        }
    }
}

fn rows_of(nodes: &CallNodes, level: u32) -> Vec<Row> {
    (0..nodes.node.len())
        .map(|index| Row {
            node: nodes.node.get(index).copied().unwrap_or_default(),
            level,
            function: nodes.function.get(index).copied().unwrap_or_default(),
            name: nodes.name.get(index).to_owned(),
            module: nodes.module.get(index).to_owned(),
            inclusive: nodes.inclusive.get(index).copied().unwrap_or_default(),
            exclusive: nodes.exclusive.get(index).copied().unwrap_or_default(),
            flags: nodes.flags.get(index).copied().unwrap_or_default(),
            has_children: nodes.has_children.get(index).is_some_and(|has| *has != 0),
            expanded: false,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(ids: &[u32]) -> CallNodes {
        CallNodes {
            total: vec![100.0],
            node: ids.to_vec(),
            has_children: vec![1; ids.len()],
            name: ids.iter().map(|id| format!("n{id}")).collect(),
            ..CallNodes::default()
        }
    }

    fn shown(rows: &TreeRows) -> Vec<(u32, u32)> {
        rows.rows.iter().map(|row| (row.node, row.level)).collect()
    }

    #[test]
    fn children_follow_their_parent_and_go_with_it() {
        let mut rows = TreeRows::top(&nodes(&[1, 2]));
        rows.expand(1, &nodes(&[3, 4]));
        rows.expand(4, &nodes(&[5]));
        assert_eq!(shown(&rows), [(1, 1), (3, 2), (4, 2), (5, 3), (2, 1)]);
        assert_eq!(rows.expanded(), [1, 4]);
        assert_eq!(rows.parent(3), Some(2));
        assert_eq!(rows.parent(2), Some(0));
        rows.collapse(1);
        assert_eq!(shown(&rows), [(1, 1), (2, 1)]);
    }

    #[test]
    fn an_answer_that_comes_twice_or_too_late_changes_nothing() {
        let mut rows = TreeRows::top(&nodes(&[1]));
        rows.expand(1, &nodes(&[2]));
        rows.expand(1, &nodes(&[2]));
        rows.expand(77, &nodes(&[3]));
        assert_eq!(shown(&rows), [(1, 1), (2, 2)]);
    }
}
