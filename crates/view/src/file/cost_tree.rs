//! Bytes of the file by purpose, as a tree of two levels that adds up to the file.

use crate::grid::{Sorted, sort_tree};
use protocol::base::sort::sort_by;
use protocol::file::cost_columns::{COST_COLUMNS, Sizes};
use protocol::table::column_with_key;
use protocol::tables::{Costs, FieldCosts, NO_NUMBER, cost, section_kind};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Grouping of the file's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum CostBy {
    /// Providers and their events.
    #[default]
    Provider,
    /// Block kinds, and the parts of event blocks.
    Kind,
    Thread,
}

/// Subject of a node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum CostSubject {
    Provider(String),
    /// Event type, [`protocol::base::ids::TypeId`].
    EventType(u32),
    /// Thread, by its number.
    Thread(String),
    /// Other bytes, by name and the name of the enclosing node.
    Other(String, String),
}

/// Part of the file.
#[derive(Clone, PartialEq, Debug)]
pub struct CostNode {
    pub subject: CostSubject,
    /// Display name.
    pub name: String,
    pub sizes: Sizes,
    /// Parts, largest first; may be empty.
    pub parts: Vec<CostNode>,
    /// True if the node has parts that aren't in `parts` yet.
    pub has_more: bool,
}

/// Sums of the fields of an event type, over the events counted so far.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FieldSums {
    /// Number of counted events.
    pub events: u64,
    /// Row of the next step; `None` after the last one.
    pub next: Option<u64>,
    sums: Vec<(String, u64)>,
}

impl FieldSums {
    /// Adds the counts of a step.
    pub fn add(&mut self, step: &FieldCosts) {
        self.events += step.events.iter().sum::<u64>();
        self.next = step.next.first().copied();
        for (name, bytes) in step.name.iter().zip(&step.bytes) {
            match self.sums.iter_mut().find(|(known, _)| known == name) {
                Some((_, sum)) => *sum += bytes,
                None => self.sums.push((name.to_owned(), *bytes)),
            }
        }
    }

    /// Returns a node per field, largest first, and one for events outside the indexed part, which aren't counted.
    fn nodes(&self, of: &CostNode) -> Vec<CostNode> {
        let node = |name: &str, bytes| {
            let mut node = CostNode::other(&of.name, name, bytes);
            node.sizes.payload_bytes = bytes;
            node
        };
        let mut nodes: Vec<CostNode> = self.sums.iter().map(|(name, bytes)| node(name, *bytes)).collect();
        let counted: u64 = self.sums.iter().map(|(_, bytes)| bytes).sum();
        if of.sizes.payload_bytes > counted {
            let name = if self.next.is_some() { "Not counted yet" } else { "Events not indexed" };
            nodes.push(node(name, of.sizes.payload_bytes - counted));
        }
        order(&mut nodes);
        nodes
    }
}

impl CostNode {
    /// Returns whether the node has parts to show.
    pub fn is_expandable(&self) -> bool {
        let is_event = matches!(self.subject, CostSubject::EventType(_)) && self.sizes.payload_bytes > 0;
        self.has_more || is_event || !self.parts.is_empty()
    }

    fn other(of: &str, name: &str, bytes: u64) -> Self {
        Self {
            subject: CostSubject::Other(of.to_owned(), name.to_owned()),
            name: name.to_owned(),
            sizes: Sizes { bytes, ..Sizes::default() },
            parts: Vec::new(),
            has_more: false,
        }
    }

    fn of_row(costs: &Costs, row: usize, subject: CostSubject, name: &str) -> Self {
        Self { subject, name: name.to_owned(), sizes: costs.sizes(row), parts: Vec::new(), has_more: false }
    }
}

/// The file by purpose.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CostTree {
    pub file_bytes: u64,
    /// Nodes, largest first.
    pub nodes: Vec<CostNode>,
}

fn rows(costs: &Costs, of: u8) -> impl Iterator<Item = usize> + '_ {
    (0..costs.of.len()).filter(move |row| costs.of[*row] == of)
}

fn sum(costs: &Costs, of: u8, bytes: &[u64]) -> u64 {
    rows(costs, of).map(|row| bytes[row]).sum()
}

