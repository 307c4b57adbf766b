//! State of the timeline that changes faster than signals, and its animation frames.

use super::drawing::{draw, frames};
use super::loader;
use super::minimap::backdrop::Backdrop;
use super::state::{Elements, Signals, State};
use crate::app::browser::now_ms;
use crate::app::signals::SetChanged;
use crate::app::state::App;
use crate::widgets::canvas::Palette;
use crate::widgets::resize::device_pixel_ratio;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use protocol::base::ids::ThreadId;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::reply::Summary;
use protocol::tables::Threads;
use protocol::timeline::track::TrackKind;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use view::draw::drawlist::CharacterWidths;
use view::draw::units::CssPx;
use view::timeline::motion::Step;
use view::timeline::timescale::TimeScale;
use view::timeline::track_choices::TrackChoices;
use view::timeline::track_key::RuntimeKey;
use view::timeline::track_layout::TrackLayout;
use view::timeline::track_tree::processes;
use view::timeline::tracks::track::{HeadWords, RuntimeTrack, heights};
use view::timeline::turns::{Due, Timeline, Turns};

/// Minimum interval between updates of the page's signals, in milliseconds.
const PUBLISH_INTERVAL_MS: u32 = 250;
/// Number of initially expanded processes, the busiest ones.
const MAX_OPEN_PROCESSES: usize = 8;
/// Maximum duration of a frame in milliseconds, so that the view doesn't jump after an interruption.
const LONGEST_FRAME_MS: f64 = 50.0;

/// Returns the initially collapsed processes.
fn minor_processes(threads: &Threads) -> BTreeSet<u32> {
    processes(threads).into_iter().skip(MAX_OPEN_PROCESSES).map(|(process, _)| process).collect()
}

/// Returns the first thread if it is to be open, unless the user collapsed it.
fn brief_thread(state: &State, layout: &TrackLayout) -> Option<ThreadId> {
    layout.brief_thread(state.size.1 + state.snapped).filter(|_| !state.choices.is_brief_declined)
}

/// Timeline, shared by its event handlers.
pub struct Stage {
    /// The page.
    pub app: App,
    /// Signals for the DOM.
    pub signals: Signals,
    /// State that moves.
    pub state: RefCell<State>,
    elements: RefCell<Option<Elements>>,
    palette: RefCell<Option<Palette>>,
    /// Drawn content of the minimap's backdrop.
    pub backdrop: RefCell<Option<Backdrop>>,
    /// Position of the pane: distance below the top of the tracks, width, height.
    pub placed: Cell<Option<(CssPx, CssPx, CssPx)>>,
    due: Cell<Due>,
    /// Time of the frame in which it was last drawn.
    drawn_ms: Cell<f64>,
    /// Time of the first answer that the tracks don't contain yet.
    news_ms: Cell<Option<f64>>,
    /// Texts of the headers of runtime tracks that aren't shown yet.
    new_words: RefCell<Vec<(RuntimeKey, HeadWords)>>,
    /// Number of requests in flight whose answers can add tracks.
    pub(super) expected: Cell<u32>,
    publishing: RefCell<Option<Timeout>>,
    /// Timer that opens the menu after a long press.
    pub long_press: RefCell<Option<Timeout>>,
    published: Cell<Span>,
    /// Default choices about tracks.
    pub at_first: TrackChoices,
    /// True if a request about threads is in flight.
    pub asking: Cell<bool>,
    /// True if a request for the number of events in a dragged range is in flight.
    pub counting: Cell<bool>,
    /// Time range without rundown of the part that has been read.
    whole: Cell<Span>,
    /// Visible range that the timelines of the other traces have.
    pub(super) shared: Cell<Option<TimeScale>>,
    /// Distance of the tracks above the visible part, as last measured.
    pub(super) scrolled_to: Cell<CssPx>,
    /// Revision, raised when more has been read, so that older answers are stale.
    pub revision: Cell<u32>,
}

