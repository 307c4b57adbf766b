//! Counts the texts that may be private, by kind, event and field.

use super::blocks::{visit_header, visit_labels, visit_thread};
use super::texts::{TextFinder, has_text};
use super::tokens::Tokens;
use super::{file_name_bytes, keeps_file_name};
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::scan::payload_scan::PayloadScan;
use crate::analysis::scan::rows::TypeSet;
use crate::analysis::scan::selection::Selection;
use crate::model::Store;
use nettrace::{ByteSource, SourceError};
use protocol::base::hash::FastMap;
use protocol::base::ids::TypeId;
use protocol::redaction::{Mask, PrivateTexts, TextKind};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Maximum length of an example in characters.
const EXAMPLE_CHARS: usize = 80;
/// Maximum number of fields, so that files with any number of argument names need limited memory.
const MAX_FIELDS: usize = 10_000;
/// Maximum length of a field's name in bytes, for the same reason.
const MAX_NAME_BYTES: usize = 256;
/// Name of the fields beyond these limits.
const OTHER_FIELDS: &str = "(other fields)";

/// Texts of a field.
#[derive(Default)]
struct Found {
    count: u64,
    bytes: u64,
    keeps_file_name: bool,
    example: String,
}

/// Counts texts, step by step.
pub struct PrivateTextSearch {
    selection: Rc<Selection>,
    scan: PayloadScan,
    finder: TextFinder,
    /// By type and kind, then by field, so that finding a field allocates nothing.
    of_events: FastMap<(TypeId, TextKind), FastMap<String, Found>>,
    fields: usize,
}

impl PrivateTextSearch {
    /// Prepares a search in the selected events.
    pub fn new(store: &Store, selection: Rc<Selection>) -> Self {
        let scan = PayloadScan::new(store, TypeSet::new(store, has_text), |_| true);
        Self { selection, scan, finder: TextFinder::default(), of_events: FastMap::default(), fields: 0 }
    }

    /// Reads further events for a few milliseconds.
    ///
    /// # Errors
    /// If a payload can't be read from the file.
    pub fn step(&mut self, store: &Store, source: &dyn ByteSource, may_wait: bool) -> Result<Step, SourceError> {
        let Self { selection, scan, finder, of_events, fields } = self;
        let pointer_size = store.header.pointer_size;
        scan.step(store, source, may_wait, |chunk, row, payload| {
            let Some(event_type) = store.types.get(chunk.event_type(row)) else { return };
            if !selection.contains(chunk.first_row + row) {
                return;
            }
            finder.visit(event_type, payload, pointer_size, |text| {
                let of_type = of_events.entry((event_type.id, text.kind)).or_default();
                if !of_type.contains_key(text.field) {
                    let is_listed = *fields < MAX_FIELDS && text.field.len() <= MAX_NAME_BYTES;
                    let name = if is_listed { text.field } else { OTHER_FIELDS };
                    let found = of_type.entry(name.to_owned()).or_default();
                    found.keeps_file_name = keeps_file_name(event_type, text.kind);
                    *fields += usize::from(is_listed);
                    add(found, &text.text.to_str());
                } else if let Some(found) = of_type.get_mut(text.field) {
                    add(found, &text.text.to_str());
                }
            });
        })
    }

    /// Returns the texts, including those outside of events.
    pub fn finish(self, store: &Store) -> PrivateTexts {
        let mut rows: BTreeMap<(TextKind, String, String), Found> = BTreeMap::new();
        let of_events = self.of_events.into_iter();
        for (id, kind, field, found) in of_events
            .flat_map(|((id, kind), of_type)| of_type.into_iter().map(move |(field, found)| (id, kind, field, found)))
        {
            let event = store.types.get(id).map(|one| one.display_name.clone()).unwrap_or_default();
            let row = rows.entry((kind, event, field)).or_default();
            row.count += found.count;
            row.bytes += found.bytes;
            if row.example.is_empty() {
                row.keeps_file_name = found.keeps_file_name;
                row.example = found.example;
            }
        }
        let mut outside = |kind, block: &'static str, key: &str, text: &str| {
            if !text.is_empty() {
                add(rows.entry((kind, block.to_owned(), key.to_owned())).or_default(), text);
            }
        };
        visit_header(&store.header.pairs, &mut outside);
        for thread in &store.threads {
            visit_thread(thread.name.as_deref(), &thread.attributes, &mut outside);
        }
        store.label_lists.iter().for_each(|list| visit_labels(list, &mut outside));
        let mut table = PrivateTexts::default();
        for ((kind, event, field), found) in rows {
            table.kind.push(kind as u8);
            table.event.push(&event);
            table.field.push(&field);
            table.count.push(found.count);
            table.bytes.push(found.bytes);
            table.keeps_file_name.push(found.keeps_file_name.into());
            table.example.push(&found.example);
        }
        table
    }
}

/// Adds the masks of the examples.
pub fn with_masks(mut texts: PrivateTexts, mask: Mask, key: u64) -> PrivateTexts {
    let mut tokens = Tokens::new(mask, key);
    for row in 0..texts.kind.len() {
        let example = texts.example.get(row);
        // The end of a longer text isn't in the example.
        let is_complete = example.chars().count() < EXAMPLE_CHARS;
        let kept = match texts.keeps_file_name.get(row) {
            Some(1) if is_complete => file_name_bytes(example, 1),
            _ => 0,
        };
        let mut bytes = example.as_bytes().to_vec();
        let end = bytes.len().saturating_sub(kept);
        tokens.mask(&mut bytes[..end], 1, texts.field.get(row).ends_with("Json"));
        texts.masked.push(&String::from_utf8_lossy(&bytes));
    }
    texts
}

fn add(found: &mut Found, text: &str) {
    found.count += 1;
    found.bytes += text.len() as u64;
    if found.example.is_empty() {
        found.example = text.chars().take(EXAMPLE_CHARS).collect();
    }
}
