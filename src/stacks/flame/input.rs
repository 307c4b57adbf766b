//! Pointer and keyboard input of a flame graph.

use super::{Graph, GraphKind, Hover, PADDING_PX, Step};
use crate::app::signals::SetChanged;
use crate::commands::shortcuts::meaning;
use crate::stacks::target::Target;
use crate::stacks::transforms::{act, can, open_menu};
use crate::widgets::copy::copy_text;
use leptos::prelude::*;
use std::time::Duration;
use view::keys::keymap::{Command, Scope};
use view::stacks::flame_boxes::FlameBoxes;
use web_sys::{KeyboardEvent, MouseEvent};

/// Time in which a second click makes a double-click.
const DOUBLE_CLICK: Duration = Duration::from_millis(300);

impl Graph {
    fn hit(self, event: &MouseEvent) -> Option<usize> {
        let boxes = self.boxes.get_untracked()?;
        let (width, _) = self.size.get_untracked();
        let level = untrack(|| self.levels()).at(f64::from(event.offset_y()) + self.scroll.get_untracked())?;
        boxes.at(level, f64::from(event.offset_x()) / width.max(1.0))
    }

    /// Handles a pointer movement.
    pub fn point(self, event: &MouseEvent) {
        let hover = self.hit(event).map(|index| Hover { index, x: event.client_x(), y: event.client_y() });
        self.hover.set_changed(hover);
    }

    /// Handles a click on a frame, which is focused and selected. A choice that moves frames waits for a second click,
    /// which zooms to the frame under the pointer.
    pub fn click(self, event: &MouseEvent) {
        self.forget_choice();
        let Some(index) = self.hit(event).filter(|_| event.detail() < 2) else { return };
        self.focused.set(Some(index));
        let (app, Some(target)) = (self.app, self.target(index)) else { return };
        if !target.is_group() && untrack(|| app.has_drawer()) {
            return target.select(app);
        }
        let choose = move || match target.is_group() {
            // A group of functions has no details: it is expanded.
            true if !target.family.is_empty() => target.show_family(app),
            true => {}
            false => target.select(app),
        };
        self.choice.set_value(set_timeout_with_handle(choose, DOUBLE_CLICK).ok());
    }

    fn forget_choice(self) {
        self.choice.update_value(|choice| _ = choice.take().map(|choice| choice.clear()));
    }

    /// Returns the frame of a box; `None` for the root and for merged frames.
    fn target(self, index: usize) -> Option<Target> {
        let boxes = self.boxes.get_untracked()?;
        let table = &boxes.table;
        let is_frame = *table.function.get(index)? != u32::MAX;
        is_frame.then(|| Target {
            function: table.function.get(index).copied().unwrap_or(u32::MAX),
            name: boxes.name(index).to_owned(),
            module: boxes.module(index).to_owned(),
            family: boxes.family(index).to_owned(),
            flags: table.flags.get(index).copied().unwrap_or(0),
            path: self.names_paths().then(|| table.path.get(index).copied().unwrap_or(0)),
        })
    }

    /// Returns whether paths of boxes are call paths: not if stacks are inverted, or truncated for this graph.
    fn names_paths(self) -> bool {
        self.kind.testid == GraphKind::WHOLE.testid && !self.app.stacks.with_untracked(|look| look.shape.inverted)
    }

    /// Opens the menu of the frame under the pointer.
    pub fn menu_at(self, event: &MouseEvent) {
        event.prevent_default();
        if let Some(index) = self.hit(event) {
            self.focused.set(Some(index));
            let at = (f64::from(event.client_x()), f64::from(event.client_y()));
            open_menu(self.app, self.menu, at, self.target(index));
        }
    }

    fn select(self, index: usize) {
        if let Some(target) = self.target(index).filter(|target| !target.is_group()) {
            target.select(self.app);
        }
    }

    /// Zooms to the frame under the pointer.
    pub fn zoom_at(self, event: &MouseEvent) {
        if let Some(index) = self.hit(event) {
            self.zoom_to(index);
        }
    }

    fn zoom_to(self, index: usize) {
        let Some(boxes) = self.boxes.get_untracked() else { return };
        if boxes.is_merged(index) {
            return;
        }
        let steps: Vec<Step> = boxes
            .path(index)
            .into_iter()
            .skip(1)
            .map(|index| Step {
                frame: boxes.table.function.get(index).copied().unwrap_or(u32::MAX),
                name: boxes.name(index).to_owned(),
            })
            .collect();
        self.zoom.update(|zoom| zoom.extend(steps));
        self.to_top();
    }

