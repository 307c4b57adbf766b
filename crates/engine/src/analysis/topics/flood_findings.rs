//! Findings about providers that flood a trace: they account for most events, and the app pays for writing them.

use super::shared::event_counts::counts_by_type;
use super::shared::evidence::{BusyParts, link, on_timeline};
use super::shared::evidence_text::evidence;
use super::shared::fixes::FEWER_EVENTS;
use super::shared::running_part::{RUNNING_TIME, RunningCode, RunningPart};
use super::{Known, Scope};
use crate::analysis::file::recording::recording;
use crate::analysis::scan::rows::TypeSet;
use crate::analysis::values::payload_text::cut;
use crate::clr::Provider;
use crate::model::{EventType, Store};
use protocol::base::hash::FastMap;
use protocol::base::ids::TypeId;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::filter::word;
use protocol::format::{bytes, count, counted, percent};
use protocol::topics::finding::{Cost, Finding, FindingKind, FindingTarget, Narrowing};
use std::cmp::Reverse;

/// Minimum share and number of events for a provider that floods a trace.
const SHARE: f64 = 0.5;
const LEAST: u64 = 100_000;
/// Level that counters need to be recorded each second.
const COUNTER_LEVEL: u8 = 4;
const COUNTER_INTERVAL: &str = ":EventCounterIntervalSec=1";
/// Maximum characters of a provider's name in the title.
const MAX_NAME: usize = 30;
/// Effect of a flood.
const LOAD: &str = "Writing these events slows down the app and makes losing other events more likely.";

/// Events of a provider, or of one event type of the runtime.
struct Flood<'s> {
    provider: &'s str,
    /// The runtime's event type: the runtime's other events can be recorded without it.
    event: Option<&'s EventType>,
    events: u64,
    bytes: u64,
    /// The most frequent event and its count.
    most: (&'s str, u64),
}

impl Flood<'_> {
    /// Returns when the events were written.
    fn times(&self, store: &Store, scope: &Scope<'_>) -> Vec<Span> {
        let is_one = |one: &EventType| {
            one.provider == self.provider && !one.is_rundown && self.event.is_none_or(|event| one.base == event.base)
        };
        let mut parts = BusyParts::new(scope.span);
        TypeSet::new(store, is_one).for_each_row(store, 0..store.events.len(), |chunk, row| {
            if scope.has(chunk.event_id(row)) {
                let time = store.clock.nanos(chunk.ticks(row)).0;
                parts.add(time, time);
            }
        });
        parts.times()
    }
}

/// Returns the finding about the provider that floods the trace.
pub(super) fn flood_findings(known: &Known<'_>, scope: &Scope<'_>) -> Option<Finding> {
    let store = known.store;
    let counts = counts_by_type(store, &scope.selection, scope.filter);
    let is_counted = |one: &&EventType| !one.is_rundown;
    let count_of = |one: &EventType| counts.get(one.id.index()).copied().unwrap_or(0);
    let all: u64 = store.types.iter().filter(is_counted).map(count_of).sum();
    let flood = flood(store, count_of).filter(|one| one.events >= LEAST && one.events as f64 >= SHARE * all as f64)?;
    // If nothing else was recorded, the user wants these events.
    if flood.event.is_none() && flood.events == all {
        return None;
    }
    let share = percent(flood.events as f64, all as f64);
    let (subject, condition) = match flood.event {
        Some(event) => (
            event.display_name.as_str(),
            format!("provider={} event={}", word(flood.provider), word(&event.display_name)),
        ),
        None => (flood.provider, format!("provider={}", word(flood.provider))),
    };
    let most = match (flood.event, flood.most) {
        (None, (name, events)) if !name.is_empty() => {
            format!(", {} of them {name}", percent(events as f64, flood.events as f64))
        }
        _ => String::new(),
    };
    let (command, times) = (command(store, &flood), flood.times(store, scope));
    let (name, number) = (cut(subject, MAX_NAME), counted(flood.events, "event"));
    let payloads = format!("; payloads take {}", bytes(flood.bytes));
    let (title, sentence, cost) = match RunningPart::of(store, scope, RunningCode::Tracing) {
        Some(writing) => {
            let cost = Cost::time(writing.nanos, RUNNING_TIME);
            let of_running = percent(writing.nanos as f64, writing.running as f64);
            let written = match flood.event {
                Some(_) => format!("{} are {name}", counted(flood.events, "event")),
                None => format!("{name} wrote {number}"),
            };
            let lead = format!("That is {of_running} of running time. {written}");
            let most_of = match flood.event {
                Some(_) => format!("{share} of events are {name}"),
                None => format!("{name} wrote {share} of events"),
            };
            (format!("Writing events took {}; {most_of}", cost.size()), evidence(lead, [most, payloads]), cost)
        }
        None => (
            match flood.event {
                Some(_) => format!("{} ({share})", counted(flood.events, &format!("{name} event"))),
                None => format!("{name} wrote {number} ({share})"),
            },
            evidence(format!("That is {}/s", rate(flood.events, scope)), [most, payloads]),
            Cost::count(flood.events, &format!("of {}", counted(all, "event"))),
        ),
    };
    Some(Finding {
        title,
        sentence,
        links: [
            link("Filter to these events", FindingTarget::Narrow(Narrowing::to(condition.as_str()))),
            link("Exclude these events", FindingTarget::Narrow(Narrowing::to(format!("-({condition})")))),
        ]
        .into_iter()
        .chain(on_timeline(&times))
        .collect(),
        times,
        advice: match (&command, flood.event) {
            (None, _) => FEWER_EVENTS,
            (Some(_), None) => "Record without this provider.",
            (Some(_), Some(_)) => "Record without its keywords.",
        }
        .to_owned(),
        details: [LOAD, command.as_deref().unwrap_or_default()].join(" ").trim_end().to_owned(),
        ..Finding::new(FindingKind::ProviderFlood, cost)
    })
}

