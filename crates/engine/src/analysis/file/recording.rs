//! Infers the recording tool and the enabled providers from recorded events, because files don't state them.

use crate::clr::manifest::keyword_names;
use crate::clr::{KnownEvent, Provider};
use crate::model::{EventType, Store};
use nettrace::Container;
use protocol::base::sort::sort_by_key;
use protocol::reply::{Conclusion, Recording, RequestedProvider};
use std::collections::BTreeMap;

/// Keyword bits with which event sources mark the session of an event.
const SESSIONS: u64 = 0xf << 44;
/// The runtime's keyword for heap dumps.
const HEAP_DUMP: u64 = 0x10_0000;
/// Prefix of the event sources that dotnet-monitor adds to processes.
const MONITOR: &str = "Microsoft.Diagnostics.Monitoring.";
/// Divisor of a second: a runtime that starts within this part of a second after the first event was recorded from its
/// start.
const START_PART: i64 = 20;

/// A profile of `dotnet-trace collect` (docs/format/runtime-events.md#dotnet-trace-profiles).
struct Profile {
    words: &'static str,
    /// Keywords and level of the runtime's provider.
    runtime: (u64, u8),
    has_private: bool,
    has_samples: bool,
    /// A keyword that distinguishes this profile from another with the same providers; 0 for none.
    mark: u64,
}

const PROFILES: [Profile; 4] = [
    Profile {
        words: "the default profiles of dotnet-trace (dotnet-common and dotnet-sampled-thread-time)",
        runtime: (0x10_0003_801D, 4),
        has_private: false,
        has_samples: true,
        mark: 0x10_0000_0000,
    },
    Profile {
        words: "the cpu-sampling profile of older dotnet-trace versions",
        runtime: (0x14_C14F_CCBD, 4),
        has_private: false,
        has_samples: true,
        mark: 0,
    },
    Profile {
        words: "the gc-collect profile of dotnet-trace",
        runtime: (0x1, 4),
        has_private: true,
        has_samples: false,
        mark: 0x1,
    },
    Profile {
        words: "the gc-verbose profile of dotnet-trace",
        runtime: (0x8003, 5),
        has_private: false,
        has_samples: false,
        mark: 0x1,
    },
];

/// Keywords and level that the runtime records if only the environment variable `DOTNET_EnableEventPipe` is set.
const BY_ENVIRONMENT: (u64, u8) = (0x4_C14F_CCBD, 5);

/// Infers how the trace was recorded from its events.
pub fn recording(store: &Store) -> Recording {
    let requested = requested(store);
    Recording { collectors: collectors(store, &requested), requested }
}

/// Returns the minimum that was enabled of each provider, most events first. Excludes events that the runtime always
/// writes: about the session, and about existing state at its end.
fn requested(store: &Store) -> Vec<RequestedProvider> {
    let mut providers: BTreeMap<&str, RequestedProvider> = BTreeMap::new();
    for one in store.types.iter().filter(|one| one.count > 0 && !is_unasked(one)) {
        let none = || RequestedProvider { name: one.provider.clone(), ..RequestedProvider::default() };
        let sum = providers.entry(&one.provider).or_insert_with(none);
        sum.events += one.count;
        sum.level = sum.level.max(one.record.level);
        let keywords = one.record.keywords & !SESSIONS;
        if keywords.is_power_of_two() {
            sum.keywords |= keywords;
        } else {
            sum.perhaps |= keywords;
        }
    }
    let mut providers: Vec<RequestedProvider> = providers.into_values().collect();
    for one in &mut providers {
        one.perhaps &= !one.keywords;
        one.keyword_names = known_names(&one.name, one.keywords);
        one.perhaps_names = known_names(&one.name, one.perhaps);
    }
    sort_by_key(&mut providers, |one| std::cmp::Reverse(one.events));
    providers
}

/// Returns the names of keywords, unless they have only numbers.
fn known_names(provider: &str, keywords: u64) -> Vec<String> {
    let names = keyword_names(provider, keywords);
    if names.iter().all(|name| name.starts_with("0x")) { Vec::new() } else { names }
}

/// Returns whether events of this type are written without being requested.
fn is_unasked(one: &EventType) -> bool {
    use Provider as P;
    one.is_rundown || matches!(Provider::from_name(&one.provider), Some(P::EventPipe | P::UniversalSystem))
}

fn conclusion(words: impl Into<String>, evidence: impl Into<String>) -> Conclusion {
    Conclusion { words: words.into(), evidence: evidence.into() }
}

