//! What the timelines of several traces share: the visible range, the pointer's time, and the height of the page.

use super::stage::Stage;
use super::state::State;
use leptos::prelude::*;
use protocol::base::time::Span;
use protocol::tables::Overview;
use std::rc::Rc;
use std::sync::Arc;
use view::timeline::turns::Due;

impl Stage {
    /// Returns the timelines of the other traces.
    fn others(self: &Rc<Self>) -> Vec<Rc<Stage>> {
        match self.app.traces.are_several_now() {
            true => self.app.traces.stages().into_iter().filter(|other| !Rc::ptr_eq(other, self)).collect(),
            false => Vec::new(),
        }
    }

    fn shift_to(&self, other: &Self) -> i64 {
        untrack(|| self.app.traces.shift(self.app, other.app))
    }

    /// Follows the heights of the timelines of the other traces.
    pub(super) fn follow_height(self: &Rc<Self>) {
        if self.elements().is_some_and(|elements| elements.scroll_top() != self.scrolled_to.get()) {
            self.follow_scroll(Due::Lanes);
        }
    }

    /// Gives the visible range to the timelines of the other traces.
    pub(super) fn share_view(self: &Rc<Self>, due: Due) {
        let others = self.others();
        if others.is_empty() {
            return;
        }
        let scale = self.state.borrow().viewport.scale();
        if self.shared.replace(Some(scale)) == Some(scale) {
            return;
        }
        for other in others {
            other.take_on_view(scale.span().shifted(self.shift_to(&other)), due);
        }
    }

    /// Shows the range that is visible in the timelines of the other traces.
    pub(super) fn join_view(self: &Rc<Self>) {
        if let Some(other) = self.others().first() {
            let span = other.state.borrow().viewport.scale().span();
            self.take_on_view(span.shifted(other.shift_to(self)), Due::All);
        }
    }

    fn take_on_view(self: &Rc<Self>, span: Span, due: Due) {
        let scale = {
            let mut state = self.state.borrow_mut();
            state.viewport.show(span);
            state.viewport.scale()
        };
        self.shared.set(Some(scale));
        self.request(due);
    }

    /// Draws the minimap, which contains the density of all traces.
    pub(super) fn draw_minimap(&self) {
        let has_minimap = |stage: &&Rc<Self>| stage.elements().is_some_and(|elements| elements.frame.is_some());
        self.app.traces.stages().iter().filter(has_minimap).for_each(|stage| stage.request(Due::Minimap));
    }

    /// Returns the densities of the other traces, with the nanoseconds to add to their times.
    pub(super) fn other_overviews(self: &Rc<Self>) -> Vec<(Arc<Overview>, i64)> {
        let of = |other: Rc<Self>| Some((other.state.borrow().overview.clone()?, other.shift_to(self)));
        self.others().into_iter().filter_map(of).collect()
    }

    /// Shows the time under the pointer, also in the other traces.
    pub(super) fn point_at(self: &Rc<Self>, time: Option<i64>) {
        self.app.timeline.crosshair.set(time);
        for other in self.others() {
            let nanos = self.shift_to(&other);
            other.app.timeline.crosshair.set(time.map(|time| time.saturating_add(nanos)));
        }
    }

    /// Returns the time range in which the trace can have data.
    pub(super) fn own_span(&self, state: &State) -> Span {
        let own = self.app.trace.with_untracked(|trace| trace.as_ref().map(|trace| trace.user_span));
        own.filter(|_| self.app.traces.are_several_now()).unwrap_or_else(|| state.viewport.limits())
    }

    /// Returns the nanoseconds to add to times for round ones below the ticks of the ruler, which is that of the first
    /// trace.
    pub(super) fn grid_offset(&self) -> i64 {
        untrack(|| match self.app.traces.first().filter(|_| self.app.number > 0) {
            None => self.app.face().offset_nanos(),
            Some(first) => self.app.traces.shift(self.app, first).saturating_add(first.face().offset_nanos()),
        })
    }
}
