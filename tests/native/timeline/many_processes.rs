//! A machine on which a dozen programs run: more than are open at first. And two threads of which nothing but a loss is
//! known: one of a program that wrote nothing else, one that no part of the file describes.

use super::recorded::{ask, open};
use super::recorder::{MILLISECOND, Recorder, check_committed, row};
use protocol::Request;
use protocol::request::{Filter, UNKNOWN_PROCESS};
use protocol::tables::{Gcs, Intervals, Threads};
use protocol::timeline::track::TrackKind;

/// Programs with events.
const PROGRAMS: u32 = 12;
/// The operating system's id of the first.
const FIRST: u32 = 5000;
/// Events that the two silent threads lost.
const LOST: (u32, u32) = (30, 7);

/// The first thread of a program.
fn main_of(program: u32) -> u64 {
    u64::from(program) * 4 + 1
}

/// The trace: two seconds. The first program does most, the last one least.
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

/// The file that the page is tested with holds what is written above.
#[test]
fn the_committed_trace_is_the_one_that_is_made_here() {
    check_committed("many-processes", &trace());
}

/// The processes come by what they do; collections are each one's own; what is lost belongs to none of them.
#[test]
fn each_of_a_dozen_processes_has_its_own_figures() {
    let mut session = open(trace());
    let threads = ask(&mut session, &Request::Threads { filter: Filter::default() }, Threads::unpack);
    let order = view::timeline::track_tree::processes(&threads);
    let order: Vec<u32> = order.into_iter().map(|(process, _)| process).collect();
    assert_eq!(order, (FIRST..FIRST + PROGRAMS).collect::<Vec<_>>());
    let span = session.summary().full_span;
    let mut lost = |processes: Vec<u32>| {
        let filter = Filter { processes, ..Filter::default() };
        let request = Request::Intervals { kind: TrackKind::LostEvents, filter, span, resolution: 0 };
        ask(&mut session, &request, Intervals::unpack).count
    };
    assert_eq!(lost(vec![]), [LOST.0, LOST.1]);
    assert_eq!(lost(vec![UNKNOWN_PROCESS]), [LOST.0, LOST.1]);
    assert!(order.iter().all(|process| lost(vec![*process]).is_empty()));
    for (program, process) in (0..).zip(order) {
        let filter = Filter { processes: vec![process], ..Filter::default() };
        let own = ask(&mut session, &Request::Gcs { filter }, Gcs::unpack);
        assert_eq!(own.number.len() as u32, program % 3 + 1, "{process}");
    }
}
