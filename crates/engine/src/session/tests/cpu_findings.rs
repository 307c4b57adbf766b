//! Findings about what runs, from samples to sentences.

use crate::analysis::testing::{Happening, What, store_of_program};
use crate::session::{FileFacts, Session};
use protocol::request::Filter;
use protocol::topics::finding::{Finding, FindingKind};

const METHODS: [(&str, &str); 10] = [
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
];

/// Findings about the CPU of so many threads that are sampled every millisecond for a second, with a stack by millisecond.
fn found(threads: u64, stack: impl Fn(i64) -> Vec<u64>) -> Vec<Finding> {
    let sample = |at: i64| (0..threads).map(move |thread| (at, thread));
    let happenings: Vec<Happening> = (0..1000)
        .flat_map(sample)
        .map(|(at, thread)| (at * 1_000_000, 5 + thread, What::Sample(true, stack(at))))
        .collect();
    let (store, bytes) = store_of_program(&METHODS, &happenings);
    let mut session = Session::new(store, Box::new(bytes), FileFacts::default()).expect("a session");
    let mut found = session.findings(&Filter::default()).expect("findings");
    found.retain(|one| matches!(one.kind, FindingKind::CpuHotSpot | FindingKind::CpuSaturation));
    found
}

#[test]
fn the_method_that_runs_most_is_named_with_those_that_follow() {
    let stack = |at: i64| if at % 10 < 6 { vec![1, 2] } else { vec![1, 3] };
    let found = found(1, stack);
    assert_eq!(found.iter().map(|one| one.kind).collect::<Vec<_>>(), [FindingKind::CpuHotSpot]);
    assert_eq!(found[0].title, "60% of running time in Prices.Total (600.0 ms)");
    assert!(
        found[0]
            .sentence
            .ends_with("ran for 600.0 ms of 999.0 ms, 100% of it in its own code and .NET's. Next: Stock.Count 40%."),
        "{}",
        found[0].sentence
    );
}

#[test]
fn time_counts_with_what_a_method_calls_and_not_for_those_that_only_pass_on() {
    // Main calls Total, which works itself and calls Count.
    let stack = |at: i64| if at % 10 < 6 { vec![1, 2] } else { vec![1, 2, 3] };
    let found = found(1, stack);
    assert_eq!(found[0].title, "100% of running time in Prices.Total (999.0 ms)");
    let parts: Vec<(&str, i64)> =
        found[0].parts.iter().map(|part| (part.name.as_str(), (part.share * 100.0).round() as i64)).collect();
    assert_eq!(parts, [("Prices.Total", 100), ("Stock.Count", 40)], "not Main");
    assert_eq!(found[0].threads.len(), 1);
}

#[test]
fn a_program_that_uses_its_cpus_has_a_hot_spot_even_if_no_method_stands_out() {
    // Each of eight methods has an eighth of the time.
    let stack = |at: i64| vec![1, [2, 3, 5, 6, 7, 8, 9, 10][at as usize % 8]];
    let all_cpus = found(4, stack);
    assert_eq!(all_cpus.iter().map(|one| one.kind).collect::<Vec<_>>(), [FindingKind::CpuHotSpot]);
    assert_eq!(all_cpus[0].parts.len(), 5, "three to five methods");
    assert_eq!(found(1, stack), [], "on one of four CPUs");
}

#[test]
fn a_program_that_waits_or_does_many_things_has_no_hot_spot() {
    assert_eq!(found(1, |_| vec![1, 4]), [], "it waits");
    assert_eq!(found(1, |at| if at % 10 < 3 { vec![1, 2] } else { vec![1, 2, 4] }), [], "it waits most of the time");
}

#[test]
fn more_runnable_threads_than_cpus_are_found() {
    // The trace says that there are four.
    let kinds = |threads| found(threads, |_| vec![1, 2]).into_iter().map(|one| one.kind).collect::<Vec<_>>();
    assert_eq!(kinds(5), [FindingKind::CpuHotSpot]);
    let many = found(9, |_| vec![1, 2]);
    let saturation = many.iter().find(|one| one.kind == FindingKind::CpuSaturation).expect("nine on four");
    assert_eq!(saturation.title, "Threads waited 4.995 s for a CPU");
    assert!(
        saturation.sentence.starts_with("On average 9.0 threads were runnable on 4 CPUs"),
        "{}",
        saturation.sentence
    );
}
