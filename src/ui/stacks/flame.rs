//! The flame graph: boxes as wide as their weight, roots on top.

use super::flame_canvas::{LEVEL_PX, Picture, draw};
use super::{measure, query};
use crate::model::ids::{CallNodeId, FunctionId};
use crate::protocol::{Request, tables};
use crate::ui::canvas;
use crate::ui::follow::{Trouble, follow, when_grown};
use crate::ui::keys::meaning;
use crate::ui::state::{App, Selection, mismatch, packed};
use crate::ui::widgets::icon::{Icon, RIGHT};
use crate::ui::widgets::resize::on_resize;
use crate::view::flame_boxes::FlameBoxes;
use crate::view::format;
use crate::view::keymap::{Command, Scope};
use leptos::html;
use leptos::prelude::*;
use std::sync::Arc;
use web_sys::{KeyboardEvent, MouseEvent};

const MAX_DEPTH: u16 = 512;
const ROOT_NAME: &str = "All stacks";
const TIP_OFFSET_PX: i32 = 14;

/// A box that the graph is zoomed to.
#[derive(Clone, PartialEq)]
struct Step {
    node: u32,
    name: String,
}

/// A box that is pointed at, and where the pointer is.
#[derive(Clone, Copy, PartialEq)]
struct Hover {
    index: usize,
    x: i32,
    y: i32,
}

#[derive(Clone, Copy)]
struct Graph {
    app: App,
    boxes: RwSignal<Option<Arc<FlameBoxes>>>,
    /// From the root of the tree to what is shown; empty for the whole.
    zoom: RwSignal<Vec<Step>>,
    hover: RwSignal<Option<Hover>>,
    focused: RwSignal<Option<usize>>,
    scroll: RwSignal<f64>,
    size: RwSignal<(f64, f64)>,
    scroller: NodeRef<html::Div>,
}

