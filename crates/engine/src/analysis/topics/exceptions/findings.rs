//! Findings about exception storms.

use super::advice::{advice, short_type};
use crate::analysis::topics::shared::call_site::{Code, Site, SiteNames};
use crate::analysis::topics::shared::cost::of_exceptions;
use crate::analysis::topics::shared::evidence::{link, open, times};
use crate::analysis::topics::shared::evidence_text::{evidence, moment, share};
use crate::analysis::topics::shared::groups::ranked;
use crate::analysis::topics::shared::running_part::{RUNNING_TIME, RunningPart};
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, FunctionId, ThreadId};
use protocol::base::time::Span;
use protocol::format::{count, counted, duration, percent};
use protocol::topics::finding::{Cost, Finding, FindingKind, FindingTarget, MAX_THREADS, Narrowing};
use protocol::topics::topic::Topic;
use std::cmp::Reverse;

/// Minimum exceptions for a storm, within this many nanoseconds.
const MANY: usize = 20;
const WITHIN: i64 = 1_000_000_000;

/// An exception event: time, type, thread, and where the exception was first thrown.
pub struct One<'t> {
    pub event: EventId,
    pub time: i64,
    pub type_name: &'t str,
    /// The app's code; unknown if the stack has none.
    pub site: Site,
    /// The .NET method that threw on behalf of the app's code.
    pub framework: Option<FunctionId>,
    /// True if the exception is rethrown.
    pub is_again: bool,
    pub thread: ThreadId,
}

