//! Where in the file the page looks: the byte, and what it belongs to.

use crate::app::state::{App, Tab};
use crate::trace::live_query::{LiveQuery, follow, table};
use leptos::prelude::*;
use protocol::request::{FileRequest, SectionFilter};
use protocol::tables::{NO_NUMBER, Sections, Structure};
use protocol::{Answer, Failure, Request};
use std::sync::Arc;
use view::url::metadata::MetadataPart;
use wasm_bindgen_futures::spawn_local;

/// The section of the file that a byte belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SectionAtOffset {
    /// Its first byte.
    pub offset: u64,
    /// How many bytes.
    pub bytes: u64,
    /// One of [`protocol::tables::section_kind`].
    pub kind: u8,
    /// Rows of its outline, and the one with the byte.
    pub rows: u64,
    /// See there.
    pub row: Option<u64>,
    /// How many items it has, and the one with the byte.
    pub items: u32,
    /// See there.
    pub item: Option<u32>,
}

/// The item of a section that a byte belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ItemAtOffset {
    /// Its number.
    pub item: u32,
    /// Its first byte.
    pub offset: u64,
    /// How many bytes.
    pub bytes: u64,
    /// What it is: "Event".
    pub name: String,
    /// Which one.
    pub value: String,
    /// Its parts, with itself, and the one with the byte.
    pub rows: u64,
    /// See there.
    pub row: Option<u64>,
}

/// What is known of a part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explained {
    /// Its first byte.
    pub offset: u64,
    /// How many bytes.
    pub bytes: u64,
    /// What it is called.
    pub name: String,
    /// Its value in words.
    pub value: String,
    /// The section of the format documents about it.
    pub section: String,
    /// What it is for.
    pub meaning: String,
}

impl Explained {
    /// A row of a table.
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

/// Where in the file the page looks. Copies are handles to the same.
#[derive(Clone, Copy)]
pub struct FileCursor {
    /// The page.
    pub app: App,
    /// Whether anything that follows it is seen.
    pub open: Memo<bool>,
    /// The byte.
    pub byte: Memo<u64>,
    /// What was chosen of the structure: its bytes are selected, not those of the leaf at the byte.
    pub chosen: RwSignal<Option<Explained>>,
    /// The bytes under the pointer: first, and behind the last.
    pub hovered: RwSignal<(u64, u64)>,
    /// The section with the byte; lags behind it.
    pub section: Memo<Option<SectionAtOffset>>,
    /// The item with the byte; lags behind it.
    pub item: Memo<Option<ItemAtOffset>>,
    /// The section as a row of all sections, once it is known: its number, and the row.
    pub facts: RwSignal<Option<(u64, Arc<Sections>)>>,
    /// How many sections and bytes the file has: a page without rows.
    pub totals: LiveQuery<Sections>,
    /// Why it is not known what is there.
    pub failure: RwSignal<Option<Failure>>,
}

impl FileCursor {
    /// Follows the byte of the address while something of it is seen.
    pub fn new(app: App, open: Memo<bool>) -> Self {
        let byte = Memo::new(move |_| app.metadata.with(|look| look.byte.unwrap_or(0)));
        let outline = follow(
            app,
            move || {
                let request = FileRequest::Structure { offset: byte.get(), item: None, first: 0, count: 0 };
                open.get().then_some(Request::File(request))
            },
            table(Structure::unpack),
        );
        let section = Memo::new(move |_| section_of(&*outline.value.get()?));
        let inside = follow(
            app,
            move || {
                let (offset, section) = (byte.get(), section.get()?);
                let is_there = (section.offset..section.offset + section.bytes).contains(&offset);
                let item = section.item.filter(|_| open.get() && is_there);
                let request = FileRequest::Structure { offset, item: Some(item?), first: 0, count: 1 };
                Some(Request::File(request))
            },
            table(Structure::unpack),
        );
        let item = Memo::new(move |_| {
            let there = item_of(&*inside.value.get()?)?;
            let is_there = section.get()?.item == Some(there.item);
            (is_there && (there.offset..there.offset + there.bytes).contains(&byte.get())).then_some(there)
        });
        let totals = follow(
            app,
            move || {
                let request = FileRequest::Sections { of: SectionFilter::default(), first: 0, count: 0 };
                open.get().then_some(Request::File(request))
            },
            table(Sections::unpack),
        );
        let (chosen, hovered) = (RwSignal::new(None), RwSignal::new((0, 0)));
        let (facts, failure) = (RwSignal::new(None), outline.failure);
        let cursor = Self { app, open, byte, chosen, hovered, section, item, facts, totals, failure };
        Effect::new(move |_| cursor.follow_facts());
        cursor
    }

    /// Bytes of the file, once they are known.
    pub fn file_bytes(self) -> u64 {
        self.totals
            .value
            .with(|totals| totals.as_ref().and_then(|totals| totals.file_bytes.first().copied()).unwrap_or(0))
    }

    /// Looks at a byte.
    pub fn go(self, offset: u64) {
        let last = untrack(|| self.file_bytes()).checked_sub(1).unwrap_or(offset);
        self.chosen.set(None);
        self.app.metadata.update(|look| look.byte = Some(offset.min(last)));
    }

    /// Looks at a part of the structure: all its bytes are selected.
    pub fn choose(self, part: Explained) {
        let offset = part.offset;
        self.go(offset);
        self.chosen.set(Some(part));
    }

    /// To the section before or after the one that is looked at; whether there is one.
    pub fn step_section(self, is_next: bool) -> bool {
        let Some(section) = self.section.get_untracked() else { return false };
        let end = section.offset + section.bytes;
        match is_next {
            true if end < untrack(|| self.file_bytes()) => self.go(end),
            false if section.offset > 0 => {
                // Its first byte is not known yet: any other of it leads there.
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

    /// To the item before or after the one that is looked at, to the first or last one if it is none; whether there is one.
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
            let request = FileRequest::Structure { offset: section.offset, item: Some(item), first: 0, count: 1 };
            let answer = self.app.ask_packed(Request::File(request)).await;
            let there = answer.ok().and_then(|packed| item_of(&Structure::unpack(&packed).ok()?));
            if let Some(there) = there {
                self.go(there.offset);
            }
        });
        true
    }

    async fn outline_at(self, offset: u64) -> Option<SectionAtOffset> {
        let request = FileRequest::Structure { offset, item: None, first: 0, count: 0 };
        section_of(&Structure::unpack(&self.app.ask_packed(Request::File(request)).await.ok()?).ok()?)
    }

    /// Asks for the row of the section that is looked at, when it is another one.
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
    let of = SectionFilter::default();
    let answer = app.ask(Request::File(FileRequest::SectionPosition { of, offset })).await.ok()?.answer;
    let Answer::Position { position: Some(first) } = answer else { return None };
    let row = app.ask_packed(Request::File(FileRequest::Sections { of, first, count: 1 })).await.ok()?;
    Some((first, Arc::new(Sections::unpack(&row).ok()?)))
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
    /// Shows what a byte of the file is.
    pub fn show_byte(self, offset: u64) {
        self.metadata.update(|look| {
            look.part = MetadataPart::Bytes;
            look.byte = Some(offset);
        });
        self.tab.set(Tab::Metadata);
    }
}
