//! Activity of the loader: loaded modules and assemblies, assembly searches, type loads
//! (docs/format/runtime-events.md#loader).

use super::interval_search::IntervalSearch;
use super::interval_set::{Interval, IntervalSet, Texts};
use super::pairs::{End, PairKey, Pairs};
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::scan::payload_scan::PayloadScan;
use crate::analysis::scan::rows::TypeSet;
use crate::analysis::values::fields::{text, whole};
use crate::model::Store;
use nettrace::{ByteSource, Field, SourceError, Value, decode};
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, ThreadId};

/// IDs of the runtime's events.
const TYPE_LOAD_START: u32 = 73;
const TYPE_LOAD_STOP: u32 = 74;
const MODULE_LOAD: u32 = 152;
const ASSEMBLY_LOAD: u32 = 154;
const ASSEMBLY_SEARCH_START: u32 = 290;
const ASSEMBLY_SEARCH_STOP: u32 = 291;
const ALL: [u32; 6] =
    [TYPE_LOAD_START, TYPE_LOAD_STOP, MODULE_LOAD, ASSEMBLY_LOAD, ASSEMBLY_SEARCH_START, ASSEMBLY_SEARCH_STOP];

/// Row of assemblies and modules.
pub const LOADED_ROW: u16 = 0;
/// Row of assembly searches.
pub const SEARCH_ROW: u16 = 1;
pub const TYPE_ROW: u16 = 2;

/// Key that matches start and stop: the thread of a search, or the ID of a type load.
#[derive(PartialEq, Eq, Hash, Debug)]
enum Key {
    Search(ThreadId),
    Type(i64),
}

impl PairKey for Key {
    fn is_unique(&self) -> bool {
        matches!(self, Self::Type(_))
    }
}

/// Finds all loads. The name is that of the assembly, module or type, the note its result.
#[derive(Debug)]
pub struct LoadSearch {
    walk: PayloadScan,
    found: Found,
}

#[derive(Debug)]
struct Found {
    pairs: Pairs<Key>,
    texts: Texts,
    /// Row, name and note of a search or a type load, by its start event.
    said: FastMap<EventId, (u16, u32, u32)>,
    intervals: Vec<Interval>,
}

impl LoadSearch {
    /// Returns a search that has read nothing.
    pub fn new(store: &Store) -> Self {
        let walk = PayloadScan::new(store, TypeSet::new(store, |one| ALL.contains(&one.runtime_id())), |_| true);
        let (pairs, texts) = (Pairs::new(store), Texts::default());
        Self { walk, found: Found { pairs, texts, said: FastMap::default(), intervals: Vec::new() } }
    }
}

impl IntervalSearch for LoadSearch {
    fn step(&mut self, store: &Store, source: &dyn ByteSource, may_wait: bool) -> Result<Step, SourceError> {
        let Self { walk, found } = self;
        walk.step(store, source, may_wait, |chunk, row, payload| {
            let Some(event_type) = store.types.get(chunk.event_type(row)) else { return };
            let fields = &event_type.schema.fields;
            let values = decode(fields, payload, store.header.pointer_size);
            let fields: Vec<(&Field, Value)> = fields.iter().zip(values).collect();
            found.take(event_type.runtime_id(), End::of(store, chunk, row), &fields);
        })
    }

    fn finish(self: Box<Self>) -> IntervalSet {
        let Found { pairs, texts, said, mut intervals } = self.found;
        for mut interval in pairs.finish() {
            (interval.row, interval.name, interval.note) = said.get(&interval.event).copied().unwrap_or_default();
            intervals.push(interval);
        }
        IntervalSet::new(intervals, texts)
    }
}

impl Found {
    fn take(&mut self, number: u32, end: End, fields: &[(&Field, Value)]) {
        let Self { pairs, texts, said, intervals } = self;
        let mut loaded = |name: &str, note: &str| {
            let (name, note) = (texts.position(name), texts.position(note));
            let (start, event, thread) = (end.time, end.event, end.thread);
            intervals.push(Interval {
                start,
                end: start,
                thread,
                event,
                row: LOADED_ROW,
                name,
                note,
                ..Interval::default()
            });
        };
        match number {
            MODULE_LOAD => loaded(file_name(text(fields, "ModuleILPath")), "module loaded"),
            ASSEMBLY_LOAD => loaded(simple_name(text(fields, "FullyQualifiedAssemblyName")), "assembly loaded"),
            ASSEMBLY_SEARCH_START => {
                let name = texts.position(simple_name(text(fields, "AssemblyName")));
                said.insert(end.event, (SEARCH_ROW, name, texts.position("assembly search")));
                pairs.start(Key::Search(end.thread), end, 0);
            }
            ASSEMBLY_SEARCH_STOP => {
                let found =
                    fields.iter().any(|(field, value)| field.name == "Success" && *value == Value::Boolean(true));
                let started = pairs.stop_if_started(&Key::Search(end.thread), end, 0);
                if let Some(said) = started.and_then(|started| said.get_mut(&started)) {
                    let words = if found { "assembly found" } else { "assembly not found" };
                    said.2 = texts.position(words);
                }
            }
            TYPE_LOAD_START => {
                let Some(load) = whole(fields, "TypeLoadStartID") else { return };
                said.insert(end.event, (TYPE_ROW, texts.position("unknown type"), texts.position("type load")));
                pairs.start(Key::Type(load), end, 0);
            }
            _ => {
                let Some(load) = whole(fields, "TypeLoadStartID") else { return };
                let started = pairs.stop_if_started(&Key::Type(load), end, 0);
                if let Some(said) = started.and_then(|started| said.get_mut(&started)) {
                    said.1 = texts.position(text(fields, "TypeName"));
                }
            }
        }
    }
}

/// Returns the last part of a Windows or Unix path.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Returns the name of an assembly without version, culture and key.
fn simple_name(full: &str) -> &str {
    full.split(',').next().unwrap_or(full)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loaded_modules_have_short_names() {
        assert_eq!(file_name("C:\\app\\Shop.dll"), "Shop.dll");
        assert_eq!(file_name("/app/edge/edge.dll"), "edge.dll");
        assert_eq!(simple_name("edge, Version=1.0.0.0, Culture=neutral"), "edge");
    }
}
