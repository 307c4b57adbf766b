//! Hottest methods: never GC polls or spinning, which count for their callers.

use crate::analysis::testing::{What, store_of_program};
use crate::analysis::tests::reference::recording;
use crate::session::{FileFacts, Session};
use protocol::queries;
use protocol::request::{Filter, FunctionOrder, SampleChoice, TreeQuery, Weight};
use protocol::stacks::shape::Shape;

/// Opens a recording; `None` if it isn't there or is large.
fn session_of(name: &str) -> Option<Session> {
    let recording = recording(name)?;
    Some(Session::new(recording.store, Box::new(recording.bytes), FileFacts::default()).expect("a session"))
}

/// Returns functions with their exclusive times, longest first.
fn hottest(session: &mut Session, shape: Shape, samples: SampleChoice) -> Vec<(String, f64)> {
    let query = TreeQuery { samples, weight: Weight::Time, shape, ..TreeQuery::default() };
    let request = queries::Functions { query, order: FunctionOrder::Exclusive, limit: 12 };
    let table = session.ask(&request).expect("functions");
    table.name.iter().map(str::to_owned).zip(table.exclusive.iter().copied()).collect()
}

fn shape() -> Shape {
    Shape { without_polls: true, ..Shape::default() }
}

#[test]
fn poll_and_spin_time_counts_for_callers() {
    let methods = [
        ("Shop.Program", "Main"),
        ("System.Threading.Thread", "<PollGC>g__PollGCWorker|67_0"),
        ("System.Threading.SpinWait", "SpinOnce"),
        ("System.Threading.Thread", "SpinWait"),
    ];
    let stacks = [vec![1, 2], vec![1, 3, 4], vec![1]];
    let samples = (0..).zip(stacks).map(|(at, stack)| (at * 1_000_000, 5, What::Sample(true, stack)));
    let (store, bytes) = store_of_program(&methods, &samples.collect::<Vec<_>>());
    let mut session = Session::new(store, Box::new(bytes), FileFacts::default()).expect("a session");
    let names = hottest(&mut session, shape(), SampleChoice::All);
    assert_eq!(names, [("Shop.Program.Main()".to_owned(), 2_000_000.0)]);
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn hottest_functions_of_recordings_have_no_polls_or_spinning() {
    for name in ["cpu-net10.nettrace", "web-net9.nettrace", "web-net10.nettrace"] {
        let Some(mut session) = session_of(name) else { continue };
        for shape in [shape(), Shape { just_my_code: true, ..shape() }] {
            let hottest = hottest(&mut session, shape, SampleChoice::Running);
            let is_poll =
                |name: &str| ["PollGC", "SpinWait", "SpinOnce", "SpinWaiter"].iter().any(|one| name.contains(one));
            assert!(hottest.iter().all(|(name, _)| !is_poll(name)), "{name}: {hottest:?}");
            assert!(hottest.first().is_some_and(|(_, nanos)| *nanos > 0.0), "{name}");
        }
    }
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn hottest_functions_can_exclude_the_recorder() {
    let Some(mut session) = session_of("orders-v6.nettrace") else { return };
    let condition = session.summary().without_recorders;
    assert_eq!(condition, "-process=\"record-trace (27)\"");
    let mut names = |query: &str| {
        let filter = Filter { query: query.to_owned(), ..Filter::default() };
        let query = TreeQuery {
            filter,
            samples: SampleChoice::Running,
            weight: Weight::Time,
            shape: shape(),
            ..TreeQuery::default()
        };
        let request = queries::Functions { query, order: FunctionOrder::Exclusive, limit: 1000 };
        let table = session.ask(&request).expect("functions");
        table.name.iter().filter(|name| name.contains("one_collect")).count()
    };
    assert!(names("") > 0);
    assert_eq!(names(&condition), 0);
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn wait_below_folded_code_is_not_exclusive_time() {
    let Some(mut session) = session_of("web-net8.nettrace") else { return };
    let mine = Shape { just_my_code: true, awaits: true, unresolved: true, ..shape() };
    let blocked = hottest(&mut session, mine, SampleChoice::Blocked);
    assert_eq!(blocked[0].0, "Task wait", "{blocked:?}");
    assert!(!blocked.iter().any(|(name, _)| name.contains("Middleware")), "{blocked:?}");
}
