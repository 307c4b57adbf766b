//! What the timeline consists of at a moment: elements, signals, and what moves faster than signals.

use crate::app::state::Selection;
use crate::widgets::menu::OpenMenu;
use leptos::prelude::*;
use protocol::Failure;
use protocol::base::ids::{EventId, FunctionId, ThreadId};
use protocol::base::time::{Nanos, Span};
use protocol::events::connections::Link;
use protocol::request::Filter;
use protocol::tables::{Gcs, Overview, Threads};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use view::draw::tooltip::Tooltip;
use view::draw::units::CssPx;
use view::timeline::hit::{LaneFrames, Scene, Target};
use view::timeline::motion::Motion;
use view::timeline::timescale::Viewport;
use view::timeline::touch::Fingers;
use view::timeline::track_choices::{ThreadOrder, TrackChoices};
use view::timeline::track_key::{RuntimeKey, TrackKey};
use view::timeline::track_layout::TrackLayout;
use view::timeline::tracks::track::{HeadWords, RuntimeTracks, Subject};
use web_sys::{HtmlCanvasElement, HtmlElement};

/// The elements that are drawn on or measured.
#[derive(Clone)]
pub struct Elements {
    /// Scrolls the tracks.
    pub scroller: HtmlElement,
    /// Lies over the visible part of the lanes; has the pointer and the keys.
    pub lanes: HtmlElement,
    /// The picture of the lanes.
    pub pane: HtmlCanvasElement,
    /// The ruler.
    pub ruler: HtmlCanvasElement,
    /// The overview: all that stays as it is while the timeline moves.
    pub backdrop: HtmlCanvasElement,
    /// What lies over it.
    pub minimap: HtmlCanvasElement,
}

/// What a pressed pointer is doing.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Drag {
    /// Nothing.
    #[default]
    None,
    /// It went down here and has not moved enough to be a drag.
    Pressed {
        /// Where.
        x: CssPx,
        /// Where.
        y: CssPx,
        /// Whether it moves the view instead of choosing a range.
        pans: bool,
    },
    /// It chooses a range from this moment.
    Range {
        /// The other end.
        anchor: Nanos,
    },
    /// It moves the view.
    Pan {
        /// Last position.
        x: CssPx,
        /// Last position.
        y: CssPx,
    },
    /// Two fingers zoom it.
    Pinch,
}

/// The signals that the DOM of the timeline follows.
#[derive(Clone, Copy)]
pub struct Signals {
    /// The threads.
    pub threads: RwSignal<Arc<Threads>>,
    /// The tracks.
    pub layout: RwSignal<Arc<TrackLayout>>,
    /// Visible part of the tracks: top and height in pixels.
    pub window: RwSignal<(CssPx, CssPx)>,
    /// The range that is shown, updated when it rests: for what costs more than it is worth while it moves.
    pub rested: RwSignal<Span>,
    /// What is said about the thing under the pointer, and where.
    pub tooltip: RwSignal<Option<(Tooltip, CssPx, CssPx)>>,
    /// What the heads of the runtime's tracks say.
    pub words: RwSignal<BTreeMap<RuntimeKey, HeadWords>>,
    /// The track that keys are about.
    pub focused: RwSignal<TrackKey>,
    /// The menu that is open.
    pub menu: RwSignal<Option<OpenMenu>>,
    /// The list of kept ranges is open.
    pub saved_ranges: RwSignal<bool>,
    /// What is said about the range, and where its end is.
    pub note: RwSignal<Option<(CssPx, String)>>,
    /// A track that is dragged, and the one whose place it takes.
    pub dragged_head: RwSignal<Option<(TrackKey, TrackKey)>>,
    /// Classes and words of the generations that were collected.
    pub generations: RwSignal<Vec<(&'static str, &'static str)>>,
    /// Whether a thread that was shown waited for a handle, according to events.
    pub handle_waits: RwSignal<bool>,
    /// The order of the threads.
    pub order: RwSignal<ThreadOrder>,
    /// Raised when something that is drawn was answered.
    pub loaded: RwSignal<u32>,
    /// The track that is shown as a table.
    pub table: RwSignal<Option<TrackKey>>,
    /// Why the latest question could not be answered.
    pub failure: RwSignal<Option<Failure>>,
}