/// Name of the bytes that are neither events nor metadata.
const REST: &str = "Block headers";
const PADDING: &str = "Padding";

impl CostTree {
    /// Groups the bytes of the file.
    pub fn new(costs: &Costs, by: CostBy) -> Self {
        let mut nodes = match by {
            CostBy::Provider => by_provider(costs),
            CostBy::Kind => by_kind(costs),
            CostBy::Thread => by_thread(costs),
        };
        if by != CostBy::Kind {
            nodes.extend(rest(costs));
        }
        order(&mut nodes);
        Self { file_bytes: costs.file_bytes.first().copied().unwrap_or(0), nodes }
    }

    /// Returns the sum of the nodes.
    pub fn sum(&self) -> u64 {
        self.nodes.iter().map(|node| node.sizes.bytes).sum()
    }

    /// Returns the visible rows: level, from 1, and node. The counted payload fields of an event type are below it.
    pub fn rows(&self, open: &HashSet<CostSubject>, fields: &HashMap<u32, FieldSums>) -> Vec<(u32, CostNode)> {
        let mut rows = Vec::new();
        let alone = |node: &CostNode| CostNode { parts: Vec::new(), has_more: node.is_expandable(), ..node.clone() };
        for node in &self.nodes {
            rows.push((1, alone(node)));
            if !open.contains(&node.subject) {
                continue;
            }
            for part in &node.parts {
                rows.push((2, alone(part)));
                if let (CostSubject::EventType(id), true) = (&part.subject, open.contains(&part.subject)) {
                    rows.extend(fields.get(id).into_iter().flat_map(|sums| sums.nodes(part)).map(|node| (3, node)));
                }
            }
        }
        rows
    }
}

/// Sorts visible rows, each among its siblings.
pub fn sort_rows(rows: Vec<(u32, CostNode)>, by: &Sorted) -> Vec<(u32, CostNode)> {
    // Shares are of the same file.
    let column = column_with_key(&COST_COLUMNS, if by.key == "share" { "bytes" } else { &by.key });
    sort_tree(rows, |row| row.0, &|(_, one), (_, other)| {
        by.turned(match column {
            Some(column) => column.compare((&one.sizes, 0), (&other.sizes, 0)),
            None => one.name.cmp(&other.name),
        })
    })
}

fn order(nodes: &mut [CostNode]) {
    sort_by(nodes, |a, b| (Reverse(a.sizes.bytes), &a.name).cmp(&(Reverse(b.sizes.bytes), &b.name)));
    nodes.iter_mut().for_each(|node| order(&mut node.parts));
}

fn by_provider(costs: &Costs) -> Vec<CostNode> {
    let mut events: BTreeMap<&str, Vec<CostNode>> = BTreeMap::new();
    for row in rows(costs, cost::EVENT_TYPE) {
        let subject = match costs.event_type[row] {
            NO_NUMBER => CostSubject::Other(costs.name.get(row).to_owned(), costs.event.get(row).to_owned()),
            id => CostSubject::EventType(id),
        };
        let node = CostNode::of_row(costs, row, subject, costs.event.get(row));
        events.entry(costs.name.get(row)).or_default().push(node);
    }
    let provider = |row: usize| {
        let name = costs.name.get(row);
        let mut node = CostNode::of_row(costs, row, CostSubject::Provider(name.to_owned()), name);
        node.parts = events.get(name).cloned().unwrap_or_default();
        node
    };
    rows(costs, cost::PROVIDER).map(provider).collect()
}

