//! Traces on the timeline: the first one, and those that were added to it. Each has its own state and its own worker.

use super::requests::RequestsOf;
use crate::app::boot::SavedTrace;
use crate::app::shell::{Chosen, Shell};
use crate::app::signals::SetChanged;
use crate::app::state::{App, Screen, Selection};
use crate::timeline::stage::Stage;
use gloo::render::AnimationFrame;
use leptos::prelude::*;
use protocol::base::time::Span;
use protocol::reply::Summary;
use protocol::request::Filter;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use view::timeline::clock::Clock;
use view::timeline::turns::{Due, Turns};
use view::traces::{Crossing, Offset, OffsetSource, Recorded, are_apart, by_clock};

/// Trace that was added to the timeline of the first one.
#[derive(Clone, Copy)]
pub struct Added {
    /// Its state.
    pub app: App,
    /// Its offset, if that isn't by the clocks.
    pub chosen_offset: RwSignal<Option<Offset>>,
}

/// Traces on the timeline. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct Traces {
    first: StoredValue<Option<App>, LocalStorage>,
    /// Added traces, in order.
    pub added: RwSignal<Vec<Added>, LocalStorage>,
    /// Numbers of the traces whose groups are collapsed.
    collapsed: RwSignal<Vec<u32>>,
    /// Requests of the traces, as far as known.
    pub(super) requests: RwSignal<RequestsOf>,
    /// Requests from one trace to another.
    pub crossings: RwSignal<Arc<Vec<Crossing>>>,
    /// Number of the trace that the panels are about.
    shown: RwSignal<u32>,
    /// Whether filter, events, stacks and analyses are about all traces.
    is_all: RwSignal<bool>,
    /// Number of the trace that the details are about while all traces are shown.
    detailed: RwSignal<u32>,
    last_number: StoredValue<u32>,
    /// Owner of the state of all traces.
    pub(super) owner: StoredValue<Owner>,
    stages: StoredValue<Vec<Weak<Stage>>, LocalStorage>,
    /// Next animation frame of the timelines, if it was requested.
    pub frame: StoredValue<Option<AnimationFrame>, LocalStorage>,
    /// Turns of the timelines in animation frames.
    pub turns: StoredValue<Turns>,
    /// True if the canvas for requests between traces contains some.
    pub has_drawn_crossings: StoredValue<bool>,
    /// Other traces of a saved page, until the first one is open.
    pub(super) saved: StoredValue<Vec<SavedTrace>, LocalStorage>,
}

impl Traces {
    /// Creates the state without traces.
    pub fn start() -> Self {
        Self {
            first: StoredValue::new_local(None),
            added: RwSignal::new_local(Vec::new()),
            collapsed: RwSignal::default(),
            requests: RwSignal::default(),
            crossings: RwSignal::default(),
            shown: RwSignal::new(0),
            is_all: RwSignal::new(false),
            detailed: RwSignal::new(0),
            last_number: StoredValue::new(0),
            owner: StoredValue::new(Owner::current().unwrap_or_default()),
            stages: StoredValue::new_local(Vec::new()),
            frame: StoredValue::new_local(None),
            turns: StoredValue::new(Turns::default()),
            has_drawn_crossings: StoredValue::new(false),
            saved: StoredValue::new_local(Vec::new()),
        }
    }

    /// Sets the first trace.
    pub fn set_first(self, app: App) {
        self.first.set_value(Some(app));
    }

    /// Returns the first trace.
    pub fn first(self) -> Option<App> {
        self.first.get_value()
    }

    /// Returns all traces, in order.
    pub fn all(self) -> Vec<App> {
        let added = self.added.with(|added| added.iter().map(|one| one.app).collect::<Vec<_>>());
        self.first.get_value().into_iter().chain(added).collect()
    }

    /// Returns whether there is more than one trace.
    pub fn are_several(self) -> bool {
        self.added.with(|added| !added.is_empty())
    }

    /// Returns whether there is more than one trace, without tracking.
    pub fn are_several_now(self) -> bool {
        untrack(|| self.are_several())
    }

