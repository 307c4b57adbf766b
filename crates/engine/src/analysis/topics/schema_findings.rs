//! Findings about events that differ from their declarations: payloads that don't match their schemas, and starts
//! without stops.

use super::shared::event_counts::counts_by_type;
use super::shared::evidence::link;
use super::{Known, Scope};
use crate::analysis::values::payload_text::cut;
use crate::clr::Provider;
use crate::model::EventType;
use protocol::base::hash::FastMap;
use protocol::base::sort::sort_by_key;
use protocol::filter::word;
use protocol::format::{count, counted, percent};
use protocol::request::Filter;
use protocol::topics::finding::{Cost, Finding, FindingKind, FindingLink, FindingTarget, Narrowing};
use std::cmp::Reverse;

/// Maximum number of event types named.
const NAMED: usize = 3;
/// Minimum difference between starts and stops, and minimum share, for a finding. A few are normal where a trace begins
/// or ends.
const UNPAIRED: u64 = 20;
const UNPAIRED_SHARE: f64 = 0.25;
/// Maximum characters of a provider's or event's name.
const MAX_NAME: usize = 40;

/// Returns all findings about schemas.
pub(super) fn schema_findings(known: &Known<'_>, scope: &Scope<'_>) -> Vec<Finding> {
    let counts = counts_by_type(known.store, &scope.selection, scope.filter);
    let count_of = |one: &EventType| counts.get(one.id.index()).copied().unwrap_or(0);
    let unpaired = (scope.filter == &Filter::default()).then(|| unpaired(known, count_of)).flatten();
    misfits(known, count_of).into_iter().chain(unpaired).collect()
}

/// Returns provider and event: "Shop/OrderPlaced".
fn name_of(provider: &str, event: &str) -> String {
    format!("{}/{}", cut(provider, MAX_NAME), cut(event, MAX_NAME))
}

fn filter_link(provider: &str, event: &str) -> FindingLink {
    let condition = format!("provider={} event={}", word(provider), word(event));
    link(&format!("Filter to {}", cut(event, MAX_NAME)), FindingTarget::Narrow(Narrowing::to(condition)))
}

/// Returns whether events come from a tracepoint of the Linux kernel; their payloads begin alike.
fn is_tracepoint(event_type: &EventType) -> bool {
    event_type.schema.fields.first().is_some_and(|field| field.name == "common_type")
}

/// Returns the finding about payloads that are longer or shorter than their schema, or unreadable.
fn misfits(known: &Known<'_>, count_of: impl Fn(&EventType) -> u64) -> Option<Finding> {
    // The runtime's own payloads match unless bytes of the file were changed, which is another finding.
    let is_damaged = known.store.unreadable.is_any();
    let is_excused = |one: &EventType| is_damaged && Provider::from_name(&one.provider).is_some();
    let is_misfit = |one: &&EventType| !one.fit.is_exact() && count_of(one) > 0 && !is_excused(one);
    let mut types: Vec<&EventType> = known.store.types.iter().filter(is_misfit).collect();
    sort_by_key(&mut types, |one| (Reverse(count_of(one)), one.id));
    let events: u64 = types.iter().map(|one| count_of(one)).sum();
    let number = counted(events, "event");
    let title = match types.as_slice() {
        [] => return None,
        [one] => format!("{} ({number}) doesn't match its schema", cut(&one.display_name, MAX_NAME / 2)),
        many => format!("{} event types ({number}) don't match their schemas", count(many.len() as u64)),
    };
    let words =
        |one: &&EventType| format!("{} payloads are {}", name_of(&one.provider, &one.display_name), one.fit_words());
    let mut named: Vec<String> = types.iter().take(NAMED).map(words).collect();
    if types.len() > NAMED {
        named.push(format!("and {} more", count((types.len() - NAMED) as u64)));
    }
    let cost_words = match (events, types.len()) {
        (1, _) => "event of this type",
        (_, 1) => "events of this type",
        _ => "events of these types",
    };
    Some(Finding {
        title,
        sentence: types.first().map_or_else(String::new, |one| {
            format!("{} payloads are {}.", cut(&one.display_name, MAX_NAME), one.fit_words())
        }),
        links: types.iter().take(NAMED).map(|one| filter_link(&one.provider, &one.display_name)).collect(),
        advice: match types.iter().all(|one| is_tracepoint(one)) {
            true => "Decode these kernel events from their raw bytes.",
            false => "Pass WriteEvent arguments of exactly the declared types.",
        }
        .to_owned(),
        details: format!(
            "{}. Fields of these events can be missing or wrong. {}",
            named.join("; "),
            match types.iter().all(|one| is_tracepoint(one)) {
                true => "The recorder declares wrong sizes for these kernel events.",
                false => "Increase the event's Version whenever its parameters change.",
            }
        ),
        ..Finding::new(FindingKind::PayloadMisfit, Cost::count(events, cost_words))
    })
}

