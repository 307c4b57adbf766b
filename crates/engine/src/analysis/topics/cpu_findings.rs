//! Findings about CPU use: hot methods, and more runnable threads than CPUs.

use super::machine_findings::{BUSY_MACHINE, machine_saturation};
use super::shared::bursts::busiest;
use super::shared::call_site::Site;
use super::shared::cost::THREAD_TIME;
use super::shared::evidence::{BusyParts, link, on_timeline};
use super::shared::evidence_text::{evidence, when};
use super::shared::running_part::{RUNNING_TIME, RunningCode};
use super::{Known, Scope};
use crate::analysis::samples::app_functions::app_functions;
use crate::analysis::samples::thread_samples::Sampling;
use crate::analysis::topics::shared::fixes::{FEWER_EVENTS, LIMIT_THREADS, OWN_THROW};
use crate::analysis::topics::shared::groups::ranked;
use crate::model::Store;
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{FunctionId, StackId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::format::{counted, duration, padded, percent};
use protocol::request::SampleChoice;
use protocol::topics::finding::{
    Cost, Finding, FindingKind, FindingLink, FindingPart, FindingTarget, MAX_THREADS, Narrowing,
};
use std::cmp::Reverse;

/// Minimum share of time in which threads run, and minimum nanoseconds, for a finding about a hot method.
const BUSY_SHARE: f64 = 0.5;
const BUSY_LEAST: i64 = 200_000_000;
/// Minimum threads that run, on average, in a part of the time, and minimum nanoseconds there, if threads run less than
/// [`BUSY_SHARE`] of the whole time.
const BURST_SHARE: f64 = 0.8;
const BURST_LEAST: i64 = 2_000_000_000;
/// Minimum share of running time for a hot method. If the app uses this share of all CPUs, the method with the largest
/// share is reported anyway, if it has the second share.
const HOT_SHARE: f64 = 0.2;
const CPU_BOUND_SHARE: f64 = 0.5;
const LEAST_SHARE: f64 = 0.05;
/// Minimum share of its time that a method spends in itself and in framework code that it calls. Others only pass
/// control on: an entry point, or a loop over work items.
const OWN_SHARE: f64 = 0.1;
/// Maximum number of methods listed, and their minimum share.
const METHODS: usize = 5;
const METHOD_SHARE: f64 = 0.02;

/// Minimum runnable threads per CPU, on average, for a finding about saturation.
const RUNNABLE_PER_CPU: f64 = 1.5;
/// Minimum share of lost events for which saturation isn't reported.
const LOST_SHARE: f64 = 0.5;

/// Returns the finding about CPU use. It needs samples with known thread states. A hot method and saturated CPUs are one
/// problem, so one finding has both. A hot method alone doesn't include running time that `others` explain, because they
/// have another fix.
pub fn cpu_findings(known: &Known<'_>, scope: &Scope<'_>, others: &[Finding]) -> Option<Finding> {
    let running = Running::of(known, scope);
    let saturation = running.as_ref().and_then(|running| running.saturation(known));
    let (span, burst) = running.as_ref().map_or((scope.span, None), |running| (running.span, running.burst));
    let saturation = saturation.or_else(|| machine_saturation(known, span, burst));
    let explained: Vec<RunningCode> = others.iter().filter_map(RunningCode::of).collect();
    let hot_spot = running.and_then(|running| {
        let running = if saturation.is_none() { running.without(known, &explained) } else { running };
        running.hot_spot(known, scope)
    });
    let mut finding = match (saturation, hot_spot) {
        (Some(saturation), Some(hot_spot)) => hot_spot.saturating(saturation),
        (Some(saturation), None) => Finding { times: running_times(scope, span, |_| true), ..saturation },
        (None, hot_spot) => hot_spot?.alone(),
    };
    finding.links.extend(on_timeline(&finding.times));
    Some(finding)
}

/// Returns when threads ran some stacks in a part of the scope's time.
fn running_times(scope: &Scope<'_>, span: Span, is_one: impl Fn(StackId) -> bool) -> Vec<Span> {
    let mut parts = BusyParts::new(span);
    for (_, _, start, nanos) in
        scope.time.iter().flat_map(|time| time.running()).filter(|(_, stack, ..)| is_one(*stack))
    {
        parts.add(start, start.saturating_add(nanos));
    }
    parts.times()
}

/// The method that ran for much of the time, with the finding's evidence.
struct HotSpot {
    /// Name without namespace.
    name: String,
    method: Method,
    /// Running time of all methods, in nanoseconds.
    total: i64,
    /// The time in which it ran, if only a part of the time counts.
    burst: Option<Span>,
    /// When it ran.
    times: Vec<Span>,
    /// Methods by their own time: the hot one, then others.
    parts: Vec<FindingPart>,
    threads: Vec<ThreadId>,
    links: Vec<FindingLink>,
    details: String,
}

impl HotSpot {
    /// Returns the share of running time with callees.
    fn share(&self) -> String {
        percent(self.method.inclusive as f64, self.total as f64)
    }

    /// Returns parts of evidence: "; other methods: Stock.Count (12%)", ", Stock.Take (11%)".
    fn next(&self) -> impl Iterator<Item = String> {
        self.parts
            .iter()
            .skip(1)
            .zip(["; other methods: "].into_iter().chain(std::iter::repeat(", ")))
            .map(|(part, before)| format!("{before}{} ({})", part.name, percent(part.share, 1.0)))
    }

    fn alone(self) -> Finding {
        let cost = Cost::time(self.method.inclusive, RUNNING_TIME);
        // Of all running time, as the other methods' shares and those of the list.
        let part = |nanos: i64| percent(nanos as f64, self.total as f64);
        let is_most = |nanos: i64| nanos.saturating_mul(2) > self.method.inclusive;
        let (lead, advice) = if is_most(self.method.throwing) {
            // Without exception events, this is the only finding about them.
            (format!("Throwing and catching exceptions took {}", part(self.method.throwing)), OWN_THROW)
        } else if is_most(self.method.tracing) {
            // Without a flood of one provider, this is the only finding about them.
            (format!("Writing events took {}", part(self.method.tracing)), FEWER_EVENTS)
        } else {
            (
                format!("Its own code and called .NET code took {}", part(self.method.own)),
                "Use a better algorithm or a cache.",
            )
        };
        Finding {
            title: format!("{} used {} of running time ({})", self.name, self.share(), cost.size()),
            sentence: evidence(lead + &when(self.burst), self.next()),
            times: self.times,
            advice: advice.to_owned(),
            details: self.details,
            threads: self.threads,
            parts: self.parts,
            links: self.links,
            ..Finding::new(FindingKind::CpuHotSpot, cost)
        }
    }

    /// Returns the finding about saturated CPUs that names this method. All of its shares are of own time, as in the list
    /// of hottest functions.
    fn saturating(self, saturation: Finding) -> Finding {
        let own = percent(self.method.own as f64, self.total as f64);
        let next = self.parts.get(1).map(|part| (part.name.as_str(), percent(part.share, 1.0)));
        let sentence = match saturation.kind {
            FindingKind::CpuSaturation => {
                let next = next.map(|(name, share)| format!(", {share} in {name}"));
                let lead = format!("{own} of running time was in {}", self.name);
                evidence(lead, next.into_iter().chain([when(self.burst)]))
            }
            _ => evidence(saturation.sentence.trim_end_matches('.'), [format!("; {} used {own}", self.name)]),
        };
        Finding {
            title: format!("{}; {} ran longest", saturation.title, self.name),
            sentence,
            details: [saturation.details, self.details].join(" "),
            times: self.times,
            threads: self.threads,
            parts: self.parts,
            links: self.links,
            ..saturation
        }
    }
}

/// Running time of a method.
#[derive(Clone, Copy, Default)]
struct Method {
    /// Including callees.
    inclusive: i64,
    /// Excluding other methods of the app: its own code, and the .NET code that it calls.
    own: i64,
    /// Throwing and catching exceptions, including callees.
    throwing: i64,
    /// Writing events, including callees.
    tracing: i64,
}

/// Returns the methods that do work, by own time in descending order: a loop over all work calls what takes the time.
fn methods_of(known: &Known<'_>, by_stack: &FastMap<(ThreadId, StackId), i64>) -> Vec<(FunctionId, Method)> {
    let mut of_method: FastMap<FunctionId, Method> = FastMap::default();
    let store = known.store;
    let (mut on_stack, mut sites) = (Vec::new(), known.sites());
    for ((_, stack), nanos) in by_stack {
        let part = |code: RunningCode| if code.ends(store, *stack) { *nanos } else { 0 };
        let (throwing, tracing) = (part(RunningCode::Throwing), part(RunningCode::Tracing));
        app_functions(store, *stack, &mut on_stack);
        if on_stack.is_empty() {
            let Some(function) = sites.framework_method(*stack) else { continue };
            let method = of_method.entry(function).or_default();
            method.inclusive = method.inclusive.saturating_add(*nanos);
            method.own = method.own.saturating_add(*nanos);
        }
        // App code without a frame of its own, run by .NET, doesn't belong to the outer method.
        let innermost = Site::from(sites.code(*stack)).function();
        for (place, function) in on_stack.iter().enumerate() {
            let method = of_method.entry(*function).or_default();
            method.inclusive = method.inclusive.saturating_add(*nanos);
            method.throwing = method.throwing.saturating_add(throwing);
            method.tracing = method.tracing.saturating_add(tracing);
            if place == 0 && innermost == Some(*function) {
                method.own = method.own.saturating_add(*nanos);
            }
        }
    }
    let works = |(_, method): &(FunctionId, Method)| method.own as f64 >= OWN_SHARE * method.inclusive as f64;
    let mut methods: Vec<(FunctionId, Method)> = of_method.into_iter().filter(works).collect();
    sort_by_key(&mut methods, |(function, method)| (Reverse(method.own), *function));
    methods
}

/// Running time by method of the app, and by method of .NET that no app code called.
struct Running {
    /// The scope's time, or the burst in it that counts.
    span: Span,
    burst: Option<Span>,
    /// Methods that do work, by own time in descending order.
    methods: Vec<(FunctionId, Method)>,
    /// Nanoseconds, summed over threads.
    total: i64,
    /// Nanoseconds by thread and stack.
    by_stack: FastMap<(ThreadId, StackId), i64>,
    /// Number of CPUs, if known.
    cpus: Option<u32>,
}

impl Running {
    /// Sums the running time in `scope`; `None` if threads hardly ran.
    fn of(known: &Known<'_>, scope: &Scope<'_>) -> Option<Self> {
        let (store, time) = (known.store, scope.time.as_ref()?);
        let runs =
            |span: Span| time.running().filter(move |(_, _, start, _)| *start >= span.start.0 && *start < span.end.0);
        let any_time = Span::new(i64::MIN, i64::MAX);
        let cpus = store.header.known_processor_count().filter(|cpus| *cpus > 0);
        let total = runs(any_time).map(|(.., nanos)| nanos).fold(0, i64::saturating_add);
        let is_average = |share: f64| total as f64 >= share * scope.span.duration() as f64;
        let is_busy = total >= BUSY_LEAST && is_average(BUSY_SHARE);
        let burst = |share: f64| busiest(scope.span, share, runs(any_time).map(|(.., start, nanos)| (start, nanos)));
        // CPU samples can't show more threads than CPUs.
        let is_of_cpus = known.samples.iter().any(|(_, thread)| thread.kind == Sampling::Processor);
        let per_cpu = if is_of_cpus { BUSY_MACHINE } else { RUNNABLE_PER_CPU };
        let saturated = cpus.filter(|cpus| !is_average(per_cpu * f64::from(*cpus))).and_then(|cpus| {
            let could_run = |span: Span| if is_of_cpus { 0 } else { span.duration().saturating_mul(cpus.into()) };
            let is_long = |(span, nanos): &(Span, i64)| nanos.saturating_sub(could_run(*span)) > BURST_LEAST;
            burst(per_cpu * f64::from(cpus)).filter(is_long)
        });
        let burst = match saturated {
            None if is_busy => None,
            None => Some(burst(BURST_SHARE).filter(|(_, nanos)| *nanos >= BURST_LEAST)?),
            saturated => saturated,
        };
        let burst = burst.map(|(span, _)| span);
        let mut by_stack: FastMap<(ThreadId, StackId), i64> = FastMap::default();
        for (id, stack, _, nanos) in runs(burst.unwrap_or(any_time)) {
            let sum = by_stack.entry((id, stack)).or_default();
            *sum = sum.saturating_add(nanos);
        }
        let total = by_stack.values().copied().fold(0, i64::saturating_add);
        let methods = methods_of(known, &by_stack);
        Some(Self { span: burst.unwrap_or(scope.span), burst, methods, total, by_stack, cpus })
    }

    /// Returns the running time without that of some code. Shares are still those of all running time.
    fn without(mut self, known: &Known<'_>, codes: &[RunningCode]) -> Self {
        if !codes.is_empty() {
            self.by_stack.retain(|(_, stack), _| !codes.iter().any(|code| code.ends(known.store, *stack)));
            self.methods = methods_of(known, &self.by_stack);
        }
        self
    }

    /// Returns the nanoseconds of all CPUs.
    fn capacity(&self) -> Option<f64> {
        self.cpus.map(|cpus| f64::from(cpus) * self.span.duration().max(1) as f64)
    }

    fn hot_spot(&self, known: &Known<'_>, scope: &Scope<'_>) -> Option<HotSpot> {
        let share = |nanos: i64| nanos as f64 / self.total.max(1) as f64;
        let is_cpu_bound = self.capacity().is_some_and(|capacity| self.total as f64 >= CPU_BOUND_SHARE * capacity);
        let least = if is_cpu_bound { LEAST_SHARE } else { HOT_SHARE };
        let (first, method) = self.methods.iter().find(|(_, method)| share(method.inclusive) >= least).copied()?;
        let names = known.site_names();
        let others = self.methods.iter().filter(|(function, _)| *function != first);
        let part = |(site, method): &(FunctionId, Method)| FindingPart {
            name: names.short(Site::of_function(known.store, *site)),
            share: share(method.own),
        };
        let hot = (first, method);
        let parts = std::iter::once(&hot).chain(others).take(METHODS).map(part);
        let site = Site::of_function(known.store, first);
        let of_this = match self.burst {
            Some(span) => Narrowing::within(names.condition(site), span),
            None => Narrowing::to(names.condition(site)),
        };
        let stacks = self.stacks_with(known.store, first);
        Some(HotSpot {
            name: names.short(site),
            method,
            total: self.total,
            burst: self.burst,
            parts: parts.filter(|part| part.share >= METHOD_SHARE).collect(),
            times: running_times(scope, self.span, |stack| stacks.contains(&stack)),
            threads: self.threads_of(&stacks),
            links: vec![
                link("View stacks", FindingTarget::ThreadTime(SampleChoice::Running, of_this)),
                link("View all running stacks", FindingTarget::ThreadTime(SampleChoice::Running, Narrowing::default())),
            ],
            details: format!(
                "{} ran for {} of {} including callees, {} of it in its own code and the .NET code it calls.",
                names.phrase(site),
                duration(method.inclusive),
                duration(self.total),
                percent(method.own as f64, method.inclusive as f64)
            ),
        })
    }

    /// Returns the stacks with a method.
    fn stacks_with(&self, store: &Store, function: FunctionId) -> FastSet<StackId> {
        let has =
            |stack: &StackId| store.stacks.leaf_to_root(*stack).any(|frame| store.frames.function(frame) == function);
        self.by_stack.keys().map(|(_, stack)| *stack).filter(has).collect()
    }

    /// Returns the threads that ran some stacks, by time in descending order.
    fn threads_of(&self, stacks: &FastSet<StackId>) -> Vec<ThreadId> {
        let mut threads: FastMap<ThreadId, i64> = FastMap::default();
        for ((thread, stack), nanos) in &self.by_stack {
            if stacks.contains(stack) {
                let sum = threads.entry(*thread).or_default();
                *sum = sum.saturating_add(*nanos);
            }
        }
        let threads = ranked(threads, |nanos| *nanos);
        threads.into_iter().map(|(thread, _)| thread).take(MAX_THREADS).collect()
    }

    /// Returns the finding that more threads want to run than there are CPUs.
    fn saturation(&self, known: &Known<'_>) -> Option<Finding> {
        let is_wall_clock = known.samples.iter().any(|(_, thread)| thread.kind == Sampling::WallClock);
        // With most samples lost, running times are guesses, and a difference of guesses says nothing.
        let lost = known.store.lost_events.unwrap_or(0);
        let is_lossy = lost as f64 >= LOST_SHARE * (known.store.events.len() as f64 + lost as f64);
        let cpus = self.cpus.filter(|_| is_wall_clock && !is_lossy)?;
        let runnable = self.total as f64 / self.span.duration().max(1) as f64;
        if runnable < RUNNABLE_PER_CPU * f64::from(cpus) {
            return None;
        }
        let waited = self.total.saturating_sub(self.capacity()? as i64).max(0);
        let cost = Cost::time(waited, THREAD_TIME);
        let running = FindingTarget::ThreadTime(SampleChoice::Running, Narrowing::default());
        Some(Finding {
            title: format!("Threads waited {} for a CPU", cost.size()),
            sentence: format!(
                "On average, {} runnable threads shared {}{}.",
                padded(runnable),
                counted(cpus.into(), "CPU"),
                when(self.burst)
            ),
            links: vec![link("View all running stacks", running)],
            advice: LIMIT_THREADS.to_owned(),
            details: format!(
                "On average {} threads were runnable on {} for {}: {} of thread time in total, but the CPUs \
                 could run only {}. The sampler can't distinguish running from waiting for a CPU, so running time \
                 includes the wait.",
                padded(runnable),
                counted(cpus.into(), "CPU"),
                duration(self.span.duration()),
                duration(self.total),
                duration(self.capacity()? as i64)
            ),
            ..Finding::new(FindingKind::CpuSaturation, cost)
        })
    }
}
