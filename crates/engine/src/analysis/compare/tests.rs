use super::*;
use crate::analysis::measures::Collector;
use protocol::base::time::Span;

const SECOND: i64 = 1_000_000_000;

/// Values without a pattern: the same for the same seed.
pub fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A service of 10 s with 1,000 requests, whose route takes about `millis`.
fn service(seed: u64, millis: f64, extra: impl Fn(&mut Collector)) -> Measures {
    let mut collector = Collector::new(Span::new(0, 10 * SECOND));
    let mut random = noise(seed);
    for at in 0..1_000 {
        let start = at * SECOND / 100;
        let nanos = 1e6 * millis * (0.8 + 0.4 * random());
        for name in ["", "GET /checkout"] {
            collector.add(Subject::Requests, name, start, nanos);
        }
        let running = 1e6 * (0.5 + random());
        collector.add(Subject::RunningTime, "", start, running);
        collector.add(Subject::FunctionSelf, "Cart.Total", start, running * 0.4);
        collector.add(Subject::FunctionSelf, "Cart.Load", start, running * 0.6);
    }
    extra(&mut collector);
    collector.finish()
}

fn significant(comparison: &Comparison) -> Vec<String> {
    comparison.changes.iter().filter(|change| change.is_significant()).map(|change| change.sentence.clone()).collect()
}

#[test]
fn same_behavior_has_no_significant_change() {
    for seed in 0..20 {
        let (old, new) = (service(2 * seed + 1, 12.0, |_| {}), service(2 * seed + 2, 12.0, |_| {}));
        let comparison = compare(&[old], &new, Per::Second);
        assert_eq!(significant(&comparison), [""; 0], "seed {seed}");
        assert!(comparison.changes.len() > 4, "{comparison:?}");
    }
}

#[test]
fn slower_route_and_new_route_are_named() {
    let old = service(1, 12.0, |_| {});
    let new = service(2, 18.0, |collector| {
        for at in 0..60 {
            let start = at * SECOND / 6;
            for name in ["", "POST /coupon"] {
                collector.add(Subject::Requests, name, start, 18e6);
            }
        }
    });
    let comparison = compare(&[old], &new, Per::Second);
    let significant = significant(&comparison);
    let changed = comparison.changes.iter().find(|one| one.name == "GET /checkout" && one.percentile == Some(50));
    let changed = changed.expect("the median");
    let (low, high) = changed.ratio.expect("an interval");
    assert!(low > 1.45 && high < 1.55 && low < high, "{changed:?}");
    assert_eq!(changed.kind, ChangeKind::Grew);
    assert!(significant.iter().any(|one| one.starts_with("POST /coupon throughput is new: 6.00/s")), "{significant:?}");
    assert!(significant.iter().all(|one| !one.contains("Cart.")), "{significant:?}");
}

#[test]
fn function_in_both_traces_can_have_self_time_in_one() {
    let parse = |has_self_time: bool| {
        move |collector: &mut Collector| {
            for at in 0..1_000 {
                collector.add(Subject::FunctionTotal, "Cart.Parse", at * SECOND / 100, 1e6);
                if has_self_time {
                    collector.add(Subject::FunctionSelf, "Cart.Parse", at * SECOND / 100, 1e6);
                }
            }
        }
    };
    let [without, with] = [false, true].map(|has_self_time| service(1, 12.0, parse(has_self_time)));
    let of = |old: &Measures, new: &Measures| significant(&compare(std::slice::from_ref(old), new, Per::Second));
    let words = "Cart.Parse has self time only in the";
    assert_eq!(of(&without, &with), [format!("{words} new samples: 100 ms per second")]);
    assert_eq!(of(&with, &without), [format!("{words} old samples: 100 ms per second")]);
}

#[test]
fn burst_in_one_trace_is_not_significant() {
    let burst = |collector: &mut Collector| {
        for at in 0..200 {
            collector.add(Subject::Exceptions, "", 3 * SECOND + at * 1_000_000, 1.0);
        }
    };
    let quiet = |collector: &mut Collector| collector.record(Subject::Exceptions);
    let (old, new) = (service(1, 12.0, quiet), service(2, 12.0, burst));
    assert_eq!(significant(&compare(&[old], &new, Per::Second)), [""; 0]);
}

