//! Flame graph: frames as wide as their weight.

mod brush;
pub(crate) mod input;
mod legend;
pub(crate) mod picture;
pub(crate) mod tip;
pub(crate) mod trail;

use super::find::Finder;
use super::unresolved::Unresolved;
use super::{StackMenu, measure};
use crate::app::state::{App, Selection};
use crate::pictures;
use crate::stacks::flame::brush::CanvasBrush;
use crate::stacks::flame::legend::Legend;
use crate::stacks::flame::picture::{Picture, draw};
use crate::stacks::flame::tip::Tip;
use crate::stacks::flame::trail::Trail;
use crate::trace::live_query::{Trouble, follow_as, when_grown};
use crate::widgets::canvas;
use crate::widgets::resize::on_resize;
use leptos::html;
use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;
use protocol::base::ids::FunctionId;
use protocol::queries;
use protocol::request::TreeQuery;
use protocol::stacks::shape::Shape;
use std::sync::Arc;
use view::draw::svg::brush::Brush;
use view::draw::svg::sheet;
use view::format;
use view::keys::keymap::Scope;
use view::stacks::flame_boxes::FlameBoxes;
use view::stacks::flame_levels::{FlameLevels, level_px};

const MAX_DEPTH: u16 = 512;
pub const ROOT_NAME: &str = "All stacks";

/// Frame to which the graph is zoomed.
#[derive(Clone, PartialEq)]
pub struct Step {
    /// Function or other frame.
    pub frame: u32,
    pub name: String,
}

/// Frame under the pointer, and the position of the pointer.
#[derive(Clone, Copy, PartialEq)]
pub struct Hover {
    pub index: usize,
    /// Horizontal position in the window.
    pub x: i32,
    /// Vertical position in the window.
    pub y: i32,
}

/// Variant of a flame graph.
#[derive(Clone, Copy)]
pub struct GraphKind {
    /// Prefix of test IDs.
    pub testid: &'static str,
    /// Label for screen readers.
    pub label: &'static str,
    /// Number of hidden levels next to the root.
    pub hidden_levels: usize,
    /// True if the root is at the bottom.
    pub upwards: bool,
    /// Text of an empty graph; may be empty.
    pub nothing: &'static str,
}

impl GraphKind {
    /// Graph of all stacks. Its root has the total, which is above it.
    pub const WHOLE: Self =
        Self { testid: "flame", label: "Flame graph", hidden_levels: 1, upwards: false, nothing: "" };
}

/// State of a flame graph.
#[derive(Clone, Copy)]
pub struct Graph {
    pub app: App,
    /// Visible frames.
    pub boxes: RwSignal<Option<Arc<FlameBoxes>>>,
    /// Path from the root of the tree to the visible root; empty for the whole tree.
    pub zoom: RwSignal<Vec<Step>>,
    /// Frame under the pointer.
    pub hover: RwSignal<Option<Hover>>,
    /// Frame with the keyboard focus.
    pub focused: RwSignal<Option<usize>>,
    /// Clicked frame that is chosen unless a second click follows.
    pub choice: StoredValue<Option<TimeoutHandle>>,
    /// Scroll position in CSS pixels.
    pub scroll: RwSignal<f64>,
    /// Width and visible height in CSS pixels.
    pub size: RwSignal<(f64, f64)>,
    pub scroller: NodeRef<html::Div>,
    pub kind: GraphKind,
    /// Noun of the total.
    pub noun: Option<Signal<&'static str>>,
    pub menu: StackMenu,
    /// Search.
    pub finder: Finder,
    /// Reasons of unresolved frames.
    pub unresolved: Unresolved,
}

