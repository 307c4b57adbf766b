//! JIT compilations of methods (docs/format/runtime-events.md#jit).

use super::interval_set::{Interval, IntervalSet, Texts};
use super::pairs::{End, PairKey, Pairs};
use crate::analysis::scan::rows::TypeSet;
use crate::clr::KnownEvent;
use crate::clr::known::payload::{BackgroundJitStop, JittingStarted, MethodPayload, OptimizationTier};
use crate::clr::names::readable;
use crate::model::Store;
use nettrace::{ByteSource, SourceError};
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, ThreadId};
use protocol::format;
use protocol::tables::{code_row, shade};

/// A thread and the method that it compiles, maybe several times.
type CompilationKey = (ThreadId, u64);

impl PairKey for CompilationKey {
    fn is_unique(&self) -> bool {
        false
    }
}

/// Returns every compilation, from its start event to the loaded code. The name is the method's, the note its tier.
/// Code without a start event (compiled earlier, or if the session didn't record starts) isn't included.
///
/// # Errors
/// If a payload can't be read from the file.
pub fn compilations(store: &Store, source: &dyn ByteSource) -> Result<IntervalSet, SourceError> {
    let wanted = TypeSet::of_known(store, &[KnownEvent::MethodJittingStarted, KnownEvent::MethodLoadVerbose]);
    let mut pairs = Pairs::new(store);
    let mut texts = Texts::default();
    let mut words: FastMap<EventId, (u32, u32, u16)> = FastMap::default();
    wanted.try_for_each_row(store, |chunk, row| {
        let Some(event_type) = store.types.get(chunk.event_type(row)) else { return Ok(()) };
        let end = End::of(store, chunk, row);
        let payload = store.payload(end.event, source)?;
        if event_type.known == KnownEvent::MethodJittingStarted {
            if let Some(started) = JittingStarted::read(&payload) {
                let mut name = started.namespace.to_string();
                name.push('.');
                started.name.append_to(&mut name);
                words.insert(end.event, (texts.position(&name), texts.position(""), code_row::FOREGROUND));
                pairs.start((end.thread, started.method_id), end, shade::CODE_QUICK);
            }
        } else if let Some(method) = MethodPayload::read(&payload) {
            let key = (end.thread, method.method_id);
            let tier = method.tier();
            // Starting with version 2, the event is about a new version of a method's code. On-stack replacement is
            // needed at once; all other new versions come from the background thread.
            let is_new_version = event_type.record.version >= 2 && tier != OptimizationTier::Tier1Osr;
            let row = if is_new_version { code_row::BACKGROUND } else { code_row::FOREGROUND };
            if let Some(started) = pairs.stop_if_started(&key, end, shade_of(tier))
                && let Some(found) = words.get_mut(&started)
            {
                (found.1, found.2) = (texts.position(tier.words()), row);
            }
        }
        Ok(())
    })?;
    let mut intervals: Vec<Interval> = pairs.finish();
    for interval in &mut intervals {
        (interval.name, interval.note, interval.row) = words.get(&interval.event).copied().unwrap_or_default();
    }
    Ok(IntervalSet::new(intervals, texts))
}

fn shade_of(tier: OptimizationTier) -> u8 {
    use OptimizationTier::{Optimized, Tier1, Tier1Instrumented, Tier1Osr};
    match tier {
        Optimized | Tier1 | Tier1Osr | Tier1Instrumented => shade::CODE_OPTIMIZED,
        _ => shade::CODE_QUICK,
    }
}

/// Returns every batch of methods that the background thread recompiled. The note has the number of compiled and of
/// waiting methods.
///
/// # Errors
/// If a payload can't be read from the file.
pub fn tier_ups(store: &Store, source: &dyn ByteSource) -> Result<IntervalSet, SourceError> {
    let wanted = TypeSet::of_known(store, &[KnownEvent::BackgroundJitStart, KnownEvent::BackgroundJitStop]);
    let mut pairs = Pairs::new(store);
    let mut texts = Texts::default();
    let (name, nothing) = (texts.position("Background JIT"), texts.position(""));
    let mut notes: FastMap<EventId, u32> = FastMap::default();
    wanted.try_for_each_row(store, |chunk, row| {
        let Some(event_type) = store.types.get(chunk.event_type(row)) else { return Ok(()) };
        let end = End::of(store, chunk, row);
        if event_type.known == KnownEvent::BackgroundJitStart {
            pairs.start(end.thread, end, shade::CODE_OPTIMIZED);
            return Ok(());
        }
        let payload = store.payload(end.event, source)?;
        if let (Some(stop), Some(started)) =
            (BackgroundJitStop::read(&payload), pairs.stop_if_started(&end.thread, end, shade::CODE_OPTIMIZED))
        {
            let mut note = format::count(stop.jitted_methods.into());
            note.push_str(" methods, still queued: ");
            note.push_str(&format::count(stop.pending_methods.into()));
            notes.insert(started, texts.position(&note));
        }
        Ok(())
    })?;
    let mut intervals = pairs.finish();
    for interval in &mut intervals {
        (interval.name, interval.note) = (name, notes.get(&interval.event).copied().unwrap_or(nothing));
    }
    Ok(IntervalSet::new(intervals, texts))
}
/// Splits the name of a compiled method into its type, with the namespace, and its own name.
pub fn type_and_method(name: &str) -> Option<(&str, &str)> {
    let (type_name, _) = name.rsplit_once('.')?;
    // The name of a constructor begins with a dot itself.
    let type_name = type_name.strip_suffix('.').unwrap_or(type_name);
    Some((type_name, &name[type_name.len() + 1..]))
}

/// Returns the name of a compiled method in C#, without parameters.
pub fn readable_method(name: &str) -> String {
    type_and_method(name).map_or_else(|| name.to_owned(), |(type_name, method)| readable(type_name, method, "").full)
}
