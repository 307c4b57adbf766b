//! Tests that time by state is the same to the nanosecond by role, by thread, on the timeline and in stacks.

use crate::analysis::samples::stack_states::serves;
use crate::analysis::testing::{Happening, What, store_of_program};
use crate::analysis::tests::reference::{recording, recordings_with};
use crate::model::testing::read;
use crate::session::{FileFacts, Session};
use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use nettrace::{MetadataRecord, ThreadRow};
use proptest::prelude::*;
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::queries;
use protocol::request::{Filter, SampleChoice, StackSource, TreeQuery, Weight};
use protocol::stacks::shape::{Roots, Shape};
use protocol::tables::{RoleTimes, StateTimes};
use protocol::timeline::thread_state::{Activity, ThreadState};

fn times(session: &mut Session, filter: &Filter) -> RoleTimes {
    let request = queries::RoleTimes { filter: filter.clone() };
    session.ask(&request).expect("times")
}

/// Returns the total weight of the selected stacks with these roots.
fn stacks(session: &mut Session, filter: &Filter, samples: SampleChoice, roots: Roots) -> i64 {
    let shape = Shape { roots, ..Shape::default() };
    let query = TreeQuery {
        filter: filter.clone(),
        source: StackSource::Samples,
        samples,
        weight: Weight::Time,
        shape,
        baseline: None,
    };
    let request = queries::Flame { query, path: Vec::new(), min_share: 0.0, max_depth: 1 };
    session.ask(&request).expect("boxes").total.first().map_or(0, |total| *total as i64)
}

/// Returns the nanoseconds by state that the timeline shows within a span.
fn timeline(session: &mut Session, span: Span) -> Vec<i64> {
    let threads: Vec<ThreadId> = session.store().threads.iter().map(|thread| thread.id).collect();
    let request = queries::Lanes { threads, span, resolution: 1, max_depth: 0, spans: false };
    let lanes = session.ask(&request).expect("lanes");
    let mut sums = vec![0i64; ThreadState::ALL.len()];
    for row in 0..lanes.state.len() {
        let inside = lanes.state_end[row].min(span.end.0) - lanes.state_start[row].max(span.start.0);
        sums[usize::from(lanes.state[row]) - 1] += inside.max(0);
    }
    sums
}

/// Compares every source of totals for a filter of threads and time.
fn assert_agreement(session: &mut Session, filter: &Filter, about: &str) {
    let table = times(session, filter);
    let all = table.all();
    let by_thread: Vec<StateTimes> = table.thread.iter().map(|thread| table.of_thread(*thread)).collect();
    for state in ThreadState::ALL {
        let threads: i64 = by_thread.iter().map(|times| times.of(state)).sum();
        assert_eq!(threads, all.of(state), "{about}: {state:?} by thread, {filter:?}");
    }
    for (choice, activity) in [
        (SampleChoice::Running, Activity::Running),
        (SampleChoice::Blocked, Activity::Blocked),
        (SampleChoice::Idle, Activity::Idle),
    ] {
        let expected = all.activity(activity);
        for roots in [Roots::None, Roots::Thread] {
            assert_eq!(stacks(session, filter, choice, roots), expected, "{about}: {choice:?}, {roots:?}, {filter:?}");
        }
    }
    assert_eq!(stacks(session, filter, SampleChoice::All, Roots::None), all.known(), "{about}: all, {filter:?}");
    if filter.threads.is_empty() {
        let span = session.store().indexed_span(filter.span);
        let expected: Vec<i64> = ThreadState::ALL.into_iter().map(|state| all.of(state)).collect();
        assert_eq!(timeline(session, span), expected, "{about}: timeline, {filter:?}");
    }
}

/// Asserts that no thread that waits by design was blocked on a task or handle: not in samples, not in events.
fn assert_service_threads_are_not_blocked(session: &mut Session, about: &str) {
    let table = times(session, &Filter::default());
    for thread in session.store().threads.iter().filter(|thread| serves(thread.role)) {
        let blocked = table.of_thread(thread.id.0).of(ThreadState::Blocked);
        assert_eq!(blocked, 0, "{about}: {}", thread.numbered_label());
    }
}

fn session_of(happenings: &[Happening]) -> Session {
    let (store, bytes) = store_of_program(&METHODS, happenings);
    Session::new(store, Box::new(bytes), FileFacts::default()).expect("a session")
}

const METHODS: [(&str, &str); 6] = [
    ("Shop.Program", "Run"),
    ("System.Threading.Monitor", "Enter"),
    ("System.Threading.Tasks.Task", "InternalWait"),
    ("System.Threading.Monitor", "Wait"),
    ("System.Threading.Thread", "Sleep"),
    ("System.Threading.LowLevelLifoSemaphore", "Wait"),
];

