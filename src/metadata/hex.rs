//! Hex dump of a file of any size.

use super::cursor::{Explained, FileCursor};
use crate::commands::shortcuts::meaning;
use crate::trace::pages::{Paged, Pages};
use crate::widgets::copy::copy_text;
use crate::widgets::grid::{Grid, GridModel, Layout};
use leptos::prelude::*;
use protocol::queries;
use protocol::tables::FileBytes;
use std::sync::Arc;
use view::file::hex_line::{LINE_BYTES, Leaves, Lit, Run, byte_at, digits, line, lines_of};
use view::format;
use view::grid::GridColumn;
use view::keys::keymap::{Command, Scope};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, KeyboardEvent, MouseEvent};

/// Number of lines before and after the visible ones that are also requested, for scrolling.
const LINES_AROUND: u64 = 64;
/// Maximum number of blocks whose leaves are requested for the visible lines.
const MAX_SECTIONS: u32 = 64;
/// Maximum number of bytes to copy.
const MAX_COPIED: u32 = 1 << 20;

impl Paged for FileBytes {
    type Of = ();
    type Query = queries::FileBytes;

    fn query((): (), first: u64, count: u32) -> queries::FileBytes {
        let (offset, count) = (first * LINE_BYTES, count * LINE_BYTES as u32);
        queries::FileBytes { offset, count }
    }

    fn total(&self) -> u64 {
        self.file_bytes.first().copied().unwrap_or(0).div_ceil(LINE_BYTES)
    }
}

/// State of the hex dump. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct Bytes {
    cursor: FileCursor,
    lines: Pages<FileBytes>,
    leaves: RwSignal<Arc<Leaves>>,
    /// Ranges of the loaded leaves, and of the wanted ones.
    known: StoredValue<(u64, u64)>,
    wanted: StoredValue<(u64, u64)>,
    is_asking: StoredValue<bool>,
    /// Fixed end of an extended selection.
    anchor: RwSignal<Option<u64>>,
}

impl Bytes {
    /// Creates the state; bytes are requested while they are visible.
    pub fn new(cursor: FileCursor, open: Memo<bool>) -> Self {
        let bytes = Self {
            cursor,
            lines: Pages::new(cursor.app, move || open.get().then_some(())),
            leaves: RwSignal::default(),
            known: StoredValue::new((0, 0)),
            wanted: StoredValue::new((0, 0)),
            is_asking: StoredValue::new(false),
            anchor: RwSignal::new(None),
        };
        Effect::new(move |_| {
            cursor.app.revision.track();
            bytes.known.set_value((0, 0));
        });
        bytes
    }

    /// Returns the leaf at a byte, if it is loaded.
    pub fn leaf_at(self, offset: u64) -> Option<Explained> {
        self.leaves.with(|leaves| leaves.row_of(leaves.at(offset)?).and_then(|(table, row)| Explained::of(table, row)))
    }

    /// Returns the selection: the selected part, the extended range, or the leaf at the byte.
    pub fn selected(self) -> (u64, u64) {
        let byte = self.cursor.byte.get();
        if let Some(anchor) = self.anchor.get() {
            return (anchor.min(byte), anchor.max(byte) + 1);
        }
        if let Some(chosen) = self.cursor.chosen.get() {
            return (chosen.offset, chosen.offset + chosen.bytes);
        }
        let leaf = self.leaves.with(|leaves| leaves.at(byte).map(|leaf| (leaf.start, leaf.end)));
        leaf.unwrap_or((byte, byte + 1))
    }

    /// Returns the leaf to explain in the line below: the one under the pointer, or the selected one.
    pub fn explained(self) -> Option<Explained> {
        let (start, end) = self.cursor.hovered.get();
        let hovered = (end > start).then(|| self.leaf_at(start)).flatten();
        let hovered = hovered.filter(|leaf| (leaf.offset, leaf.offset + leaf.bytes) == (start, end));
        hovered.or_else(|| self.cursor.chosen.get()).or_else(|| self.leaf_at(self.cursor.byte.get()))
    }

    /// Returns the loaded bytes of a range, at most `count`.
    pub fn known_bytes(self, start: u64, count: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        for row in lines_of(start..start + count) {
            let skipped = start.saturating_sub(row * LINE_BYTES).min(LINE_BYTES) as usize;
            let known = self.lines.row(row, |page, at| bytes_of_line(page, at).get(skipped..).map(<[u8]>::to_vec));
            match known.flatten() {
                Some(more) => bytes.extend(more),
                None => break,
            }
        }
        bytes.truncate(count as usize);
        bytes
    }

