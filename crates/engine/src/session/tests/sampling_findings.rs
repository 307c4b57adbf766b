//! Findings from samples: time without any, and finalizers that run for long.

use crate::analysis::testing::{Happening, What, runtime, store_of, store_of_program};
use crate::session::{FileFacts, Session};
use nettrace::testing::PayloadWriter;
use protocol::queries;
use protocol::request::Filter;
use protocol::topics::finding::{Cost, Finding, FindingKind};

const MILLISECOND: i64 = 1_000_000;

fn of_kind(mut found: Vec<Finding>, kind: FindingKind) -> Vec<Finding> {
    found.retain(|one| one.kind == kind);
    found
}

/// Returns a session's findings about samples of threads, one per millisecond for three seconds, some of which are
/// missing.
fn sampled(threads: u64, is_missing: impl Fn(u64, i64) -> bool) -> Vec<Finding> {
    let at = |at: i64| (0..threads).map(move |thread| (at, thread));
    let happenings: Vec<Happening> = (0..3000)
        .flat_map(at)
        .filter(|(at, thread)| !is_missing(*thread, *at))
        .map(|(at, thread)| (at * MILLISECOND, 5 + thread, What::Sample(true, vec![1])))
        .collect();
    let (store, bytes) = store_of(&happenings);
    let mut session = Session::new(store, Box::new(bytes), FileFacts::default()).expect("a session");
    of_kind(session.ask(&queries::Findings { filter: Filter::default() }).expect("findings"), FindingKind::SamplingGap)
}

#[test]
fn times_without_samples_are_sampler_gaps() {
    let found = sampled(2, |_, at| (500..750).contains(&at));
    assert_eq!(found.iter().map(|one| one.title.as_str()).collect::<Vec<_>>(), ["Nothing recorded for 251 ms"]);
    assert_eq!(sampled(2, |_, at| (500..650).contains(&at)), [], "150 ms");
}

#[test]
fn unsampled_time_of_threads_adds_up() {
    // The sampler is silent three times, each time too short for a gap.
    let is_silent = |_: u64, at: i64| [500..650, 1000..1150, 1500..1650].iter().any(|time| time.contains(&at));
    let found = sampled(3, is_silent);
    assert_eq!(found.len(), 1);
    assert!(found[0].title.ends_with("of thread time"), "{}", found[0].title);
    assert!((found[0].cost.value - 1.3e9).abs() < 0.02e9, "{:?}", found[0].cost);
    let words = "That is 15% of thread time, up to 438 ms per thread (Shop · 5).";
    assert_eq!(found[0].sentence, words);
    assert_eq!(sampled(2, is_silent), [], "0.9 s");
    // The sampler isn't silent while it samples other threads: these have no managed frames.
    let is_absent = |thread: u64, at: i64| (500 + thread as i64 * 500..900 + thread as i64 * 500).contains(&at);
    assert_eq!(sampled(3, is_absent), [], "1.2 s");
}

/// Returns a session's findings about a thread that is sampled for ten seconds, and runs finalizers for `seconds` of
/// them.
fn finalizing(seconds: i64, filter: &Filter) -> Vec<Finding> {
    finalizing_with(("Shop.Connection", "Finalize"), seconds, filter)
}

fn finalizing_with(finalizer: (&str, &str), seconds: i64, filter: &Filter) -> Vec<Finding> {
    let methods = [("System.GC", "RunFinalizers"), finalizer, ("Shop.Program", "Main")];
    let sample = |at: i64| {
        let stack = if at < seconds * 1000 { vec![1, 2] } else { Vec::new() };
        [(at, 5, What::Sample(true, stack)), (at, 6, What::Sample(true, vec![3]))]
    };
    let happenings: Vec<Happening> =
        (0..10_000).flat_map(sample).map(|(at, thread, what)| (at * MILLISECOND, thread, what)).collect();
    let (store, bytes) = store_of_program(&methods, &happenings);
    let mut session = Session::new(store, Box::new(bytes), FileFacts::default()).expect("a session");
    let mut found = session.ask(&queries::Findings { filter: filter.clone() }).expect("findings");
    found.retain(|one| one.kind == FindingKind::FinalizerBacklog);
    found
}

