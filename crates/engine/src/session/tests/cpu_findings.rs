//! Tests findings about the CPU, from samples to sentences.

use crate::analysis::testing::{Happening, What, store_of_program};
use crate::session::{FileFacts, Session};
use protocol::request::Filter;
use protocol::topics::finding::{Finding, FindingKind};

const METHODS: [(&str, &str); 4] =
    [("Shop.Program", "Main"), ("Shop.Prices", "Total"), ("Shop.Stock", "Count"), ("System.Threading.Monitor", "Wait")];

/// Returns the findings about a number of threads that are sampled every millisecond for a second, with a stack for
/// each millisecond.
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
fn cpu_hot_spot_names_hottest_and_following_methods() {
    let stack = |at: i64| if at % 10 < 6 { vec![1, 2] } else { vec![1, 3] };
    let found = found(1, stack);
    assert_eq!(found.iter().map(|one| one.kind).collect::<Vec<_>>(), [FindingKind::CpuHotSpot]);
    assert_eq!(found[0].title, "Prices.Total uses 60% of running time");
    assert!(
        found[0].sentence.ends_with("ran for 600.0 ms of 999.0 ms. Next: Stock.Count 40%."),
        "{}",
        found[0].sentence
    );
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
    let saturation = many.iter().find(|one| one.kind == FindingKind::CpuSaturation).expect("nine on four");
    assert_eq!(saturation.title, "9.0 threads were runnable on 4 CPUs");
}
