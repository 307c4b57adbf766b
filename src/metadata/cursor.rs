//! Cursor in the file: the selected byte, and the block and item that contain it.

use crate::app::state::{App, Tab};
use crate::trace::live_query::{LiveQuery, follow};
use leptos::prelude::*;
use protocol::file::section_columns::SectionOrder;
use protocol::request::SectionFilter;
use protocol::tables::{NO_NUMBER, Sections, Structure};
use protocol::{Failure, queries};
use std::sync::Arc;
use view::url::metadata::MetadataPart;
use wasm_bindgen_futures::spawn_local;

/// Block that contains a byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SectionAtOffset {
    /// Offset of the first byte.
    pub offset: u64,
    /// Number of bytes.
    pub bytes: u64,
    /// One of [`protocol::tables::section_kind`].
    pub kind: u8,
    /// Number of rows of its outline.
    pub rows: u64,
    /// Row with the byte.
    pub row: Option<u64>,
    pub items: u32,
    /// Item with the byte.
    pub item: Option<u32>,
}

/// Item of a block that contains a byte.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ItemAtOffset {
    pub item: u32,
    /// Offset of the first byte.
    pub offset: u64,
    /// Number of bytes.
    pub bytes: u64,
    /// Kind: "Event".
    pub name: String,
    pub value: String,
    /// Number of its parts, including itself.
    pub rows: u64,
    /// Part with the byte.
    pub row: Option<u64>,
}

/// Description of a part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explained {
    /// Offset of the first byte.
    pub offset: u64,
    /// Number of bytes.
    pub bytes: u64,
    pub name: String,
    /// Displayed value.
    pub value: String,
    /// Section of the format documents about it.
    pub section: String,
    pub meaning: String,
}

impl Explained {
    /// Returns the description of a row.
    pub fn of(table: &Structure, row: usize) -> Option<Self> {
        Some(Self {
            offset: *table.offset.get(row)?,
            bytes: *table.bytes.get(row)?,
            name: table.name.get(row).to_owned(),
            value: table.value.get(row).to_owned(),
            section: table.section(row),
            meaning: table.meaning(row),
        })
    }
}

/// Cursor in the file. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct FileCursor {
    pub app: App,
    /// True if any view of it is visible.
    pub open: Memo<bool>,
    pub byte: Memo<u64>,
    /// Selected part of the structure, whose bytes are selected instead of those of the leaf at the byte.
    pub chosen: RwSignal<Option<Explained>>,
    /// Bytes under the pointer: first, and offset after the last.
    pub hovered: RwSignal<(u64, u64)>,
    /// Block with the byte; lags behind it.
    pub section: Memo<Option<SectionAtOffset>>,
    /// Item with the byte; lags behind it.
    pub item: Memo<Option<ItemAtOffset>>,
    /// Index of the block among all blocks, and its row, after they are loaded.
    pub facts: RwSignal<Option<(u64, Arc<Sections>)>>,
    /// Numbers of blocks and bytes of the file: a page without rows.
    pub totals: LiveQuery<Sections>,
    /// Failure of the last request.
    pub failure: RwSignal<Option<Failure>>,
}

impl FileCursor {
    /// Follows the byte of the URL while a view of it is visible.
    pub fn new(app: App, open: Memo<bool>) -> Self {
        let byte = Memo::new(move |_| app.metadata.with(|look| look.byte.unwrap_or(0)));
        let outline = follow(app, move || {
            let query = queries::Structure { offset: byte.get(), item: None, first: 0, count: 0 };
            open.get().then_some(query)
        });
        let section = Memo::new(move |_| section_of(&*outline.value.get()?));
        let inside = follow(app, move || {
            let (offset, section) = (byte.get(), section.get()?);
            let is_there = (section.offset..section.offset + section.bytes).contains(&offset);
            let item = section.item.filter(|_| open.get() && is_there);
            Some(queries::Structure { offset, item: Some(item?), first: 0, count: 1 })
        });
        let item = Memo::new(move |_| {
            let there = item_of(&*inside.value.get()?)?;
            let is_there = section.get()?.item == Some(there.item);
            (is_there && (there.offset..there.offset + there.bytes).contains(&byte.get())).then_some(there)
        });
        let totals = follow(app, move || {
            let query =
                queries::Sections { of: SectionFilter::default(), order: SectionOrder::default(), first: 0, count: 0 };
            open.get().then_some(query)
        });
        let (chosen, hovered) = (RwSignal::new(None), RwSignal::new((0, 0)));
        let (facts, failure) = (RwSignal::new(None), outline.failure);
        let cursor = Self { app, open, byte, chosen, hovered, section, item, facts, totals, failure };
        Effect::new(move |_| cursor.follow_facts());
        cursor
    }

