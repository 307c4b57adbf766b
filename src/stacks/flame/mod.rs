//! A flame graph: boxes as wide as their weight.

pub(crate) mod input;
pub(crate) mod picture;
pub(crate) mod tip;
pub(crate) mod trail;

use super::find::Finder;
use super::unresolved::Unresolved;
use super::{StackMenu, measure};
use crate::app::state::{App, Selection, mismatch, packed};
use crate::stacks::flame::picture::{LEVEL_PX, Picture, draw};
use crate::stacks::flame::tip::Tip;
use crate::stacks::flame::trail::Trail;
use crate::trace::live_query::{Trouble, follow, when_grown};
use crate::widgets::canvas;
use crate::widgets::resize::on_resize;
use leptos::html;
use leptos::prelude::*;
use protocol::base::ids::FunctionId;
use protocol::request::TreeQuery;
use protocol::stacks::shape::Shape;
use protocol::{Request, tables};
use std::sync::Arc;
use view::format;
use view::stacks::flame_boxes::FlameBoxes;
use view::stacks::flame_levels::FlameLevels;

const MAX_DEPTH: u16 = 512;
pub const ROOT_NAME: &str = "All stacks";

/// A box that the graph is zoomed to.
#[derive(Clone, PartialEq)]
pub struct Step {
    /// Its number.
    pub frame: u32,
    /// What it is called.
    pub name: String,
}

/// A box that is pointed at, and where the pointer is.
#[derive(Clone, Copy, PartialEq)]
pub struct Hover {
    /// Which box.
    pub index: usize,
    /// In the window.
    pub x: i32,
    /// In the window.
    pub y: i32,
}

/// What a graph shows, and how.
#[derive(Clone, Copy)]
pub struct GraphKind {
    /// Begins its stable names for tests.
    pub testid: &'static str,
    /// What it is, for people who listen.
    pub label: &'static str,
    /// Levels next to the root that are not shown.
    pub hidden_levels: usize,
    /// Whether the root is at the bottom.
    pub upwards: bool,
    /// What an empty one says; may be empty.
    pub nothing: &'static str,
}

impl GraphKind {
    /// The graph of everything.
    pub const WHOLE: Self =
        Self { testid: "flame", label: "Flame graph", hidden_levels: 0, upwards: false, nothing: "" };
}

/// A flame graph.
#[derive(Clone, Copy)]
pub struct Graph {
    /// The page.
    pub app: App,
    /// What is shown.
    pub boxes: RwSignal<Option<Arc<FlameBoxes>>>,
    /// From the root of the tree to what is shown; empty for the whole.
    pub zoom: RwSignal<Vec<Step>>,
    /// What is pointed at.
    pub hover: RwSignal<Option<Hover>>,
    /// Has the keyboard's attention.
    pub focused: RwSignal<Option<usize>>,
    /// How far it is scrolled down, in CSS pixels.
    pub scroll: RwSignal<f64>,
    /// Width, and what is seen of the height, in CSS pixels.
    pub size: RwSignal<(f64, f64)>,
    /// What scrolls.
    pub scroller: NodeRef<html::Div>,
    /// What it shows, and how.
    pub kind: GraphKind,
    /// The menu of a box.
    pub menu: StackMenu,
    /// What is looked for.
    pub finder: Finder,
    /// Why code has no name.
    pub unresolved: Unresolved,
}