impl Signals {
    /// Signals of a timeline with these tracks.
    pub fn new(threads: Arc<Threads>, layout: Arc<TrackLayout>) -> Self {
        Self {
            threads: RwSignal::new(threads),
            layout: RwSignal::new(layout),
            window: RwSignal::new((0.0, 0.0)),
            rested: RwSignal::default(),
            tooltip: RwSignal::new(None),
            words: RwSignal::default(),
            focused: RwSignal::new(TrackKey::Threads(0)),
            menu: RwSignal::default(),
            saved_ranges: RwSignal::default(),
            note: RwSignal::default(),
            dragged_head: RwSignal::default(),
            generations: RwSignal::default(),
            handle_waits: RwSignal::default(),
            order: RwSignal::default(),
            loaded: RwSignal::default(),
            table: RwSignal::default(),
            failure: RwSignal::new(None),
        }
    }
}

/// Everything that is drawn.
pub struct State {
    /// The shown range.
    pub viewport: Viewport,
    /// Size of the lanes' pane.
    pub size: (CssPx, CssPx),
    /// How far the tracks are scrolled.
    pub scroll_top: CssPx,
    /// The threads.
    pub threads: Arc<Threads>,
    /// The tracks.
    pub layout: Arc<TrackLayout>,
    /// What decides about the tracks.
    pub choices: TrackChoices,
    /// What is known of the threads.
    pub frames: LaneFrames,
    /// The collections of each process; 0 if all threads belong to one.
    pub gcs: BTreeMap<u32, Arc<Gcs>>,
    /// Processes of which the runtime's tracks were asked for.
    pub asked: BTreeSet<u32>,
    /// The runtime's tracks.
    pub runtime: RuntimeTracks,
    /// Event density of everything that can be shown.
    pub overview: Option<Arc<Overview>>,
    /// Where events match, while a text is searched for: with the filter that they match.
    pub matches: Option<(Filter, Overview)>,
    /// The pointer over the lanes: x, and y in the pane; no y over the ruler.
    pub pointer: Option<(CssPx, Option<CssPx>)>,
    /// What is under the pointer.
    pub hovered: Target,
    /// What was selected last in the picture.
    pub selected: Option<Target>,
    /// An event that was walked to, with the start and the end of what it began.
    pub moment: Option<(EventId, i64, i64)>,
    /// By the event that was reached: the link that was followed to it, for the way back.
    pub followed: BTreeMap<EventId, Link>,
    /// How many events the range that is being dragged has.
    pub counted: Option<(Span, u64)>,
    /// What a pressed pointer is doing.
    pub drag: Drag,
    /// The range that is being dragged.
    pub dragged: Option<Span>,
    /// The fingers that are down.
    pub fingers: Fingers,
    /// The keys that are held.
    pub motion: Motion,
    /// Time of the last frame of a motion.
    pub last_frame_ms: Option<f64>,
}

impl State {
    /// What a timeline of `limits` begins with.
    pub fn new(threads: Arc<Threads>, limits: Span, choices: TrackChoices) -> Self {
        let layout = Arc::new(TrackLayout::new(&threads, &choices));
        Self {
            viewport: Viewport::new(limits, 1000.0),
            size: (0.0, 0.0),
            scroll_top: 0.0,
            threads,
            layout,
            choices,
            frames: LaneFrames::new(),
            gcs: BTreeMap::new(),
            asked: BTreeSet::new(),
            runtime: RuntimeTracks::default(),
            overview: None,
            matches: None,
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

    /// Where a height in the pane lies below the top of the first track.
    pub fn below_top(&self, y: CssPx) -> CssPx {
        self.layout.below_top(y, self.scroll_top, self.size.1)
    }

    /// The row of the thread table that a track is about.
    pub fn row_of(&self, key: TrackKey) -> Option<usize> {
        let TrackKey::Thread(thread) = key else { return None };
        self.threads.thread.iter().position(|present| *present == thread.0)
    }

    /// The parts that can be found and drawn.
    pub fn scene(&self) -> Scene<'_> {
        Scene { layout: &self.layout, frames: &self.frames, runtime: &self.runtime, scale: self.viewport.scale() }
    }
}

impl State {
    /// Whether the threads belong to several processes.
    pub fn of_several(&self) -> bool {
        let processes = &self.threads.os_process;
        processes.iter().any(|process| Some(process) != processes.first())
    }

    /// The events of a process, as the tracks name it.
    pub fn filter_of(&self, process: u32) -> Filter {
        let processes = if self.of_several() { vec![process] } else { Vec::new() };
        Filter { processes, ..Filter::default() }
    }
}

/// What a click on something selects.
pub fn selection_of(target: &Target, state: &State) -> Selection {
    state.scene().subject_of(target).map_or(Selection::None, |subject| match subject {
        Subject::Gc(gc) => Selection::Gc(gc),
        Subject::Event(event) => Selection::Event(EventId(event)),
        Subject::Function(function) => Selection::Function(FunctionId(function)),
        Subject::Thread(thread) => Selection::Thread(ThreadId(thread)),
    })
}
