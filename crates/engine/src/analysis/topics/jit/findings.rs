//! Findings about the app's threads that spend much time on JIT compilation.

use crate::analysis::intervals::interval_set::IntervalSet;
use crate::analysis::topics::shared::bursts::share_of_time;
use crate::analysis::topics::shared::cost::THREAD_TIME;
use crate::analysis::topics::shared::evidence::{extent, link, open, times};
use crate::analysis::topics::shared::thread_names::{thread_condition, thread_name};
use crate::analysis::topics::{Known, Scope};
use protocol::base::hash::FastMap;
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::format::{counted, duration};
use protocol::tables::code_row;
use protocol::topics::finding::{Cost, Finding, FindingKind, FindingTarget, Narrowing};
use protocol::topics::topic::Topic;
use std::cmp::Reverse;

/// Minimum JIT time of a thread in nanoseconds, and minimum share of the time or of a part of it, for a finding.
const LONG: i64 = 500_000_000;
const SHARE: f64 = 0.2;

/// Methods that one thread compiled because it needed them at once.
#[derive(Default)]
struct Compiled {
    methods: u64,
    nanos: i64,
    until: i64,
    times: Vec<Span>,
}

/// Returns the finding about the thread with the longest JIT time, if too long. `compilations` are the track's
/// intervals by start.
pub fn compiling_heavy(known: &Known<'_>, scope: &Scope<'_>, compilations: &IntervalSet) -> Option<Finding> {
    let mut threads: FastMap<ThreadId, Compiled> = FastMap::default();
    let intervals =
        compilations.intervals().iter().filter(|interval| interval.row == code_row::FOREGROUND && interval.is_whole());
    for interval in intervals.filter(|interval| interval.counts(scope)).map(|interval| interval.within(scope)) {
        let one = threads.entry(interval.thread).or_default();
        // A compilation may need another one inside it, whose time must not count twice.
        let start = interval.start.max(one.until);
        one.methods += 1;
        one.nanos += (interval.end - start).max(0);
        one.until = one.until.max(interval.end);
        one.times.push(Span::new(start, interval.end.max(start)));
    }
    let (thread, most) = threads.into_iter().max_by_key(|(thread, one)| (one.nanos, Reverse(*thread)))?;
    let times_of = most.times.iter().map(|time| (time.start.0, time.duration()));
    let share = share_of_time(scope.span, (SHARE, LONG), most.nanos, times_of)?;
    let methods = counted(most.methods, "method");
    let when = times(most.times);
    let span = extent(&when)?;
    let condition = thread_condition(known.store, thread);
    Some(Finding {
        title: format!("{} spent {} in the JIT", thread_name(known.store, Some(thread)), duration(most.nanos)),
        sentence: format!("JIT compilation took {share}: {methods}."),
        times: when,
        threads: vec![thread],
        links: vec![
            link("Show on timeline", FindingTarget::Timeline(span)),
            link("View JIT-compiled methods", FindingTarget::Narrow(Narrowing::within(condition, span))),
            open(Topic::Jit),
        ],
        advice: "Publish with ReadyToRun or Native AOT.".to_owned(),
        details: "Keep tiered compilation enabled: it shortens startup.".to_owned(),
        ..Finding::new(FindingKind::CompilingHeavy, Cost::time(most.nanos, THREAD_TIME))
    })
}