fn by_kind(costs: &Costs) -> Vec<CostNode> {
    let headers = sum(costs, cost::PROVIDER, &costs.header_bytes);
    let payloads = sum(costs, cost::PROVIDER, &costs.payload_bytes);
    let descriptions = sum(costs, cost::PROVIDER, &costs.description_bytes);
    let around: BTreeMap<&str, (u64, u64)> = rows(costs, cost::REST)
        .map(|row| (costs.name.get(row), (costs.bytes[row], costs.padding_bytes[row])))
        .collect();
    let has_metadata =
        rows(costs, cost::PIECES).any(|row| costs.name.get(row) == section_kind::name(section_kind::METADATA));
    let kind = |row: usize| {
        let name = costs.name.get(row);
        let mut node = CostNode::of_row(costs, row, CostSubject::Other(String::new(), name.to_owned()), name);
        let mut inside = Vec::new();
        let is_events = name == section_kind::name(section_kind::EVENTS);
        if is_events {
            inside.extend([("Event headers", headers), ("Event payloads", payloads)]);
        }
        if name == section_kind::name(if has_metadata { section_kind::METADATA } else { section_kind::EVENTS }) {
            inside.push(("Event metadata", descriptions));
        }
        if !inside.is_empty() {
            let (around, padding) = around.get(name).copied().unwrap_or_default();
            let of_events = around + inside.iter().map(|(_, bytes)| bytes).sum::<u64>();
            node.sizes.padding_bytes = node.sizes.bytes.saturating_sub(of_events) + padding;
            inside.extend([("Block headers", around.saturating_sub(padding)), (PADDING, node.sizes.padding_bytes)]);
        }
        if is_events {
            (node.sizes.header_bytes, node.sizes.payload_bytes) = (headers, payloads);
        }
        let inside = inside.into_iter().filter(|(_, bytes)| *bytes > 0);
        node.parts = inside.map(|(part, bytes)| CostNode::other(name, part, bytes)).collect();
        node
    };
    rows(costs, cost::PIECES).map(kind).collect()
}

fn by_thread(costs: &Costs) -> Vec<CostNode> {
    let thread = |row: usize| {
        let number = costs.name.get(row).to_owned();
        let name = format!("Thread {number}");
        CostNode::of_row(costs, row, CostSubject::Thread(number), &name)
    };
    let of_threads = sum(costs, cost::THREAD, &costs.bytes);
    let descriptions = sum(costs, cost::PROVIDER, &costs.bytes).saturating_sub(of_threads);
    let mut described = CostNode::other("", "Event metadata", descriptions);
    described.sizes.description_bytes = sum(costs, cost::PROVIDER, &costs.description_bytes);
    described.sizes.padding_bytes = descriptions.saturating_sub(described.sizes.description_bytes);
    rows(costs, cost::THREAD).map(thread).chain((descriptions > 0).then_some(described)).collect()
}

