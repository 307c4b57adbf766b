//! Drawing of flame graphs.

use crate::widgets::canvas::Colors;
use protocol::tables::frame_flag::{self, FRAMEWORK};
use protocol::tables::state;
use protocol::timeline::thread_state::ThreadState;
use std::collections::HashSet;
use view::draw::palette::{Fill, Token};
use view::draw::svg::brush::Brush;
use view::draw::svg::legend::{Entry, Swatch};
use view::draw::units::Rect;
use view::stacks::flame_boxes::FlameBoxes;
use view::stacks::flame_levels::FlameLevels;
use view::stacks::function_name::cut;

/// Opacity of frames that don't match the search.
const FAINT: f64 = 0.3;
const GAP_PX: f64 = 1.0;
const LABEL_LEAST_PX: f64 = 36.0;
const WEIGHT_LEAST_PX: f64 = 220.0;
const PADDING_PX: f64 = 5.0;
const ROOT: u32 = 0;

/// Content to draw.
pub struct Picture<'a> {
    pub boxes: &'a FlameBoxes,
    /// Width of the graph in CSS pixels.
    pub width: f64,
    /// Positions of levels.
    pub levels: FlameLevels,
    /// Scroll position in CSS pixels.
    pub scroll: f64,
    /// Frame under the pointer.
    pub hovered: Option<usize>,
    /// Frame with the keyboard focus.
    pub focused: Option<usize>,
    /// Selected function, and the box that stands for it.
    pub selected: Option<(u32, Option<usize>)>,
    /// Frames that match the search; `None` without a search.
    pub found: Option<&'a HashSet<u32>>,
    /// Returns weight and share of a frame as text.
    pub weight: &'a dyn Fn(usize) -> String,
    pub root: &'a str,
}

/// The colors of a state.
struct StateInk {
    full: (String, String),
    pale: (String, String),
    edge: String,
}

impl StateInk {
    fn read(colors: &Colors, category: &str) -> Self {
        let color = |role: &str| colors.get(&format!("--cat-{category}{role}"));
        Self { full: (color(""), color("-on")), pale: (color("-soft"), colors.get("--text")), edge: color("") }
    }
}

struct Ink {
    /// By [`state`]; the first is for frames of which nothing is known.
    states: Vec<StateInk>,
    merged: (String, String),
    root: (String, String),
    same: (String, String),
    more: String,
    less: String,
    ground: String,
    outline: String,
    focus: String,
}

/// The category of colors of a state.
fn category_of(state: u8) -> &'static str {
    match ThreadState::from_u8(state) {
        None | Some(ThreadState::Managed | ThreadState::Ready) => "managed",
        Some(ThreadState::Native) => "external",
        Some(ThreadState::Jit) => "jit",
        Some(ThreadState::Lock) => "lock",
        Some(ThreadState::Blocked) => "task",
        Some(ThreadState::Io) => "io",
        Some(ThreadState::Gc) => "gc1",
        Some(ThreadState::Sleep | ThreadState::Idle | ThreadState::NotSampled) => "wait",
    }
}

impl Ink {
    fn read() -> Self {
        let colors = Colors::read();
        let pair = |fill: &str, text: &str| (colors.get(fill), colors.get(text));
        Self {
            states: (0..state::COUNT as u8).map(|state| StateInk::read(&colors, category_of(state))).collect(),
            merged: pair("--box", "--text-2"),
            root: pair("--bg-press", "--text-2"),
            same: pair("--diff-same", "--text"),
            more: colors.get("--diff-more"),
            less: colors.get("--diff-less"),
            ground: colors.get("--bg-panel"),
            outline: colors.get("--text"),
            focus: colors.get("--accent-line"),
        }
    }
}

/// Draws the visible part.
pub fn draw(context: &dyn Brush, picture: &Picture<'_>) {
    let ink = Ink::read();
    let character = context.character();
    for level in picture.levels.seen(picture.scroll) {
        let top = picture.levels.top(level) - picture.scroll;
        for &index in picture.boxes.level(level) {
            let function = picture.boxes.table.function.get(index as usize);
            let stands_out = picture.found.is_none_or(|found| function.is_some_and(|id| found.contains(id)));
            context.set_global_alpha(if stands_out { 1.0 } else { FAINT });
            draw_box(context, picture, &ink, index as usize, level, top, character);
        }
    }
    context.set_global_alpha(1.0);
    let selected = picture.selected.and_then(|(_, index)| index);
    let focused = picture.focused.filter(|index| Some(*index) != selected);
    for (index, color, width) in
        [(picture.hovered, &ink.outline, 1.0), (selected, &ink.outline, 2.0), (focused, &ink.focus, 2.0)]
    {
        if let Some(index) = index {
            outline(context, picture, color, index, width);
        }
    }
}

fn extent(picture: &Picture<'_>, index: usize) -> (f64, f64) {
    let (left, right) = picture.boxes.edges(index);
    let (left, right) = ((left * picture.width).round(), (right * picture.width).round());
    (left, (right - left - GAP_PX).max(1.0))
}

