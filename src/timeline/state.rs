//! State of the timeline: elements, signals, and data that changes faster than signals.

use crate::app::state::Selection;
use crate::widgets::menu::OpenMenu;
use leptos::prelude::*;
use protocol::Failure;
use protocol::base::ids::{EventId, FunctionId, ThreadId};
use protocol::base::time::{Nanos, Span};
use protocol::events::connections::Link;
use protocol::request::Filter;
use protocol::tables::{Gcs, Overview, RoleTimes, Threads};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use view::draw::tooltip::Tooltip;
use view::draw::units::CssPx;
use view::notes::placed::PlacedNote;
use view::timeline::hit::{LaneFrames, Scene, Target};
use view::timeline::motion::Motion;
use view::timeline::timescale::Viewport;
use view::timeline::touch::Fingers;
use view::timeline::track_choices::{ThreadOrder, TrackChoices};
use view::timeline::track_key::{RuntimeKey, TrackKey};
use view::timeline::track_layout::TrackLayout;
use view::timeline::track_matches::TrackMatches;
use view::timeline::tracks::track::{HeadWords, RuntimeTracks, Subject};
use web_sys::{HtmlCanvasElement, HtmlElement};

/// Elements around the tracks of all traces, which belong to the first one.
#[derive(Clone)]
pub struct Frame {
    /// Canvas of the ruler.
    pub ruler: HtmlCanvasElement,
    /// Canvas of the static part of the minimap.
    pub backdrop: HtmlCanvasElement,
    /// Canvas of the moving part of the minimap.
    pub minimap: HtmlCanvasElement,
    /// Canvas over all tracks for requests between traces.
    pub over: HtmlCanvasElement,
}

/// Elements that are drawn on or measured.
#[derive(Clone)]
pub struct Elements {
    /// Scrolling element of the tracks of all traces.
    pub scroller: HtmlElement,
    /// Element of the tracks of the trace.
    pub section: HtmlElement,
    /// Element over the visible part of the lanes, with pointer and keyboard input.
    pub lanes: HtmlElement,
    /// Canvas of the lanes.
    pub pane: HtmlCanvasElement,
    /// Ruler and minimap, unless the trace was added to the timeline of another one.
    pub frame: Option<Frame>,
}

impl Elements {
    /// Returns the distance of the trace's tracks above the visible part; negative if they begin below its top.
    pub fn scroll_top(&self) -> CssPx {
        f64::from(self.scroller.scroll_top() - self.section.offset_top())
    }
}

/// Drag of a pressed pointer.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Drag {
    /// None.
    #[default]
    None,
    /// Pressed, but not moved far enough for a drag.
    Pressed {
        /// Horizontal position.
        x: CssPx,
        /// Vertical position.
        y: CssPx,
        /// True if it pans instead of selecting a range.
        pans: bool,
    },
    /// Selects a range from a time on.
    Range {
        /// Fixed end.
        anchor: Nanos,
    },
    /// Pans.
    Pan {
        /// Last horizontal position.
        x: CssPx,
        /// Last vertical position.
        y: CssPx,
    },
    /// Two fingers zoom.
    Pinch,
}

