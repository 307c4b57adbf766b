//! What triggers GCs in machine-wide traces without GC events: the callers of the GC on native stacks.

use super::gc::reason_text::triggered;
use super::shared::call_site::Site;
use super::shared::thread_names::thread_name;
use super::{Known, Scope};
use crate::analysis::topics::shared::groups::ranked;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{StackId, ThreadId};
use protocol::format::{capitalized, percent};

/// Part of the name of the function that performs a GC on the thread that triggered it.
const COLLECTS: &str = "GCHeap::GarbageCollect";
/// The runtime's reason codes, and parts of the names of functions that call the GC for them. The allocation of a large
/// object is also an allocation, so it comes first.
const CALLERS: [(u32, &[&str]); 3] = [
    (INDUCED, &["GCInterface::Collect", "GCInterface_Collect", "RhCollect"]),
    (LARGE_OBJECT, &["AllocLHeap", "allocate_large_object", "allocate_uoh_object"]),
    (SMALL_OBJECT, &["GCHeap::Alloc", "allocate_more_space"]),
];
const SMALL_OBJECT: u32 = 0;
const INDUCED: u32 = 1;
const LARGE_OBJECT: u32 = 4;
/// Minimum share for which the second trigger is named.
const NEXT_SHARE: f64 = 0.1;

/// Who triggers GCs, for the same reason. App code has a call site; other code is named by its thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Trigger {
    reason: u32,
    site: Option<Site>,
    thread: Option<ThreadId>,
}

/// Triggers by the time that their threads spent in GCs, in descending order; not empty.
pub struct GcTriggers {
    all: Vec<(Trigger, i64)>,
    total: i64,
}

impl GcTriggers {
    /// Sums the time in GCs in `scope`; `None` if no stack shows what called the GC.
    pub fn of(known: &Known<'_>, scope: &Scope<'_>) -> Option<Self> {
        let (store, time) = (known.store, scope.time.as_ref()?);
        let (mut reasons, mut sums) = (FastMap::<StackId, Option<u32>>::default(), FastMap::<Trigger, i64>::default());
        let mut sites = known.sites();
        for (id, thread, index) in time.counted() {
            let stack = thread.stack(index);
            let Some(reason) = *reasons.entry(stack).or_insert_with(|| reason_of(store, stack)) else { continue };
            let site = Some(sites.of_thread(id, thread.time(index), stack)).filter(Site::is_own);
            let thread_id = Some(id).filter(|_| site.is_none());
            let sum = sums.entry(Trigger { reason, site, thread: thread_id }).or_default();
            *sum = sum.saturating_add(thread.total(index));
        }
        let all = ranked(sums.into_iter().filter(|(_, nanos)| *nanos > 0), |nanos| *nanos);
        let total = all.iter().map(|(_, nanos)| *nanos).fold(0, i64::saturating_add);
        (!all.is_empty()).then_some(Self { all, total })
    }

    /// Returns evidence: "LOH allocations on Thread 13 triggered 57% of GC time", and the second trigger.
    pub fn evidence(&self, known: &Known<'_>) -> (String, Option<String>) {
        let lead = self.all.first().map_or_else(String::new, |(trigger, nanos)| {
            let place = [" ", &place(known, trigger)].concat();
            capitalized(&triggered(trigger.reason, &place, (*nanos, self.total), "GC time"))
        });
        let next = self.all.get(1).filter(|(_, nanos)| *nanos as f64 >= NEXT_SHARE * self.total as f64);
        let next = next.map(|(trigger, nanos)| {
            let place = match self.all.first() {
                Some((first, _)) if (first.site, first.thread) == (trigger.site, trigger.thread) => String::new(),
                _ => [" ", &place(known, trigger)].concat(),
            };
            format!(", {}{place} {}", short(trigger.reason), percent(*nanos as f64, self.total as f64))
        });
        (lead, next)
    }

    /// Returns the fix for the reason with the most time.
    pub fn advice(&self) -> &'static str {
        match self.all.first().map(|(trigger, _)| trigger.reason) {
            Some(INDUCED) => "Remove calls to GC.Collect.",
            Some(LARGE_OBJECT) => "Rent large buffers from ArrayPool<T>.",
            _ => "Allocate less: rent arrays from ArrayPool<T>.",
        }
    }
}

/// Returns a short name of a trigger that follows another one.
fn short(reason: u32) -> &'static str {
    match reason {
        INDUCED => "GC.Collect",
        LARGE_OBJECT => "large objects",
        _ => "small objects",
    }
}

fn place(known: &Known<'_>, trigger: &Trigger) -> String {
    match trigger.site {
        Some(site) => format!("in {}", known.site_names().short(site)),
        None => format!("on {}", thread_name(known.store, trigger.thread)),
    }
}

/// Returns the reason code of the GC that a stack is in; `None` if it is in none, or if its caller is unknown.
fn reason_of(store: &Store, stack: StackId) -> Option<u32> {
    let names = || {
        let native = store.stacks.leaf_to_root(stack).filter_map(|frame| store.function_of(frame));
        native.filter(|function| !function.is_managed).map(|function| store.strings.get(function.raw_name))
    };
    if !names().any(|name| name.contains(COLLECTS)) {
        return None;
    }
    let is_there = |parts: &[&str]| names().any(|name| parts.iter().any(|part| name.contains(part)));
    CALLERS.into_iter().find(|(_, parts)| is_there(parts)).map(|(reason, _)| reason)
}
