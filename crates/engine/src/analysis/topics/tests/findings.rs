//! Tests each finding of the runtime's topics with a trace that has it, and with a similar one that doesn't.

use super::reports::findings;
use crate::analysis::testing::{Happening, RUNTIME, What, runtime, store_of_program};
use nettrace::testing::PayloadWriter;
use protocol::request::SampleChoice;
use protocol::topics::finding::{Finding, FindingKind, FindingTarget};
use protocol::topics::topic::Topic;

const MILLISECOND: i64 = 1_000_000;
const SECOND: i64 = 1_000 * MILLISECOND;

const METHODS: [(&str, &str); 6] = [
    ("System.Threading.ThreadPoolWorkQueue", "Dispatch"),
    ("Shop.Gateway", "Call"),
    ("System.Threading.Tasks.Task", "InternalWait"),
    ("Shop.Prices", "Parse"),
    ("System.Threading.Monitor", "Enter"),
    ("System.Runtime.CompilerServices.TaskAwaiter`1", "GetResult"),
];

fn found(topic: Topic, mut happenings: Vec<Happening>) -> Vec<Finding> {
    happenings.sort_by_key(|(time, ..)| *time);
    let (store, bytes) = store_of_program(&METHODS, &happenings);
    findings(topic, &store, &bytes)
}

fn kinds(topic: Topic, happenings: Vec<Happening>) -> Vec<FindingKind> {
    found(topic, happenings).into_iter().map(|one| one.kind).collect()
}

/// Returns waits of threads 6 and above for the lock that thread 5 owns, each of this duration.
fn waiting_for_a_lock(threads: u64, nanos: i64, stack: &[u64]) -> Vec<Happening> {
    let wait = |thread: u64| {
        let begin = 10 * MILLISECOND + thread as i64;
        let wait = What::WaitForLock { lock: 0x70, owner: 5, stack: stack.to_vec() };
        [(begin, thread, wait), (begin + nanos, thread, What::HaveLock)]
    };
    let begin = (0, 5, What::Sample(true, vec![4]));
    [begin].into_iter().chain((6..6 + threads).flat_map(wait)).chain([(SECOND, 5, What::Order("last", 1))]).collect()
}

#[test]
fn queue_for_lock_is_found() {
    let found = found(Topic::Contention, waiting_for_a_lock(3, 10 * MILLISECOND, &[2, 5]));
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].kind, found[0].cost.value), (FindingKind::LockContention, 30e6));
    assert_eq!(found[0].title, "Lock contention blocked 3 threads for 30.0 ms in total");
    assert_eq!(found[0].sentence, "All of it was on one lock in Gateway.Call.");
    assert_eq!(
        found[0].details,
        "Shop.Gateway.Call() accounts for 100% of the wait time. Threads queued in 1 lock convoy (30.0 ms) at 0.010 s on lock 0x70: \
         up to 3 threads at once in Shop.Gateway.Call()."
    );
    assert_eq!(kinds(Topic::Contention, waiting_for_a_lock(2, 20 * MILLISECOND, &[2, 5])), [], "two do not queue");
    assert_eq!(kinds(Topic::Contention, waiting_for_a_lock(3, 5 * MILLISECOND, &[2, 5])), [], "15 ms are little");
}

#[test]
fn lock_waits_without_queue_or_names_are_found() {
    let one = found(Topic::Contention, waiting_for_a_lock(2, 60 * MILLISECOND, &[]));
    assert_eq!(one.len(), 1);
    assert_eq!((one[0].kind, one[0].cost.value), (FindingKind::LockContention, 120e6));
    assert_eq!(one[0].sentence, "All of it was on lock 0x70.");
    assert_eq!(kinds(Topic::Contention, waiting_for_a_lock(1, 90 * MILLISECOND, &[])), []);
    let convoy_among_others: Vec<Happening> = waiting_for_a_lock(3, 10 * MILLISECOND, &[2, 5])
        .into_iter()
        .chain([
            (300 * MILLISECOND, 20, What::WaitForLock { lock: 0x71, owner: 5, stack: vec![4, 5] }),
            (400 * MILLISECOND, 20, What::HaveLock),
        ])
        .collect();
    let all = found(Topic::Contention, convoy_among_others);
    assert_eq!(all[0].cost.value, 130e6, "all waits, not only those in convoys");
    assert!(
        all[0].sentence.starts_with("77% was on one lock in Prices.Parse; then in Gateway.Call (23%)."),
        "{}",
        all[0].sentence
    );
}

