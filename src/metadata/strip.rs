//! File as a strip of blocks, with a zoomed strip below.

use super::cursor::FileCursor;
use crate::commands::shortcuts::meaning;
use crate::trace::live_query::{Trouble, follow};
use crate::widgets::picture::paint_whenever;
use crate::widgets::tip::Tip;
use crate::widgets::{CLICK_REACH, capture};
use leptos::html;
use leptos::prelude::*;
use protocol::queries;
use protocol::tables::{SectionRuns, section_kind};
use std::sync::Arc;
use view::draw::drawlist::DrawList;
use view::draw::tooltip::{Tooltip, fixed_names};
use view::file::block_strip::{StripMarks, kind_fill, paint_strip, run_at};
use view::file::byte_scale::ByteScale;
use view::format;
use view::keys::keymap::{Command, Scope};
use view::timeline::timescale::wheel_zoom_factor;
use web_sys::{KeyboardEvent, PointerEvent, WheelEvent};

/// Maximum number of requested runs, also for wider windows.
const MAX_RUNS: f64 = 2400.0;
/// Initial share of the file in the zoomed strip.
const FIRST_SHARE: f64 = 1.0 / 24.0;
/// Zoom factor of a key, and pan distance as a share of the visible part.
const KEY_ZOOM: f64 = 0.6;
const KEY_PAN: f64 = 0.2;

/// Both strips. Copies are handles to the same state.
#[derive(Clone, Copy)]
struct Strip {
    cursor: FileCursor,
    whole_size: RwSignal<(f64, f64)>,
    close_size: RwSignal<(f64, f64)>,
    whole: RwSignal<Option<Arc<SectionRuns>>>,
    close: RwSignal<Option<Arc<SectionRuns>>>,
    /// Visible part of the zoomed strip; `None` until the file is known.
    window: RwSignal<Option<(f64, f64)>>,
    /// Pointer position, in the whole strip or in the zoomed one.
    pointer: RwSignal<Option<(bool, f64)>>,
    /// Start of a drag, and the scale at that time.
    drag: StoredValue<Option<(f64, ByteScale)>>,
}

impl Strip {
    fn whole_scale(self) -> ByteScale {
        ByteScale::whole(self.cursor.file_bytes(), self.whole_size.get().0)
    }

    fn close_scale(self) -> ByteScale {
        let width = self.close_size.get().0.max(1.0);
        let (start, end) = self.window.get().unwrap_or((0.0, 1.0));
        ByteScale { start, end, width }
    }

    fn show(self, scale: ByteScale) {
        self.window.set(Some((scale.start, scale.end)));
    }

    /// Keeps the selected byte visible.
    fn follow_byte(self) {
        let (byte, file_bytes) = (self.cursor.byte.get() as f64, self.cursor.file_bytes());
        if file_bytes == 0 {
            return;
        }
        let scale = match self.window.get_untracked() {
            Some((start, end)) if (start..end).contains(&byte) => return,
            Some(_) => untrack(|| self.close_scale()),
            None => {
                let all = ByteScale::whole(file_bytes, 1.0);
                ByteScale { end: all.end * FIRST_SHARE, ..all }
            }
        };
        self.show(scale.centered(byte, file_bytes));
    }

    fn zoom(self, scale: ByteScale, x: f64, factor: f64) {
        self.show(scale.zoomed(x, factor, untrack(|| self.cursor.file_bytes())));
    }

    fn wheel(self, event: &WheelEvent, is_close: bool) {
        event.prevent_default();
        let file_bytes = untrack(|| self.cursor.file_bytes());
        let close = untrack(|| self.close_scale());
        let x = if is_close {
            event.offset_x().into()
        } else {
            // Zooms in on the byte under the pointer of the other strip.
            close.x(untrack(|| self.whole_scale()).offset(event.offset_x().into())).clamp(0.0, close.width)
        };
        if event.shift_key() || event.delta_x().abs() > event.delta_y().abs() {
            let across = if event.shift_key() { event.delta_y() } else { event.delta_x() };
            self.show(close.panned(across, file_bytes));
        } else {
            self.zoom(close, x, wheel_zoom_factor(event.delta_y(), event.ctrl_key()));
        }
    }