impl Stage {
    /// Creates the timeline of the open trace.
    pub fn new(app: App, threads: Arc<Threads>, limits: Span) -> Rc<Self> {
        // Only the first trace has room for the stack of a thread that isn't chosen.
        let is_brief_declined = app.number > 0;
        let choices = TrackChoices { minor: minor_processes(&threads), is_brief_declined, ..TrackChoices::default() };
        let at_first = choices.clone();
        let state = State::new(threads.clone(), limits, choices);
        let signals = Signals::new(threads, state.layout.clone());
        Rc::new(Self {
            app,
            signals,
            state: RefCell::new(state),
            elements: RefCell::default(),
            palette: RefCell::default(),
            backdrop: RefCell::default(),
            placed: Cell::default(),
            due: Cell::default(),
            drawn_ms: Cell::default(),
            news_ms: Cell::default(),
            new_words: RefCell::default(),
            expected: Cell::default(),
            publishing: RefCell::default(),
            long_press: RefCell::default(),
            published: Cell::new(Span::default()),
            at_first,
            asking: Cell::new(false),
            counting: Cell::new(false),
            whole: Cell::new(limits),
            shared: Cell::default(),
            scrolled_to: Cell::default(),
            revision: Cell::new(0),
        })
    }

    /// Updates `threads` and `limits` when more of the trace has been read. The picture stays until new answers arrive;
    /// position, focus and expanded tracks stay.
    pub fn grow(self: &Rc<Self>, threads: Arc<Threads>, limits: Span) {
        let is_new = !Arc::ptr_eq(&self.state.borrow().threads, &threads);
        self.set_whole(limits, !is_new);
        if !is_new {
            return;
        }
        {
            let mut state = self.state.borrow_mut();
            let was_of_several = state.of_several();
            state.threads = threads.clone();
            state.choices.minor = minor_processes(&threads);
            state.asked.clear();
            if state.of_several() != was_of_several {
                // Tracks are identified by process from now on.
                (state.runtime, state.gcs) = Default::default();
                (state.choices.runtime, state.choices.counters) = Default::default();
            }
            // Event IDs change.
            state.followed.clear();
            state.frames.values_mut().for_each(|frame| frame.is_stale = true);
        }
        self.revision.set(self.revision.get() + 1);
        self.signals.threads.set(threads);
        self.arrange_news();
        self.app.traces.turns.update_value(Turns::leave_to_document);
        let limits = self.state.borrow().viewport.limits();
        loader::ask_once(self, limits);
    }

    /// Sets the time range of all traces without rundown. The visible range stays, or remains the whole.
    fn set_whole(self: &Rc<Self>, limits: Span, asks: bool) {
        let before = self.whole.replace(limits);
        if before == limits {
            return;
        }
        let is_limit = {
            let mut state = self.state.borrow_mut();
            let is_limit = state.viewport.limits() == before;
            if is_limit {
                let was_whole = state.viewport.scale().span() == before;
                state.viewport.set_limits(limits);
                if was_whole && self.app.traces.are_several_now() {
                    state.viewport.fit();
                }
            }
            is_limit
        };
        if is_limit && asks {
            loader::ask_for_overview(self, limits);
            self.request(Due::All);
        }
    }

    /// Connects the elements after they are in the document.
    pub fn attach(self: &Rc<Self>, elements: Elements) {
        *self.elements.borrow_mut() = Some(elements);
        self.placed.set(None);
        // The first frame is expensive, so colors, patterns and widths are read in a separate task before it.
        let stage = Rc::downgrade(self);
        Timeout::new(0, move || {
            if let Some(stage) = stage.upgrade() {
                stage.read_palette();
                stage.request(Due::All);
            }
        })
        .forget();
    }

    /// Calls a function with the colors and patterns, if they are known.
    pub(super) fn with_palette(&self, act: impl FnOnce(&Palette)) {
        if let Some(palette) = &*self.palette.borrow() {
            act(palette);
        }
    }

    /// Reads colors and patterns, unless they are known.
    fn read_palette(&self) {
        let mut palette = self.palette.borrow_mut();
        if palette.as_ref().is_none_or(|palette| palette.ratio() != device_pixel_ratio()) {
            *palette = Some(Palette::read());
        }
    }