/// The start and stop events of an activity.
#[derive(Default)]
struct Pair<'s> {
    starts: u64,
    stops: u64,
    start_name: &'s str,
    stop_name: &'s str,
}

impl Pair<'_> {
    /// Returns the minimum number of starts or stops without a counterpart.
    fn missing(&self) -> u64 {
        self.starts.abs_diff(self.stops)
    }

    fn is_broken(&self) -> bool {
        // An event that is never declared isn't a counterpart: a name alone proves little.
        let are_both_known = !self.start_name.is_empty() && !self.stop_name.is_empty();
        let most = self.starts.max(self.stops) as f64;
        are_both_known && self.missing() >= UNPAIRED && self.missing() as f64 >= UNPAIRED_SHARE * most
    }
}

/// Returns the finding about starts or stops of event sources without a counterpart.
fn unpaired(known: &Known<'_>, count_of: impl Fn(&EventType) -> u64) -> Option<Finding> {
    let mut pairs: FastMap<(&str, &str), Pair<'_>> = FastMap::default();
    // The runtime's own events are paired by their analyses.
    let of_sources = known.store.types.iter().filter(|one| Provider::from_name(&one.provider).is_none());
    for one in of_sources {
        let name = one.display_name.as_str();
        if let Some(stem) = name.strip_suffix("Start") {
            let pair = pairs.entry((&one.provider, stem)).or_default();
            (pair.starts, pair.start_name) = (pair.starts + count_of(one), name);
        } else if let Some(stem) = name.strip_suffix("Stop") {
            let pair = pairs.entry((&one.provider, stem)).or_default();
            (pair.stops, pair.stop_name) = (pair.stops + count_of(one), name);
        }
    }
    let mut pairs: Vec<((&str, &str), Pair<'_>)> = pairs.into_iter().filter(|(_, pair)| pair.is_broken()).collect();
    sort_by_key(&mut pairs, |(of, pair)| (Reverse(pair.missing()), *of));
    let missing: u64 = pairs.iter().map(|(_, pair)| pair.missing()).sum();
    let ((provider, _), first) = pairs.first()?;
    let words = |((provider, _), pair): &((&str, &str), Pair<'_>)| {
        let (name, other, of) = match pair.starts > pair.stops {
            true => (pair.start_name, "stop", pair.starts),
            false => (pair.stop_name, "start", pair.stops),
        };
        format!(
            "{} of {} {} events ({}) have no {other}",
            count(pair.missing()),
            count(of),
            name_of(provider, name),
            percent(pair.missing() as f64, of as f64)
        )
    };
    let mut named: Vec<String> = pairs.iter().take(NAMED).map(words).collect();
    if pairs.len() > NAMED {
        named.push(format!("and {} more", counted((pairs.len() - NAMED) as u64, "event type")));
    }
    let lost = match known.store.lost_events {
        Some(lost) if lost > 0 => " Some may be among the lost events.",
        _ => "",
    };
    let (end, other) = if first.starts > first.stops { ("start", "stop") } else { ("stop", "start") };
    let sentence = match pairs.len() {
        1 => {
            let (name, of) = if first.starts > first.stops {
                (first.start_name, first.starts)
            } else {
                (first.stop_name, first.stops)
            };
            let share = percent(first.missing() as f64, of as f64);
            format!("That is {share} of {} events.", name_of(provider, name))
        }
        _ => format!("{}.", words(pairs.first()?)),
    };
    let named = if pairs.len() > 1 { format!("{}. ", named.join("; ")) } else { String::new() };
    let title = match pairs.len() {
        1 if missing == 1 => format!("1 {end} event has no {other}"),
        1 => format!("{} {end} events have no {other}", count(missing)),
        _ => format!("{} start and stop events are unpaired", count(missing)),
    };
    Some(Finding {
        title,
        sentence,
        links: vec![filter_link(provider, if first.starts > first.stops { first.start_name } else { first.stop_name })],
        advice: match first.starts > first.stops {
            true => "Write the Stop event in a finally block.",
            false => "Write the Start event before code that can fail.",
        }
        .to_owned(),
        details: format!("{named}Their durations are unknown.{lost} Record both with the same keywords and level."),
        ..Finding::new(FindingKind::UnpairedEvents, Cost::count(missing, "unpaired events"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::topics::tests::activity_traces::ActivityTrace;
    use crate::analysis::topics::tests::activity_traces::FieldValue::Int;
    use crate::analysis::topics::tests::reports::recording_findings_of;
    use crate::model::testing::read;

    fn kinds_of(found: &[Finding]) -> Vec<FindingKind> {
        let of_schema = |kind: &FindingKind| matches!(kind, FindingKind::PayloadMisfit | FindingKind::UnpairedEvents);
        found.iter().map(|one| one.kind).filter(of_schema).collect()
    }

    #[test]
    fn misfitting_payloads_are_named_by_event_type() {
        let bytes = include_bytes!("../../../../../tests/fixtures/cases/misfit.nettrace").to_vec();
        let found = recording_findings_of(&read(&bytes), &bytes);
        assert_eq!(kinds_of(&found), [FindingKind::PayloadMisfit]);
        let misfit = found.iter().find(|one| one.kind == FindingKind::PayloadMisfit).expect("the finding");
        assert_eq!(misfit.title, "3 event types (3 events) don't match their schemas");
        assert!(misfit.details.contains("Longer payloads are 4 bytes longer than declared"), "{}", misfit.details);
        let whole = include_bytes!("../../../../../tests/fixtures/cases/counters.nettrace").to_vec();
        assert_eq!(kinds_of(&recording_findings_of(&read(&whole), &whole)), []);
    }

    /// Returns the findings for this many start and stop events.
    fn jobs(starts: i64, stops: i64) -> Vec<Finding> {
        let mut trace = ActivityTrace::default();
        for at in 0..starts {
            trace.event(at * 10, 1, "", ("Shop", "JobStart"), &[("id", Int(1))]);
        }
        for at in 0..stops {
            trace.event(starts * 10 + at * 10, 1, "", ("Shop", "JobStop"), &[("id", Int(1))]);
        }
        let (store, bytes) = trace.finish();
        recording_findings_of(&store, &bytes)
    }

    #[test]
    fn many_starts_without_stops_are_found() {
        let found = jobs(50, 10);
        assert_eq!(kinds_of(&found), [FindingKind::UnpairedEvents]);
        let unpaired = found.iter().find(|one| one.kind == FindingKind::UnpairedEvents).expect("the finding");
        assert_eq!((unpaired.title.as_str(), unpaired.cost.value), ("40 start events have no stop", 40.0));
        assert!(unpaired.sentence.starts_with("That is 80% of Shop/JobStart events."), "{}", unpaired.sentence);
        assert_eq!(kinds_of(&jobs(10, 50)), [FindingKind::UnpairedEvents], "stops without starts");
        assert_eq!(kinds_of(&jobs(50, 40)), [], "ten may run at the end");
        assert_eq!(kinds_of(&jobs(50, 0)), [], "nobody says that they end");
    }
}
