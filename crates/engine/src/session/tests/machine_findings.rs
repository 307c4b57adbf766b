//! Findings of machine-wide traces, from CPU samples and context switches to sentences.

use crate::model::testing::read;
use crate::session::{FileFacts, Session};
use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use nettrace::{MetadataRecord, ThreadRow};
use protocol::queries;
use protocol::request::Filter;
use protocol::tables::CpuPart;
use protocol::timeline::thread_state::ThreadState;
use protocol::topics::finding::{Finding, FindingKind};

const MILLISECOND: i64 = 1_000_000;

/// Event on a thread at a time in nanoseconds.
#[derive(Clone, Copy)]
enum What {
    /// CPU sample in a function.
    Sample(Function),
    /// Context switch in a function, with the time off CPU in nanoseconds.
    Switch(Function, u64),
}

/// Functions of the traced process and of the kernel.
#[derive(Clone, Copy)]
enum Function {
    Sell = 1,
    Lock = 2,
    Poll = 3,
    Kernel = 4,
    Paused = 5,
    PausedInLock = 6,
    Slept = 7,
    PoolWorker = 8,
    Allocates = 9,
    AllocatesLarge = 10,
    Forces = 11,
    Preempted = 12,
    Yields = 13,
}

fn text(payload: PayloadWriter, text: &str) -> PayloadWriter {
    payload.u16(text.len() as u16).bytes(text.as_bytes())
}

/// Returns the session of a trace of a machine with two CPUs: time, thread and event.
fn session(happenings: &[(i64, u64, What)]) -> Session {
    const KERNEL: u64 = 0xFFFF_FFFF_8100_0000;
    let header = nettrace::Header {
        sync_ticks: 0,
        tick_frequency: 1_000_000_000,
        processor_count: 2,
        expected_sampling_rate_nanos: MILLISECOND as u32,
        ..Format::Nettrace6.header()
    };
    let mut trace = TraceBuilder::with_header(Format::Nettrace6, &header);
    let named = |metadata_id, provider: &str, event_id, name: &str| MetadataRecord {
        metadata_id,
        provider: provider.to_owned(),
        event_id,
        name: name.to_owned(),
        ..MetadataRecord::default()
    };
    trace.metadata(&[
        named(1, "Universal.System", 0, "ExistingProcess"),
        named(2, "Universal.System", 3, "ProcessMapping"),
        named(3, "Universal.System", 4, "ProcessSymbol"),
        named(4, "Universal.Events", 77, "cpu"),
        named(5, "Universal.Events", 78, "cswitch"),
    ]);
    let row = |index, process, thread| ThreadRow {
        index,
        process_id: Some(process),
        thread_id: Some(thread),
        ..ThreadRow::default()
    };
    trace.threads(&[row(1, 100, 101), row(2, 100, 102), row(3, 0, 0)]);
    trace.stacks(
        1,
        &[
            &[0x1004],
            &[0x1024, 0x1004],
            &[0x1044, 0x1004],
            &[KERNEL + 4, 0x1004],
            &[0x1064, 0x1004],
            &[0x1064, 0x1024, 0x1004],
            &[0x10A4, 0x1084, 0x1004],
            &[0x10A4, 0x10C4, 0x10E4],
            &[0x1104, 0x1124, 0x1004],
            &[0x1104, 0x1124, 0x1144, 0x1004],
            &[0x1104, 0x1164, 0x1004],
            &[KERNEL + 0x24, KERNEL + 0x44, 0x1004],
            &[KERNEL + 0x24, KERNEL + 0x64, 0x1004],
        ],
    );
    let process = text(text(PayloadWriter::new().var_u64(0), "shop"), "Unknown").finish();
    let mapping = |id: u64, start: u64, end: u64, path: &str| {
        text(PayloadWriter::new().var_u64(id).var_u64(start).var_u64(end).var_u64(0), path).var_u64(0).finish()
    };
    let symbol = |mapping: u64, start: u64, name: &str| {
        let last = start + 0x1F;
        text(PayloadWriter::new().var_u64(0).var_u64(mapping).var_u64(start).var_u64(last), name).finish()
    };
    let before = [
        (1, 1, process),
        (1, 2, mapping(1, 0x1000, 0x2000, "/usr/bin/shop")),
        (3, 2, mapping(2, KERNEL, KERNEL + 0x1000, "vmlinux")),
        (1, 3, symbol(1, 0x1000, "sell")),
        (1, 3, symbol(1, 0x1020, "AwareLock::Enter")),
        (1, 3, symbol(1, 0x1040, "epoll_wait")),
        (1, 3, symbol(1, 0x1060, "Thread::RareDisablePreemptiveGC")),
        (1, 3, symbol(1, 0x1080, "SleepEx")),
        (1, 3, symbol(1, 0x10A0, "__futex_abstimed_wait_common")),
        (1, 3, symbol(1, 0x10C0, "CLRLifoSemaphore::WaitForSignal(unsigned int)")),
        (1, 3, symbol(1, 0x10E0, "ThreadpoolMgr::WorkerThreadStart(void*)")),
        (1, 3, symbol(1, 0x1100, "WKS::GCHeap::GarbageCollectGeneration(unsigned int, gc_reason)")),
        (1, 3, symbol(1, 0x1120, "WKS::gc_heap::try_allocate_more_space(alloc_context*)")),
        (1, 3, symbol(1, 0x1140, "WKS::GCHeap::AllocLHeap(unsigned long, unsigned int)")),
        (1, 3, symbol(1, 0x1160, "GCInterface::Collect(int, int)")),
        (3, 3, symbol(2, KERNEL, "do_nap")),
        (3, 3, symbol(2, KERNEL + 0x20, "schedule")),
        (3, 3, symbol(2, KERNEL + 0x40, "irqentry_exit_to_user_mode")),
        (3, 3, symbol(2, KERNEL + 0x60, "__x64_sys_sched_yield")),
    ];
    let mut events: Vec<Event> = Vec::new();
    let mut push = |timestamp, thread, metadata_id, stack_id, payload| {
        let sequence = events.len() as u32 + 1;
        events.push(Event { metadata_id, sequence, thread, timestamp, stack_id, payload, ..Event::default() });
    };
    for (at, (thread, metadata_id, payload)) in (0..).zip(before) {
        push(at, thread, metadata_id, 0, payload);
    }
    for &(time, thread, what) in happenings {
        match what {
            What::Sample(function) => {
                push(time, thread, 4, function as u32, PayloadWriter::new().var_u64(1).finish());
            }
            What::Switch(function, nanos) => {
                push(time, thread, 5, function as u32, PayloadWriter::new().var_u64(nanos).finish());
            }
        }
    }
    trace.events(&events);
    let bytes = trace.finish();
    Session::new(read(&bytes), Box::new(bytes), FileFacts::default()).expect("a session")
}