/// Signals of the timeline for the DOM.
#[derive(Clone, Copy)]
pub struct Signals {
    /// Threads.
    pub threads: RwSignal<Arc<Threads>>,
    /// Time of threads by role and state in the whole trace, once loaded.
    pub times: RwSignal<Option<Arc<RoleTimes>>>,
    /// Tracks.
    pub layout: RwSignal<Arc<TrackLayout>>,
    /// True if the tracks contain answers.
    pub is_arranged: RwSignal<bool>,
    /// Visible part of the tracks: top and height in pixels.
    pub window: RwSignal<(CssPx, CssPx)>,
    /// Distance of the pane below the top of the visible part.
    pub pane_top: RwSignal<CssPx>,
    /// Visible range, updated only when it rests, for expensive consumers.
    pub rested: RwSignal<Span>,
    /// Tooltip with its position.
    pub tooltip: RwSignal<Option<(Tooltip, CssPx, CssPx)>>,
    /// Texts of the headers of runtime tracks.
    pub words: RwSignal<BTreeMap<RuntimeKey, HeadWords>>,
    /// Figures in the headers of runtime tracks that follow the filter, while one is set.
    pub figures: RwSignal<BTreeMap<RuntimeKey, String>>,
    /// Track to which keys apply.
    pub focused: RwSignal<TrackKey>,
    /// Open menu.
    pub menu: RwSignal<Option<OpenMenu>>,
    /// True if the list of notes and saved ranges is open.
    pub saved_ranges: RwSignal<bool>,
    /// Notes with their places.
    pub notes: RwSignal<Arc<Vec<PlacedNote>>>,
    /// Text about the time range, and the position of its end.
    pub note: RwSignal<Option<(CssPx, String)>>,
    /// Dragged track, and the track whose position it takes.
    pub dragged_head: RwSignal<Option<(TrackKey, TrackKey)>>,
    /// Classes and names of the collected generations.
    pub generations: RwSignal<Vec<(&'static str, &'static str)>>,
    /// True if a visible thread waited for a handle, according to events.
    pub handle_waits: RwSignal<bool>,
    /// True if one waited for work.
    pub idle_waits: RwSignal<bool>,
    /// Order of threads.
    pub order: RwSignal<ThreadOrder>,
    /// True if a finding names threads, which then come first.
    pub has_named: RwSignal<bool>,
    /// Revision of the data, raised with each answer.
    pub loaded: RwSignal<u32>,
    /// Track that is shown as a table.
    pub table: RwSignal<Option<TrackKey>>,
    /// Failure of the last request.
    pub failure: RwSignal<Option<Failure>>,
}

impl Signals {
    /// Creates the signals of a timeline with these tracks.
    pub fn new(threads: Arc<Threads>, layout: Arc<TrackLayout>) -> Self {
        Self {
            threads: RwSignal::new(threads),
            times: RwSignal::new(None),
            layout: RwSignal::new(layout),
            is_arranged: RwSignal::new(false),
            window: RwSignal::new((0.0, 0.0)),
            pane_top: RwSignal::new(0.0),
            rested: RwSignal::default(),
            tooltip: RwSignal::new(None),
            words: RwSignal::default(),
            figures: RwSignal::default(),
            focused: RwSignal::new(TrackKey::Threads(0)),
            menu: RwSignal::default(),
            saved_ranges: RwSignal::default(),
            notes: RwSignal::default(),
            note: RwSignal::default(),
            dragged_head: RwSignal::default(),
            generations: RwSignal::default(),
            handle_waits: RwSignal::default(),
            idle_waits: RwSignal::default(),
            order: RwSignal::default(),
            has_named: RwSignal::default(),
            loaded: RwSignal::default(),
            table: RwSignal::default(),
            failure: RwSignal::new(None),
        }
    }
}