    fn down(self, event: &PointerEvent, is_close: bool) {
        if event.button() != 0 {
            return;
        }
        capture(event);
        let x = f64::from(event.offset_x());
        self.drag.set_value(Some((x, untrack(|| self.close_scale()))));
        if !is_close {
            self.center(x);
        }
    }

    /// Centers the zoomed strip at a position of the whole strip.
    fn center(self, x: f64) {
        let offset = untrack(|| self.whole_scale()).offset(x);
        self.show(untrack(|| self.close_scale()).centered(offset, untrack(|| self.cursor.file_bytes())));
    }

    fn moved(self, event: &PointerEvent, is_close: bool) {
        let x = f64::from(event.offset_x());
        self.pointer.set(Some((is_close, x)));
        match self.drag.get_value() {
            Some(_) if !is_close => self.center(x),
            Some((from, scale)) if (x - from).abs() >= CLICK_REACH => {
                self.show(scale.panned(from - x, untrack(|| self.cursor.file_bytes())));
            }
            _ => {}
        }
    }

    fn up(self, event: &PointerEvent, is_close: bool) {
        let Some((from, _)) = self.drag.get_value() else { return };
        self.drag.set_value(None);
        let x = f64::from(event.offset_x());
        if (x - from).abs() < CLICK_REACH {
            self.choose(x, is_close);
        }
    }

    /// Selects the block at a position; zooms in if there are several.
    fn choose(self, x: f64, is_close: bool) {
        let (runs, scale) = untrack(|| self.of(is_close));
        let Some((runs, row)) = runs.and_then(|runs| run_at(&runs, &scale, x).map(|row| (runs, row))) else { return };
        self.cursor.go(if runs.sections[row] > 1 { scale.offset(x) as u64 } else { runs.offset[row] });
        if is_close && runs.sections[row] > 1 {
            self.zoom(scale, x, KEY_ZOOM * KEY_ZOOM);
        }
    }

    fn of(self, is_close: bool) -> (Option<Arc<SectionRuns>>, ByteScale) {
        if is_close { (self.close.get(), self.close_scale()) } else { (self.whole.get(), self.whole_scale()) }
    }

    fn key(self, event: &KeyboardEvent) {
        let Some(command) = meaning(Scope::Metadata, event) else { return };
        let (scale, file_bytes) = untrack(|| (self.close_scale(), self.cursor.file_bytes()));
        let byte = scale.x(self.cursor.byte.get_untracked() as f64);
        let x = if (0.0..scale.width).contains(&byte) { byte } else { scale.width / 2.0 };
        match command {
            Command::NextBox => _ = self.cursor.step_section(true),
            Command::PreviousBox => _ = self.cursor.step_section(false),
            Command::ZoomIn => self.zoom(scale, x, KEY_ZOOM),
            Command::ZoomOut => self.zoom(scale, x, 1.0 / KEY_ZOOM),
            Command::PanEarlier => self.show(scale.panned(-KEY_PAN * scale.width, file_bytes)),
            Command::PanLater => self.show(scale.panned(KEY_PAN * scale.width, file_bytes)),
            Command::Fit => self.show(ByteScale::whole(file_bytes, scale.width)),
            Command::Choose => self.cursor.app.show_byte(self.cursor.byte.get_untracked()),
            _ => return,
        }
        event.prevent_default();
    }

    fn about(self, is_close: bool) -> Option<(Tooltip, f64, f64)> {
        let (_, x) = self.pointer.get().filter(|(here, _)| *here == is_close)?;
        let (runs, scale) = self.of(is_close);
        let runs = runs?;
        let row = run_at(&runs, &scale, x)?;
        let title = match runs.sections[row] {
            1 => section_kind::name(runs.kind[row]).to_owned(),
            sections => format::counted(sections.into(), "block"),
        };
        let mut lines = vec![("Offset", format::offset(runs.offset[row]))];
        if runs.sections[row] != 1 {
            lines.push(("Main kind", section_kind::name(runs.kind[row]).to_lowercase()));
        }
        if runs.problems[row] > 0 {
            lines.push(("Problems", format::counted(runs.problems[row].into(), "block")));
        }
        let value = format::bytes(runs.bytes[row]);
        Some((Tooltip { swatch: kind_fill(runs.kind[row]), title, value, lines: fixed_names(lines) }, x, 0.0))
    }