/// Returns a pool whose one worker has this many samples with a stack, every half second, while workers are added with
/// this reason.
fn pool(stack: &[u64], is_managed: bool, reason: u32, samples: i64) -> Vec<Happening> {
    let mut happenings = vec![(0, 5, What::WorkerStart(2)), (MILLISECOND, 9, What::AdjustPool(2, 3))];
    for at in 1..=samples {
        let time = at * SECOND / 2;
        happenings.push((time, 5, What::Sample(is_managed, stack.to_vec())));
        happenings.push((time + 1, 9, What::AdjustPool(2 + at as u32, reason)));
    }
    happenings
}

/// The runtime's reason codes of thread pool adjustments.
const STARVATION: u32 = 6;
const CLIMBING: u32 = 3;

#[test]
fn pool_starved_by_task_waits_is_found() {
    let found = found(Topic::ThreadPool, pool(&[1, 2, 3], false, STARVATION, 4));
    assert_eq!(
        found.iter().map(|one| one.kind).collect::<Vec<_>>(),
        [FindingKind::PoolStarvation, FindingKind::SyncOverAsync]
    );
    assert_eq!(found[0].title, "Thread pool starvation lasted 1.50 s");
    assert_eq!(found[0].sentence, "Workers blocked in Gateway.Call; the pool's target grew from 2 to 6.");
    assert!(
        found[0].details.contains("Workers were blocked for 1.00 s in total, mostly waiting for a task"),
        "{}",
        found[0].details
    );
    assert!(found[1].sentence.starts_with("All of it was in Gateway.Call, "), "{}", found[1].sentence);
    assert!(found[1].details.contains("This starved the thread pool for 1.50 s."), "{}", found[1].details);
    assert!(found[1].title.starts_with("Sync-over-async blocked 1 worker for "), "{}", found[1].title);
    let where_it_waits = found[1].links.iter().find(|link| link.words == "View wait stacks").map(|link| &link.to);
    let Some(FindingTarget::ThreadTime(SampleChoice::Blocked, of)) = where_it_waits else {
        panic!("{where_it_waits:?}")
    };
    assert_eq!(of.condition, "stack:\"Shop.Gateway.Call()\"");
    assert!(found.iter().all(|one| one.threads.len() == 1 && !one.times.is_empty()), "{found:?}");
}

#[test]
fn fix_names_the_call_that_blocks() {
    let fixes = |stack: &[u64]| -> Vec<String> {
        found(Topic::ThreadPool, pool(stack, false, STARVATION, 4)).into_iter().map(|one| one.advice).collect()
    };
    assert_eq!(fixes(&[1, 2, 6, 3]), ["Use await, not .GetResult()."; 2]);
    assert_eq!(fixes(&[1, 2, 3]), ["Use await instead of blocking on tasks."; 2], "the call is inlined");
}

#[test]
fn growing_pool_is_not_starved() {
    assert_eq!(kinds(Topic::ThreadPool, pool(&[1, 4], true, CLIMBING, 4)), [], "it looks for the best number");
    assert_eq!(kinds(Topic::ThreadPool, pool(&[1, 4], true, STARVATION, 4)), [], "its workers work");
    assert_eq!(kinds(Topic::ThreadPool, pool(&[1, 2, 3], false, CLIMBING, 0)), [], "nobody waits");
}

/// Returns this many exceptions, `apart` nanoseconds apart.
fn exceptions(number: i64, apart: i64) -> Vec<Happening> {
    (0..number).map(|at| (at * apart, 5, What::ThrowAt("Shop.Declined", 0x10, vec![1, 2]))).collect()
}