    /// Returns the bytes of the file, after they are loaded.
    pub fn file_bytes(self) -> u64 {
        self.totals
            .value
            .with(|totals| totals.as_ref().and_then(|totals| totals.file_bytes.first().copied()).unwrap_or(0))
    }

    /// Selects a byte.
    pub fn go(self, offset: u64) {
        let last = untrack(|| self.file_bytes()).checked_sub(1).unwrap_or(offset);
        self.chosen.set(None);
        self.app.metadata.update(|look| look.byte = Some(offset.min(last)));
    }

    /// Selects all bytes of a part of the structure.
    pub fn choose(self, part: Explained) {
        let offset = part.offset;
        self.go(offset);
        self.chosen.set(Some(part));
    }

    /// Moves to the next or previous block; returns whether there is one.
    pub fn step_section(self, is_next: bool) -> bool {
        let Some(section) = self.section.get_untracked() else { return false };
        let end = section.offset + section.bytes;
        match is_next {
            true if end < untrack(|| self.file_bytes()) => self.go(end),
            false if section.offset > 0 => {
                // The start of the previous block isn't known yet, but any of its bytes leads there.
                let before = section.offset - 1;
                spawn_local(async move {
                    if let Some(there) = self.outline_at(before).await {
                        self.go(there.offset);
                    }
                });
            }
            _ => return false,
        }
        true
    }

    /// Moves to the next or previous item, or to the first or last one if none is selected; returns whether there is
    /// one.
    pub fn step_item(self, is_next: bool) -> bool {
        let Some(section) = self.section.get_untracked().filter(|section| section.items > 0) else { return false };
        let item = match (section.item, is_next) {
            (Some(item), true) => item.checked_add(1).filter(|next| *next < section.items),
            (Some(item), false) => item.checked_sub(1),
            (None, true) => Some(0),
            (None, false) => None,
        };
        let Some(item) = item else { return false };
        spawn_local(async move {
            let query = queries::Structure { offset: section.offset, item: Some(item), first: 0, count: 1 };
            if let Some(there) = self.app.ask(query).await.ok().as_ref().and_then(item_of) {
                self.go(there.offset);
            }
        });
        true
    }

    async fn outline_at(self, offset: u64) -> Option<SectionAtOffset> {
        section_of(&self.app.ask(queries::Structure { offset, item: None, first: 0, count: 0 }).await.ok()?)
    }

    /// Requests the row of the block when another one is selected.
    fn follow_facts(self) {
        let Some(section) = self.section.get() else { return self.facts.set(None) };
        let is_known = self
            .facts
            .with_untracked(|facts| facts.as_ref().is_some_and(|(_, row)| row.offset.first() == Some(&section.offset)));
        if is_known {
            return;
        }
        spawn_local(async move {
            let facts = facts_of(self.app, section.offset).await;
            if self.section.get_untracked().is_some_and(|now| now.offset == section.offset) {
                self.facts.set(facts);
            }
        });
    }
}

async fn facts_of(app: App, offset: u64) -> Option<(u64, Arc<Sections>)> {
    let (of, order) = (SectionFilter::default(), SectionOrder::default());
    let first = app.ask(queries::SectionPosition { of, order, offset }).await.ok()??;
    Some((first, Arc::new(app.ask(queries::Sections { of, order, first, count: 1 }).await.ok()?)))
}

fn section_of(table: &Structure) -> Option<SectionAtOffset> {
    Some(SectionAtOffset {
        offset: *table.section.first()?,
        bytes: *table.section.get(1)?,
        kind: *table.kind.first()?,
        rows: *table.total.first()?,
        row: table.row_there.first().copied(),
        items: *table.items.first()?,
        item: table.item_there.first().copied().filter(|item| *item != NO_NUMBER),
    })
}

fn item_of(table: &Structure) -> Option<ItemAtOffset> {
    Some(ItemAtOffset {
        item: table.item.first().copied().filter(|item| *item != NO_NUMBER)?,
        offset: *table.offset.first()?,
        bytes: *table.bytes.first()?,
        name: table.name.get(0).to_owned(),
        value: table.value.get(0).to_owned(),
        rows: *table.total.first()?,
        row: table.row_there.first().copied(),
    })
}

impl App {
    /// Shows the meaning of a byte of the file.
    pub fn show_byte(self, offset: u64) {
        self.metadata.update(|look| {
            look.part = MetadataPart::Bytes;
            look.byte = Some(offset);
        });
        self.tab.set(Tab::Metadata);
    }
}