    /// Returns the position of a trace, which determines its letter.
    pub fn position(self, app: App) -> usize {
        self.all().iter().position(|one| one.number == app.number).unwrap_or(0)
    }

    /// Returns the trace that the panels are about: the first one while the chosen one can't be shown.
    pub fn shown(self) -> Option<App> {
        let number = self.shown.get();
        let chosen = self.all().into_iter().find(|app| app.number == number && is_open(*app));
        chosen.or(self.first.get_value())
    }

    /// Returns the traces that can be shown, in order.
    pub fn all_open(self) -> Vec<App> {
        self.all().into_iter().filter(|app| is_open(*app)).collect()
    }

    /// Returns whether filter, events, stacks and analyses are about all traces.
    pub fn are_all(self) -> bool {
        self.is_all.get() && self.are_several()
    }

    /// Returns the traces that the panels of a trace are about: that one, and then the others if they are about all.
    pub fn beside(self, app: App) -> Vec<App> {
        let mut traces = vec![app];
        if self.are_all() {
            traces.extend(self.all_open().into_iter().filter(|other| other.number != app.number));
        }
        traces
    }

    /// Returns whether they are about all traces once there are several.
    pub(super) fn is_all(self) -> bool {
        self.is_all.get()
    }

    /// Lets filter, events, stacks and analyses be about all traces, or about that of the other panels.
    pub fn show_all(self, is_all: bool) {
        let shown = untrack(|| self.shown());
        self.is_all.set_changed(is_all);
        let Some(shown) = shown.filter(|_| is_all) else { return };
        self.detailed.set(shown.number);
        untrack(|| self.all()).into_iter().for_each(|app| app.share_view_of(shown));
    }

    /// Returns the trace that the details are about.
    pub fn detailed(self) -> Option<App> {
        let number = self.detailed.get();
        let detailed = self.all_open().into_iter().find(|app| self.are_all() && app.number == number);
        detailed.or_else(|| self.shown())
    }

    /// Shows the selection of a trace, also in the panels unless they are about all traces.
    fn show_selected(self, app: App) {
        self.detailed.set(app.number);
        if !untrack(|| self.are_all()) {
            self.show(app);
        }
    }

    /// Returns whether the panels are about a trace.
    pub fn is_shown(self, app: App) -> bool {
        self.shown().is_some_and(|shown| shown.number == app.number)
    }

    /// Lets the panels be about a trace, once it is open.
    pub fn show(self, app: App) {
        if self.shown.get_untracked() != app.number && untrack(|| is_open(app)) {
            self.shown.set(app.number);
            self.detailed.set(app.number);
        }
    }

    /// Returns whether the group of a trace is collapsed.
    pub fn is_collapsed(self, app: App) -> bool {
        self.are_several() && self.collapsed.with(|collapsed| collapsed.contains(&app.number))
    }

    /// Collapses or expands the group of a trace.
    pub fn toggle(self, app: App) {
        self.collapsed.update(|collapsed| match collapsed.iter().position(|number| *number == app.number) {
            Some(at) => _ = collapsed.swap_remove(at),
            None => collapsed.push(app.number),
        });
        // After the heights have changed.
        request_animation_frame(move || self.stages().iter().for_each(|stage| stage.follow_scroll(Due::Now)));
    }

    /// Adds a trace, with state of its own.
    pub(super) fn add(self, shell: Shell) -> Option<App> {
        let number = self.last_number.try_update_value(|last| {
            *last += 1;
            *last
        })?;
        let embedding = self.first().and_then(|first| first.embedding);
        // The state lives as long as the page, whichever component creates it.
        let (app, chosen_offset) = self
            .owner
            .with_value(|owner| owner.with(|| (App::new(number, shell, self, embedding), RwSignal::new(None))));
        self.added.update(|added| added.push(Added { app, chosen_offset }));
        Some(app)
    }

    /// Removes a trace that was added, and frees its memory.
    pub fn remove(self, app: App) {
        let client = app.client();
        client.close();
        client.drop_waiting();
        self.forget(app);
    }

    /// Removes a trace that was added, whose worker another state took over.
    pub fn forget(self, app: App) {
        if self.shown.get_untracked() == app.number {
            self.shown.set(0);
        }
        self.added.update(|added| added.retain(|one| one.app.number != app.number));
        if !self.are_several_now() {
            self.show_all(false);
        }
        self.forget_requests(app);
    }