fn draw_box(
    context: &dyn Brush,
    picture: &Picture<'_>,
    ink: &Ink,
    index: usize,
    level: usize,
    top: f64,
    character: f64,
) {
    let (left, width) = extent(picture, index);
    let flags = picture.boxes.table.flags.get(index).copied().unwrap_or(0);
    let is_root = level == 0 && picture.boxes.table.node.get(index) == Some(&ROOT);
    let framework = flags & FRAMEWORK != 0;
    let change = picture.boxes.change(index);
    let state = picture.boxes.table.state.get(index).copied().unwrap_or(0);
    let Some(state_ink) = ink.states.get(usize::from(state)).or(ink.states.first()) else { return };
    // Your code that something below it waits for is pale: what waits is below.
    let waits_below = picture.boxes.is_waiting(index) && !picture.boxes.is_mostly_alone(index);
    let is_pale = framework || waits_below;
    let (fill, text) = if is_root {
        &ink.root
    } else if change.is_some() {
        &ink.same
    } else if picture.boxes.is_merged(index) || flags & (frame_flag::ROOT | frame_flag::LINK) != 0 {
        &ink.merged
    } else if is_pale {
        &state_ink.pale
    } else {
        &state_ink.full
    };
    let height = picture.levels.level_px - GAP_PX;
    context.set_fill_style_str(fill);
    context.fill_rect(left, top, width, height);
    if let Some(change) = change.filter(|_| !is_root) {
        context.set_global_alpha(strength(change));
        context.set_fill_style_str(if change > 0.0 { &ink.more } else { &ink.less });
        context.fill_rect(left, top, width, height);
        context.set_global_alpha(1.0);
    } else if flags & frame_flag::IDLE != 0 {
        hatch(context, &state_ink.edge, Rect::new(left, top, width, height));
    } else if is_pale && !is_root {
        context.set_fill_style_str(&state_ink.edge);
        context.fill_rect(left, top, width.min(2.0), height);
        // Themes with more contrast have no pale colors.
        if state_ink.pale.0 == ink.ground && width > 4.0 {
            context.set_stroke_style_str(&state_ink.edge);
            context.set_line_width(1.0);
            context.stroke_rect(left + 0.5, top + 0.5, width - 1.0, height - 1.0);
        }
    }
    let is_other = |(function, one)| picture.boxes.is_of(index, function) && one != Some(index);
    if picture.selected.is_some_and(is_other) {
        context.set_fill_style_str(&ink.outline);
        context.fill_rect(left, top + height - 2.0, width, 2.0);
    }
    if width < LABEL_LEAST_PX {
        return;
    }
    context.set_fill_style_str(text);
    let middle = top + (height + GAP_PX) / 2.0;
    let mut room = width - 2.0 * PADDING_PX;
    if width >= WEIGHT_LEAST_PX {
        let weight = (picture.weight)(index);
        let needed = weight.chars().count() as f64 * character + 12.0;
        context.set_text_align("right");
        context.fill_label(&weight, left + width - PADDING_PX, middle);
        room -= needed;
    }
    context.set_text_align("left");
    let room = (room / character) as usize;
    let label = if is_root { cut(picture.root, room).into_owned() } else { picture.boxes.label_in(index, room) };
    context.fill_label(&label, left + PADDING_PX, middle);
}

/// Returns the legend of the states in a graph, or of its differences from the baseline.
pub fn legend(boxes: &FlameBoxes) -> Vec<Entry> {
    if boxes.of_baseline(0).is_some() {
        return [(Token::DiffMore, "More than the baseline"), (Token::DiffLess, "Less")]
            .map(|(token, words)| (Swatch::Fill(Fill::Solid(token)), words.to_owned()))
            .into();
    }
    let mut states: Vec<u8> = boxes.table.state.to_vec();
    states.sort_unstable();
    states.dedup();
    let known = states.into_iter().filter_map(|state| Some((state, ThreadState::from_u8(state)?)));
    let states = known.map(|(state, known)| (Swatch::of_class(category_of(state)), known.name().to_owned()));
    let is_framework = |flags: &u8| flags & FRAMEWORK != 0;
    let framework = boxes.table.flags.iter().any(is_framework).then(|| "Framework code".to_owned());
    states.chain(framework.map(|words| (Swatch::of_class("managed-soft"), words))).collect()
}

/// Lines across a box.
fn hatch(context: &dyn Brush, color: &str, area: Rect) {
    const STEP_PX: f64 = 6.0;
    context.set_stroke_style_str(color);
    context.set_line_width(1.0);
    context.hatch(area, STEP_PX);
}

/// Returns the opacity of a difference: small ones are visible, and text on the largest is readable.
fn strength(change: f64) -> f64 {
    const MAX: f64 = 0.75;
    MAX * change.abs().min(1.0).sqrt()
}

fn outline(context: &dyn Brush, picture: &Picture<'_>, color: &str, index: usize, thickness: f64) {
    let (left, width) = extent(picture, index);
    let Some(level) = picture.boxes.table.depth.get(index) else { return };
    let top = picture.levels.top(usize::from(*level)) - picture.scroll;
    context.set_stroke_style_str(color);
    context.set_line_width(thickness);
    let inset = thickness / 2.0;
    let height = picture.levels.level_px - GAP_PX - thickness;
    context.stroke_rect(left + inset, top + inset, (width - thickness).max(0.5), height);
}
