//! Chart of a thread's stacks over time: drawing, hit testing, pointer and keyboard input.

use super::StackMenu;
use super::target::Target as Frame;
use super::time_order::selected_function;
use super::transforms::{act, open_menu};
use crate::app::state::{App, Selection};
use crate::commands::shortcuts::meaning;
use crate::details::state::Occurrence;
use crate::widgets::range_drag::{Drawn, RangeDrag};
use leptos::prelude::*;
use protocol::base::ids::{FunctionId, ThreadId};
use protocol::base::time::Span;
use protocol::tables::frame_flag::NO_FUNCTION;
use std::collections::HashMap;
use std::sync::Arc;
use view::draw::drawlist::{CharacterWidths, DrawList, Painter, Seen};
use view::draw::palette::{Fill, Token};
use view::draw::tooltip::{Tooltip, TooltipContext};
use view::draw::units::{CssPx, Rect};
use view::keys::keymap::{Command, Scope};
use view::timeline::hit::Target;
use view::timeline::paint::ruler::{RulerMarks, paint_ruler};
use view::timeline::ticks::Ticks;
use view::timeline::timescale::{TimeScale, Viewport, wheel_zoom_factor};
use view::timeline::tracks::lane_frame::{LaneFrame, SliceRow};
use view::timeline::tracks::lane_walk::{LaneStep, lane_step};
use view::timeline::tracks::thread::ThreadTrack;
use view::timeline::tracks::thread_rows::ThreadRows;
use view::timeline::tracks::track::{Chosen, Place, TrackContent};
use wasm_bindgen::JsCast;
use web_sys::{KeyboardEvent, MouseEvent, PointerEvent, WheelEvent};

const RULER_PX: CssPx = 21.0;
const LEVEL_PX: CssPx = 18.0;
/// Reciprocal of the margin around a slice that is zoomed to, as a share of its duration.
const ROOM: i64 = 8;

/// Facts about a frame for transforms.
#[derive(Clone, PartialEq, Debug)]
pub struct FrameFacts {
    pub module: String,
    /// Family of folded frames; empty if the frame isn't folded.
    pub family: String,
}

/// State of the chart. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct TimeChart {
    pub app: App,
    pub thread: Memo<Option<ThreadId>>,
    /// Stacks of the thread.
    pub frame: RwSignal<Option<Arc<LaneFrame>>>,
    /// Facts about their frames, by function.
    pub frames: RwSignal<Arc<HashMap<u32, FrameFacts>>>,
    /// Menu of a slice.
    pub menu: StackMenu,
    /// Width and visible height in CSS pixels.
    pub size: RwSignal<(f64, f64)>,
    /// Scroll position in CSS pixels.
    pub scroll: RwSignal<f64>,
    /// Position of the pointer in the picture.
    pub pointer: RwSignal<Option<(CssPx, CssPx)>>,
    /// Time range that is being drawn.
    pub drag: RangeDrag,
    /// Slice with the keyboard focus, and its level.
    pub focused: RwSignal<Option<(u16, SliceRow)>>,
}

impl TimeChart {
    /// Creates an empty chart.
    pub fn new(app: App, thread: Memo<Option<ThreadId>>, menu: StackMenu) -> Self {
        Self {
            app,
            thread,
            frame: RwSignal::new(None),
            frames: RwSignal::default(),
            menu,
            size: RwSignal::new((0.0, 0.0)),
            scroll: RwSignal::new(0.0),
            pointer: RwSignal::new(None),
            drag: RangeDrag::default(),
            focused: RwSignal::new(None),
        }
    }

    /// Returns the scale of the timeline's visible range across the chart.
    pub fn scale(self) -> TimeScale {
        TimeScale::new(self.app.visible.get(), self.size.get().0)
    }

    /// Returns the limits of the visible range.
    pub fn limits(self) -> Span {
        self.app.trace.with(|trace| trace.as_ref().map_or(Span::default(), |trace| trace.user_span))
    }

    /// Returns the total height.
    pub fn extent_px(self) -> CssPx {
        RULER_PX + LEVEL_PX * CssPx::from(self.levels())
    }

    /// Returns the number of slices.
    pub fn boxes(self) -> usize {
        self.frame.with(|frame| frame.as_ref().map_or(0, |frame| frame.depths.iter().map(Vec::len).sum()))
    }

    fn levels(self) -> u16 {
        self.frame.with(|frame| frame.as_ref().map_or(0, |frame| frame.depths.len() as u16))
    }

