//! Floods of exceptions.

use crate::analysis::topics::shared::call_site::{Site, SiteNames};
use crate::analysis::topics::shared::cost::of_exceptions;
use crate::analysis::topics::shared::evidence::{link, times};
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::format::{count, duration, seconds};
use protocol::topics::finding::{Finding, FindingKind, FindingTarget, MAX_THREADS, Narrowing};
use protocol::topics::topic::Topic;
use std::cmp::Reverse;

/// So many exceptions within this time, nanoseconds, are a flood.
const MANY: usize = 20;
const WITHIN: i64 = 1_000_000_000;

/// An exception: its event, time, type, place and thread.
pub struct One<'t> {
    pub event: EventId,
    pub time: i64,
    pub type_name: &'t str,
    pub site: Site,
    pub thread: ThreadId,
}

/// Exceptions, in order of time, of which too many come within a second.
pub fn storm(names: SiteNames<'_>, thrown: &[One<'_>]) -> Option<Finding> {
    let mut in_storm: Vec<bool> = vec![false; thrown.len()];
    let (mut first, mut marked) = (0, 0);
    for last in 0..thrown.len() {
        while thrown[last].time - thrown[first].time >= WITHIN {
            first += 1;
        }
        if last + 1 - first >= MANY {
            in_storm[first.max(marked)..=last].fill(true);
            marked = last + 1;
        }
    }
    let those: Vec<&One<'_>> = thrown.iter().zip(&in_storm).filter(|(_, is_in)| **is_in).map(|(one, _)| one).collect();
    let (name, number) = most(those.iter().map(|one| one.type_name))?;
    let sites = || those.iter().filter(|one| one.type_name == name).map(|one| one.site);
    let (site, _) = most(sites().filter(Site::is_own)).or_else(|| most(sites()))?;
    let (begin, end) = (those.first()?.time, those.last()?.time);
    let leading = those.iter().find(|one| (one.type_name, one.site) == (name, site))?;
    let place = match names.phrase(site).as_str() {
        "" => String::new(),
        place => format!(" in {place}"),
    };
    let mut threads: FastMap<ThreadId, usize> = FastMap::default();
    those.iter().for_each(|one| *threads.entry(one.thread).or_default() += 1);
    let mut threads: Vec<(ThreadId, usize)> = threads.into_iter().collect();
    sort_by_key(&mut threads, |(thread, number)| (Reverse(*number), *thread));
    let threads = threads.into_iter().map(|(thread, _)| thread).take(MAX_THREADS).collect();
    let condition = format!("event=Exception/Start {}", names.condition(site)).trim_end().to_owned();
    let span = Span::new(begin, end + 1);
    let cost = of_exceptions(those.len() as u64);
    let number_in_time = format!("{} in {}", count(those.len() as u64), duration(end - begin));
    Some(Finding {
        title: format!("Exceptions cost {}: {number_in_time}", cost.size()),
        sentence: format!("{} are {name}{place}, starting at {}.", count(number as u64), seconds(begin, 3)),
        times: times(those.iter().map(|one| Span::new(one.time, one.time + 1)).collect()),
        links: vec![
            link("Show on timeline", FindingTarget::Timeline(span)),
            link("Show an example", FindingTarget::Event(leading.event)),
            link("View all from this call site", FindingTarget::Narrow(Narrowing::to(condition))),
            link("Open Exceptions", FindingTarget::Topic(Topic::Exceptions)),
        ],
        threads,
        advice: "Check first instead of catching (TryParse, TryGetValue). Each throw costs tens of \
                 microseconds and a stack walk."
            .to_owned(),
        ..Finding::new(FindingKind::ExceptionStorm, cost)
    })
}

/// What occurs most often, and how often; of several the first in order.
fn most<T: Ord + Eq + std::hash::Hash + Copy>(items: impl Iterator<Item = T>) -> Option<(T, usize)> {
    let mut counts: FastMap<T, usize> = FastMap::default();
    items.for_each(|item| *counts.entry(item).or_default() += 1);
    counts.into_iter().max_by_key(|(item, count)| (*count, Reverse(*item)))
}
