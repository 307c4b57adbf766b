//! Tests findings about the CPU, from samples to sentences.

use crate::analysis::testing::{Happening, What, store_of_program};
use crate::session::{FileFacts, Session};
use protocol::queries;
use protocol::request::Filter;
use protocol::topics::finding::{Finding, FindingKind, FindingTarget};

const METHODS: [(&str, &str); 15] = [
    ("Shop.Program", "Main"),
    ("Shop.Prices", "Total"),
    ("Shop.Stock", "Count"),
    ("System.Threading.Monitor", "Wait"),
    ("Shop.Mail", "Send"),
    ("Shop.Mail", "Sign"),
    ("Shop.Cart", "Add"),
    ("Shop.Cart", "Sort"),
    ("Shop.Image", "Scale"),
    ("Shop.Image", "Encode"),
    ("System.Array", "Sort"),
    ("System.Threading.Thread", "StartCallback"),
    ("System.Runtime.EH", "RhThrowEx"),
    ("System.Runtime.EH", "DispatchEx"),
    ("System.Diagnostics.Tracing.EventSource", "WriteEvent"),
];

/// Returns the findings about a number of threads that are sampled every millisecond for a second, with a stack for
/// each millisecond.
fn found(threads: u64, stack: impl Fn(i64) -> Vec<u64>) -> Vec<Finding> {
    found_in(threads, (1000, 1_000_000), stack)
}

/// Returns the findings about threads with this many samples each, and this many nanoseconds between them.
fn found_in(threads: u64, (samples, apart): (i64, i64), stack: impl Fn(i64) -> Vec<u64>) -> Vec<Finding> {
    let mut found = all_found(sampled(threads, (samples, apart), stack));
    found.retain(|one| matches!(one.kind, FindingKind::CpuHotSpot | FindingKind::CpuSaturation));
    found
}

/// Returns these samples.
fn sampled(threads: u64, (samples, apart): (i64, i64), stack: impl Fn(i64) -> Vec<u64>) -> Vec<Happening> {
    let sample = |at: i64| (0..threads).map(move |thread| (at, thread));
    let of_thread = |(at, thread): (i64, u64)| (at * apart, 5 + thread, What::Sample(true, stack(at)));
    (0..samples).flat_map(sample).map(of_thread).collect()
}

/// Returns the findings about what happens, in any order.
fn all_found(mut happenings: Vec<Happening>) -> Vec<Finding> {
    happenings.sort_by_key(|(time, ..)| *time);
    let (store, bytes) = store_of_program(&METHODS, &happenings);
    let mut session = Session::new(store, Box::new(bytes), FileFacts::default()).expect("a session");
    session.ask(&queries::Findings { filter: Filter::default() }).expect("findings")
}

#[test]
fn cpu_hot_spot_names_hottest_and_following_methods() {
    let stack = |at: i64| if at % 10 < 6 { vec![1, 2] } else { vec![1, 3] };
    let found = found(1, stack);
    assert_eq!(found.iter().map(|one| one.kind).collect::<Vec<_>>(), [FindingKind::CpuHotSpot]);
    assert_eq!(found[0].title, "Prices.Total used 60% of running time (600 ms)");
    assert_eq!(found[0].sentence, "Its own code and called .NET code took 60%; other methods: Stock.Count (40%).");
    assert_eq!(
        found[0].details,
        "Shop.Prices.Total() ran for 600 ms of 999 ms including callees, 100% of it in its own code and the .NET code it \
         calls."
    );
}

#[test]
fn hot_spot_time_includes_callees_but_not_pass_through_callers() {
    // Main calls Total, which works itself and calls Count.
    let stack = |at: i64| if at % 10 < 6 { vec![1, 2] } else { vec![1, 2, 3] };
    let found = found(1, stack);
    assert_eq!(found[0].title, "Prices.Total used 100% of running time (999 ms)");
    let parts: Vec<(&str, i64)> =
        found[0].parts.iter().map(|part| (part.name.as_str(), (part.share * 100.0).round() as i64)).collect();
    assert_eq!(parts, [("Prices.Total", 60), ("Stock.Count", 40)], "own time, without Main");
    assert_eq!(
        found[0].sentence, "Its own code and called .NET code took 60%; other methods: Stock.Count (40%).",
        "the same numbers"
    );
    assert_eq!(found[0].threads.len(), 1);
}

#[test]
fn cpu_bound_app_without_dominant_method_has_hot_spot() {
    // Each of eight methods has an eighth of the time.
    let stack = |at: i64| vec![1, [2, 3, 5, 6, 7, 8, 9, 10][at as usize % 8]];
    let all_cpus = found(4, stack);
    assert_eq!(all_cpus.iter().map(|one| one.kind).collect::<Vec<_>>(), [FindingKind::CpuHotSpot]);
    assert_eq!(all_cpus[0].parts.len(), 5, "three to five methods");
    assert_eq!(found(1, stack), [], "on one of four CPUs");
}

#[test]
fn waiting_or_balanced_app_has_no_hot_spot() {
    assert_eq!(found(1, |_| vec![1, 4]), [], "it waits");
    assert_eq!(found(1, |at| if at % 10 < 3 { vec![1, 2] } else { vec![1, 2, 4] }), [], "it waits most of the time");
}