#[test]
fn most_frequent_exception_type_leads() {
    // .NET throws most of them, on stacks without the app's code; one is thrown again.
    let mut all: Vec<Happening> =
        (0..20).map(|at| (at * MILLISECOND, 5, What::ThrowAt("System.IO.IOException", 0x10, vec![3]))).collect();
    all.extend((20..28).map(|at| (at * MILLISECOND, 5, What::ThrowAt("Shop.Declined", 0x10, vec![1, 2]))));
    all.push((27 * MILLISECOND, 5, What::ThrowAt("Shop.Declined", 0x14, vec![1, 2])));
    let found = found(Topic::Exceptions, all);
    assert_eq!(found[0].title, "28 exceptions, 29 throws in 27.0 ms (about 1 ms)");
    assert!(found[0].sentence.starts_with("71% are IOException; "), "{}", found[0].sentence);
    assert!(found[0].sentence.contains("; from app code: Declined (29%)"), "{}", found[0].sentence);
    assert!(found[0].details.contains("8 are Shop.Declined, thrown in Shop.Gateway.Call()."), "{}", found[0].details);
    assert_eq!(found[0].advice, "Find out what closes the file or connection.");
}

#[test]
fn exception_storm_is_found() {
    let found = found(Topic::Exceptions, exceptions(20, 10 * MILLISECOND));
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].kind, found[0].cost.value), (FindingKind::ExceptionStorm, 800e3));
    assert_eq!(found[0].sentence, "All are Declined, thrown in Gateway.Call, starting at 0.000 s.");
    assert!(
        found[0].details.starts_with("20 are Shop.Declined, thrown in Shop.Gateway.Call()."),
        "{}",
        found[0].details
    );
    assert!(found[0].advice.starts_with("Return a result instead of throwing"), "{}", found[0].advice);
    assert_eq!(kinds(Topic::Exceptions, exceptions(19, 10 * MILLISECOND)), []);
    let again = (0..50).map(|at| {
        let flags = if at % 5 == 0 { 0x10 } else { 0x14 };
        (at * MILLISECOND, 5, What::ThrowAt("Shop.Declined", flags, vec![1, 2]))
    });
    assert_eq!(kinds(Topic::Exceptions, again.collect()), [], "ten exceptions, each thrown five times");
    assert_eq!(kinds(Topic::Exceptions, exceptions(100, 100 * MILLISECOND)), [], "ten a second");
}

/// Returns ten methods that a thread compiles within two seconds, each of this duration.
fn compiling(nanos: i64, tier: u32) -> Vec<Happening> {
    let method = |at: i64| {
        let (begin, number) = (at * 100 * MILLISECOND, 70 + at as u64);
        [
            (begin, 5, What::Compile(number, 16, "Shop.Basket", "Total")),
            (begin + nanos, 5, What::Compiled(number, 100, 8 | tier << 7, tier > 3)),
        ]
    };
    (0..10).flat_map(method).chain([(2 * SECOND, 5, What::Order("last", 1))]).collect()
}

#[test]
fn compiling_thread_is_found() {
    let found = found(Topic::Jit, compiling(60 * MILLISECOND, 3));
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].kind, found[0].cost.value), (FindingKind::CompilingHeavy, 600e6));
    assert_eq!(found[0].title, "Thread 5 spent 600 ms in the JIT");
    assert_eq!(kinds(Topic::Jit, compiling(40 * MILLISECOND, 3)), [], "a fifth, but not half a second");
    assert_eq!(kinds(Topic::Jit, compiling(60 * MILLISECOND, 4)), [], "in the background");
    let mut long = compiling(60 * MILLISECOND, 3);
    long.push((600 * SECOND, 5, What::Order("last", 1)));
    let found = self::found(Topic::Jit, long);
    assert_eq!(found.len(), 1, "the rest of ten minutes doesn't matter");
    assert!(
        found[0].sentence.starts_with("JIT compilation took 26% of the time from 0.000 s to 2.3"),
        "{}",
        found[0].sentence
    );
}