    fn marks(self, is_close: bool) -> StripMarks {
        let selected = self.cursor.section.get().map(|there| there.offset..there.offset + there.bytes);
        StripMarks { selected, window: self.window.get().filter(|_| !is_close), is_close }
    }

    /// Returns the description for screen readers.
    fn words(self) -> String {
        let now = match self.cursor.section.get() {
            Some(there) => format!(
                "{} at {}, {}.",
                section_kind::name(there.kind),
                format::offset(there.offset),
                format::counted(there.bytes, "byte")
            ),
            None => String::new(),
        };
        format!(
            "File blocks by position. {now} Arrow keys move between blocks, plus and minus zoom. The table below lists the same blocks."
        )
    }
}

/// Strip of the whole file, with a zoomed strip below.
#[component]
pub fn BlockStrip(
    cursor: FileCursor,
    /// True if it is visible.
    open: Memo<bool>,
) -> impl IntoView {
    let app = cursor.app;
    let strip = Strip {
        cursor,
        whole_size: RwSignal::new((0.0, 0.0)),
        close_size: RwSignal::new((0.0, 0.0)),
        whole: RwSignal::new(None),
        close: RwSignal::new(None),
        window: RwSignal::new(None),
        pointer: RwSignal::new(None),
        drag: StoredValue::new(None),
    };
    Effect::new(move |_| strip.follow_byte());
    let runs = move |start: f64, end: f64, width: f64| {
        let (start, end, count) = (start as u64, end.ceil() as u64, width.clamp(1.0, MAX_RUNS) as u32);
        queries::SectionRuns { start, end, count }
    };
    let whole = follow(app, move || {
        let scale = strip.whole_scale();
        (open.get() && cursor.file_bytes() > 0 && scale.width > 1.0).then(|| runs(0.0, scale.end, scale.width))
    });
    let close = follow(app, move || {
        let scale = strip.close_scale();
        let is_known = open.get() && strip.window.with(Option::is_some) && scale.width > 1.0;
        // Requests a margin around the visible part, for dragging.
        let room = scale.bytes() / 2.0;
        is_known.then(|| runs((scale.start - room).max(0.0), scale.end + room, scale.width))
    });
    Effect::new(move |_| strip.whole.set(whole.value.get()));
    Effect::new(move |_| strip.close.set(close.value.get()));
    let row = move |is_close: bool| {
        let (frame, canvas) = (NodeRef::<html::Div>::new(), NodeRef::<html::Canvas>::new());
        let size = if is_close { strip.close_size } else { strip.whole_size };
        paint_whenever(app.shell, frame, canvas, open, size, move |painter, characters| {
            let (runs, scale) = strip.of(is_close);
            let Some(runs) = runs else { return };
            let mut list = DrawList::default();
            paint_strip(&mut list, &runs, &scale, size.get().1, &strip.marks(is_close), characters);
            list.paint_shapes(painter);
            list.paint_labels(painter);
            list.paint_outlines(painter);
        });
        let shown = move || {
            strip.of(is_close).0.map(|runs| runs.sections.iter().map(|sections| u64::from(*sections)).sum::<u64>())
        };
        view! {
            <div class="strip" class:close=is_close node_ref=frame>
                <canvas node_ref=canvas
                    role=if is_close { "application" } else { "img" }
                    aria-roledescription=is_close.then_some("block strip")
                    tabindex=is_close.then_some("0")
                    aria-label=move || if is_close { strip.words() } else { "Whole file. The frame marks the range of the strip below.".to_owned() }
                    data-testid=if is_close { "strip-close" } else { "strip-whole" }
                    data-sections=move || shown().map(|shown| shown.to_string())
                    on:pointerdown=move |event| strip.down(&event, is_close)
                    on:pointermove=move |event| strip.moved(&event, is_close)
                    on:pointerup=move |event| strip.up(&event, is_close)
                    on:pointercancel=move |_| strip.drag.set_value(None)
                    on:pointerleave=move |_| strip.pointer.set(None)
                    on:wheel=move |event| strip.wheel(&event, is_close)
                    on:keydown=move |event| if is_close { strip.key(&event) }
                ></canvas>
                <Tip about=Signal::derive(move || strip.about(is_close)) size=move || size.get_untracked()/>
            </div>
        }
    };
    view! {
        <Trouble failure=whole.failure/>
        <div class="strips" data-testid="strips">{row(false)} {row(true)}</div>
    }
}
