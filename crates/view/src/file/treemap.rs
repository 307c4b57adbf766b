//! Treemap: parts of a whole as boxes whose areas are their sizes, as square as possible.

use super::cost_tree::{CostNode, CostTree};
use crate::draw::drawlist::{CharacterWidths, DrawList, Label, TextSize};
use crate::draw::palette::{Fill, Token};
use crate::draw::text_fit::fit;
use crate::draw::units::{CssPx, Rect};

/// Height of the heading of a box with parts.
const HEADING: CssPx = 16.0;
/// Minimum width and height of a box with a heading.
const LEAST_HEADED: (CssPx, CssPx) = (60.0, 36.0);
/// Minimum width and height of a box with a label.
const LEAST_LABELLED: (CssPx, CssPx) = (38.0, 15.0);
const GAP: CssPx = 1.0;
const PADDING: CssPx = 4.0;

/// Divides an area by sizes, sorted largest first. Returns one box per size; boxes may be empty.
///
/// The algorithm is from Bruls, Huizing and van Wijk, "Squarified Treemaps": a row along the shorter side grows as long
/// as that makes its boxes squarer.
pub fn squarify(sizes: &[f64], area: Rect) -> Vec<Rect> {
    let mut boxes = Vec::with_capacity(sizes.len());
    let mut rest = area;
    let mut left: f64 = sizes.iter().sum();
    let mut first = 0;
    while first < sizes.len() {
        let scale = if left > 0.0 { rest.width * rest.height / left } else { 0.0 };
        let side = rest.width.min(rest.height);
        let mut count = 1;
        while first + count < sizes.len()
            && worst(&sizes[first..=first + count], side, scale) <= worst(&sizes[first..first + count], side, scale)
        {
            count += 1;
        }
        let row = &sizes[first..first + count];
        let sum: f64 = row.iter().sum();
        rest = place_row(row, sum, scale, rest, &mut boxes);
        left -= sum;
        first += count;
    }
    boxes
}

/// Returns the worst aspect ratio of a row, 1 for a square.
fn worst(row: &[f64], side: CssPx, scale: f64) -> f64 {
    let thickness = row.iter().sum::<f64>() * scale / side.max(1e-9);
    let shape = |size: &f64| {
        let length = size * scale / thickness.max(1e-9);
        (length / thickness.max(1e-9)).max(thickness / length.max(1e-9))
    };
    row.iter().map(shape).fold(1.0, f64::max)
}

/// Places a row along the shorter side; returns the remaining area.
fn place_row(row: &[f64], sum: f64, scale: f64, rest: Rect, boxes: &mut Vec<Rect>) -> Rect {
    let is_column = rest.width >= rest.height;
    let (side, across) = if is_column { (rest.height, rest.width) } else { (rest.width, rest.height) };
    let thickness = if side > 0.0 { (sum * scale / side).min(across) } else { 0.0 };
    let mut at = 0.0;
    for size in row {
        let length = if sum > 0.0 { size / sum * side } else { 0.0 };
        boxes.push(if is_column {
            Rect::new(rest.x, rest.y + at, thickness, length)
        } else {
            Rect::new(rest.x + at, rest.y, length, thickness)
        });
        at += length;
    }
    if is_column {
        Rect::new(rest.x + thickness, rest.y, rest.width - thickness, rest.height)
    } else {
        Rect::new(rest.x, rest.y + thickness, rest.width, rest.height - thickness)
    }
}

/// Node by its index in the tree, and the index of its part, if it is one.
pub type NodePlace = (usize, Option<usize>);

/// Highlighted boxes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TreemapMarks {
    pub selected: Option<NodePlace>,
    /// Box under the pointer.
    pub hovered: Option<NodePlace>,
}

/// Box of a node or of one of its parts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cell {
    pub area: Rect,
    /// Index of the node.
    pub node: usize,
    /// Index of the part; `None` for a node without parts.
    pub part: Option<usize>,
}

/// Boxes of a cost tree.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Treemap {
    /// Nodes with parts, including their headings if they fit.
    pub groups: Vec<(usize, Rect)>,
    /// Boxes without parts.
    pub cells: Vec<Cell>,
}

impl Treemap {
    /// Lays out a tree in an area.
    pub fn new(tree: &CostTree, area: Rect) -> Self {
        let mut map = Self::default();
        let sizes = |nodes: &[CostNode]| nodes.iter().map(|node| node.sizes.bytes as f64).collect::<Vec<_>>();
        for (node, area) in squarify(&sizes(&tree.nodes), area).into_iter().enumerate() {
            let parts = &tree.nodes[node].parts;
            if parts.is_empty() {
                map.cells.push(Cell { area, node, part: None });
                continue;
            }
            map.groups.push((node, area));
            let heading = if is_headed(area) { HEADING } else { 0.0 };
            let inside = Rect::new(area.x, area.y + heading, area.width, area.height - heading);
            let boxes = squarify(&sizes(parts), inside).into_iter().enumerate();
            map.cells.extend(boxes.map(|(part, area)| Cell { area, node, part: Some(part) }));
        }
        map
    }

    /// Returns the box at a position; for a heading, the node.
    pub fn at(&self, x: CssPx, y: CssPx) -> Option<NodePlace> {
        let cell = self.cells.iter().find(|cell| cell.area.contains(x, y));
        let group = || self.groups.iter().find(|(_, area)| area.contains(x, y)).map(|(node, _)| (*node, None));
        cell.map(|cell| (cell.node, cell.part)).or_else(group)
    }