    /// Sets the visible lines.
    fn show(self, first: u64, end: u64) {
        self.lines.show(first, end);
        let (known_start, known_end) = self.known.get_value();
        let (start, behind) = (first * LINE_BYTES, (end * LINE_BYTES).min(self.cursor.file_bytes()));
        if behind <= start || start >= known_start && behind <= known_end {
            return;
        }
        let around = LINES_AROUND * LINE_BYTES;
        self.wanted.set_value((start.saturating_sub(around), behind.saturating_add(around)));
        if !self.is_asking.get_value() {
            self.is_asking.set_value(true);
            spawn_local(self.fetch_leaves());
        }
    }

    /// Requests the wanted leaves, block by block; starts again if other lines have become visible.
    async fn fetch_leaves(self) {
        while let Some((start, end)) = self.wanted.try_get_value() {
            let (mut leaves, mut at) = (Leaves::default(), start);
            let mut sections = 0;
            while at < end && self.wanted.try_get_value() == Some((start, end)) && sections < MAX_SECTIONS {
                let query = queries::Leaves { offset: at, bytes: (end - at) as u32 };
                let Ok(table) = self.cursor.app.ask(query).await else { break };
                let behind: u64 = table.section.iter().sum();
                leaves.add(table);
                sections += 1;
                if behind <= at {
                    break;
                }
                at = behind;
            }
            if self.wanted.try_get_value() != Some((start, end)) {
                continue;
            }
            let before = self.leaves.get_untracked();
            self.leaves.set(Arc::new(leaves.looking_like(&before)));
            self.known.set_value((start, at.min(end)));
            break;
        }
        // The page may have been removed.
        let _ = self.is_asking.try_set_value(false);
    }

    /// Returns the runs of a line.
    fn runs(self, row: u64) -> Vec<Run> {
        let start = row * LINE_BYTES;
        let clip = |(from, to): (u64, u64)| {
            let (from, to) = (from.max(start), to.min(start + LINE_BYTES));
            if from < to { (from, to) } else { (0, 0) }
        };
        let byte = self.cursor.byte.get();
        let lit = Lit { cursor: byte, selected: clip(self.selected()), hovered: clip(self.cursor.hovered.get()) };
        self.lines
            .row(row, |page, at| self.leaves.with(|leaves| line(start, bytes_of_line(page, at), leaves, &lit)))
            .unwrap_or_default()
    }

    /// Runs a command; returns whether it did.
    pub fn act(self, command: Command) -> bool {
        let byte = self.cursor.byte.get_untracked();
        let last = untrack(|| self.cursor.file_bytes()).saturating_sub(1);
        let line = byte - byte % LINE_BYTES;
        let page = LINE_BYTES * LINES_OF_PAGE;
        let (next, extends) = match command {
            Command::NextByte => (byte + 1, false),
            Command::PreviousByte => (byte.saturating_sub(1), false),
            Command::NextRow => (byte + LINE_BYTES, false),
            Command::PreviousRow => (byte.checked_sub(LINE_BYTES).unwrap_or(byte), false),
            Command::NextPage => (byte + page, false),
            Command::PreviousPage => (byte.saturating_sub(page), false),
            Command::FirstRow => (line, false),
            Command::LastRow => (line + LINE_BYTES - 1, false),
            Command::FirstByte => (0, false),
            Command::LastByte => (last, false),
            Command::ExtendNext => (byte + LINE_BYTES, true),
            Command::ExtendPrevious => (byte.saturating_sub(LINE_BYTES), true),
            Command::ExtendByte => (byte + 1, true),
            Command::ExtendBack => (byte.saturating_sub(1), true),
            Command::NextPart => return self.step_leaf(true),
            Command::PreviousPart => return self.step_leaf(false),
            Command::CopyText => {
                self.copy();
                return true;
            }
            _ => return false,
        };
        self.reach(next.min(last), extends);
        true
    }

    /// Moves to the next or previous leaf.
    fn step_leaf(self, is_next: bool) -> bool {
        let (start, end) = untrack(|| self.selected());
        let to = if is_next { Some(end) } else { start.checked_sub(1) };
        let to = to.and_then(|to| untrack(|| self.leaf_at(to))).map(|leaf| leaf.offset).or(to);
        if let Some(to) = to {
            self.reach(to, false);
        }
        to.is_some()
    }

    fn reach(self, byte: u64, extends: bool) {
        let now = self.cursor.byte.get_untracked();
        let anchor = extends.then(|| self.anchor.get_untracked().unwrap_or(now));
        self.cursor.go(byte);
        self.anchor.set(anchor);
    }

    /// Copies the selected bytes as digits.
    fn copy(self) {
        let (start, end) = untrack(|| self.selected());
        let count = (end - start).min(MAX_COPIED.into()) as u32;
        spawn_local(async move {
            let answer = self.cursor.app.ask(queries::FileBytes { offset: start, count }).await;
            let Ok(FileBytes { bytes, .. }) = answer else { return };
            let what = format::counted(bytes.len() as u64, "byte");
            copy_text(self.cursor.app.shell, digits(&bytes, usize::MAX), what);
        });
    }

