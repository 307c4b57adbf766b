//! Treemap of the bytes of the file by purpose.

use super::cost::CostView;
use crate::commands::shortcuts::meaning;
use crate::widgets::picture::paint_whenever;
use crate::widgets::tip::Tip;
use leptos::html;
use leptos::prelude::*;
use std::sync::Arc;
use view::draw::drawlist::DrawList;
use view::draw::palette::{Fill, Token};
use view::draw::tooltip::{Tooltip, fixed_names};
use view::draw::units::Rect;
use view::file::cost_tree::CostNode;
use view::file::treemap::{NodePlace, Treemap, TreemapMarks, paint_treemap};
use view::format;
use view::keys::keymap::{Command, Scope};
use web_sys::{KeyboardEvent, MouseEvent};

/// Treemap of the bytes.
#[component]
pub fn CostMap(
    shown: CostView,
    /// True if it is visible.
    open: Memo<bool>,
) -> impl IntoView {
    let (frame, canvas) = (NodeRef::<html::Div>::new(), NodeRef::<html::Canvas>::new());
    let (size, pointer) = (RwSignal::new((0.0, 0.0)), RwSignal::new(None::<(f64, f64)>));
    let map = Memo::new(move |_| {
        let (width, height) = size.get();
        Arc::new(shown.tree.with(|tree| Treemap::new(tree, Rect::new(0.0, 0.0, width, height))))
    });
    let hovered = Memo::new(move |_| {
        let (x, y) = pointer.get()?;
        map.with(|map| map.at(x, y))
    });
    paint_whenever(shown.app.shell, frame, canvas, open, size, move |painter, characters| {
        let mut list = DrawList::default();
        let marks = TreemapMarks { selected: shown.place(), hovered: hovered.get() };
        shown.tree.with(|tree| map.with(|map| paint_treemap(&mut list, map, tree, marks, characters)));
        list.paint_shapes(painter);
        list.paint_labels(painter);
        list.paint_outlines(painter);
    });
    let about = move || {
        let ((x, y), place) = (pointer.get()?, hovered.get()?);
        Some((tooltip(shown, place)?, x, y))
    };
    let at = |event: &MouseEvent| (f64::from(event.offset_x()), f64::from(event.offset_y()));
    let on_click = move |event: MouseEvent| {
        let (x, y) = at(&event);
        if let Some(place) = map.with_untracked(|map| map.at(x, y)) {
            shown.choose(place);
        }
    };
    let on_key = move |event: KeyboardEvent| {
        let Some(next) = meaning(Scope::Metadata, &event).and_then(|command| stepped(shown, command)) else { return };
        event.prevent_default();
        shown.choose(next);
    };
    let label = move || {
        let now = shown.place().and_then(|place| tooltip(shown, place)).map(|tooltip| tooltip.sentence());
        let now = now.unwrap_or_else(|| "Nothing selected".to_owned());
        format!("Size breakdown as a treemap. {now}. Arrow keys move between boxes. The table lists the same items.")
    };
    let boxes = move || map.with(|map| map.cells.len()).to_string();
    view! {
        <div class="treemap" node_ref=frame>
            <canvas node_ref=canvas tabindex="0" role="application" aria-roledescription="treemap" aria-label=label
                data-testid="cost-map" data-boxes=boxes
                on:mousemove=move |event| pointer.set(Some(at(&event)))
                on:mouseleave=move |_| pointer.set(None)
                on:click=on_click on:keydown=on_key></canvas>
            <Tip about=Signal::derive(about) size=move || size.get_untracked()/>
        </div>
    }
}

/// Returns the box to which a key moves: along a level, or into and out of a box.
fn stepped(shown: CostView, command: Command) -> Option<NodePlace> {
    let now = untrack(|| shown.place());
    shown.tree.with_untracked(|tree| {
        let parts = |node: usize| tree.nodes.get(node).map_or(0, |node| node.parts.len());
        let nodes = tree.nodes.len();
        let next = match (command, now) {
            (Command::NextBox | Command::PreviousBox | Command::Inward, None) => (0, None),
            (Command::NextBox, Some((node, Some(part)))) if part + 1 < parts(node) => (node, Some(part + 1)),
            (Command::NextBox, Some((node, Some(_)))) if node + 1 < nodes && parts(node + 1) > 0 => (node + 1, Some(0)),
            (Command::NextBox, Some((node, _))) if node + 1 < nodes => (node + 1, None),
            (Command::PreviousBox, Some((node, Some(part)))) if part > 0 => (node, Some(part - 1)),
            (Command::PreviousBox, Some((node, Some(_)))) if node > 0 => (node - 1, parts(node - 1).checked_sub(1)),
            (Command::PreviousBox, Some((node, None))) if node > 0 => (node - 1, None),
            (Command::Inward, Some((node, None))) if parts(node) > 0 => (node, Some(0)),
            (Command::Outward, Some((node, Some(_)))) => (node, None),
            _ => return None,
        };
        Some(next)
    })
}

fn tooltip(shown: CostView, (node, part): NodePlace) -> Option<Tooltip> {
    shown.tree.with(|tree| {
        let whole = tree.nodes.get(node)?;
        let part = part.and_then(|part| whole.parts.get(part));
        let node: &CostNode = part.unwrap_or(whole);
        let mut lines = vec![("Share of file", format::percent(node.sizes.bytes as f64, tree.file_bytes as f64))];
        if part.is_some() {
            lines.push(("Part of", whole.name.clone()));
        }
        if let Some(count) = node.sizes.count {
            lines.push(("Count", format::count(count)));
        }
        let of = [
            ("Headers", node.sizes.header_bytes),
            ("Payloads", node.sizes.payload_bytes),
            ("Metadata", node.sizes.description_bytes),
            ("Padding", node.sizes.padding_bytes),
        ];
        lines.extend(of.into_iter().filter(|(_, bytes)| *bytes > 0).map(|(name, bytes)| (name, format::bytes(bytes))));
        let (swatch, title) = (Fill::Solid(Token::Neutral), node.name.clone());
        Some(Tooltip { swatch, title, value: format::bytes(node.sizes.bytes), lines: fixed_names(lines) })
    })
}