/// The flame graph.
#[component]
pub fn FlameGraph(
    /// Whether it is seen.
    open: Memo<bool>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let size = RwSignal::new((0.0_f64, 0.0_f64));
    let zoom = RwSignal::new(Vec::<Step>::new());
    // What is narrower than about a pixel is merged; in powers of two, so that resizing asks rarely.
    let min_share = Memo::new(move |_| 0.5 / (size.get().0.max(256.0) as u32).next_power_of_two() as f64);
    // Call nodes are numbered anew.
    when_grown(app, move || zoom.set(Vec::new()));
    let followed = follow(
        app,
        move || {
            let query = query(app, open)?;
            let root = CallNodeId(zoom.with(|zoom| zoom.last().map_or(0, |step| step.node)));
            Some(Request::Flame { query, root, min_share: min_share.get(), max_depth: MAX_DEPTH })
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
    };
    Effect::new(move |_| {
        graph.boxes.track();
        graph.hover.set(None);
        graph.focused.set(None);
    });
    let canvas_element = NodeRef::<html::Canvas>::new();
    graph.scroller.on_load(move |scroller| {
        on_resize(&scroller, move |width, height| size.set((width - 2.0 * PADDING_PX, height)));
    });
    Effect::new(move |_| {
        app.shell.theme.track();
        if let Some(canvas) = canvas_element.get() {
            graph.paint(&canvas);
        }
    });
    let height = move || {
        let levels = graph.boxes.get().map_or(0, |boxes| boxes.height());
        format!("{}px", (levels as f64 * LEVEL_PX).max(graph.size.get().1 - 2.0))
    };
    let on_scroll = move |_| {
        if let Some(scroller) = graph.scroller.get_untracked() {
            graph.scroll.set(f64::from(scroller.scroll_top()));
        }
    };
    let label = move || {
        let boxes = graph.boxes.get()?;
        Some(match graph.focused.get() {
            Some(index) => graph.sentence(&boxes, index),
            None => "Flame graph. Arrow keys walk from box to box.".to_owned(),
        })
    };
    view! {
        <Trail graph/>
        <Trouble failure=followed.failure/>
        <div class="flame" node_ref=graph.scroller on:scroll=on_scroll data-testid="flame">
            <div class="flame-extent" style:height=height>
                <canvas
                    node_ref=canvas_element
                    tabindex="0"
                    role="application"
                    aria-roledescription="flame graph"
                    aria-label=label
                    data-testid="flame-canvas"
                    data-boxes=move || graph.boxes.get().map(|boxes| boxes.table.node.len().to_string())
                    data-levels=move || graph.boxes.get().map(|boxes| boxes.height().to_string())
                    on:mousemove=move |event| graph.point(&event)
                    on:mouseleave=move |_| graph.hover.set(None)
                    on:click=move |event| graph.click(&event)
                    on:dblclick=move |event| graph.zoom_at(&event)
                    on:keydown=move |event| graph.key(&event)
                ></canvas>
            </div>
        </div>
        <Tip graph/>
    }
}

/// Room left and right of the graph; the style sheet has the same.
const PADDING_PX: f64 = 12.0;

impl Graph {
    fn paint(self, canvas: &web_sys::HtmlCanvasElement) {
        let (width, height) = self.size.get();
        let (Some(boxes), true) = (self.boxes.get(), width > 0.0 && height > 0.0) else { return };
        canvas::set_height(canvas, height);
        let Some(context) = canvas::prepare(canvas, width, height) else { return };
        let selected = match self.app.selection.get() {
            Selection::Function(function) => Some(function.0),
            _ => None,
        };
        let weight = |index: usize| self.weight_and_share(&boxes, index);
        draw(
            &context,
            &Picture {
                boxes: &boxes,
                width,
                height,
                scroll: self.scroll.get(),
                hovered: self.hover.get().map(|hover| hover.index),
                focused: self.focused.get(),
                selected,
                weight: &weight,
                root: ROOT_NAME,
            },
        );
    }

    fn weight_and_share(self, boxes: &FlameBoxes, index: usize) -> String {
        let inclusive = boxes.table.inclusive.get(index).copied().unwrap_or(0.0);
        let words = measure(self.app).words(inclusive);
        format!("{words} · {}", format::percent(inclusive, boxes.total()))
    }

    fn name(self, boxes: &FlameBoxes, index: usize) -> String {
        let is_root = boxes.table.node.get(index) == Some(&0);
        if is_root { ROOT_NAME.to_owned() } else { boxes.name(index).to_owned() }
    }

    fn sentence(self, boxes: &FlameBoxes, index: usize) -> String {
        format!("{}: {}", self.name(boxes, index), self.weight_and_share(boxes, index))
    }

    fn hit(self, event: &MouseEvent) -> Option<usize> {
        let boxes = self.boxes.get_untracked()?;
        let (width, _) = self.size.get_untracked();
        let level = (f64::from(event.offset_y()) + self.scroll.get_untracked()) / LEVEL_PX;
        boxes.at(level as usize, f64::from(event.offset_x()) / width.max(1.0))
    }

    fn point(self, event: &MouseEvent) {
        let hover = self.hit(event).map(|index| Hover { index, x: event.client_x(), y: event.client_y() });
        if self.hover.get_untracked() != hover {
            self.hover.set(hover);
        }
    }

    fn click(self, event: &MouseEvent) {
        if let Some(index) = self.hit(event) {
            self.focused.set(Some(index));
            self.select(index);
        }
    }

    fn select(self, index: usize) {
        let Some(boxes) = self.boxes.get_untracked() else { return };
        let function = boxes.table.function.get(index).copied().filter(|function| *function != u32::MAX);
        if let Some(function) = function.filter(|_| !boxes.is_merged(index)) {
            self.app.select(Selection::Function(FunctionId(function)));
        }
    }

    fn zoom_at(self, event: &MouseEvent) {
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
                node: boxes.table.node.get(index).copied().unwrap_or(0),
                name: boxes.name(index).to_owned(),
            })
            .collect();
        self.zoom.update(|zoom| zoom.extend(steps));
        self.to_top();
    }

    /// Shows the box of the trail that has so many boxes above it.
    fn zoom_back(self, depth: usize) {
        self.zoom.update(|zoom| zoom.truncate(depth));
        self.to_top();
    }

    fn to_top(self) {
        if let Some(scroller) = self.scroller.get_untracked() {
            scroller.set_scroll_top(0);
        }
    }

    fn key(self, event: &KeyboardEvent) {
        let Some(boxes) = self.boxes.get_untracked() else { return };
        let Some(command) = meaning(Scope::Stacks, event) else { return };
        let now = self.focused.get_untracked();
        let from = now.unwrap_or(0);
        let next = match command {
            Command::Outward => boxes.parent(from),
            Command::Inward if now.is_none() => Some(0),
            Command::Inward => boxes.heaviest_child(from),
            Command::NextBox => boxes.neighbour(from, true),
            Command::PreviousBox => boxes.neighbour(from, false),
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
            _ => return,
        };
        event.prevent_default();
        if let Some(next) = next {
            self.focused.set(Some(next));
            self.reveal(&boxes, next);
        }
    }

    fn reveal(self, boxes: &FlameBoxes, index: usize) {
        let (Some(scroller), Some(level)) = (self.scroller.get_untracked(), boxes.table.depth.get(index)) else {
            return;
        };
        let top = f64::from(*level) * LEVEL_PX;
        let (scroll, (_, height)) = (self.scroll.get_untracked(), self.size.get_untracked());
        if top < scroll {
            scroller.set_scroll_top(top as i32);
        } else if top + LEVEL_PX > scroll + height {
            scroller.set_scroll_top((top + LEVEL_PX - height).ceil() as i32);
        }
    }
}