#[component]
pub fn FlameGraph(
    /// Query; `None` while the graph isn't visible.
    #[prop(into)]
    query: Signal<Option<TreeQuery>>,
    kind: GraphKind,
    /// Noun of the total.
    #[prop(optional)]
    noun: Option<Signal<&'static str>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let menu = expect_context::<StackMenu>();
    let size = RwSignal::new((0.0_f64, 0.0_f64));
    let zoom = RwSignal::new(Vec::<Step>::new());
    // Frames narrower than about a pixel are merged. The limit is a power of two, so that resizing rarely sends a
    // request.
    let min_share = Memo::new(move |_| 0.5 / (size.get().0.max(256.0) as u32).next_power_of_two() as f64);
    // Function IDs change, and the zoomed frame may be elsewhere in transformed stacks.
    when_grown(app, move || zoom.set(Vec::new()));
    let shape = Memo::new(move |_| query.with(|query| query.as_ref().map(|query| query.shape.clone())));
    Effect::new(move |before: Option<Option<Shape>>| {
        let now = shape.get();
        if before.is_some_and(|before| before != now) && !zoom.with_untracked(Vec::is_empty) {
            zoom.set(Vec::new());
        }
        now
    });
    let followed = follow_as(
        app,
        move || {
            let query = query.get()?;
            let path = zoom.with(|zoom| zoom.iter().map(|step| FunctionId(step.frame)).collect());
            Some(queries::Flame { query, path, min_share: min_share.get(), max_depth: MAX_DEPTH })
        },
        FlameBoxes::new,
    );
    let graph = Graph {
        app,
        boxes: followed.value,
        zoom,
        hover: RwSignal::new(None),
        focused: RwSignal::new(None),
        choice: StoredValue::new(None),
        scroll: RwSignal::new(0.0),
        size,
        scroller: NodeRef::new(),
        kind,
        noun,
        menu,
        finder: expect_context::<Finder>(),
        unresolved: expect_context::<Unresolved>(),
    };
    graph.offer_actions(Signal::derive(move || query.with(Option::is_some)));
    if kind.testid == GraphKind::WHOLE.testid {
        let can = move || query.with(Option::is_some) && graph.boxes.with(Option::is_some);
        pictures::offer_pictures(app, Scope::Stacks, "flame-graph", can, move || graph.picture());
    }
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
    // A graph that grows upwards is scrolled to its root.
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
        <Legend graph/>
        <p class="nothing" hidden=move || kind.nothing.is_empty() || !is_empty()>{kind.nothing}</p>
        <Tip graph/>
    }
}

/// Padding on the left and right of the graph, as in the style sheet.
pub const PADDING_PX: f64 = 12.0;

impl Graph {
    pub fn testid(self, part: &str) -> String {
        format!("{}-{part}", self.kind.testid)
    }

    /// Returns the positions of levels.
    pub fn levels(self) -> FlameLevels {
        let hidden = if self.zoom.with(Vec::is_empty) { self.kind.hidden_levels } else { 0 };
        let count = self.boxes.with(|boxes| boxes.as_ref().map_or(0, |boxes| boxes.height()));
        let seen_px = (self.size.get().1 - 2.0).max(0.0);
        let level_px = level_px(count.saturating_sub(hidden), seen_px);
        FlameLevels { level_px, hidden, count, seen_px, upwards: self.kind.upwards }
    }

    fn paint(self, canvas: &web_sys::HtmlCanvasElement) {
        let (width, height) = self.size.get();
        let (Some(boxes), true) = (self.boxes.get(), width > 0.0 && height > 0.0) else { return };
        canvas::set_height(canvas, height);
        let Some(context) = canvas::prepare(canvas, width, height) else { return };
        let brush = CanvasBrush::new(&context);
        let selected = match self.app.selection.get() {
            Selection::Function(function) => Some((function.0, boxes.selected(function.0, self.focused.get()))),
            _ => None,
        };
        let found = self.finder.found.get();
        let weight = |index: usize| self.weight_and_share(&boxes, index);
        draw(
            &brush,
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

    /// Draws all levels as a picture of its own, without pointer, focus and selection; `None` without frames.
    fn picture(self) -> Option<sheet::Picture> {
        let (width, _) = self.size.get();
        let boxes = self.boxes.get().filter(|boxes| width > 0.0 && boxes.height() > 0)?;
        let levels = FlameLevels { seen_px: 0.0, ..self.levels() };
        let levels = FlameLevels { seen_px: levels.extent_px(), ..levels };
        let (found, weight) = (self.finder.found.get(), |index: usize| self.weight_and_share(&boxes, index));
        let picture = Picture {
            boxes: &boxes,
            width,
            levels,
            scroll: 0.0,
            hovered: None,
            focused: None,
            selected: None,
            found: found.as_deref(),
            weight: &weight,
            root: ROOT_NAME,
        };
        let noun = self.noun.map_or("", |noun| noun.get());
        let total = format!("{}{noun}", measure(self.app).words(boxes.total()));
        let facts = (self.kind.label, total);
        let draw_into = |brush: &dyn Brush| draw(brush, &picture);
        let size = (width, levels.extent_px());
        Some(pictures::flame::draw(self.app, facts, size, &draw_into, &picture::legend(&boxes)))
    }

    fn weight_and_share(self, boxes: &FlameBoxes, index: usize) -> String {
        let inclusive = boxes.table.inclusive.get(index).copied().unwrap_or(0.0);
        if let Some(of_baseline) = boxes.of_baseline(index) {
            return measure(self.app).difference(inclusive - of_baseline);
        }
        let words = measure(self.app).words(inclusive);
        format!("{words} · {}", format::percent(inclusive, boxes.total()))
    }

    /// Returns the name of a frame.
    pub fn name(self, boxes: &FlameBoxes, index: usize) -> String {
        let is_root = boxes.table.node.get(index) == Some(&0);
        if is_root { ROOT_NAME.to_owned() } else { boxes.label(index) }
    }

    fn sentence(self, boxes: &FlameBoxes, index: usize) -> String {
        format!("{}: {}", self.name(boxes, index), self.weight_and_share(boxes, index))
    }
}