/// A flame graph.
#[component]
pub fn FlameGraph(
    /// What it shows; nothing while it is not seen.
    #[prop(into)]
    query: Signal<Option<TreeQuery>>,
    /// And how.
    kind: GraphKind,
) -> impl IntoView {
    let app = expect_context::<App>();
    let menu = expect_context::<StackMenu>();
    let size = RwSignal::new((0.0_f64, 0.0_f64));
    let zoom = RwSignal::new(Vec::<Step>::new());
    // What is narrower than about a pixel is merged; in powers of two, so that resizing asks rarely.
    let min_share = Memo::new(move |_| 0.5 / (size.get().0.max(256.0) as u32).next_power_of_two() as f64);
    // Functions are numbered anew; and what was zoomed to may be somewhere else in changed stacks.
    when_grown(app, move || zoom.set(Vec::new()));
    let shape = Memo::new(move |_| query.with(|query| query.as_ref().map(|query| query.shape.clone())));
    Effect::new(move |before: Option<Option<Shape>>| {
        let now = shape.get();
        if before.is_some_and(|before| before != now) && !zoom.with_untracked(Vec::is_empty) {
            zoom.set(Vec::new());
        }
        now
    });
    let followed = follow(
        app,
        move || {
            let query = query.get()?;
            let path = zoom.with(|zoom| zoom.iter().map(|step| FunctionId(step.frame)).collect());
            Some(Request::Flame { query, path, min_share: min_share.get(), max_depth: MAX_DEPTH })
        },
        |reply| Ok(FlameBoxes::new(tables::Flame::unpack(&packed(reply)?).map_err(mismatch)?)),
    );
    let graph = Graph {
        app,
        boxes: followed.value,
        zoom,
        hover: RwSignal::new(None),
        focused: RwSignal::new(None),
        scroll: RwSignal::new(0.0),
        size,
        scroller: NodeRef::new(),
        kind,
        menu,
        finder: expect_context::<Finder>(),
        unresolved: expect_context::<Unresolved>(),
    };
    graph.offer_actions(Signal::derive(move || query.with(Option::is_some)));
    Effect::new(move |_| {
        graph.boxes.track();
        graph.hover.set(None);
        graph.focused.set(None);
    });
    let canvas_element = NodeRef::<html::Canvas>::new();
    graph.scroller.on_load(move |scroller| {
        on_resize(&scroller, move |width, height| size.set((width - 2.0 * PADDING_PX, height)));
    });
    let colors = canvas::colors_changed(app.shell);
    Effect::new(move |_| {
        colors.track();
        if let Some(canvas) = canvas_element.get() {
            graph.paint(&canvas);
        }
    });
    let height = move || format!("{}px", graph.levels().extent_px());
    // What grows upwards is seen from its root on.
    Effect::new(move |_| {
        graph.boxes.track();
        if kind.upwards
            && let Some(scroller) = graph.scroller.get()
        {
            request_animation_frame(move || scroller.set_scroll_top(scroller.scroll_height()));
        }
    });
    let on_scroll = move |_| {
        if let Some(scroller) = graph.scroller.get_untracked() {
            graph.scroll.set(f64::from(scroller.scroll_top()));
        }
    };
    let label = move || {
        let boxes = graph.boxes.get()?;
        Some(match graph.focused.get() {
            Some(index) => graph.sentence(&boxes, index),
            None => format!("{}. Arrow keys move between frames.", kind.label),
        })
    };
    let is_empty = move || {
        let has_no_level = |boxes: &Arc<FlameBoxes>| boxes.height() <= kind.hidden_levels && zoom.with(Vec::is_empty);
        graph.boxes.with(|boxes| boxes.as_ref().is_some_and(has_no_level))
    };
    view! {
        <Trail graph/>
        <Trouble failure=followed.failure/>
        <div class="flame" node_ref=graph.scroller on:scroll=on_scroll data-testid=kind.testid>
            <div class="flame-extent" style:height=height>
                <canvas
                    node_ref=canvas_element
                    tabindex="0"
                    role="application"
                    aria-roledescription="flame graph"
                    aria-label=label
                    data-testid=graph.testid("canvas")
                    data-boxes=move || graph.boxes.get().map(|boxes| boxes.table.node.len().to_string())
                    data-levels=move || graph.boxes.get().map(|boxes| boxes.height().to_string())
                    on:mousemove=move |event| graph.point(&event)
                    on:mouseleave=move |_| graph.hover.set(None)
                    on:click=move |event| graph.click(&event)
                    on:dblclick=move |event| graph.zoom_at(&event)
                    on:contextmenu=move |event| graph.menu_at(&event)
                    on:keydown=move |event| graph.key(&event)
                ></canvas>
            </div>
        </div>
        <p class="nothing" hidden=move || kind.nothing.is_empty() || !is_empty()>{kind.nothing}</p>
        <Tip graph/>
    }
}

/// Room left and right of the graph; the style sheet has the same.
pub const PADDING_PX: f64 = 12.0;

impl Graph {
    /// A stable name for tests.
    pub fn testid(self, part: &str) -> String {
        format!("{}-{part}", self.kind.testid)
    }

    /// Where levels stand.
    pub fn levels(self) -> FlameLevels {
        FlameLevels {
            level_px: LEVEL_PX,
            hidden: if self.zoom.with(Vec::is_empty) { self.kind.hidden_levels } else { 0 },
            count: self.boxes.with(|boxes| boxes.as_ref().map_or(0, |boxes| boxes.height())),
            seen_px: (self.size.get().1 - 2.0).max(0.0),
            upwards: self.kind.upwards,
        }
    }

    fn paint(self, canvas: &web_sys::HtmlCanvasElement) {
        let (width, height) = self.size.get();
        let (Some(boxes), true) = (self.boxes.get(), width > 0.0 && height > 0.0) else { return };
        canvas::set_height(canvas, height);
        let Some(context) = canvas::prepare(canvas, width, height) else { return };
        let selected = match self.app.selection.get() {
            Selection::Function(function) => Some(function.0),
            _ => None,
        };
        let found = self.finder.found.get();
        let weight = |index: usize| self.weight_and_share(&boxes, index);
        draw(
            &context,
            &Picture {
                boxes: &boxes,
                width,
                levels: self.levels(),
                scroll: self.scroll.get(),
                hovered: self.hover.get().map(|hover| hover.index),
                focused: self.focused.get(),
                selected,
                found: found.as_deref(),
                weight: &weight,
                root: ROOT_NAME,
            },
        );
    }

    fn weight_and_share(self, boxes: &FlameBoxes, index: usize) -> String {
        let inclusive = boxes.table.inclusive.get(index).copied().unwrap_or(0.0);
        if let Some(of_baseline) = boxes.of_baseline(index) {
            return measure(self.app).difference(inclusive - of_baseline);
        }
        let words = measure(self.app).words(inclusive);
        format!("{words} · {}", format::percent(inclusive, boxes.total()))
    }

    /// What a box is called.
    pub fn name(self, boxes: &FlameBoxes, index: usize) -> String {
        let is_root = boxes.table.node.get(index) == Some(&0);
        if is_root { ROOT_NAME.to_owned() } else { boxes.label(index) }
    }

    fn sentence(self, boxes: &FlameBoxes, index: usize) -> String {
        format!("{}: {}", self.name(boxes, index), self.weight_and_share(boxes, index))
    }
}