    /// Returns the average widths of characters.
    pub fn characters(&self) -> CharacterWidths {
        self.palette.borrow().as_ref().map(Palette::characters).unwrap_or_default()
    }

    /// Focuses the lanes.
    pub fn focus_lanes(&self) {
        let options = web_sys::FocusOptions::new();
        options.set_prevent_scroll(true);
        if let Some(elements) = self.elements() {
            // Without the focus, shortcuts still apply to the timeline.
            let _ = elements.lanes.focus_with_options(&options);
        }
    }

    /// Returns the elements, if they are in the document.
    pub fn elements(&self) -> Option<Elements> {
        self.elements.borrow().clone()
    }

    /// Stops all activity when the timeline is removed.
    pub fn detach(&self) {
        *self.elements.borrow_mut() = None;
        *self.publishing.borrow_mut() = None;
    }

    /// Clears the colors, so that they are read again.
    pub fn forget_colors(self: &Rc<Self>) {
        *self.palette.borrow_mut() = None;
        *self.backdrop.borrow_mut() = None;
        self.request(Due::All);
    }

    /// Draws everything in the next animation frame.
    pub fn request_frame(self: &Rc<Self>) {
        self.request(Due::Now);
    }

    /// Draws in one of the next animation frames.
    pub fn request(self: &Rc<Self>, due: Due) {
        self.due.set(self.due.get().max(due));
        frames::request_frame(self.app.traces);
    }

    /// Returns what it waits for.
    pub(super) fn waiting(&self) -> Timeline {
        Timeline {
            due: self.due.get(),
            drawn_ms: self.drawn_ms.get(),
            news_ms: self.news_ms.get(),
            expects_news: self.expected.get() > 0,
        }
    }

    /// Returns whether it needs further frames.
    pub(super) fn is_waiting(&self) -> bool {
        self.due.get() != Due::Nothing || self.news_ms.get().is_some()
    }

    /// Draws.
    pub(super) fn run_frame(self: &Rc<Self>, now: f64) {
        let due = self.due.take();
        self.drawn_ms.set(now);
        let Some(elements) = self.elements() else { return };
        self.advance_motion(now);
        self.share_view(due);
        self.update_hover();
        self.read_palette();
        self.with_palette(|palette| draw(self, &elements, palette, due));
        self.show_range_note();
        self.publish();
        if !self.state.borrow().is_out_of_view {
            loader::ask_for_lanes(self);
        }
    }

    fn advance_motion(self: &Rc<Self>, now: f64) {
        let step = {
            let mut state = self.state.borrow_mut();
            let elapsed = state.last_frame_ms.map_or(16.0, |last| (now - last).clamp(0.0, LONGEST_FRAME_MS));
            state.last_frame_ms = state.motion.is_moving().then_some(now);
            state.motion.advance(elapsed)
        };
        if let Some(step) = step {
            self.move_by(step);
            self.request_frame();
        }
    }

    /// Pans and zooms; zooming keeps the time under the pointer, or the center.
    pub fn move_by(&self, step: Step) {
        let mut state = self.state.borrow_mut();
        let middle = state.viewport.scale().width() / 2.0;
        let x = state.pointer.map_or(middle, |(x, _)| x);
        state.viewport.pan(step.pan);
        state.viewport.zoom_at(x, step.zoom);
    }

    /// Publishes the visible range to the page: at once if the last update is old enough, otherwise after a delay.
    fn publish(self: &Rc<Self>) {
        let span = {
            let state = self.state.borrow();
            let shown = state.viewport.scale().span();
            shown.intersect(state.viewport.limits()).unwrap_or(shown)
        };
        if self.publishing.borrow().is_some() {
            return;
        }
        if span == self.published.get() {
            self.signals.rested.set_changed(span);
            return;
        }
        self.published.set(span);
        self.app.visible.set(span);
        self.publish_lanes();
        let stage = Rc::downgrade(self);
        *self.publishing.borrow_mut() = Some(Timeout::new(PUBLISH_INTERVAL_MS, move || {
            if let Some(stage) = stage.upgrade() {
                *stage.publishing.borrow_mut() = None;
                stage.publish();
            }
        }));
    }