    /// Removes all traces that were added.
    pub fn close_added(self) {
        let added = self.added.get_untracked();
        added.into_iter().for_each(|one| one.app.close());
    }

    /// Returns the offset of a trace. Offsets by the clocks are computed once both traces are open.
    pub fn offset(self, app: App) -> Offset {
        let added = self.added.with(|added| added.iter().find(|one| one.app.number == app.number).copied());
        let Some(added) = added else { return Offset::default() };
        added.chosen_offset.get().unwrap_or_else(|| self.clock_offset(app))
    }

    /// Returns the offset of an added trace by the clocks.
    pub(super) fn clock_offset(self, app: App) -> Offset {
        match (self.first.get_value().and_then(|first| first.trace.get()), app.trace.get()) {
            (Some(first), Some(own)) => by_clock(recorded(&first), recorded(&own)),
            _ => Offset::default(),
        }
    }

    /// Returns whether the user set the offset of a trace.
    pub(super) fn is_by_hand(self, app: App) -> bool {
        self.offset(app).nanos_by_hand().is_some()
    }

    /// Sets the offset of a trace; `None` for the clocks.
    pub fn set_offset(self, app: App, offset: Option<Offset>) {
        let added = self.added.with_untracked(|added| added.iter().find(|one| one.app.number == app.number).copied());
        if let Some(added) = added {
            added.chosen_offset.set(offset);
        }
    }

    /// Returns whether the time range of a trace overlaps none of the others, once there are some and they are open.
    pub(super) fn is_apart(self, app: App) -> bool {
        let Some(own) = span_of(app) else { return false };
        let all = self.all();
        let mut others = all.iter().filter(|other| other.number != app.number);
        let is_apart =
            |other: &App| span_of(*other).is_some_and(|span| are_apart(own, span.shifted(self.shift(*other, app))));
        all.len() > 1 && others.all(is_apart)
    }

    /// Moves the traces that don't overlap the first one so that their recordings start with its, and shows all, with
    /// times since that start, because they have no time of day in common.
    pub(super) fn align_starts(self) {
        untrack(|| {
            let Some((first, of_first)) = self.first().and_then(|first| Some((first, span_of(first)?))) else { return };
            for (app, own) in self.all().into_iter().filter_map(|app| Some((app, span_of(app)?))) {
                if are_apart(of_first, own.shifted(self.shift(app, first))) {
                    // Usually, events begin with the recording, and then relative times are those of each trace.
                    let by_events = of_first.start.0.saturating_sub(own.start.0);
                    let nanos = if are_apart(of_first, own) { by_events } else { 0 };
                    self.set_offset(app, Some(Offset::by_hand(nanos)));
                }
            }
            first.timeline.clock.set(Clock::Relative);
            first.visible.set(self.whole_in(first, of_first));
        });
    }

    /// Lets all offsets be relative to an added trace, which becomes the first one.
    pub fn rebase(self, next: App) {
        let base = untrack(|| self.offset(next)).nanos;
        for one in self.added.get_untracked() {
            one.chosen_offset.update(|chosen| {
                if let Some(offset) = chosen {
                    offset.nanos = offset.nanos.saturating_sub(base);
                }
            });
        }
    }

    /// Returns the nanoseconds to add to a time of one trace for that of another.
    pub fn shift(self, from: App, to: App) -> i64 {
        self.offset(from).nanos.saturating_sub(self.offset(to).nanos)
    }

    /// Returns the time range of all traces in the times of one of them, whose own range is `own`.
    pub fn whole_in(self, app: App, own: Span) -> Span {
        let others = self.all().into_iter().filter(|other| other.number != app.number);
        let spans = others.filter_map(|other| Some(span_of(other)?.shifted(self.shift(other, app))));
        spans.fold(own, |whole, span| Span { start: whole.start.min(span.start), end: whole.end.max(span.end) })
    }

    /// Registers the timeline of a trace.
    pub fn register(self, stage: &Rc<Stage>) {
        self.stages.update_value(|stages| {
            stages.retain(|one| one.strong_count() > 0);
            stages.push(Rc::downgrade(stage));
        });
    }