/// Returns the finding about exceptions, in time order, of which too many occur within a second. Rethrows don't count.
/// `throwing` is the running time of throwing and catching, if samples show that it is significant.
pub fn storm(
    names: SiteNames<'_>,
    thrown: &[One<'_>],
    throwing: impl FnOnce() -> Option<RunningPart>,
) -> Option<Finding> {
    let new: Vec<&One<'_>> = thrown.iter().filter(|one| !one.is_again).collect();
    let mut in_storm: Vec<bool> = vec![false; new.len()];
    let (mut first, mut marked) = (0, 0);
    for last in 0..new.len() {
        while new[last].time - new[first].time >= WITHIN {
            first += 1;
        }
        if last + 1 - first >= MANY {
            in_storm[first.max(marked)..=last].fill(true);
            marked = last + 1;
        }
    }
    let those: Vec<&One<'_>> =
        new.into_iter().zip(&in_storm).filter(|(_, is_in)| **is_in).map(|(one, _)| one).collect();
    let (name, number) = most(those.iter().map(|one| one.type_name))?;
    let of_type = || those.iter().filter(|one| one.type_name == name);
    // The app code that called the throwing method, if any.
    let of_framework = |one: &&One<'_>| one.framework.map(|framework| Site::from(Code::Framework(framework)));
    let place_of = |one: &&One<'_>| one.site.known().or_else(|| of_framework(one)).unwrap_or_default();
    let of_app = most(of_type().filter_map(|one| one.site.known()));
    let (site, _) = of_app.or_else(|| most(of_type().map(place_of)))?;
    let (begin, end) = (those.first()?.time, those.last()?.time);
    let leading = of_type().find(|one| place_of(one) == site)?;
    let there = of_type().filter(|one| place_of(one) == site).count();
    let place = match names.short(site).as_str() {
        "" => String::new(),
        place if there == number => format!(", thrown in {place}"),
        place if there * 2 > number => format!(", mostly thrown in {place}"),
        place => format!(", most often thrown in {place}"),
    };
    let phrase = names.phrase(site);
    let condition = format!("event=Exception/Start {}", names.condition(site)).trim_end().to_owned();
    let span = Span::new(begin, end + 1);
    let thrown_then = thrown.iter().filter(|one| (begin..=end).contains(&one.time)).count();
    let again = match thrown_then.saturating_sub(those.len()) {
        0 => String::new(),
        many => {
            let (rethrows, throws) = (counted(many as u64, "rethrow"), counted(thrown_then as u64, "throw"));
            format!(" Including {rethrows}, there were {throws}.")
        }
    };
    let mut threads: FastMap<ThreadId, usize> = FastMap::default();
    those.iter().for_each(|one| *threads.entry(one.thread).or_default() += 1);
    let threads = ranked(threads, |number| *number);
    let threads = threads.into_iter().map(|(thread, _)| thread).take(MAX_THREADS).collect();
    let lead = format!("{} are {}", share(number as f64, those.len() as f64), short_type(name));
    // The most frequent type may be one that .NET throws while it closes connections.
    let of_own_code = || those.iter().filter(|one| one.site.is_some());
    let own = most(of_own_code().map(|one| one.type_name)).filter(|(own, _)| *own != name);
    let (own, own_details) = own.map_or_else(Default::default, |(own, number)| {
        let site = most(of_own_code().filter(|one| one.type_name == own).map(|one| one.site));
        let place = site.map_or_else(String::new, |(site, there)| thrown_in(there, number, &names.phrase(site)));
        let share = percent(number as f64, those.len() as f64);
        (
            format!("; from app code: {} ({share})", short_type(own)),
            format!(" {} are {own}{place}.", count(number as u64)),
        )
    });
    let exceptions = counted(those.len() as u64, "exception");
    let (cost, title, lead, why) = match throwing() {
        Some(part) => {
            let of_running = percent(part.nanos as f64, part.running as f64);
            let why = format!("Threads spent {of_running} of running time throwing and catching exceptions.");
            let cost = Cost::time(part.nanos, RUNNING_TIME);
            let title = format!("{exceptions}; throwing took {}", cost.size());
            (cost, title, format!("That is {of_running} of running time. {lead}"), why)
        }
        None => {
            let why = "Estimate: 40 µs per throw; less on .NET 9 and later.";
            let cost = of_exceptions(thrown_then as u64);
            let throws = match thrown_then > those.len() {
                true => format!(", {}", counted(thrown_then as u64, "throw")),
                false => String::new(),
            };
            let title = format!("{exceptions}{throws} in {} ({})", duration(end - begin), cost.size());
            (cost, title, lead, why.to_owned())
        }
    };
    Some(Finding {
        title,
        sentence: evidence(
            lead,
            [if own.is_empty() { place } else { own }, format!(", starting at {}", moment(begin))],
        ),
        details: format!(
            "{} are {name}{}.{own_details} {why}{again}",
            count(number as u64),
            thrown_in(there, number, if phrase.is_empty() { "unresolved code" } else { &phrase })
        ),
        times: times(those.iter().map(|one| Span::new(one.time, one.time + 1)).collect()),
        links: vec![
            link("Show on timeline", FindingTarget::Timeline(span)),
            link("View first exception", FindingTarget::Event(leading.event)),
            link("View all from this call site", FindingTarget::Narrow(Narrowing::to(condition))),
            open(Topic::Exceptions),
        ],
        threads,
        advice: advice(name, leading.site.is_some() && leading.framework.is_none()),
        ..Finding::new(FindingKind::ExceptionStorm, cost)
    })
}

/// Returns ", thrown in Shop.Stock.Take()", or with a number if only some of the exceptions are.
fn thrown_in(there: usize, of: usize, place: &str) -> String {
    if there == of {
        format!(", thrown in {place}")
    } else {
        format!(", {} of them thrown in {place}", count(there as u64))
    }
}

/// Returns the most frequent item and its count; the first one of several.
fn most<T: Ord + Eq + std::hash::Hash + Copy>(items: impl Iterator<Item = T>) -> Option<(T, usize)> {
    let mut counts: FastMap<T, usize> = FastMap::default();
    items.for_each(|item| *counts.entry(item).or_default() += 1);
    counts.into_iter().max_by_key(|(item, count)| (*count, Reverse(*item)))
}
