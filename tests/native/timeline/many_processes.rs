//! Machine-wide trace of a dozen apps, more than are initially expanded. Two threads have only losses: one of an app
//! without other events, and one that isn't declared in the file.

use super::recorded::{ask, open};
use super::recorder::{MILLISECOND, Recorder, check_committed, row};
use protocol::queries;
use protocol::request::{Filter, UNKNOWN_PROCESS};
use protocol::timeline::track::TrackKind;

/// Number of apps with events.
const PROGRAMS: u32 = 12;
/// OS process ID of the first app.
const FIRST: u32 = 5000;
/// Lost events of the two threads without other events.
const LOST: (u32, u32) = (30, 7);

/// Returns the main thread of an app.
fn main_of(program: u32) -> u64 {
    u64::from(program) * 4 + 1
}

/// Returns a trace of two seconds. The first app is the busiest, the last one the least busy.
fn trace() -> Vec<u8> {
    let mut recorder = Recorder::default();
    let mut rows = Vec::new();
    for program in 0..PROGRAMS {
        let (process, main) = (FIRST + program, main_of(program));
        recorder.process(main, &format!("service{}", program + 1));
        rows.push(row(main, process, ""));
        rows.extend((1..3).map(|worker| row(main + worker, process, ".NET TP Worker")));
        let length = i64::from(PROGRAMS - program) * 10 * MILLISECOND;
        for worker in 0..3 {
            for beat in 0..8 {
                let at = beat * 240 * MILLISECOND + worker as i64 * 70 * MILLISECOND;
                recorder.samples(main + worker, at, at + length, 1);
            }
        }
        for number in 1..=program % 3 + 1 {
            let at = i64::from(number) * 400 * MILLISECOND + i64::from(program) * 20 * MILLISECOND;
            recorder.gc(main + 1, at, number, number % 3);
        }
        if program % 2 == 1 {
            recorder.thrown(900 * MILLISECOND, main + 2, "System.TimeoutException", "too late");
        }
    }
    let silent = main_of(PROGRAMS);
    rows.push(row(silent, FIRST + PROGRAMS, ""));
    recorder.finish(&rows, &[vec![0x1000]], &[(silent, LOST.0), (silent + 1, LOST.1)])
}

/// The committed file for browser tests is identical to the trace.
#[test]
fn committed_trace_matches_generator() {
    check_committed("many-processes", &trace());
}

/// Processes are sorted by activity; GCs are per process; lost events of threads without other events belong to no
/// process.
#[test]
fn each_of_a_dozen_processes_has_own_figures() {
    let mut session = open(trace());
    let threads = ask(&mut session, &queries::Threads { filter: Filter::default() });
    let order = view::timeline::track_tree::processes(&threads);
    let order: Vec<u32> = order.into_iter().map(|(process, _)| process).collect();
    assert_eq!(order, (FIRST..FIRST + PROGRAMS).collect::<Vec<_>>());
    let span = session.summary().full_span;
    let mut lost = |processes: Vec<u32>| {
        let filter = Filter { processes, ..Filter::default() };
        let request = queries::Intervals { kind: TrackKind::LostEvents, filter, span, resolution: 0 };
        ask(&mut session, &request).count
    };
    assert_eq!(lost(vec![]), [LOST.0, LOST.1]);
    assert_eq!(lost(vec![UNKNOWN_PROCESS]), [LOST.0, LOST.1]);
    assert!(order.iter().all(|process| lost(vec![*process]).is_empty()));
    for (program, process) in (0..).zip(order) {
        let filter = Filter { processes: vec![process], ..Filter::default() };
        let own = ask(&mut session, &queries::Gcs { filter });
        assert_eq!(own.number.len() as u32, program % 3 + 1, "{process}");
    }
}