#[test]
fn subject_that_one_trace_does_not_record_is_excluded() {
    let waits = |collector: &mut Collector| {
        for at in 0..1_000 {
            collector.add(Subject::LockWaits, "", at * SECOND / 100, 1e6);
        }
    };
    let (old, new) = (service(1, 12.0, waits), service(2, 12.0, |_| {}));
    let comparison = compare(&[old], &new, Per::Second);
    assert!(comparison.changes.iter().all(|change| change.subject != Subject::LockWaits));
}

#[test]
fn baseline_of_several_traces_includes_their_spread() {
    let old: Vec<Measures> = [11.0, 12.0, 13.0, 14.0].map(|millis| service(7, millis, |_| {})).into();
    let new = service(9, 13.5, |_| {});
    let p50 = |old: &[Measures]| {
        let comparison = compare(old, &new, Per::Second);
        let median = comparison.changes.into_iter().find(|one| one.name.is_empty() && one.percentile == Some(50));
        median.expect("the median").kind
    };
    assert_eq!(p50(&old[..1]), ChangeKind::Grew);
    assert_eq!(p50(&old), ChangeKind::Same, "within what the baseline varies");
}

#[test]
fn outgoing_requests_match_by_host_if_a_trace_lacks_methods() {
    const HOST: &str = "http://localhost:5080";
    let sent = |methods: &'static [&'static str]| {
        move |collector: &mut Collector| {
            for at in 0..1_000 {
                let name = [methods[at as usize % methods.len()], HOST].join(" ");
                for name in ["", name.trim()] {
                    collector.add(Subject::SentRequests, name, at * SECOND / 100, 1e6);
                }
            }
        }
    };
    let old = service(1, 12.0, sent(&[""]));
    let of_hosts = |new: &Measures| {
        let changes = compare(std::slice::from_ref(&old), new, Per::Second).changes;
        let of_hosts = changes.into_iter().filter(|one| one.subject == Subject::SentRequests && !one.name.is_empty());
        of_hosts
            .filter(|one| one.percentile.is_none())
            .map(|one| (one.name, one.kind, one.old, one.new))
            .collect::<Vec<_>>()
    };
    let new = service(2, 12.0, sent(&["GET", "POST"]));
    assert_eq!(of_hosts(&new), [(HOST.to_owned(), ChangeKind::Same, 100.0, 100.0)]);
}

#[test]
fn values_per_request_are_independent_of_load() {
    let old = service(1, 12.0, |_| {});
    let mut collector = Collector::new(Span::new(0, 10 * SECOND));
    let mut random = noise(3);
    for at in 0..2_000 {
        let start = at * SECOND / 200;
        collector.add(Subject::Requests, "", start, 12e6 * (0.8 + 0.4 * random()));
        collector.add(Subject::RunningTime, "", start, 1e6 * (0.5 + random()));
    }
    let new = collector.finish();
    let running = |per| {
        let comparison = compare(std::slice::from_ref(&old), &new, per);
        comparison.changes.into_iter().find(|one| one.subject == Subject::RunningTime).expect("running time").kind
    };
    assert_eq!(running(Per::Second), ChangeKind::Grew);
    assert_eq!(running(Per::Request), ChangeKind::Same);
}

#[test]
fn events_of_other_providers_are_listed_but_not_compared() {
    const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";
    let with = |names: &[&str]| {
        let mut collector = Collector::new(Span::new(0, 10 * SECOND));
        for at in 0..1_000 {
            for name in names {
                collector.add(Subject::Events, "", at * SECOND / 100, 1.0);
                collector.add(Subject::EventType, name, at * SECOND / 100, 1.0);
            }
        }
        collector.finish()
    };
    let (start, stop) = (format!("{RUNTIME}/GC/Start"), format!("{RUNTIME}/Contention/Start"));
    let old = with(&["App/Order", "Old/Event", &start]);
    let comparison = compare(&[old], &with(&["App/Order", &start, &stop, "App/Refund"]), Per::Second);
    assert_eq!(significant(&comparison), ["Events rose from 200/s to 300/s", "App/Refund events are new: 100/s"]);
    let only = comparison.only.map(|only| (only.providers, only.runtime_types));
    assert_eq!(only, [(vec!["Old".to_owned()], 0), (Vec::new(), 1)]);
}