    /// Calls a function with the track of the thread as on the timeline, with its stack only.
    fn with_track<T>(self, act: impl FnOnce(&ThreadTrack<'_>) -> T) -> Option<T> {
        let (thread, frame) = (self.thread.get()?, self.frame.get()?);
        let rows = ThreadRows::stack_alone(frame.depths.len() as u16, LEVEL_PX);
        Some(act(&ThreadTrack { thread, rows: &rows, frame: Some(&frame), most_events: 1 }))
    }

    /// Returns the top of the track in the picture.
    fn top(self) -> CssPx {
        RULER_PX - self.scroll.get()
    }

    /// Draws the chart.
    pub fn paint(self, painter: &mut impl Painter, characters: CharacterWidths) {
        let ((width, height), scale, top) = (self.size.get(), self.scale(), self.top());
        let chosen = Chosen { function: selected_function(self.app), ..Chosen::default() };
        let place = Place { scale: &scale, top, height: self.extent_px(), limits: self.limits(), chosen, characters };
        let mut list = DrawList::of(Seen { top: RULER_PX, bottom: height });
        self.with_track(|track| track.paint(&mut list, &place));
        list.paint_shapes(painter);
        list.paint_labels(painter);
        list.paint_outlines(painter);
        if let Some((depth, slice)) = self.focused.get() {
            let left = scale.x(slice.start).max(0.0);
            let right = scale.x(slice.end).min(width).max(left + 2.0);
            let area = Rect::new(left, top + LEVEL_PX * CssPx::from(depth), right - left, LEVEL_PX - 1.0);
            painter.outlines(Token::Text, 2.0, &[area]);
        }
        painter.rects(Fill::Solid(Token::Panel), &[Rect::new(0.0, 0.0, width, RULER_PX)]);
        let face = self.app.face();
        let hover = self.pointer.get().map(|(x, _)| scale.time(x).0);
        let drawn = self.drag.drawing().map(|(from, to)| self.between(from, to));
        let range = drawn.or_else(|| self.app.filter.with(|filter| filter.span));
        let marks = RulerMarks { range, hover, flags: &[], matches: None, face };
        paint_ruler(painter, &scale, &Ticks::of_clock(&scale, &face), marks, RULER_PX, characters);
    }

    fn hit(self, x: CssPx, y: CssPx) -> Option<Target> {
        let (scale, top) = (self.scale(), self.top());
        if y < RULER_PX {
            return None;
        }
        self.with_track(|track| track.hit(&scale, self.extent_px(), x, y - top)).flatten()
    }

    fn slice_at(self, event: &MouseEvent) -> Option<(u16, SliceRow)> {
        match untrack(|| self.hit(event.offset_x().into(), event.offset_y().into()))? {
            Target::Slice { depth, slice, .. } => Some((depth, slice)),
            _ => None,
        }
    }

    fn about(self, target: &Target) -> Option<Tooltip> {
        let threads = self.app.threads.get()?;
        self.with_track(|track| track.tooltip(target, &TooltipContext { threads: &threads, face: self.app.face() }))
            .flatten()
    }

    /// Returns the tooltip for the slice under the pointer, and its position.
    pub fn about_pointed(self) -> Option<(Tooltip, CssPx, CssPx)> {
        let (x, y) = self.pointer.get()?;
        Some((self.about(&self.hit(x, y)?)?, x, y))
    }

    /// Returns the tooltip for the focused slice.
    pub fn about_focused(self) -> Option<Tooltip> {
        let ((depth, slice), thread) = (self.focused.get()?, self.thread.get()?);
        self.about(&Target::Slice { thread, depth, slice })
    }

    /// Handles a pointer movement.
    pub fn point(self, event: &MouseEvent) {
        self.pointer.set(Some((event.offset_x().into(), event.offset_y().into())));
    }

    /// Returns the time between two shares of the width.
    fn between(self, from: f64, to: f64) -> Span {
        let scale = self.scale();
        let [start, end] = [from.min(to), from.max(to)].map(|part| scale.time(part.clamp(0.0, 1.0) * scale.width()).0);
        Span::new(start, end.max(start + 1))
    }

    /// Handles a release: selects the drawn time range, or the clicked slice.
    pub fn let_go(self, event: &PointerEvent) {
        match self.drag.up() {
            Some(Drawn::Range(from, to)) => self.app.choose_range(Some(untrack(|| self.between(from, to)))),
            Some(Drawn::Click(_)) => self.click(event),
            None => {}
        }
    }

    /// Selects the function under the pointer, or expands a group of functions.
    fn click(self, event: &MouseEvent) {
        if let Some((depth, slice)) = self.slice_at(event) {
            self.focused.set(Some((depth, slice)));
            match self.target(&slice) {
                Some(target) if target.is_group() && !target.family.is_empty() => target.show_family(self.app),
                _ => self.select(depth, &slice),
            }
        }
    }

    /// Returns the frame of a slice, which isn't a node of a tree and has no path.
    fn target(self, slice: &SliceRow) -> Option<Frame> {
        let (frame, frames) = (self.frame.get_untracked()?, self.frames.get_untracked());
        let facts = frames.get(&slice.function)?;
        Some(Frame {
            function: slice.function,
            name: frame.names.get(slice.name as usize).to_owned(),
            module: facts.module.clone(),
            family: facts.family.clone(),
            flags: slice.flags,
            path: None,
        })
    }

    /// Opens the menu of the slice under the pointer.
    pub fn menu_at(self, event: &MouseEvent) {
        event.prevent_default();
        if let Some((depth, slice)) = self.slice_at(event) {
            self.focused.set(Some((depth, slice)));
            let at = (f64::from(event.client_x()), f64::from(event.client_y()));
            open_menu(self.app, self.menu, at, self.target(&slice));
        }
    }

    /// Opens the menu of the focused slice, below it.
    fn menu_of_focused(self, event: &KeyboardEvent) {
        let canvas = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        let (Some(canvas), Some((depth, slice))) = (canvas, self.focused.get_untracked()) else { return };
        let frame = canvas.get_bounding_client_rect();
        let left = untrack(|| self.scale()).x(slice.start).clamp(0.0, frame.width());
        let bottom = untrack(|| self.top()) + LEVEL_PX * CssPx::from(depth + 1);
        let at = (frame.left() + left, frame.top() + bottom.clamp(0.0, frame.height()));
        open_menu(self.app, self.menu, at, self.target(&slice));
    }

    fn select(self, depth: u16, slice: &SliceRow) {
        if slice.flags & NO_FUNCTION == 0 {
            self.app.select(Selection::Function(FunctionId(slice.function)));
            let frame = self.frame.get_untracked();
            let at = |thread| Occurrence::new(thread, depth, slice, frame.as_deref());
            self.app.details.occurrence.set(self.thread.get_untracked().map(at));
        }
    }

    /// Zooms to the slice under the pointer, here and on the timeline.
    pub fn show_box(self, event: &MouseEvent) {
        if let Some((_, slice)) = self.slice_at(event) {
            self.show(&slice);
        }
    }

    fn show(self, slice: &SliceRow) {
        let room = (slice.end - slice.start) / ROOM + 1;
        self.app.visible.set(Span::new(slice.start.saturating_sub(room), slice.end.saturating_add(room)));
    }

    /// Handles the wheel: with Control it zooms, with Shift or sideways it pans, otherwise it scrolls.
    pub fn wheel(self, event: &WheelEvent) {
        let is_zoom = event.ctrl_key() || event.meta_key();
        let across = if event.shift_key() { event.delta_y() + event.delta_x() } else { event.delta_x() };
        if !is_zoom && across == 0.0 {
            return;
        }
        event.prevent_default();
        let scale = untrack(|| self.scale());
        let mut viewport = Viewport::new(untrack(|| self.limits()), scale.width());
        viewport.show(scale.span());
        if is_zoom {
            viewport.zoom_at(event.offset_x().into(), wheel_zoom_factor(event.delta_y(), false));
        } else {
            viewport.pan(across);
        }
        self.app.visible.set(viewport.scale().span());
    }

    /// Handles a key.
    pub fn key(self, event: &KeyboardEvent) {
        let Some(command) = meaning(Scope::Stacks, event) else { return };
        let (now, frame) = (self.focused.get_untracked(), self.frame.get_untracked());
        let step = |step| lane_step(frame.as_ref()?, now.map(|(depth, slice)| (depth, slice.start))?, step);
        let first = || {
            let visible = self.app.visible.get_untracked();
            let outermost = frame.as_ref()?.depths.first()?;
            Some((0, *outermost.iter().find(|slice| slice.end > visible.start.0)?))
        };
        let next = match command {
            Command::Outward | Command::Inward | Command::NextBox | Command::PreviousBox if now.is_none() => first(),
            Command::Outward => step(LaneStep::Outward),
            Command::Inward => step(LaneStep::Inward),
            Command::NextBox => step(LaneStep::Later),
            Command::PreviousBox => step(LaneStep::Earlier),
            Command::Choose => {
                event.prevent_default();
                return now.iter().for_each(|(depth, slice)| self.select(*depth, slice));
            }
            Command::ZoomToBox => {
                event.prevent_default();
                return now.iter().for_each(|(_, slice)| self.show(slice));
            }
            Command::ZoomOutOfBox if event.key() == "Backspace" => {
                event.prevent_default();
                return self.app.visible.set(untrack(|| self.limits()));
            }
            Command::Menu => {
                event.prevent_default();
                return self.menu_of_focused(event);
            }
            other => {
                if act(self.app, other, now.and_then(|(_, slice)| self.target(&slice))) {
                    event.prevent_default();
                }
                return;
            }
        };
        event.prevent_default();
        if next.is_some() {
            self.focused.set(next);
        }
    }
}