/// Data of the picture.
pub struct State {
    /// Visible range.
    pub viewport: Viewport,
    /// Size of the lanes' pane.
    pub size: (CssPx, CssPx),
    /// Pixels by which the pane is lower so that it cuts no track.
    pub snapped: CssPx,
    /// Scroll position of the tracks.
    pub scroll_top: CssPx,
    /// True if tracks of other traces take the whole visible part.
    pub is_out_of_view: bool,
    /// Threads.
    pub threads: Arc<Threads>,
    /// Tracks.
    pub layout: Arc<TrackLayout>,
    /// Choices about tracks.
    pub choices: TrackChoices,
    /// Data of threads.
    pub frames: LaneFrames,
    /// GCs by process; 0 if the trace has one process.
    pub gcs: BTreeMap<u32, Arc<Gcs>>,
    /// Processes whose runtime tracks have been requested.
    pub asked: BTreeSet<u32>,
    /// Runtime tracks.
    pub runtime: RuntimeTracks,
    /// Event density over the limits.
    pub overview: Option<Arc<Overview>>,
    /// Density of the events that match the search, with their filter.
    pub matches: Option<(Filter, Overview)>,
    /// Parts of the tracks in view that match the filter, with that filter.
    pub track_matches: Option<(Filter, TrackMatches)>,
    /// Pointer over the lanes: x, and y in the pane; no y over the ruler.
    pub pointer: Option<(CssPx, Option<CssPx>)>,
    /// Item under the pointer.
    pub hovered: Target,
    /// Last selected item of the picture.
    pub selected: Option<Target>,
    /// Event that was reached by navigation, with start and end of its interval.
    pub moment: Option<(EventId, i64, i64)>,
    /// Followed links by the event they led to, for going back.
    pub followed: BTreeMap<EventId, Link>,
    /// Number of events in the dragged range.
    pub counted: Option<(Span, u64)>,
    /// Drag of the pressed pointer.
    pub drag: Drag,
    /// Dragged range.
    pub dragged: Option<Span>,
    /// Fingers on the timeline.
    pub fingers: Fingers,
    /// Held keys.
    pub motion: Motion,
    /// Time of the last frame of a movement.
    pub last_frame_ms: Option<f64>,
}

impl State {
    /// Creates the initial state of a timeline with `limits`.
    pub fn new(threads: Arc<Threads>, limits: Span, choices: TrackChoices) -> Self {
        let layout = Arc::new(TrackLayout::new(&threads, &choices));
        Self {
            viewport: Viewport::new(limits, 1000.0),
            size: (0.0, 0.0),
            snapped: 0.0,
            scroll_top: 0.0,
            is_out_of_view: false,
            threads,
            layout,
            choices,
            frames: LaneFrames::new(),
            gcs: BTreeMap::new(),
            asked: BTreeSet::new(),
            runtime: RuntimeTracks::default(),
            overview: None,
            matches: None,
            track_matches: None,
            pointer: None,
            hovered: Target::Nothing,
            selected: None,
            moment: None,
            followed: BTreeMap::new(),
            counted: None,
            drag: Drag::None,
            dragged: None,
            fingers: Fingers::default(),
            motion: Motion::default(),
            last_frame_ms: None,
        }
    }

    /// Converts a position in the pane to one below the top of the first track.
    pub fn below_top(&self, y: CssPx) -> CssPx {
        self.layout.below_top(y, self.scroll_top, self.size.1)
    }

    /// Returns the row of a track in the thread table.
    pub fn row_of(&self, key: TrackKey) -> Option<usize> {
        let TrackKey::Thread(thread) = key else { return None };
        self.threads.thread.iter().position(|present| *present == thread.0)
    }

    /// Returns the data for drawing and hit testing.
    pub fn scene(&self) -> Scene<'_> {
        Scene { layout: &self.layout, frames: &self.frames, runtime: &self.runtime, scale: self.viewport.scale() }
    }
}

impl State {
    /// Returns whether the threads belong to several processes.
    pub fn of_several(&self) -> bool {
        let processes = &self.threads.os_process;
        processes.iter().any(|process| Some(process) != processes.first())
    }

    /// Returns the filter of a process, as identified by tracks.
    pub fn filter_of(&self, process: u32) -> Filter {
        let processes = if self.of_several() { vec![process] } else { Vec::new() };
        Filter { processes, ..Filter::default() }
    }
}

/// Returns the selection for a click on an item.
pub fn selection_of(target: &Target, state: &State) -> Selection {
    state.scene().subject_of(target).map_or(Selection::None, |subject| match subject {
        Subject::Gc(gc) => Selection::Gc(gc),
        Subject::Event(event) => Selection::Event(EventId(event)),
        Subject::Function(function) => Selection::Function(FunctionId(function)),
        Subject::Thread(thread) => Selection::Thread(ThreadId(thread)),
    })
}
