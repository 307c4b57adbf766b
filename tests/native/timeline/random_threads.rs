//! Rules of [`super::threads`] for tracks of threads, for any trace and range.

use super::recorded::open;
use super::recorder::{MILLISECOND, Recorder, kind, row};
use super::threads::{ShownThread, check_threads};
use nettrace::testing::PayloadWriter;
use proptest::prelude::*;
use protocol::base::time::Span;
use view::timeline::tracks::thread_rows::StackView;

/// Duration of a trace.
const LENGTH: i64 = 2_000 * MILLISECOND;
/// Number of threads of a trace, all in one process.
const THREADS: u64 = 3;

/// Event or interval on a thread.
#[derive(Clone, Copy, Debug)]
enum Action {
    /// Runs for a duration with a stack.
    Runs(i64, u32),
    /// Has a span of a duration; `None` if the end isn't in the file.
    Spans(Option<i64>),
    /// Waits for a lock.
    Waits(i64),
    /// Throws an exception.
    Throws,
    /// Writes an event.
    Writes,
}

/// Returns durations of all magnitudes.
fn lengths() -> impl Strategy<Value = i64> {
    prop_oneof![Just(0i64), 1..1_000i64, 1_000..MILLISECOND, MILLISECOND..400 * MILLISECOND]
}

fn actions() -> impl Strategy<Value = Vec<(u64, i64, Action)>> {
    let action = prop_oneof![
        4 => (1..60i64, 0..5u32).prop_map(|(samples, stack)| Action::Runs(samples * MILLISECOND, stack)),
        3 => lengths().prop_map(|length| Action::Spans(Some(length))),
        1 => Just(Action::Spans(None)),
        2 => lengths().prop_map(Action::Waits),
        1 => Just(Action::Throws),
        2 => Just(Action::Writes),
    ];
    // Clusters within a millisecond, and distant items.
    let start = prop_oneof![0..LENGTH, 1_000 * MILLISECOND..1_001 * MILLISECOND];
    prop::collection::vec((1..=THREADS, start, action), 1..80)
}

fn trace(actions: &[(u64, i64, Action)]) -> Vec<u8> {
    let mut recorder = Recorder::default();
    recorder.process(1, "shop");
    // Neutral events at both ends, so that every trace has its duration.
    for at in [0, LENGTH] {
        recorder.push(at, 1, kind::RESERVED, PayloadWriter::new().utf16(""));
    }
    for &(thread, at, action) in actions {
        let end = |length: i64| (at + length).min(LENGTH);
        match action {
            Action::Runs(length, stack) => recorder.samples(thread, at, end(length), stack),
            Action::Spans(length) => {
                recorder.push(at, thread, kind::RESERVE_START, PayloadWriter::new().utf16("sku"));
                if let Some(length) = length {
                    recorder.push(end(length), thread, kind::RESERVE_STOP, PayloadWriter::new());
                }
            }
            Action::Waits(length) => {
                let start = PayloadWriter::new().u8(0).u16(0).u64(7).u64(8).u64(9001);
                recorder.push(at, thread, kind::LOCK_START, start);
                let stop = PayloadWriter::new().u8(0).u16(0).f64(length as f64);
                recorder.push(end(length), thread, kind::LOCK_STOP, stop);
            }
            Action::Throws => drop(recorder.thrown(at, thread, "System.TimeoutException", "too late")),
            Action::Writes => drop(recorder.push(at, thread, kind::RESERVED, PayloadWriter::new().utf16("sku"))),
        }
    }
    let rows: Vec<_> = (1..=THREADS).map(|index| row(index, 4127, if index == 1 { "" } else { "worker" })).collect();
    // Stacks with common roots, and one without.
    let stacks = [vec![0x1000], vec![0x2000, 0x1000], vec![0x3000, 0x2000, 0x1000], vec![0x4000, 0x5000]];
    recorder.finish(&rows, &stacks, &[])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_threads_show_exactly_their_items(
        actions in actions(), at in 0.0..1.0f64, share in prop_oneof![Just(1.0), 0.01..1.0f64, 0.000_001..0.01f64]
    ) {
        let mut session = open(trace(&actions));
        let limits = session.summary().user_span;
        let length = ((limits.duration() as f64 * share) as i64).max(1_000);
        let start = limits.start.0 + ((limits.duration() - length) as f64 * at) as i64;
        let shown = ShownThread::busiest(&mut session, StackView::Full, THREADS as usize, THREADS as usize);
        check_threads(&mut session, &shown, &[Span::new(start, start + length)]);
    }
}
