//! Methods while they are compiled (field notes 4.4).

use super::marks::{Mark, MarkSet, Texts};
use super::pairs::{End, Pairs};
use super::rows::TypeSet;
use crate::clr::KnownEvent;
use crate::clr::known::payload::{JittingStarted, MethodPayload, OptimizationTier};
use crate::model::Store;
use crate::model::ids::EventId;
use crate::nettrace::{ByteSource, SourceError};
use crate::protocol::tables::shade;
use rustc_hash::FxHashMap;

/// Every compilation, from the event that it begins to the code; the name is the method's, the note its tier. Code
/// without a start (of methods that were compiled before, or whose starts the session did not ask for) is no compilation.
///
/// # Errors
/// If a payload cannot be read from the file.
pub fn compilations(store: &Store, source: &dyn ByteSource) -> Result<MarkSet, SourceError> {
    let wanted = TypeSet::of_known(store, &[KnownEvent::MethodJittingStarted, KnownEvent::MethodLoadVerbose]);
    let mut pairs = Pairs::new(store);
    let mut texts = Texts::default();
    let mut words: FxHashMap<EventId, (u32, u32)> = FxHashMap::default();
    let mut failure = None;
    wanted.for_each_row(store, 0..store.events().len(), |chunk, row| {
        let Some(event_type) = store.types().get(chunk.event_type(row)) else { return };
        let end = End::of(store, chunk, row);
        let payload = match store.payload(end.event, source) {
            Ok(payload) => payload,
            Err(error) => return failure = Some(error),
        };
        if event_type.known == KnownEvent::MethodJittingStarted {
            if let Some(started) = JittingStarted::read(&payload) {
                let mut name = started.namespace.to_string();
                name.push('.');
                started.name.append_to(&mut name);
                words.insert(end.event, (texts.position(&name), texts.position("")));
                pairs.start((end.thread, started.method_id), end, shade::JIT_FOREGROUND);
            }
        } else if let Some(method) = MethodPayload::read(&payload) {
            let key = (end.thread, method.code.method_id);
            let tier = method.tier();
            // From version 2 on the event tells of another version of a method's code. On-stack replacement is needed at
            // once; all other new versions come from the background.
            let is_new_version = event_type.record.version >= 2 && tier != OptimizationTier::Tier1Osr;
            let shade = if is_new_version { shade::JIT_BACKGROUND } else { shade::JIT_FOREGROUND };
            if let Some(started) = pairs.stop_if_started(&key, end, shade)
                && let Some(words) = words.get_mut(&started)
            {
                words.1 = texts.position(tier.words());
            }
        }
    });
    if let Some(error) = failure {
        return Err(error);
    }
    let mut marks: Vec<Mark> = pairs.finish();
    for mark in &mut marks {
        (mark.name, mark.note) = words.get(&mark.event).copied().unwrap_or_default();
        mark.row = u16::from(mark.shade == shade::JIT_BACKGROUND);
    }
    Ok(MarkSet::new(marks, texts))
}