#[test]
fn cpu_saturation_is_found() {
    // The trace states that there are four CPUs.
    let kinds = |threads| found(threads, |_| vec![1, 2]).into_iter().map(|one| one.kind).collect::<Vec<_>>();
    assert_eq!(kinds(5), [FindingKind::CpuHotSpot]);
    let many = found(9, |_| vec![1, 2]);
    assert_eq!(many.iter().map(|one| one.kind).collect::<Vec<_>>(), [FindingKind::CpuSaturation], "one problem");
    assert_eq!(many[0].title, "Threads waited 4.99 s for a CPU; Prices.Total ran longest");
    assert_eq!(many[0].sentence, "100% of running time was in Prices.Total.");
    assert!(many[0].details.starts_with("On average 9.00 threads were runnable on 4 CPUs"), "{}", many[0].details);
    assert_eq!(many[0].parts.len(), 1, "the method");
    assert_eq!(many[0].times.len(), 1, "all the time");
    let on_timeline = many[0].links.iter().any(|link| matches!(link.to, FindingTarget::Timeline(_)));
    assert!(on_timeline, "{:?}", many[0].links);
}

#[test]
fn burst_in_a_long_recording_is_found() {
    // The app runs from 4 s to `end` of 20 s, and waits otherwise.
    let until = |threads, end: i64| {
        found_in(threads, (2000, 10_000_000), |at| if (400..end / 10).contains(&at) { vec![1, 2] } else { vec![1, 4] })
    };
    let one = until(1, 8_000);
    assert_eq!(one.iter().map(|one| one.kind).collect::<Vec<_>>(), [FindingKind::CpuHotSpot]);
    assert_eq!(one[0].title, "Prices.Total used 100% of running time (4.00 s)");
    assert!(
        one[0].sentence.starts_with("Its own code and called .NET code took 100%, from 3.9"),
        "{}",
        one[0].sentence
    );
    let [time] = one[0].times[..] else { panic!("{:?}", one[0].times) };
    let near = |at: i64, expected: i64| (at - expected * 1_000_000_000).abs() < 100_000_000;
    assert!(near(time.start.0, 4) && near(time.end.0, 8), "{time:?}");
    assert_eq!(until(1, 5_500), [], "1.5 s are short");
    let many = until(9, 8_000);
    assert_eq!(many.iter().map(|one| one.kind).collect::<Vec<_>>(), [FindingKind::CpuSaturation]);
    assert!(many[0].title.starts_with("Threads waited 19.") || many[0].title.starts_with("Threads waited 20."));
    assert!(many[0].title.ends_with(" for a CPU; Prices.Total ran longest"), "{}", many[0].title);
    assert!(many[0].sentence.contains("was in Prices.Total, from 3.9"), "{}", many[0].sentence);
}

#[test]
fn code_of_dotnet_that_no_app_code_called_can_be_the_hot_spot() {
    // Callers of Sort have no names.
    let found = found(1, |at| if at % 10 < 6 { vec![12, 11] } else { vec![1, 3] });
    assert_eq!(found[0].title, "Array.Sort (.NET) used 60% of running time (600 ms)");
    assert!(found[0].sentence.ends_with("; other methods: Stock.Count (40%)."), "{}", found[0].sentence);
}

/// Six tenths of the running time throw and catch exceptions in Total.
fn throwing(at: i64) -> Vec<u64> {
    if at % 10 < 6 { vec![1, 2, 13, 14] } else { vec![1, 3] }
}

#[test]
fn exceptions_have_the_running_time_of_throwing() {
    let throws = (0..20).map(|at| (at * 10_000_000 + 5, 5, What::ThrowAt("Shop.Declined", 0x10, vec![1, 2])));
    let found = all_found(sampled(1, (1000, 1_000_000), throwing).into_iter().chain(throws).collect());
    let words: Vec<(&str, &str)> = found.iter().map(|one| (one.title.as_str(), one.advice.as_str())).collect();
    let expected = [
        ("20 exceptions; throwing took 600 ms", "Return a result instead of throwing."),
        ("Stock.Count used 40% of running time (399 ms)", "Use a better algorithm or a cache."),
    ];
    assert_eq!(words, expected, "one cost and one fix for each part of the time");
    assert!(found[0].sentence.starts_with("That is 60% of running time. All are Declined"), "{}", found[0].sentence);
    assert_eq!(found[0].cost.words, "running time");
}

#[test]
fn hot_spot_that_throws_has_that_fix_without_exception_events() {
    let found = found(1, throwing);
    assert_eq!(found[0].title, "Prices.Total used 60% of running time (600 ms)");
    assert_eq!(found[0].sentence, "Throwing and catching exceptions took 60%; other methods: Stock.Count (40%).");
    assert_eq!(found[0].advice, "Return a result instead of throwing.");
    // The handler's own work isn't throwing.
    let handling = |at: i64| if at % 10 < 6 { vec![1, 2, 13, 14, 2] } else { vec![1, 3] };
    assert_eq!(self::found(1, handling)[0].advice, "Use a better algorithm or a cache.");
}

#[test]
fn hot_spot_that_writes_events_has_that_fix() {
    let found = found(1, |at| if at % 10 < 6 { vec![1, 2, 15] } else { vec![1, 3] });
    assert_eq!(found[0].title, "Prices.Total used 60% of running time (600 ms)");
    assert_eq!(found[0].sentence, "Writing events took 60%; other methods: Stock.Count (40%).");
    assert_eq!(found[0].advice, "Record with fewer keywords or a lower level.");
}

#[test]
fn shares_of_saturated_cpus_are_of_own_time() {
    // Main calls Total, which calls Count for 40% of its time.
    let found = found(9, |at| if at % 10 < 6 { vec![1, 2] } else { vec![1, 2, 3] });
    assert_eq!(found[0].title, "Threads waited 4.99 s for a CPU; Prices.Total ran longest");
    assert!(found[0].sentence.contains(", 40% in Stock.Count"), "{}", found[0].sentence);
}