    pub fn area_of(&self, node: usize, part: Option<usize>) -> Option<Rect> {
        let group = self.groups.iter().find(|(other, _)| *other == node && part.is_none()).map(|(_, area)| *area);
        let cell = || self.cells.iter().find(|cell| cell.node == node && cell.part == part).map(|cell| cell.area);
        group.or_else(cell)
    }
}

fn is_headed(area: Rect) -> bool {
    area.width >= LEAST_HEADED.0 && area.height >= LEAST_HEADED.1
}

/// Draws a treemap, with the selected box emphasized and an outline around the one under the pointer.
pub fn paint_treemap(
    list: &mut DrawList,
    map: &Treemap,
    tree: &CostTree,
    marks: TreemapMarks,
    characters: CharacterWidths,
) {
    for (node, area) in map.groups.iter().filter(|(_, area)| is_headed(*area)) {
        list.boxes.push_apart(Fill::Solid(Token::Sunken), inner(*area));
        let name = &tree.nodes[*node].name;
        let text = fit(name, area.width - 2.0 * PADDING, characters.normal);
        if !text.is_empty() {
            let label = Label::small(area.x + PADDING, area.y + HEADING - 4.0, text, Token::Text);
            list.labels.push(Label { size: TextSize::Normal, strong: true, ..label });
        }
    }
    for cell in &map.cells {
        let is_selected =
            marks.selected.is_some_and(|(node, part)| node == cell.node && (part.is_none() || part == cell.part));
        let fill = if is_selected { Token::AccentSoft } else { Token::NeutralSoft };
        list.details.push_apart(Fill::Solid(fill), inner(cell.area));
        if cell.area.width < LEAST_LABELLED.0 || cell.area.height < LEAST_LABELLED.1 {
            continue;
        }
        let node = &tree.nodes[cell.node];
        let name = cell.part.and_then(|part| node.parts.get(part)).map_or(&node.name, |part| &part.name);
        let text = fit(name, cell.area.width - 2.0 * PADDING, characters.small);
        if !text.is_empty() {
            list.labels.push(Label::small(cell.area.x + PADDING, cell.area.y + 12.0, text, Token::Text));
        }
    }
    for (place, color, width) in [(marks.hovered, Token::Text2, 1.0), (marks.selected, Token::AccentLine, 2.0)] {
        if let Some(area) = place.and_then(|(node, part)| map.area_of(node, part)) {
            list.outlines.push((color, width, inner(area)));
        }
    }
}

fn inner(area: Rect) -> Rect {
    Rect::new(area.x, area.y, (area.width - GAP).max(0.5), (area.height - GAP).max(0.5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::drawlist::RecordingPainter;
    use crate::file::cost_tree::tests::costs;
    use crate::file::cost_tree::{CostBy, CostTree};
    use proptest::prelude::*;

    #[test]
    fn known_example_matches_published_layout() {
        let boxes = squarify(&[6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0], Rect::new(0.0, 0.0, 6.0, 4.0));
        let sides: Vec<(f64, f64)> = boxes.iter().map(|area| (area.width, area.height)).collect();
        assert_eq!(sides[..2], [(3.0, 2.0), (3.0, 2.0)]);
        assert!((sides[2].1 - 7.0 / 3.0).abs() < 1e-9 && (sides[2].0 - 12.0 / 7.0).abs() < 1e-9, "{sides:?}");
    }

    proptest! {
        #[test]
        fn areas_match_sizes_and_boxes_stay_inside(
            sizes in prop::collection::vec(0.0_f64..1e9, 0..60),
            (width, height) in (0.0_f64..2000.0, 0.0_f64..1000.0),
        ) {
            let mut sizes = sizes;
            sizes.sort_by(|a, b| b.total_cmp(a));
            let whole: f64 = sizes.iter().sum();
            let boxes = squarify(&sizes, Rect::new(5.0, 7.0, width, height));
            prop_assert_eq!(boxes.len(), sizes.len());
            for (size, area) in sizes.iter().zip(&boxes) {
                let expected = if whole > 0.0 { size / whole * width * height } else { 0.0 };
                prop_assert!((area.width * area.height - expected).abs() <= 1e-6 * width * height + 1e-6);
                prop_assert!(area.x >= 5.0 - 1e-6 && area.right() <= 5.0 + width + 1e-6);
                prop_assert!(area.y >= 7.0 - 1e-6 && area.bottom() <= 7.0 + height + 1e-6);
            }
        }
    }

    #[test]
    fn box_has_name_and_is_hit() {
        let tree = CostTree::new(&costs(), CostBy::Provider);
        let map = Treemap::new(&tree, Rect::new(0.0, 0.0, 400.0, 200.0));
        let order = map.area_of(0, Some(0)).expect("a box");
        assert_eq!(map.at(order.x + 1.0, order.y + 1.0), Some((0, Some(0))));
        let shop = map.area_of(0, None).expect("a box");
        assert_eq!(map.at(shop.x + 1.0, shop.y + 1.0), Some((0, None)), "its heading");
        let (mut list, mut painter) = (DrawList::default(), RecordingPainter::default());
        let marks = TreemapMarks { selected: Some((0, Some(0))), hovered: None };
        paint_treemap(&mut list, &map, &tree, marks, CharacterWidths::default());
        list.paint_shapes(&mut painter);
        list.paint_labels(&mut painter);
        list.paint_outlines(&mut painter);
        let text = painter.text();
        for expected in [": Shop", ": Order", ": Web", ": Get", "AccentSoft: ", "outline AccentLine 2"] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
    }
}