#[test]
fn busy_finalizers_are_found() {
    let all = Filter::default();
    let found = finalizing(2, &all);
    assert_eq!(found.len(), 1);
    assert!((found[0].cost.value - 2e9).abs() < 1e7, "{:?}", found[0].cost);
    assert_eq!(found[0].title, "Finalizers took 2.00 s");
    assert_eq!(found[0].sentence, "All of it was in Connection.Finalize; finalizers ran 20% of the time.");
    assert!(found[0].advice.contains("Dispose"), "{}", found[0].advice);
    assert_eq!(finalizing(0, &all), [], "it waits");
    // The app has no finalizer that could be suppressed.
    let of_pools = finalizing_with(("System.Gen2GcCallback", "Finalize"), 2, &all);
    assert_eq!(of_pools[0].advice, "Reduce gen 2 GCs: they trim array pools.");
    let second = Filter { query: "time:0s..1s".to_owned(), ..Filter::default() };
    assert_eq!(finalizing(2, &second)[0].title, "Finalizers took 1.00 s", "filters count");
    let later = Filter { query: "time:3s..".to_owned(), ..Filter::default() };
    assert_eq!(finalizing(2, &later), []);
}

/// Returns a session's findings about a hundred recorded runs of finalizers in ten seconds, which take this long and are
/// sampled once.
fn finalizing_for(milliseconds: i64) -> Vec<Finding> {
    let methods = [("System.GC", "RunFinalizers"), ("Shop.Connection", "Finalize"), ("Shop.Program", "Main")];
    let begin = || runtime(14, 1, PayloadWriter::new().u16(0));
    let end = || runtime(13, 1, PayloadWriter::new().u32(1).u16(0));
    let mut happenings: Vec<Happening> =
        (0..10_000).map(|at| (at * MILLISECOND, 6, What::Sample(true, vec![3]))).collect();
    for at in (0..100).map(|run| (run * 100 + 50) * MILLISECOND) {
        happenings.extend([(at, 5, begin()), (at, 5, What::Sample(true, vec![1, 2]))]);
        happenings.push((at + milliseconds * MILLISECOND, 5, end()));
    }
    happenings.sort_by_key(|(time, _, _)| *time);
    let (store, bytes) = store_of_program(&methods, &happenings);
    let mut session = Session::new(store, Box::new(bytes), FileFacts::default()).expect("a session");
    let found = session.ask(&queries::Findings { filter: Filter::default() }).expect("findings");
    of_kind(found, FindingKind::FinalizerBacklog)
}

#[test]
fn recorded_runs_of_finalizers_count_instead_of_samples() {
    let found = finalizing_for(10);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].title, "Finalizers took 1.00 s");
    assert_eq!(found[0].sentence, "All of it was in Connection.Finalize; finalizers ran 10% of the time.");
    assert_eq!(finalizing_for(4), [], "0.4 s");
}

/// Returns the cost of forced GCs that pause for 300 ms of a second in total, while this many threads are sampled.
fn paused(threads: u64) -> Cost {
    let started = |number: u32| runtime(1, 2, PayloadWriter::new().u32(number).u32(2).u32(1).u32(0).u16(0).u64(0));
    let mut happenings: Vec<Happening> = Vec::new();
    for at in 0..1000 {
        let time = at * MILLISECOND;
        happenings.extend((0..threads).map(|thread| (time, 5 + thread, What::Sample(true, vec![1]))));
        let number = (at / 250) as u32 + 1;
        match at % 250 {
            100 if number < 4 => happenings.extend([
                (time + 1, 4, What::SuspendBegin(1)),
                (time + 2, 4, What::SuspendEnd),
                (time + 3, 4, started(number)),
            ]),
            200 if number < 4 => {
                happenings.extend([(time + 1, 4, What::GcEnd(number)), (time + 1, 4, What::RestartEnd)]);
            }
            _ => {}
        }
    }
    let (store, bytes) = store_of(&happenings);
    let mut session = Session::new(store, Box::new(bytes), FileFacts::default()).expect("a session");
    let found = session.ask(&queries::Findings { filter: Filter::default() }).expect("findings");
    of_kind(found, FindingKind::InducedGcs).remove(0).cost
}

#[test]
fn gc_pauses_cost_time_of_stopped_threads() {
    let (three, none) = (paused(3), paused(0));
    assert_eq!((three.words.as_str(), three.size().as_str()), ("thread time", "900 ms"));
    assert_eq!((none.words.as_str(), none.size().as_str()), ("wall time", "300 ms"), "no samples");
}