    /// Returns the timelines of the traces, while they are in the document.
    pub fn stages(self) -> Vec<Rc<Stage>> {
        let stages = self.stages.with_value(|stages| stages.iter().filter_map(Weak::upgrade).collect::<Vec<_>>());
        stages.into_iter().filter(|stage| stage.elements().is_some()).collect()
    }
}

/// Returns the time range of an open trace, in its own times.
fn span_of(app: App) -> Option<Span> {
    app.trace.with(|trace| trace.as_ref().map(|trace| trace.user_span))
}

/// Returns whether a trace can be shown.
fn is_open(app: App) -> bool {
    app.screen.with(|screen| *screen == Screen::Workspace)
}

fn recorded(trace: &Arc<Summary>) -> Recorded {
    Recorded { start_unix_ms: trace.start_unix_ms, span: trace.user_span }
}

impl App {
    /// Adds a trace to the timeline, and those that were dropped with it.
    pub fn add_all_to_timeline(self, chosen: Chosen) {
        self.add_to_timeline(chosen);
        let waiting = self.compare.waiting.try_update_value(std::mem::take).unwrap_or_default();
        waiting.into_iter().for_each(|chosen| self.add_to_timeline(chosen));
    }

    /// Takes on what all traces have in common while the page is about all: the tab, what the filter says by name, the
    /// columns and the grouping of events.
    fn share_view_of(self, other: Self) {
        if self.number == other.number {
            return;
        }
        self.tab.set_changed(other.tab.get_untracked());
        self.refilter(|filter| other.filter.with_untracked(|other| filter.take_names_of(other)));
        self.events.columns.set_changed(other.events.columns.get_untracked());
        self.events.groups.set_changed(other.events.groups.get_untracked());
    }

    /// Adds a trace to the timeline of the first one.
    fn add_to_timeline(self, chosen: Chosen) {
        if let Some(added) = self.traces.add(self.shell) {
            added.replace_with(chosen);
        }
    }
}

/// Lets the panels be about a trace whenever something in it is selected.
pub fn follow_selection(app: App) {
    Effect::new(move |_| {
        if app.selection.get() != Selection::None {
            app.traces.show_selected(app);
        }
    });
}

/// Keeps the clocks and time ranges of all traces the same as those of a trace, and what is said by name in the filter and
/// the table of events if they are about all of them.
pub fn share_times(app: App) {
    let others = move || untrack(|| app.traces.all()).into_iter().filter(move |other| other.number != app.number);
    Effect::new(move |_| {
        let clock = app.timeline.clock.get();
        others().for_each(|other| other.timeline.clock.set_changed(clock));
    });
    Effect::new(move |before: Option<Option<Span>>| {
        let span = app.filter.with(|filter| filter.span);
        if before.is_some_and(|before| before != span) {
            for other in others() {
                other.set_range(span.map(|span| span.shifted(untrack(|| app.traces.shift(app, other)))));
            }
        }
        span
    });
    Effect::new(move |before: Option<_>| {
        let mut names = Filter::default();
        app.filter.with(|filter| names.take_names_of(filter));
        let view = (app.tab.get(), names, app.events.columns.get(), app.events.groups.get());
        if before.is_some_and(|before| before != view) && untrack(|| app.traces.are_all()) {
            others().for_each(|other| other.share_view_of(app));
        }
        view
    });
    if app.number == 0 {
        return;
    }
    // The traces have the time of day in common.
    if untrack(|| app.traces.offset(app)).source == OffsetSource::Clock {
        app.timeline.clock.set(Clock::Utc);
    }
    // An added trace takes on the range of the first one, also after a change of the offset.
    Effect::new(move |_| {
        let Some(first) = app.traces.first.get_value() else { return };
        let nanos = app.traces.shift(first, app);
        app.set_range(first.filter.with_untracked(|filter| filter.span).map(|span| span.shifted(nanos)));
    });
    if let Some(first) = app.traces.first().filter(|_| untrack(|| app.traces.are_all())) {
        app.share_view_of(first);
    }
}