/// Generates any event on which states depend.
fn any_event() -> impl Strategy<Value = What> {
    let stack = prop_oneof![
        Just(vec![1]),
        Just(vec![1, 2]),
        Just(vec![1, 3, 4]),
        Just(vec![1, 5]),
        Just(vec![6]),
        Just(Vec::new())
    ];
    prop_oneof![
        (any::<bool>(), stack).prop_map(|(managed, stack)| What::Sample(managed, stack)),
        Just(What::WaitForLock { lock: 7, owner: 6, stack: vec![1, 2] }),
        Just(What::HaveLock),
        any::<bool>().prop_map(|is_monitor| What::WaitForHandle { is_monitor, stack: vec![1, 3, 4] }),
        Just(What::HandleSet),
        Just(What::SuspendBegin(1)),
        Just(What::GcStart(1)),
        Just(What::GcEnd(1)),
        Just(What::RestartEnd),
        Just(What::Compile(1, 10, "Shop.Late", "Compiled")),
        Just(What::Compiled(1, 10, 0, true)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn state_totals_agree_in_any_recording(
        steps in proptest::collection::vec((prop_oneof![1i64..12, 1i64..12, 50i64..400], 5u64..8, any_event()), 1..80),
        start in 0i64..600,
        length in 1i64..600,
    ) {
        let mut time = 0;
        let happenings: Vec<Happening> = steps
            .into_iter()
            .map(|(step, thread, what)| {
                time += step;
                (time, thread, what)
            })
            .collect();
        let mut session = session_of(&happenings);
        let thread = session.store().threads.iter().find(|thread| thread.os_thread == 5).map(|thread| thread.id);
        let ranged = Filter { span: Some(Span::new(start, start + length)), ..Filter::default() };
        for filter in [
            Filter::default(),
            ranged.clone(),
            Filter { threads: thread.into_iter().collect(), ..ranged },
        ] {
            assert_agreement(&mut session, &filter, "any trace");
        }
    }

    #[test]
    fn state_totals_agree_in_any_machine_wide_recording(
        steps in proptest::collection::vec((1i64..400, 1u64..4, any::<bool>(), 1u64..3_000), 1..80),
        start in 0i64..9_000,
        length in 1i64..9_000,
    ) {
        let (store, bytes) = machine(&steps);
        let mut session = Session::new(store, Box::new(bytes), FileFacts::default()).expect("a session");
        let ranged = Filter { span: Some(Span::new(start, start + length)), ..Filter::default() };
        for filter in [Filter::default(), ranged] {
            assert_agreement(&mut session, &filter, "any machine");
        }
    }
}

/// Returns a machine-wide trace of three threads: CPU samples and context switches, each some time after the last.
fn machine(steps: &[(i64, u64, bool, u64)]) -> (crate::model::Store, Vec<u8>) {
    let header = nettrace::Header {
        sync_ticks: 0,
        tick_frequency: 1_000_000_000,
        expected_sampling_rate_nanos: 100,
        ..Format::Nettrace6.header()
    };
    let mut trace = TraceBuilder::with_header(Format::Nettrace6, &header);
    let named = |metadata_id, event_id, name: &str| MetadataRecord {
        metadata_id,
        provider: "Universal.Events".to_owned(),
        event_id,
        name: name.to_owned(),
        ..MetadataRecord::default()
    };
    trace.metadata(&[named(1, 77, "cpu"), named(2, 78, "cswitch")]);
    let row = |index, process, thread| ThreadRow {
        index,
        process_id: Some(process),
        thread_id: Some(thread),
        ..ThreadRow::default()
    };
    trace.threads(&[row(1, 100, 101), row(2, 100, 102), row(3, 200, 201)]);
    trace.stacks(1, &[&[0x1010], &[0x1020, 0x1010]]);
    let mut time = 0;
    let event = |(at, &(step, thread, is_sample, nanos)): (usize, &(i64, u64, bool, u64))| {
        time += step;
        Event {
            metadata_id: if is_sample { 1 } else { 2 },
            sequence: at as u32 + 1,
            thread,
            timestamp: time,
            stack_id: 1 + u32::from(is_sample),
            payload: PayloadWriter::new().var_u64(if is_sample { 1 } else { nanos }).finish(),
            ..Event::default()
        }
    };
    let events: Vec<Event> = steps.iter().enumerate().map(event).collect();
    trace.events(&events);
    let bytes = trace.finish();
    (read(&bytes), bytes)
}

#[test]
fn wait_without_sample_has_stack_of_its_event() {
    let sample = || What::Sample(true, vec![1]);
    let mut session = session_of(&[
        (0, 5, sample()),
        (10, 5, sample()),
        (20, 5, sample()),
        (100, 5, What::WaitForLock { lock: 7, owner: 6, stack: vec![1, 2] }),
        (900, 5, What::HaveLock),
        (1000, 5, sample()),
        (1010, 5, sample()),
    ]);
    let all = times(&mut session, &Filter::default()).all();
    assert_eq!((all.of(ThreadState::Lock), all.of(ThreadState::NotSampled)), (800, 130));
    let query = TreeQuery { samples: SampleChoice::Blocked, weight: Weight::Time, ..TreeQuery::default() };
    let request = queries::Flame { query, path: Vec::new(), min_share: 0.0, max_depth: 9 };
    let flame = session.ask(&request).expect("boxes");
    let name = |at: usize| flame.names.get(flame.name[at] as usize).to_owned();
    assert_eq!(
        (flame.total[0], name(2), flame.inclusive[2]),
        (800.0, "System.Threading.Monitor.Enter()".to_owned(), 800.0)
    );
    assert_eq!(flame.state[1..], [ThreadState::Lock as u8; 2]);
    let half = Filter { span: Some(Span::new(500, 5_000)), ..Filter::default() };
    assert_eq!(stacks(&mut session, &half, SampleChoice::Blocked, Roots::None), 400, "a range takes its part of it");
}

#[test]
fn recorded_wait_for_work_is_idle_time() {
    let wait = |stack: &[u64]| What::WaitForHandle { is_monitor: false, stack: stack.to_vec() };
    let sample = || What::Sample(true, vec![1]);
    let mut session = session_of(&[
        (0, 5, sample()),
        (0, 6, sample()),
        (10, 5, sample()),
        (10, 6, sample()),
        (100, 5, wait(&[6])),
        (100, 6, wait(&[1, 3, 4])),
        (900, 5, What::HandleSet),
        (900, 6, What::HandleSet),
        (1000, 5, sample()),
        (1000, 6, sample()),
    ]);
    let all = times(&mut session, &Filter::default()).all();
    assert_eq!((all.of(ThreadState::Idle), all.of(ThreadState::Blocked)), (800, 800));
    assert_eq!(stacks(&mut session, &Filter::default(), SampleChoice::Idle, Roots::None), 800);
    let thread = session.store().threads.iter().find(|thread| thread.os_thread == 5).expect("a thread").id;
    let query = queries::RanOnThread { thread, span: Span::new(0, 1_000), limit: 5 };
    let ran = session.ask(&query).expect("an answer");
    assert_eq!(ran.waits, [0], "it waited for nothing that it needed");
    assert_agreement(&mut session, &Filter::default(), "waits for work");
}

/// A machine-wide trace with events of the runtime, without context switches.
#[test]
fn lock_wait_of_runtime_event_is_off_cpu_time() {
    let bytes = include_bytes!("../../../../../tests/fixtures/cases/v6-dotnet-version.nettrace").to_vec();
    let mut session = Session::new(read(&bytes), Box::new(bytes), FileFacts::default()).expect("a session");
    let table = times(&mut session, &Filter::default());
    assert_eq!((table.all().of(ThreadState::Managed), table.all().of(ThreadState::Lock)), (5_000_000, 5_500_000));
    assert!(table.is_of_cpus() && !table.has_switches());
    assert_agreement(&mut session, &Filter::default(), "a lock wait");
}

#[test]
fn idle_time_is_one_leaf() {
    let sample = |stack: &[u64]| What::Sample(false, stack.to_vec());
    let mut session = session_of(&[
        (0, 5, sample(&[1, 2])),
        (10, 5, sample(&[6])),
        (20, 5, sample(&[6])),
        (30, 5, sample(&[1, 5])),
        (40, 5, sample(&[1, 2])),
    ]);
    let query = TreeQuery { weight: Weight::Time, ..TreeQuery::default() };
    let request = queries::Flame { query, path: Vec::new(), min_share: 0.0, max_depth: 9 };
    let flame = session.ask(&request).expect("boxes");
    let row = |at: usize| {
        let name = flame.names.get(flame.name[at] as usize).to_owned();
        (name, flame.depth[at], flame.inclusive[at], (flame.left[at], flame.right[at]))
    };
    assert_eq!(flame.total, [40.0]);
    let idle = flame.node.len() - 1;
    assert_eq!(row(idle), ("Idle".to_owned(), 1, 30.0, (0.25, 1.0)));
    assert_eq!(row(1), ("Shop.Program.Run()".to_owned(), 1, 10.0, (0.0, 0.25)));
    assert_eq!(flame.state[idle], ThreadState::Idle as u8);
}

/// Also the recordings of cases.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn state_totals_agree_in_all_recordings() {
    let mut names = recordings_with(".nettrace");
    names.extend(recordings_with(".nettrace.zst"));
    names.push("orders-net21.netperf".to_owned());
    names.extend(["cases/latesampler.nettrace", "cases/v6-dotnet-version.nettrace"].map(str::to_owned));
    names.sort();
    names.dedup();
    let mut known = 0;
    for name in names {
        let Some(recording) = recording(&name) else { continue };
        let mut session =
            Session::new(recording.store, Box::new(recording.bytes), FileFacts::default()).expect("a session");
        let whole = session.store().indexed_span(None);
        let third = whole.duration() / 3;
        let middle = Span::new(whole.start.0 + third, whole.end.0 - third);
        for filter in [Filter::default(), Filter { span: Some(middle), ..Filter::default() }] {
            assert_agreement(&mut session, &filter, &name);
        }
        assert_service_threads_are_not_blocked(&mut session, &name);
        known += i64::from(times(&mut session, &Filter::default()).all().known() > 0);
    }
    assert!(known > 5, "{known} recordings have samples");
}