    /// Publishes the position of the lanes, with which charts are aligned.
    fn publish_lanes(&self) {
        let Some(elements) = self.elements() else { return };
        let (left, scale) = (elements.lanes.get_bounding_client_rect().left(), self.state.borrow().viewport.scale());
        self.app.timeline.lanes.set_changed(Some((left, scale)));
    }

    /// Shows a range that the page requests. Ranges that the timeline itself published are ignored.
    pub fn show_requested_range(self: &Rc<Self>, span: Span) {
        if span == self.published.get() || span.duration() <= 0 {
            return;
        }
        {
            let mut state = self.state.borrow_mut();
            let limits = state.viewport.limits();
            let full = self.app.trace.with_untracked(|trace| trace.as_ref().map(|summary| summary.full_span));
            let is_inside = span.intersect(limits).is_some_and(|inside| inside.duration() * 2 > span.duration());
            if let Some(full) = full.filter(|_| !is_inside) {
                state.viewport.set_limits(full);
                loader::ask_for_overview(self, full);
            }
            state.viewport.show(span);
        }
        self.request(Due::All);
    }

    /// Shows a range with a margin.
    pub fn show_around(self: &Rc<Self>, span: Span) {
        self.state.borrow_mut().viewport.show_around(span);
        self.request_frame();
    }

    /// Shows everything.
    pub fn fit(self: &Rc<Self>) {
        self.state.borrow_mut().viewport.fit();
        self.request_frame();
    }

    /// Sets the size of the pane.
    pub fn resize(self: &Rc<Self>, width: CssPx, height: CssPx) {
        let opens_or_closes = {
            let mut state = self.state.borrow_mut();
            if state.size.0 != width {
                // Something else is under the pointer, such as the drawer that a click opened.
                state.pointer = None;
            }
            state.size = (width, height);
            state.snapped = untrack(|| self.app.snapped());
            state.viewport.set_width(width);
            brief_thread(&state, &state.layout) != state.choices.brief
        };
        if opens_or_closes {
            self.arrange(Due::All);
        }
        self.publish_lanes();
        self.follow_scroll(Due::All);
        self.snap();
    }

    /// Lowers the timeline so that its default height cuts no track.
    pub fn snap(&self) {
        let (app, state) = (self.app, self.state.borrow());
        if untrack(|| app.workspace.is_maximized.get()) || state.size.1 <= 0.0 {
            return;
        }
        let is_only = !app.traces.are_several_now();
        let cut = if is_only { state.layout.cut_by(state.size.1 + state.snapped) } else { 0.0 };
        drop(state);
        app.workspace.snapped.set_changed(cut);
    }

    /// Handles scrolling of the tracks.
    pub fn follow_scroll(self: &Rc<Self>, due: Due) {
        let Some(elements) = self.elements() else { return };
        let top = elements.scroll_top();
        self.scrolled_to.set(top);
        let window = {
            let mut state = self.state.borrow_mut();
            state.scroll_top = top.max(0.0);
            state.is_out_of_view = top >= f64::from(elements.section.offset_height().max(1)) || -top >= state.size.1;
            (state.scroll_top, state.size.1)
        };
        self.signals.window.set(window);
        self.signals.pane_top.set_changed((-top).max(0.0));
        self.request(due);
    }

    /// Changes the choices about tracks, and shows them at once.
    pub fn choose_tracks(self: &Rc<Self>, change: impl FnOnce(&mut TrackChoices)) {
        change(&mut self.state.borrow_mut().choices);
        self.arrange(Due::Now);
    }

    /// Changes what answers say about tracks, and shows it together with that of other answers.
    pub fn learn(self: &Rc<Self>, change: impl FnOnce(&mut TrackChoices)) {
        change(&mut self.state.borrow_mut().choices);
        self.news_ms.set(self.news_ms.get().or_else(|| Some(now_ms())));
        frames::request_frame(self.app.traces);
    }