fn found(happenings: &[(i64, u64, What)], kind: FindingKind) -> Option<Finding> {
    let found = session(happenings).ask(&queries::Findings { filter: Filter::default() }).expect("findings");
    found.into_iter().find(|one| one.kind == kind)
}

/// Returns a sample every millisecond for a second, for each of these threads.
fn busy(threads: &[u64]) -> Vec<(i64, u64, What)> {
    let of_time = |at: i64| threads.iter().map(move |thread| (at * MILLISECOND, *thread, What::Sample(Function::Sell)));
    (1..=1000).flat_map(of_time).collect()
}

#[test]
fn machine_without_free_cpu_is_saturated() {
    let finding = found(&busy(&[1, 2]), FindingKind::MachineSaturation).expect("two of two");
    assert_eq!(finding.title, "2 CPUs were >99.9% busy (2.00 s)");
    assert_eq!(finding.sentence, "shop (100) used 100% of the CPU time.");
    assert_eq!(found(&busy(&[1]), FindingKind::MachineSaturation), None, "one of two");
}

#[test]
fn machine_saturated_for_part_of_time_is_found() {
    let minute = |millis: i64| -> Vec<(i64, u64, What)> {
        let of_time = |at: i64| [1, 2].map(|thread| (at * MILLISECOND, thread, What::Sample(Function::Sell)));
        let last = (60_000 * MILLISECOND, 1, What::Sample(Function::Sell));
        (20_000..20_000 + millis).flat_map(of_time).chain([last]).collect()
    };
    let finding = found(&minute(5_000), FindingKind::MachineSaturation).expect("five seconds of sixty");
    assert!(finding.sentence.starts_with("shop (100) used 100% of the CPU time, from 19."), "{}", finding.sentence);
    assert!((finding.cost.value - 10e9).abs() < 0.01e9, "{:?}", finding.cost);
    assert_eq!(finding.times.len(), 1);
    assert_eq!(found(&minute(900), FindingKind::MachineSaturation), None, "1.8 s of CPU time");
}

#[test]
fn locks_in_off_cpu_stacks_are_found() {
    let waits = |function: Function| -> Vec<(i64, u64, What)> {
        let at = |at: i64| (at * 20 * MILLISECOND, 1, What::Switch(function, 15 * MILLISECOND as u64));
        let end = (250 * MILLISECOND, 2, What::Sample(Function::Sell));
        (1..=10).map(at).chain([end]).collect()
    };
    let finding = found(&waits(Function::Lock), FindingKind::OffCpuLocks).expect("waits for locks");
    assert_eq!(finding.title, "Lock contention took 150 ms of off-CPU thread time");
    assert_eq!(found(&waits(Function::Poll), FindingKind::OffCpuLocks), None, "it has nothing to do");
}