/// Returns a GC of generation 2 with this reason and pause in nanoseconds.
fn gc(at: i64, number: u32, reason: u32, nanos: i64) -> [Happening; 5] {
    let started = PayloadWriter::new().u32(number).u32(2).u32(reason).u32(0).u16(0).u64(0);
    [
        (at, 5, What::SuspendBegin(1)),
        (at + 1, 5, What::SuspendEnd),
        (at + 2, 5, runtime(1, 2, started)),
        (at + nanos - 1, 5, What::GcEnd(number)),
        (at + nanos, 5, What::RestartEnd),
    ]
}

/// Returns this many GCs within ten seconds, evenly distributed.
fn gcs(number: u32, reason: u32, nanos: i64) -> Vec<Happening> {
    gcs_every(10 * SECOND / i64::from(number), number, reason, nanos)
}

/// Returns this many GCs at the start of ten seconds.
fn gcs_every(apart: i64, number: u32, reason: u32, nanos: i64) -> Vec<Happening> {
    let of = |one: u32| gc(i64::from(one) * apart, one, reason, nanos);
    (0..number).flat_map(of).chain([(10 * SECOND, 5, What::Order("last", 1))]).collect()
}

/// The runtime's reason codes of GCs.
const SMALL: u32 = 0;
const INDUCED: u32 = 1;
const LARGE: u32 = 4;

#[test]
fn long_or_frequent_gc_pauses_are_found() {
    use FindingKind::{InducedGcs, LargeObjectChurn, LongPause, PauseShare};
    assert_eq!(kinds(Topic::Gc, gcs(1, SMALL, 60 * MILLISECOND)), [LongPause]);
    assert_eq!(kinds(Topic::Gc, gcs(1, SMALL, 40 * MILLISECOND)), []);
    assert_eq!(kinds(Topic::Gc, gcs(50, SMALL, 40 * MILLISECOND)), [PauseShare]);
    assert_eq!(kinds(Topic::Gc, gcs(30, SMALL, 40 * MILLISECOND)), [], "12% of the time");
    let burst = |number: u32| found(Topic::Gc, gcs_every(100 * MILLISECOND, number, SMALL, 40 * MILLISECOND));
    assert_eq!(burst(30).iter().map(|one| one.kind).collect::<Vec<_>>(), [PauseShare], "40% of three seconds");
    assert!(
        burst(30)[0].sentence.starts_with("Pauses took 41% of the time from 0.000 s to 2."),
        "{}",
        burst(30)[0].sentence
    );
    assert_eq!(burst(10), [], "one second is short");
    assert_eq!(kinds(Topic::Gc, gcs(3, INDUCED, MILLISECOND)), [InducedGcs]);
    assert_eq!(kinds(Topic::Gc, gcs(2, INDUCED, MILLISECOND)), []);
    assert_eq!(kinds(Topic::Gc, gcs(5, LARGE, 30 * MILLISECOND)), [LargeObjectChurn]);
    assert_eq!(kinds(Topic::Gc, gcs(4, LARGE, 30 * MILLISECOND)), []);
    assert_eq!(kinds(Topic::Gc, gcs(5, LARGE, MILLISECOND)), [], "they cost nothing");
    let all = found(Topic::Gc, gcs(50, LARGE, 40 * MILLISECOND));
    assert_eq!(all.iter().map(|one| one.kind).collect::<Vec<_>>(), [PauseShare], "one fix, one finding");
    assert_eq!(all[0].advice, "Rent large buffers from ArrayPool<T>.");
    let large =
        "GCs triggered by LOH allocations took 2.00 s of wall time. 50 of 50 GCs were triggered by LOH allocations.";
    assert!(all[0].details.ends_with(large), "{}", all[0].details);
}

