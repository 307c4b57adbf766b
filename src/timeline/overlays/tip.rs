//! Tooltips and announcements of items.

use crate::app::signals::SetChanged;
use crate::details::state::Occurrence;
use crate::timeline::stage::Stage;
use crate::timeline::state::{Drag, State, selection_of};
use leptos::prelude::*;
use std::rc::Rc;
use view::draw::tooltip::{Tooltip, TooltipContext};
use view::timeline::clock::ClockFace;
use view::timeline::hit::Target;

impl Stage {
    /// Updates the item under the pointer and its tooltip.
    pub fn update_hover(&self) {
        let found = {
            let mut state = self.state.borrow_mut();
            let position = match (state.drag, state.pointer) {
                (Drag::None | Drag::Pressed { .. }, Some((x, Some(y)))) => Some((x, y)),
                _ => None,
            };
            let hovered = position.map_or(Target::Nothing, |(x, y)| state.scene().hit(x, state.below_top(y)));
            state.hovered = hovered;
            position.and_then(|(x, y)| Some((self.about(&hovered, &state)?, x, y)))
        };
        self.signals.tooltip.set_changed(found);
    }

    /// Returns the current format of times.
    pub fn face(&self) -> ClockFace {
        untrack(|| self.app.face())
    }

    /// Returns the tooltip of an item.
    pub fn about(&self, target: &Target, state: &State) -> Option<Tooltip> {
        state.scene().tooltip(target, &TooltipContext { threads: &state.threads, face: self.face() })
    }

    /// Selects an item and announces it.
    pub fn select(self: &Rc<Self>, target: Target) {
        let (selection, sentence) = {
            let mut state = self.state.borrow_mut();
            let sentence = self.about(&target, &state).map(|tooltip| tooltip.sentence());
            let selection = selection_of(&target, &state);
            state.selected = Some(target);
            let occurrence = match &target {
                Target::Slice { thread, depth, slice } => {
                    Some(Occurrence::new(*thread, *depth, slice, state.frames.get(thread)))
                }
                _ => None,
            };
            self.app.details.occurrence.set_changed(occurrence);
            (selection, sentence)
        };
        self.app.selection.set_changed(selection);
        if let Some(sentence) = sentence {
            self.app.shell.announce.set(sentence);
        }
        self.request_frame();
    }
}
