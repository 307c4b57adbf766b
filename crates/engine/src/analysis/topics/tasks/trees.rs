//! Trees of async methods: awaited methods below those that await them.

use super::gather::Operation;
use super::{Recorded, TaskFacts};
use crate::analysis::topics::shared::table::{RowTarget, Table};
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::topics::report::Unit;
use std::cmp::Reverse;

/// Indentation of a name per level. Unlike spaces, it isn't collapsed when displayed.
const INDENT: &str = "\u{2003}";
/// Maximum level of indentation.
const MAX_INDENTED: usize = 12;

/// A method in its tree: its position among the methods in scope, its depth, and the position of the outermost one.
struct Node {
    at: usize,
    depth: usize,
    root: usize,
}

/// Returns all methods, each above the methods it awaits. The longest tree comes first; siblings are in time order.
fn in_trees(operations: &[(u32, &Operation)]) -> Vec<Node> {
    let places: FastMap<u32, usize> = operations.iter().enumerate().map(|(at, (number, _))| (*number, at)).collect();
    let mut below: FastMap<usize, Vec<usize>> = FastMap::default();
    let mut roots = Vec::new();
    for (at, (_, one)) in operations.iter().enumerate() {
        match places.get(&one.awaited_by) {
            Some(above) if *above != at => below.entry(*above).or_default().push(at),
            _ => roots.push(at),
        }
    }
    sort_by_key(&mut roots, |at| (Reverse(operations[*at].1.duration()), *at));
    let mut nodes = Vec::with_capacity(operations.len());
    let mut is_placed = vec![false; operations.len()];
    // Methods that await each other in a cycle, which occurs in damaged traces, have no root.
    for root in roots.into_iter().chain(0..operations.len()) {
        let mut open = vec![(root, 0)];
        while let Some((at, depth)) = open.pop() {
            if std::mem::replace(&mut is_placed[at], true) {
                continue;
            }
            nodes.push(Node { at, depth, root });
            // The last one is taken first.
            open.extend(below.get(&at).into_iter().flatten().rev().map(|child| (*child, depth + 1)));
        }
    }
    nodes
}

impl TaskFacts {
    pub(super) fn trees_table(&self, store: &Store, recorded: Recorded, operations: &[(u32, &Operation)]) -> Table {
        let end = |one: &Operation| one.end.unwrap_or(store.user_span.end.0).max(one.start) + 1;
        let of = |node: &Node| operations[node.at].1;
        Table::of("trees", "Await trees", &in_trees(operations))
            .words("method", "Method", |node| {
                INDENT.repeat(node.depth.min(MAX_INDENTED)) + self.gathered.texts.get(of(node).name)
            })
            .places(
                "durationNs",
                "Duration",
                |node| of(node).duration(),
                |node| Span::new(operations[node.root].1.start, end(operations[node.root].1)),
            )
            .numbers("ranNs", "Executing", Unit::Duration, |node| recorded.sections.then_some(of(node).ran))
            .numbers("timeNs", "Called", Unit::Moment, |node| of(node).start)
            .words("state", "State", |node| of(node).state())
            .threads("thread", "Called on", store, |node| of(node).thread)
            .numbers("number", "No.", Unit::Identity, |node| u64::from(operations[node.at].0) + 1)
            .numbers("depth", "Depth", Unit::Count, |node| node.depth)
            .target(|node| RowTarget::of(of(node).event).over(Span::new(of(node).start, end(of(node)))))
    }
}

#[cfg(test)]
mod tests {
    use super::super::gather::NONE;
    use super::*;
    use protocol::base::ids::{EventId, ThreadId};

    fn operation(start: i64, length: i64, awaited_by: u32) -> Operation {
        let (event, thread, end) = (EventId(start as u32), ThreadId(1), Some(start + length));
        Operation { event, number: 0, thread, start, end, status: 1, name: 0, awaits: 0, ran: 0, busy: 0, awaited_by }
    }

    fn shape(operations: &[Operation]) -> Vec<(usize, usize, usize)> {
        let counted: Vec<(u32, &Operation)> = (0..).zip(operations).collect();
        in_trees(&counted).into_iter().map(|node| (node.at, node.depth, node.root)).collect()
    }

    #[test]
    fn longest_async_tree_is_first_and_children_are_in_time_order() {
        let all = [
            operation(0, 5, NONE),
            operation(1, 90, NONE),
            operation(2, 30, 1),
            operation(3, 9, 2),
            operation(40, 50, 1),
        ];
        assert_eq!(shape(&all), [(1, 0, 1), (2, 1, 1), (3, 2, 1), (4, 1, 1), (0, 0, 0)]);
    }

    #[test]
    fn every_async_method_occurs_once_even_in_cycle() {
        let all = [operation(0, 5, 1), operation(1, 5, 0), operation(2, 5, 2), operation(3, 5, 99)];
        assert_eq!(shape(&all), [(2, 0, 2), (3, 0, 3), (0, 0, 0), (1, 1, 0)]);
    }
}