    /// Shows what answers say about tracks.
    pub(super) fn arrange_news(self: &Rc<Self>) {
        self.arrange(Due::Lanes);
    }

    fn arrange(self: &Rc<Self>, due: Due) {
        self.news_ms.set(None);
        self.signals.is_arranged.set_changed(true);
        let words = self.new_words.take();
        if !words.is_empty() {
            self.signals.words.update(|known| known.extend(words));
        }
        let layout = {
            let mut state = self.state.borrow_mut();
            let mut layout = TrackLayout::new(&state.threads, &state.choices);
            let brief = brief_thread(&state, &layout);
            if state.choices.brief != brief {
                state.choices.brief = brief;
                layout = TrackLayout::new(&state.threads, &state.choices);
            }
            let layout = Arc::new(layout);
            state.layout = layout.clone();
            layout
        };
        self.publish_choices();
        loader::ask_for_processes(self);
        if self.signals.layout.with_untracked(|shown| **shown != *layout) {
            self.signals.layout.set(layout);
        }
        self.request(due);
    }

    /// Adds a runtime track.
    pub fn put_track(self: &Rc<Self>, track: Box<dyn RuntimeTrack>) {
        let heights = heights(track.as_ref());
        self.put(vec![track]);
        self.learn(|choices| match choices.runtime.binary_search_by_key(&heights.key, |present| present.key) {
            Ok(at) => choices.runtime[at] = heights,
            Err(at) => choices.runtime.insert(at, heights),
        });
    }

    /// Adds the counters of a process.
    pub fn put_counters(self: &Rc<Self>, process: u32, tracks: Vec<Box<dyn RuntimeTrack>>) {
        let heights: Vec<_> = tracks.iter().map(|track| heights(track.as_ref())).collect();
        self.put(tracks);
        self.learn(|choices| {
            choices.counters.retain(|present| present.key.process != process);
            choices.counters.extend(heights);
            sort_by_key(&mut choices.counters, |present| present.key);
        });
    }

    /// Updates the figures in the headers of runtime tracks for the filter.
    pub fn follow_filter(&self) {
        let span = self.app.filter.with_untracked(|filter| filter.span);
        let state = self.state.borrow();
        let figures: BTreeMap<RuntimeKey, String> = self.app.filtering.item_counts.with_untracked(|counts| {
            let matching = |key: &RuntimeKey, words: &HeadWords| {
                let of_track = counts.tracks.iter().find(|one| (one.track, one.process) == (key.kind, key.process));
                of_track.map(|one| words.matching(one.count))
            };
            let in_range = |key: &RuntimeKey| state.runtime.get(*key)?.figures_in(span?);
            let of =
                |(key, words): (&RuntimeKey, &HeadWords)| Some((*key, matching(key, words).or_else(|| in_range(key))?));
            self.signals.words.with_untracked(|words| words.iter().filter_map(of).collect())
        });
        self.signals.figures.set_changed(figures);
    }

    fn put(self: &Rc<Self>, tracks: Vec<Box<dyn RuntimeTrack>>) {
        let of_trace = |trace: &Option<Arc<Summary>>| trace.as_ref().map(|one| (one.user_span, one.lost > Some(0)));
        let (whole, has_losses) = self.app.trace.with_untracked(of_trace).unwrap_or_default();
        let words_of = |track: &dyn RuntimeTrack| match has_losses && track.key().kind != TrackKind::LostEvents {
            true => track.words(whole).at_least(),
            false => track.words(whole),
        };
        let changed: Vec<_> = self.signals.words.with_untracked(|known| {
            let words = tracks.iter().map(|track| (track.key(), words_of(track.as_ref())));
            words.filter(|(key, words)| known.get(key) != Some(words)).collect()
        });
        self.new_words.borrow_mut().extend(changed);
        let mut state = self.state.borrow_mut();
        tracks.into_iter().for_each(|track| state.runtime.put(track));
    }
}