    /// Returns the byte under the pointer.
    fn pointed(event: &MouseEvent) -> Option<u64> {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok())?;
        let cell = target.closest("[data-hex]").ok().flatten()?;
        let row: u64 = cell.get_attribute("data-line")?.parse().ok()?;
        let area = cell.first_element_child()?.get_bounding_client_rect();
        let is_text = cell.get_attribute("data-hex").as_deref() == Some("text");
        let share = (f64::from(event.client_x()) - area.left()) / area.width().max(1.0);
        (share < 1.0).then(|| row * LINE_BYTES + byte_at(share, is_text))
    }
}

/// Number of lines that the page keys scroll.
const LINES_OF_PAGE: u64 = 16;

fn bytes_of_line(page: &FileBytes, at: usize) -> &[u8] {
    let start = at * LINE_BYTES as usize;
    let end = (start + LINE_BYTES as usize).min(page.bytes.len());
    page.bytes.get(start..end).unwrap_or_default()
}

/// Bytes of the file, sixteen per line.
#[component]
pub fn HexGrid(
    bytes: Bytes,
    /// True if they are visible.
    open: Memo<bool>,
) -> impl IntoView {
    let cursor = bytes.cursor;
    let mut model = GridModel::new(Signal::derive(move || bytes.lines.total.get()), Callback::new(|_| {}));
    model.on_window = Some(Callback::new(move |(first, end)| {
        // Unread bytes have a structure after they are read.
        cursor.app.revision.track();
        bytes.show(first, end);
    }));
    Effect::new(move |_| {
        let row = cursor.byte.get() / LINE_BYTES;
        if open.get() && bytes.lines.total.get() > row {
            model.cursor.set(Some(row));
            model.reveal.set(Some(row));
        }
    });
    let on_key = move |event: KeyboardEvent| {
        // Keys of the grid must not reach its table or the page.
        let Some(command) = meaning(Scope::Bytes, &event) else { return };
        let is_done = bytes.act(command)
            || cursor.act(command)
            || command == Command::GoToOffset && cursor.app.actions.run(Scope::Bytes, command);
        if is_done {
            event.prevent_default();
            event.stop_propagation();
        }
    };
    let on_move = move |event: MouseEvent| {
        let leaf = Bytes::pointed(&event)
            .and_then(|at| bytes.leaves.with_untracked(|leaves| leaves.at(at).map(|leaf| (leaf.start, leaf.end))));
        let hovered = leaf.unwrap_or_default();
        if hovered != cursor.hovered.get_untracked() {
            cursor.hovered.set(hovered);
        }
    };
    let on_click = move |event: MouseEvent| {
        if let Some(at) = Bytes::pointed(&event) {
            bytes.reach(at.min(untrack(|| cursor.file_bytes()).saturating_sub(1)), event.shift_key());
        }
    };
    let columns = || {
        let numbers: Vec<String> = (0..LINE_BYTES).map(|byte| format!("{byte:02X}")).collect();
        vec![
            GridColumn::text("offset", "Offset", 84.0, 0.0),
            GridColumn::text("digits", numbers.join(" "), 366.0, 0.0),
            GridColumn::text("text", "Text", 136.0, 0.0),
        ]
    };
    let cell = move |key: &str, row: Memo<Option<u64>>| {
        let runs = move || row.get().map(|row| bytes.runs(row)).unwrap_or_default();
        let line = move || row.get().map(|row| row.to_string());
        match key {
            "offset" => {
                let offset = move || row.get().map(|row| format!("{:08X}", row * LINE_BYTES));
                view! { <span role="rowheader" class="o">{offset}</span> }.into_any()
            }
            "digits" => {
                let digits = move || {
                    let runs = runs();
                    let last = runs.len();
                    let run = |(at, run): (usize, Run)| {
                        view! { <i class=run.class>{run.digits}</i> {(at + 1 < last).then_some(" ")} }
                    };
                    runs.into_iter().enumerate().map(run).collect_view()
                };
                view! { <span role="gridcell" class="b" data-hex="digits" data-line=line><span class="w47">{digits}</span></span> }
                    .into_any()
            }
            _ => {
                let text =
                    move || runs().into_iter().map(|run| view! { <i class=run.class>{run.text}</i> }).collect_view();
                view! { <span role="gridcell" class="a" data-hex="text" data-line=line><span class="w16">{text}</span></span> }
                    .into_any()
            }
        }
    };
    view! {
        <crate::trace::live_query::Trouble failure=bytes.lines.failure/>
        <div class="hexgrid" on:keydown:capture=on_key on:mousemove=on_move on:click=on_click
            on:mouseleave=move |_| cursor.hovered.set((0, 0))>
            <Grid model label="Hex view, 16 bytes per line" testid="bytes" layout=Layout::new(columns) cell/>
        </div>
    }
}