fn rest(costs: &Costs) -> Option<CostNode> {
    let mut node = CostNode::other("", REST, sum(costs, cost::REST, &costs.bytes));
    let part = |row: usize| {
        let name = match costs.name.get(row) {
            name if name == section_kind::name(section_kind::EVENTS) => "Event blocks",
            name if name == section_kind::name(section_kind::METADATA) => "Metadata blocks",
            name => name,
        };
        let bytes = costs.bytes[row].saturating_sub(costs.padding_bytes[row]);
        let mut part = CostNode::other(REST, name, bytes);
        part.sizes.count = Some(costs.count[row]);
        part
    };
    node.sizes.padding_bytes = sum(costs, cost::REST, &costs.padding_bytes);
    let mut padding = CostNode::other(REST, PADDING, node.sizes.padding_bytes);
    padding.sizes.padding_bytes = node.sizes.padding_bytes;
    let parts = rows(costs, cost::REST).map(part).chain([padding]);
    node.parts = parts.filter(|part| part.sizes.bytes > 0).collect();
    (node.sizes.bytes > 0).then_some(node)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the costs of a file of 1000 bytes with two providers.
    pub(crate) fn costs() -> Costs {
        let mut costs = Costs { file_bytes: vec![1000], ..Costs::default() };
        let mut add = |of, name: &str, event: &str, count, [header, payload, description, padding, bytes]: [u64; 5]| {
            costs.of.push(of);
            costs.name.push(name);
            costs.event.push(event);
            costs.event_type.push(if of == cost::EVENT_TYPE { costs.of.len() as u32 } else { NO_NUMBER });
            costs.count.push(count);
            costs.header_bytes.push(header);
            costs.payload_bytes.push(payload);
            costs.description_bytes.push(description);
            costs.padding_bytes.push(padding);
            costs.bytes.push(bytes);
        };
        add(cost::PIECES, "Events", "", 2, [0, 0, 0, 6, 700]);
        add(cost::PIECES, "Metadata", "", 1, [0, 0, 0, 3, 200]);
        add(cost::PIECES, "Header", "", 1, [0, 0, 0, 0, 100]);
        add(cost::PROVIDER, "Shop", "", 10, [90, 300, 80, 10, 480]);
        add(cost::PROVIDER, "Web", "", 5, [50, 150, 90, 0, 290]);
        add(cost::EVENT_TYPE, "Shop", "Order", 9, [80, 290, 50, 10, 430]);
        add(cost::EVENT_TYPE, "Web", "Get", 5, [50, 150, 90, 0, 290]);
        add(cost::EVENT_TYPE, "Shop", "Pay", 1, [10, 10, 30, 0, 50]);
        add(cost::REST, "Events", "", 2, [0, 0, 0, 6, 100]);
        add(cost::REST, "Metadata", "", 1, [0, 0, 0, 3, 30]);
        add(cost::REST, "Header", "", 1, [0, 0, 0, 0, 100]);
        add(cost::THREAD, "17", "", 14, [0, 0, 0, 0, 560]);
        add(cost::THREAD, "18", "", 1, [0, 0, 0, 0, 40]);
        costs
    }

    #[test]
    fn groupings_and_parts_add_up() {
        for by in [CostBy::Provider, CostBy::Kind, CostBy::Thread] {
            let tree = CostTree::new(&costs(), by);
            assert_eq!((tree.sum(), tree.file_bytes), (1000, 1000), "{by:?}");
            for node in tree.nodes.iter().filter(|node| !node.parts.is_empty()) {
                assert_eq!(
                    node.parts.iter().map(|part| part.sizes.bytes).sum::<u64>(),
                    node.sizes.bytes,
                    "{by:?} {}",
                    node.name
                );
            }
            assert!(tree.nodes.is_sorted_by_key(|node| Reverse(node.sizes.bytes)), "{by:?}");
        }
    }

    #[test]
    fn rows_are_sorted_among_siblings() {
        let open = HashSet::from([CostSubject::Provider("Shop".to_owned())]);
        let sorted = |key: &str, descending| {
            let rows = CostTree::new(&costs(), CostBy::Provider).rows(&open, &HashMap::new());
            let rows = sort_rows(rows, &Sorted::by(key, descending));
            rows.into_iter().map(|(_, node)| node.name).collect::<Vec<_>>()
        };
        assert_eq!(sorted("share", true), ["Shop", "Order", "Pay", "Web", "Block headers"]);
        assert_eq!(sorted("count", false), ["Block headers", "Web", "Shop", "Pay", "Order"]);
        assert_eq!(sorted("name", true), ["Web", "Shop", "Pay", "Order", "Block headers"]);
    }

    #[test]
    fn rows_follow_expanded_nodes() {
        let tree = CostTree::new(&costs(), CostBy::Provider);
        let mut sums = FieldSums::default();
        let step = |next: &[u64]| FieldCosts {
            next: next.to_vec(),
            events: vec![4],
            payload_bytes: vec![140],
            name: ["Count", "Sku"].into_iter().collect(),
            bytes: vec![16, 124],
        };
        sums.add(&step(&[77]));
        let names = |open: &HashSet<CostSubject>, sums: &FieldSums| {
            let rows = tree.rows(open, &HashMap::from([(6, sums.clone())]));
            rows.iter().map(|(level, node)| format!("{level} {} {}", node.name, node.sizes.bytes)).collect::<Vec<_>>()
        };
        let top = ["1 Shop 480", "1 Web 290", "1 Block headers 230"];
        assert_eq!(names(&HashSet::new(), &sums), top);
        let mut open = HashSet::from([CostSubject::Provider("Shop".to_owned())]);
        assert_eq!(names(&open, &sums)[..4], ["1 Shop 480", "2 Order 430", "2 Pay 50", "1 Web 290"]);
        open.insert(CostSubject::EventType(6));
        let of_order = ["2 Order 430", "3 Not counted yet 150", "3 Sku 124", "3 Count 16", "2 Pay 50"];
        assert_eq!(names(&open, &sums)[1..6], of_order);
        sums.add(&step(&[]));
        assert_eq!((sums.events, sums.next), (8, None));
        let of_order = ["2 Order 430", "3 Sku 248", "3 Count 32", "3 Events not indexed 10", "2 Pay 50"];
        assert_eq!(names(&open, &sums)[1..6], of_order);
    }
}
