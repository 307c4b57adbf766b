//! Counts the texts that may be private, by kind, event and field.

use super::blocks::{HEADER, visit_labels, visit_thread};
use super::texts::{TextFinder, has_text};
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::scan::payload_scan::PayloadScan;
use crate::analysis::scan::rows::TypeSet;
use crate::analysis::scan::selection::Selection;
use crate::model::Store;
use nettrace::{ByteSource, SourceError};
use protocol::base::hash::FastMap;
use protocol::base::ids::TypeId;
use protocol::redaction::{PrivateTexts, TextKind};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Maximum length of an example in characters.
const EXAMPLE_CHARS: usize = 80;
/// Maximum number of fields, so that files with any number of argument names need limited memory.
const MAX_FIELDS: usize = 10_000;

/// Texts of a field.
#[derive(Default)]
struct Found {
    count: u64,
    bytes: u64,
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
        let pointer_size = store.header().pointer_size;
        scan.step(store, source, may_wait, |chunk, row, payload| {
            let Some(event_type) = store.types().get(chunk.event_type(row)) else { return };
            if !selection.contains(chunk.first_row() + row) {
                return;
            }
            finder.visit(event_type, payload, pointer_size, |text| {
                let of_type = of_events.entry((event_type.id, text.kind)).or_default();
                if let Some(found) = of_type.get_mut(text.field) {
                    add(found, &text.text.to_str());
                } else if *fields < MAX_FIELDS {
                    *fields += 1;
                    add(of_type.entry(text.field.to_owned()).or_default(), &text.text.to_str());
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
            let event = store.types().get(id).map(|one| one.display_name.clone()).unwrap_or_default();
            let row = rows.entry((kind, event, field)).or_default();
            row.count += found.count;
            row.bytes += found.bytes;
            if row.example.is_empty() {
                row.example = found.example;
            }
        }
        let mut outside = |kind, block: &'static str, key: &str, text: &str| {
            if !text.is_empty() {
                add(rows.entry((kind, block.to_owned(), key.to_owned())).or_default(), text);
            }
        };
        store.header().pairs.iter().for_each(|(key, value)| outside(TextKind::Header, HEADER, key, value));
        for thread in store.threads() {
            visit_thread(thread.name.as_deref(), &thread.attributes, &mut outside);
        }
        store.label_lists().iter().for_each(|list| visit_labels(list, &mut outside));
        let mut table = PrivateTexts::default();
        for ((kind, event, field), found) in rows {
            table.kind.push(kind as u8);
            table.event.push(&event);
            table.field.push(&field);
            table.count.push(found.count);
            table.bytes.push(found.bytes);
            table.example.push(&found.example);
        }
        table
    }
}

fn add(found: &mut Found, text: &str) {
    found.count += 1;
    found.bytes += text.len() as u64;
    if found.example.is_empty() {
        found.example = text.chars().take(EXAMPLE_CHARS).collect();
    }
}