    /// Zooms out to a level of the trail.
    pub fn zoom_back(self, depth: usize) {
        self.zoom.update(|zoom| zoom.truncate(depth));
        self.to_top();
    }

    fn to_top(self) {
        if let Some(scroller) = self.scroller.get_untracked() {
            scroller.set_scroll_top(0);
        }
    }

    /// Offers the commands for the focused frame.
    pub fn offer_actions(self, is_seen: Signal<bool>) {
        let target = move || self.focused.get_untracked().and_then(|index| self.target(index));
        self.app.actions.offer(
            Scope::Stacks,
            move |command| {
                is_seen.get_untracked() && target().is_some_and(|target| can(self.app, command, Some(&target)))
            },
            move |command| act(self.app, command, target()),
        );
    }

    /// Handles a key.
    pub fn key(self, event: &KeyboardEvent) {
        let Some(boxes) = self.boxes.get_untracked() else { return };
        let Some(command) = meaning(Scope::Stacks, event) else { return };
        let now = self.focused.get_untracked();
        let hidden = untrack(|| self.levels()).hidden;
        let is_seen = |index: &usize| boxes.table.depth.get(*index).is_some_and(|depth| usize::from(*depth) >= hidden);
        // The focus starts at the widest box of the first visible level.
        let first = (0..hidden).try_fold(0, |index, _| boxes.heaviest_child(index));
        let from = now.or(first).unwrap_or(0);
        let next = match command {
            Command::Outward => boxes.parent(from).filter(is_seen),
            Command::Inward if now.is_none() => first,
            Command::Inward => boxes.heaviest_child(from),
            Command::NextBox => boxes.neighbor(from, true),
            Command::PreviousBox => boxes.neighbor(from, false),
            Command::ZoomToBox => {
                event.prevent_default();
                return self.zoom_to(from);
            }
            Command::ZoomOutOfBox if !self.zoom.with_untracked(Vec::is_empty) => {
                event.prevent_default();
                return self.zoom_back(self.zoom.with_untracked(Vec::len) - 1);
            }
            Command::Choose => {
                event.prevent_default();
                return self.select(from);
            }
            Command::CopyText => {
                event.prevent_default();
                let names = boxes.path(from).into_iter().map(|index| self.name(&boxes, index));
                return copy_text(self.app.shell, names.collect::<Vec<_>>().join("\n"), "Stack");
            }
            Command::Menu => {
                event.prevent_default();
                let at = untrack(|| self.place(&boxes, from));
                return open_menu(self.app, self.menu, at, self.target(from));
            }
            other => {
                if act(self.app, other, now.and_then(|index| self.target(index))) {
                    event.prevent_default();
                }
                return;
            }
        };
        event.prevent_default();
        if let Some(next) = next {
            self.focused.set(Some(next));
            self.reveal(&boxes, next);
        }
    }

    /// Returns the position of a box in the window.
    fn place(self, boxes: &FlameBoxes, index: usize) -> (f64, f64) {
        let frame = self.scroller.get().map(|scroller| scroller.get_bounding_client_rect());
        let (left, top) = frame.map_or((0.0, 0.0), |frame| (frame.left(), frame.top()));
        let level = boxes.table.depth.get(index).map_or(0, |depth| usize::from(*depth));
        let across = boxes.edges(index).0 * self.size.get().0;
        let levels = self.levels();
        (left + PADDING_PX + across, top + levels.top(level) + levels.level_px - self.scroll.get())
    }

    fn reveal(self, boxes: &FlameBoxes, index: usize) {
        let (Some(scroller), Some(level)) = (self.scroller.get_untracked(), boxes.table.depth.get(index)) else {
            return;
        };
        let levels = untrack(|| self.levels());
        let (top, level_px) = (levels.top(usize::from(*level)), levels.level_px);
        let (scroll, (_, height)) = (self.scroll.get_untracked(), self.size.get_untracked());
        if top < scroll {
            scroller.set_scroll_top(top as i32);
        } else if top + level_px > scroll + height {
            scroller.set_scroll_top((top + level_px - height).ceil() as i32);
        }
    }
}