fn rate(events: u64, scope: &Scope<'_>) -> String {
    count((events as f64 * 1e9 / scope.span.duration().max(1) as f64) as u64)
}

/// Returns the provider, or the runtime's event type, with the most events apart from samples.
fn flood(store: &Store, count_of: impl Fn(&EventType) -> u64) -> Option<Flood<'_>> {
    let mut providers: FastMap<&str, Flood<'_>> = FastMap::default();
    let mut of_runtime: FastMap<TypeId, Flood<'_>> = FastMap::default();
    for one in store.types.iter().filter(|one| !one.is_rundown && count_of(one) > 0) {
        let events = count_of(one);
        let new = |event| Flood { provider: &one.provider, event, events: 0, bytes: 0, most: ("", 0) };
        let sum = match Provider::from_name(&one.provider) {
            Some(Provider::SampleProfiler | Provider::UniversalEvents | Provider::UniversalSystem) => continue,
            Some(Provider::Runtime) => of_runtime.entry(one.base).or_insert_with(|| new(Some(one))),
            _ => providers.entry(&one.provider).or_insert_with(|| new(None)),
        };
        sum.events += events;
        // If only some events of a type match the filter, count its payload bytes in proportion.
        let part = events as f64 / one.count.max(1) as f64;
        sum.bytes = sum.bytes.saturating_add((one.payload_bytes as f64 * part) as u64);
        if events > sum.most.1 {
            sum.most = (&one.display_name, events);
        }
    }
    let mut all: Vec<Flood<'_>> = providers.into_values().chain(of_runtime.into_values()).collect();
    sort_by_key(&mut all, |one| (Reverse(one.events), one.provider));
    all.into_iter().next()
}

/// Returns the command that records the other events, in a sentence; `None` if there are none.
fn command(store: &Store, flood: &Flood<'_>) -> Option<String> {
    let mut arguments = Vec::new();
    let mut remains = false;
    for mut provider in recording(store).requested {
        if provider.name == flood.provider {
            let Some(event) = flood.event else { continue };
            let keywords = event.record.keywords;
            if provider.keywords & keywords == 0 || provider.keywords & !keywords == 0 {
                // Recording isn't possible without this provider.
                continue;
            }
            provider.keywords &= !keywords;
            remains = true;
        }
        let has_counters = store.types.iter().any(|one| one.provider == provider.name && one.is_counter());
        provider.level = if has_counters { provider.level.max(COUNTER_LEVEL) } else { provider.level };
        let interval = if has_counters { COUNTER_INTERVAL } else { "" };
        arguments.push(format!("{}{interval}", provider.argument()));
    }
    let what = match flood.event {
        Some(_) if remains => "without its keywords",
        _ => "without it",
    };
    let command = || format!("Record {what}: dotnet-trace collect -p PID --providers {}", arguments.join(","));
    (!arguments.is_empty()).then(command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{Happening, What, runtime, store_of};
    use crate::analysis::topics::tests::reports::recording_findings_of;
    use nettrace::testing::PayloadWriter;

    /// Returns the findings for this many events of the app and of the runtime.
    fn found(of_app: i64, of_runtime: i64) -> Vec<Finding> {
        let order = (0..of_app).map(|at| (at * 1_000, 5, What::Order("tea", 1)));
        let pause = (0..of_runtime)
            .map(|at| (of_app * 1_000 + at, 5, runtime(9, 1, PayloadWriter::new().u32(1).u32(0).u16(0))));
        let happenings: Vec<Happening> = order.chain(pause).collect();
        let (store, bytes) = store_of(&happenings);
        let mut found = recording_findings_of(&store, &bytes);
        found.retain(|one| one.kind == FindingKind::ProviderFlood);
        found
    }

    #[test]
    fn provider_with_most_events_is_a_flood() {
        let found = found(120_000, 20_000);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].title.as_str(), found[0].cost.value), ("Orders wrote 120,000 events (86%)", 120_000.0));
        let advice = &found[0].details;
        assert!(advice.contains("--providers Microsoft-Windows-DotNETRuntime:"), "{advice}");
        assert!(!advice.contains("Orders"), "the command is the one without it: {advice}");
        let [time] = found[0].times[..] else { panic!("{:?}", found[0].times) };
        let near = |at: i64, expected: i64| (at - expected).abs() < 1_000_000;
        assert!(near(time.start.0, 0) && near(time.end.0, 120_000_000), "without the runtime's events: {time:?}");
    }

    #[test]
    fn few_or_exclusively_requested_events_are_no_flood() {
        assert_eq!(found(90_000, 10), [], "few");
        assert_eq!(
            found(120_000, 130_000).iter().map(|one| one.title.as_str()).collect::<Vec<_>>(),
            ["130,000 GC/SuspendEEStart events (52%)"]
        );
    }
}