#[test]
fn gc_pauses_in_off_cpu_stacks_are_found() {
    let paused = |nanos: i64| -> Vec<(i64, u64, What)> {
        let at = |at: i64| {
            let time = at * 20 * MILLISECOND;
            [(time, 1, What::Switch(Function::Paused, nanos as u64)), (time, 2, What::Sample(Function::Sell))]
        };
        (1..=10).flat_map(at).chain([(250 * MILLISECOND, 2, What::Sample(Function::Sell))]).collect()
    };
    let finding = found(&paused(15 * MILLISECOND), FindingKind::PauseShare).expect("waits for GCs");
    assert_eq!(finding.title, "GC pauses cost 150 ms of thread time");
    assert_eq!((finding.cost.words.as_str(), finding.threads.len()), ("thread time", 1));
    assert_eq!(finding.sentence, "All of the wait time was in native code (10 waits).");
    assert_eq!(found(&paused(5 * MILLISECOND), FindingKind::PauseShare), None, "50 ms are little");
}

#[test]
fn gc_pauses_name_the_thread_that_triggers_gcs_not_those_that_wait() {
    let paused = |first: Function, second: Function| -> Finding {
        let at = |at: i64| {
            let time = at * 20 * MILLISECOND;
            let does = if at <= 7 { first } else { second };
            [(time, 1, What::Switch(Function::Paused, 15 * MILLISECOND as u64)), (time, 2, What::Sample(does))]
        };
        let happenings: Vec<_> =
            (1..=10).flat_map(at).chain([(250 * MILLISECOND, 2, What::Sample(Function::Sell))]).collect();
        found(&happenings, FindingKind::PauseShare).expect("waits for GCs")
    };
    let large = paused(Function::AllocatesLarge, Function::Allocates);
    assert_eq!(large.sentence, "LOH allocations on Thread 102 triggered 70% of GC time, small objects 30%.");
    assert_eq!(large.advice, "Rent large buffers from ArrayPool<T>.");
    assert!(large.details.contains("All of the wait time was in native code (10 waits)."), "{}", large.details);
    let forced = paused(Function::Forces, Function::Forces);
    assert_eq!(
        (forced.sentence.as_str(), forced.advice.as_str()),
        ("GC.Collect calls on Thread 102 triggered all GC time.", "Remove calls to GC.Collect.")
    );
}

#[test]
fn off_cpu_stacks_show_reason_of_wait() {
    let mut session = session(&[
        (10 * MILLISECOND, 1, What::Sample(Function::Sell)),
        (11 * MILLISECOND, 1, What::Switch(Function::Paused, 5 * MILLISECOND as u64)),
        (17 * MILLISECOND, 1, What::Switch(Function::PausedInLock, 3 * MILLISECOND as u64)),
        (20 * MILLISECOND, 1, What::Sample(Function::Sell)),
        (21 * MILLISECOND, 1, What::Switch(Function::Slept, 7 * MILLISECOND as u64)),
        (29 * MILLISECOND, 1, What::Switch(Function::PoolWorker, 9 * MILLISECOND as u64)),
        (40 * MILLISECOND, 1, What::Sample(Function::Sell)),
    ]);
    let times = session.ask(&queries::RoleTimes { filter: Filter::default() }).expect("times").all();
    let of = |state| times.of(state) / MILLISECOND;
    assert_eq!((of(ThreadState::Gc), of(ThreadState::Lock)), (5, 3));
    assert_eq!((of(ThreadState::Sleep), of(ThreadState::Idle), of(ThreadState::Blocked)), (7, 9, 0));
}

#[test]
fn processes_have_on_and_off_cpu_time() {
    let mut session = session(&[
        (10 * MILLISECOND, 1, What::Sample(Function::Sell)),
        (11 * MILLISECOND, 1, What::Switch(Function::Lock, 5 * MILLISECOND as u64)),
        (16 * MILLISECOND, 1, What::Sample(Function::Kernel)),
        (17 * MILLISECOND, 1, What::Switch(Function::Poll, 3 * MILLISECOND as u64)),
        (20 * MILLISECOND, 1, What::Sample(Function::Sell)),
        (21 * MILLISECOND, 1, What::Switch(Function::Preempted, 4 * MILLISECOND as u64)),
        (26 * MILLISECOND, 1, What::Switch(Function::Yields, 2 * MILLISECOND as u64)),
        (29 * MILLISECOND, 1, What::Sample(Function::Sell)),
    ]);
    let times = session.ask(&queries::RoleTimes { filter: Filter::default() }).expect("times");
    assert_eq!((times.process.get(0), times.process_threads[0]), ("shop (100)", 1));
    let nanos = times.of_process(0);
    let of = |part: CpuPart| nanos[part as usize].expect("recorded") / MILLISECOND;
    assert_eq!((of(CpuPart::Native), of(CpuPart::Kernel), of(CpuPart::Managed)), (3, 1, 0));
    assert_eq!((of(CpuPart::Blocked), of(CpuPart::Runnable), of(CpuPart::Idle)), (5, 6, 3));
    assert_eq!(times.all().of(ThreadState::Ready), 6 * MILLISECOND);
    assert!(times.is_of_cpus());
}