/// Where in the tree the graph is.
#[component]
fn Trail(graph: Graph) -> impl IntoView {
    /// Of a long path, so many steps at the end are shown.
    const SHOWN: usize = 6;
    let steps = move || {
        let zoom = graph.zoom.get();
        let count = zoom.len();
        let hidden = count.saturating_sub(SHOWN);
        zoom.into_iter()
            .enumerate()
            .skip(hidden)
            .map(|(index, step)| {
                let arrow = if index == hidden && hidden > 0 { Some("…") } else { None };
                let last = index + 1 == count;
                view! {
                    <Icon shape=RIGHT/>
                    {arrow}
                    {if last {
                        view! { <b title=step.name.clone()>{step.name.clone()}</b> }.into_any()
                    } else {
                        view! { <button title=step.name.clone() on:click=move |_| graph.zoom_back(index + 1)>{step.name.clone()}</button> }.into_any()
                    }}
                }
            })
            .collect_view()
    };
    let root = move || {
        if graph.zoom.with(Vec::is_empty) {
            view! { <b>{ROOT_NAME}</b> }.into_any()
        } else {
            view! { <button data-testid="zoom-out" on:click=move |_| graph.zoom_back(0)>{ROOT_NAME}</button> }
                .into_any()
        }
    };
    view! {
        <nav class="trail" aria-label="Zoom" data-testid="flame-trail">
            {root}
            {steps}
            <span class="note sp">"Double-click or Enter zooms"</span>
        </nav>
    }
}

/// What is under the pointer.
#[component]
fn Tip(graph: Graph) -> impl IntoView {
    let tip = NodeRef::<html::Div>::new();
    let place = move || {
        let hover = graph.hover.get()?;
        let (width, height) = tip.get().map_or((0, 0), |tip| (tip.offset_width(), tip.offset_height()));
        let inner =
            |value: Result<wasm_bindgen::JsValue, _>| value.ok().and_then(|value| value.as_f64()).unwrap_or(1e4) as i32;
        let (right, bottom) = (inner(window().inner_width()), inner(window().inner_height()));
        let x = if hover.x + TIP_OFFSET_PX + width > right {
            hover.x - TIP_OFFSET_PX - width
        } else {
            hover.x + TIP_OFFSET_PX
        };
        let y = if hover.y + TIP_OFFSET_PX + height > bottom {
            hover.y - TIP_OFFSET_PX - height
        } else {
            hover.y + TIP_OFFSET_PX
        };
        Some(format!("translate({}px, {}px)", x.max(0), y.max(0)))
    };
    let content = move || {
        let (hover, boxes) = (graph.hover.get()?, graph.boxes.get()?);
        let index = hover.index;
        let inclusive = boxes.table.inclusive.get(index).copied()?;
        let exclusive = boxes.table.exclusive.get(index).copied()?;
        let measure = measure(graph.app);
        let share = |value| format!("{} · {}", measure.words(value), format::percent(value, boxes.total()));
        let merged = boxes
            .is_merged(index)
            .then(|| view! { <p>"Several boxes, each too narrow to draw. Zoom in to see them."</p> });
        Some(view! {
            <h4>{if merged.is_some() { "Merged".to_owned() } else { graph.name(&boxes, index) }}</h4>
            <dl>
                <dt>"Total"</dt>
                <dd>{share(inclusive)}</dd>
                <dt>"Self"</dt>
                <dd>{share(exclusive)}</dd>
            </dl>
            {merged}
        })
    };
    view! {
        <div
            class="tip"
            role="presentation"
            hidden=move || graph.hover.get().is_none()
            style:transform=place
            node_ref=tip
            data-testid="flame-tip"
        >
            {content}
        </div>
    }
}