fn collectors(store: &Store, requested: &[RequestedProvider]) -> Vec<Conclusion> {
    let has = |provider: Provider| store.types.iter().any(|one| one.count > 0 && one.is_of(provider));
    let mut found = Vec::new();
    if has(Provider::UniversalSystem) || has(Provider::UniversalEvents) {
        found.push(conclusion(
            "record-trace, on its own or through dotnet-trace collect-linux",
            "Contains events from Universal.System or Universal.Events, which only record-trace writes.",
        ));
    }
    if let Some(one) = store.types.iter().find(|one| one.count > 0 && one.provider.starts_with(MONITOR)) {
        found.push(conclusion("dotnet-monitor", format!("Contains events from {}.", one.provider)));
    }
    let is_dump = |one: &RequestedProvider| {
        Provider::from_name(&one.name) == Some(Provider::Runtime) && one.keywords & HEAP_DUMP != 0
    };
    if requested.iter().any(is_dump) {
        found.push(conclusion(
            "A heap dump, taken by dotnet-gcdump or dotnet-monitor",
            "Contains runtime events that require the GCHeapDump keyword.",
        ));
    }
    found.extend(profile(requested));
    found.extend(start(store));
    if store.header.container == Container::Netperf {
        found.push(conclusion(
            "The runtime itself, through COMPlus_EnableEventPipe, or the app through an in-process API",
            "A netperf file: .NET Core 2 could only be traced from inside the process.",
        ));
    }
    found
}

/// Returns the profile that matches exactly, if there is one.
fn profile(requested: &[RequestedProvider]) -> Option<Conclusion> {
    use Provider as P;
    let of = |provider: Provider| requested.iter().find(|one| Provider::from_name(&one.name) == Some(provider));
    let known = |one: &RequestedProvider| {
        matches!(Provider::from_name(&one.name), Some(P::Runtime | P::Private | P::SampleProfiler))
    };
    if !requested.iter().all(known) {
        return None;
    }
    let runtime = of(P::Runtime)?;
    let (has_private, has_samples) = (of(P::Private).is_some(), of(P::SampleProfiler).is_some());
    let fits = |(keywords, level): (u64, u8)| runtime.keywords & !keywords == 0 && runtime.level <= level;
    let evidence = format!(
        "Only the runtime provider, with keywords {:#x} at level {}. Other tools can use the same settings.",
        runtime.keywords, runtime.level
    );
    if has_private && has_samples && fits(BY_ENVIRONMENT) {
        let words = "The runtime's default session, enabled through DOTNET_EnableEventPipe";
        return Some(conclusion(words, evidence));
    }
    let profile = PROFILES.iter().find(|profile| {
        (profile.has_private, profile.has_samples) == (has_private, has_samples)
            && fits(profile.runtime)
            && (profile.mark == 0 || runtime.keywords & profile.mark != 0)
    })?;
    Some(conclusion(format!("Matches {}", profile.words), evidence))
}

/// Infers whether the session existed when the runtime started.
fn start(store: &Store) -> Option<Conclusion> {
    let started =
        |one: &&EventType| one.known == KnownEvent::RuntimeInformation && one.is_of(Provider::Runtime) && one.count > 0;
    let one = store.types.iter().find(started)?;
    let first = store.types.iter().filter(|one| one.count > 0).map(|one| one.first_ticks).min()?;
    let since = one.first_ticks.saturating_sub(first);
    let is_at_start = since.saturating_mul(START_PART) <= store.header.tick_frequency.max(1);
    is_at_start.then(|| {
        conclusion(
            "Recorded from process start, through DOTNET_EnableEventPipe or a launcher such as \
             dotnet-trace collect -- app",
            "The first events include the runtime's own startup event.",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of};

    fn asked(name: &str, keywords: u64, level: u8) -> RequestedProvider {
        RequestedProvider { name: name.to_owned(), keywords, level, ..RequestedProvider::default() }
    }

    const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";
    const SAMPLES: &str = "Microsoft-DotNETCore-SampleProfiler";

    #[test]
    fn requested_providers_match_recorded_events() {
        let (store, _) = store_of(&[(0, 5, What::Sample(true, vec![1])), (1, 5, What::Order("x", 1))]);
        let found = recording(&store);
        let names: Vec<&str> = found.requested.iter().map(|one| one.name.as_str()).collect();
        assert!(names.contains(&"Orders") && names.contains(&SAMPLES), "{names:?}");
        assert_eq!(found.collectors, [], "nothing shows who recorded it");
        let orders = found.requested.iter().find(|one| one.name == "Orders").expect("the provider");
        assert_eq!((orders.argument().as_str(), orders.events), ("Orders:0x0:4", 1));
    }

    #[test]
    fn profile_with_additional_events_does_not_match() {
        let words = |requested: &[RequestedProvider]| profile(requested).map(|found| found.words);
        let default = [asked(RUNTIME, 0x10_0000_000D, 4), asked(SAMPLES, 0, 4)];
        assert!(words(&default).is_some_and(|words| words.contains("dotnet-sampled-thread-time")));
        let older = [asked(RUNTIME, 0xD, 4), asked(SAMPLES, 0, 4)];
        assert!(words(&older).is_some_and(|words| words.contains("cpu-sampling")));
        let verbose = [asked(RUNTIME, 0x1, 5)];
        assert!(words(&verbose).is_some_and(|words| words.contains("gc-verbose")));
        assert_eq!(words(&[asked(RUNTIME, 0x1, 5), asked("Shop", 0, 4)]), None);
        assert_eq!(words(&[asked(RUNTIME, 0x40, 5)]), None);
        assert_eq!(words(&[asked("Shop", 0, 4)]), None);
    }
}