#[test]
fn slow_suspension_is_found() {
    let suspending = |at: i64, number: u32, suspend: i64, work: i64| {
        let started = PayloadWriter::new().u32(number).u32(2).u32(SMALL).u32(0).u16(0).u64(0);
        vec![
            (at, 5, What::SuspendBegin(1)),
            (at + suspend, 5, What::SuspendEnd),
            (at + suspend, 5, runtime(1, 2, started)),
            (at + suspend + work, 5, What::GcEnd(number)),
            (at + suspend + work, 5, What::RestartEnd),
        ]
    };
    let last = (10 * SECOND, 5, What::Order("last", 1));
    let paused = |suspend, work| [suspending(0, 1, suspend, work), vec![last.clone()]].concat();
    use FindingKind::{LongPause, SlowSuspension};
    let found = found(Topic::Gc, paused(80 * MILLISECOND, 20 * MILLISECOND));
    assert_eq!(found.iter().map(|finding| finding.kind).collect::<Vec<_>>(), [LongPause], "one fix, one finding");
    assert!(
        found[0].sentence.starts_with("GC #1 at 0.000 s paused the process for 100 ms; suspension took 80%."),
        "{}",
        found[0].sentence
    );
    let of_suspension = "GC suspension took 80.0 ms of wall time. Suspending threads took 80% of pause time; longest: 80.0 ms \
                         (GC #1).";
    assert!(found[0].details.ends_with(of_suspension), "{}", found[0].details);
    assert!(found[0].details.contains("the heap isn't the cause"), "{}", found[0].details);
    let often = (1..3).flat_map(|at| suspending(i64::from(at) * SECOND, at, 40 * MILLISECOND, 5 * MILLISECOND));
    assert_eq!(kinds(Topic::Gc, often.chain([last.clone()]).collect()), [SlowSuspension]);
    assert_eq!(kinds(Topic::Gc, paused(40 * MILLISECOND, 5 * MILLISECOND)), [], "too short");
    assert_eq!(kinds(Topic::Gc, paused(60 * MILLISECOND, 140 * MILLISECOND)), [LongPause], "30%");
}

#[test]
fn busy_finalizer_thread_is_found() {
    let finalized = |objects: u32| {
        let mut happenings = gcs(1, SMALL, MILLISECOND);
        happenings.push((SECOND, 6, runtime(13, 1, PayloadWriter::new().u32(objects).u16(0))));
        happenings
    };
    let found = found(Topic::Gc, finalized(200_000));
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].kind, found[0].cost.value), (FindingKind::FinalizerBacklog, 200_000.0));
    assert!(found[0].sentence.starts_with("One thread ran 19,999 finalizers/s"), "{}", found[0].sentence);
    assert_eq!(kinds(Topic::Gc, finalized(90_000)), [], "9,000 a second");
    let burst = |runs: i64, objects: u32| {
        let mut happenings = finalized(0);
        let run = |at| {
            let time = 2 * SECOND + at * 100 * MILLISECOND;
            (time, 6, runtime(13, 1, PayloadWriter::new().u32(objects).u16(0)))
        };
        happenings.extend((0..runs).map(run));
        self::found(Topic::Gc, happenings)
    };
    let found = burst(20, 4_000);
    assert_eq!(found.len(), 1, "a fifth of the time");
    // A part of the time begins and ends between two runs.
    assert_eq!((found[0].kind, found[0].cost.value), (FindingKind::FinalizerBacklog, 76_000.0));
    assert!(found[0].sentence.contains("/s from 2.0"), "{}", found[0].sentence);
    assert_eq!(burst(20, 900), [], "9,000 a second");
    assert_eq!(burst(2, 40_000), [], "two GCs");
}

#[test]
fn top_allocating_method_is_found() {
    let ticks = |bytes: u64| {
        let payload = PayloadWriter::new().u32(bytes as u32).u32(0).u16(0).u64(bytes).u64(7).utf16("System.String");
        let tick = What::Any(RUNTIME, 10, 4, payload.u32(0).u64(0).u64(24).finish(), vec![1, 2]);
        vec![(0, 5, tick.clone()), (SECOND, 5, tick)]
    };
    let found = found(Topic::Allocations, ticks(40_000_000));
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].kind, found[0].cost.value), (FindingKind::HotAllocations, 80e6));
    assert_eq!(found[0].title, "Gateway.Call allocated 80.0 MB");
    assert_eq!(found[0].sentence, "That is 100% of allocated bytes, 80.0 MB/s, mostly string.");
    assert_eq!(kinds(Topic::Allocations, ticks(20_000_000)), [], "40 MB/s");
}
